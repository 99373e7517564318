package link

import (
	"net"
	"strconv"
	"strings"

	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/values"
)

// address is where a server listens in one container.
type address struct {
	values.Answer
	host string
	// port is 0 where it is not known, or chosen by the system; none where the server does not listen on TCP at all.
	port int
	none bool
}

// loopback reports whether only the pod itself reaches the server.
func (a address) loopback() bool {
	if strings.EqualFold(a.host, "localhost") {
		return true
	}
	ip := net.ParseIP(strings.Trim(a.host, "[]"))
	return ip != nil && ip.IsLoopback()
}

// text is the address for people.
func (a address) text() string {
	if a.port == 0 {
		return a.Value
	}
	if a.host == "" || strings.Contains(a.host, values.Unknown) {
		return ":" + itoa(a.port)
	}
	return net.JoinHostPort(strings.Trim(a.host, "[]"), itoa(a.port))
}

// source says which value won, for people.
func (a address) source() string {
	name := ""
	if a.Name != "" {
		name = " (" + a.Name + ")"
	}
	switch a.From {
	case values.FromManifest:
		return "by the manifest" + name
	case values.FromDockerfile:
		return "by the Dockerfile" + name
	case values.FromDefault:
		return "by the default in code" + name
	}
	return "by a constant"
}

// servicePorts are the names that Go code uses for ports (IANA).
var servicePorts = map[string]int{"http": 80, "https": 443, "http-alt": 8080, "grpc": 0}

// addressesOf are the addresses that a server can have in one container; empty where nothing is known.
func addressesOf(s *model.Server, env values.Values) []address {
	v := s.AddressValue
	if len(v.Alternatives) == 0 && s.Address != "" {
		from := s.AddressFrom
		if from == "" {
			from = values.FromConstant
		}
		return []address{parseAddress(values.Answer{Value: s.Address, From: from, Certain: true, Span: s.Span})}
	}
	var out []address
	for _, a := range values.All(v, env) {
		out = append(out, parseAddress(a))
	}
	return out
}

// parseAddress reads what Go code listens on: ":8080", "host:8080", "8080", ":http", a URL,
// "0" (controller-runtime: off), a path of a Unix socket.
func parseAddress(a values.Answer) address {
	out := address{Answer: a}
	v := strings.TrimSpace(a.Value)
	if i := strings.Index(v, "://"); i >= 0 {
		if strings.HasPrefix(v, "unix") {
			out.none = true
			return out
		}
		v = strings.TrimSuffix(v[i+3:], "/")
	}
	switch {
	case v == "":
		// The empty address is that of the scheme's port, but it is hardly ever meant: the listener comes from elsewhere, or
		// the variable is set by something that is not in the input.
		return out
	case v == "0":
		out.none = true
		return out
	case strings.HasPrefix(v, "/") || strings.HasPrefix(v, "@"):
		out.none = true
		return out
	}
	port := v
	if i := strings.LastIndexByte(v, ':'); i >= 0 {
		out.host, port = v[:i], v[i+1:]
	}
	if n, err := strconv.Atoi(port); err == nil && n >= 0 && n < 65536 {
		out.port = n
	} else if n, ok := servicePorts[port]; ok {
		out.port = n
	}
	return out
}

// fillAddresses gives servers without an address the one that they have in the containers that run them, where these
// agree, else the one by default.
func (j *joiner) fillAddresses(res *Result) {
	byProgram := map[*model.Program][]Values{}
	for _, b := range res.Bound {
		byProgram[b.Program] = append(byProgram[b.Program], values.Of(b.InForce))
	}
	for _, p := range j.programs {
		envs := byProgram[p.Program]
		if len(envs) == 0 {
			envs = []Values{{}}
		}
		for _, s := range p.Servers {
			if s.Address != "" || len(s.AddressValue.Alternatives) == 0 {
				continue
			}
			for i, env := range envs {
				v, from, ok := values.Resolve(s.AddressValue, env)
				if !ok || v == "" || i > 0 && v != s.Address {
					s.Address, s.AddressFrom = "", ""
					break
				}
				s.Address, s.AddressFrom = v, from
			}
		}
	}
}
