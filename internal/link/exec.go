package link

import (
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/probelint/probelint/internal/model"
)

// exec follows an exec probe that asks the container's own server: grpc_health_probe, curl or wget, or the program's own
// subcommand with an address. The endpoint is then that of the request; what the command itself makes of the answer is not
// followed.
func (j *joiner) exec(ch *choice, w *model.Workload, pr *model.Probe) {
	words := commandWords(pr.Target.Command)
	t, kind, ok := asked(words)
	if !ok {
		j.ownCommand(ch, w, pr, words)
		return
	}
	if ch.program == nil {
		pr.Reason = ch.why
		return
	}
	q := *pr
	q.Kind, q.Target = kind, t
	a := j.try(ch.program, ch.certainty == model.Proven, ch, w, &q)
	if a.route == nil || !a.answers {
		return
	}
	e := j.endpoint(&a, ch.container)
	if e == nil {
		return
	}
	pr.Program, pr.Server, pr.Endpoint = ch.program.Program, a.server, e
	pr.Certainty = weaker(ch.certainty, a.certainty)
	what := "GET " + t.Path
	if kind == model.GRPC {
		what = healthCheck
	}
	step := evidence("command", nil, "the command asks its own port %d for `%s`", t.Port, what)
	pr.Evidence = append(append([]model.Evidence(nil), ch.evidence...), step)
	pr.Evidence = append(pr.Evidence, a.steps()...)
}

// commandWords are the words of a command; those of a script that a shell is given are taken apart at blanks.
func commandWords(cmd []string) []string {
	if len(cmd) >= 3 && strings.HasPrefix(cmd[1], "-") && strings.HasSuffix(cmd[1], "c") {
		switch path.Base(cmd[0]) {
		case "sh", "bash", "ash", "dash":
			return strings.FieldsFunc(cmd[2], func(r rune) bool { return strings.ContainsRune(" \t\n'\";|&()", r) })
		}
	}
	return cmd
}

// asked is what a command asks of its own pod.
func asked(words []string) (model.Target, model.ProbeKind, bool) {
	if len(words) == 0 {
		return model.Target{}, "", false
	}
	if base := path.Base(words[0]); base == "grpc_health_probe" || base == "grpc-health-probe" {
		t := model.Target{}
		for i, w := range words {
			name, val, has := strings.Cut(strings.TrimLeft(w, "-"), "=")
			if !has && i+1 < len(words) {
				val = words[i+1]
			}
			if !strings.HasPrefix(w, "-") {
				continue
			}
			switch name {
			case "addr":
				_, t.Port, _ = ownAddress(val)
			case "service":
				t.Service = val
			}
		}
		return t, model.GRPC, t.Port != 0
	}
	for _, w := range words[1:] {
		if strings.HasPrefix(w, "-") {
			continue
		}
		if t, ok := ownURL(w); ok {
			return t, model.HTTPGet, true
		}
	}
	return model.Target{}, "", false
}

// ownURL reads "http://localhost:8080/healthz" and "localhost:8080/healthz".
func ownURL(s string) (model.Target, bool) {
	raw := s
	if !strings.Contains(raw, "://") {
		if !strings.Contains(raw, ":") || !strings.Contains(raw, "/") {
			return model.Target{}, false
		}
		raw = "http://" + raw
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return model.Target{}, false
	}
	host, port, ok := ownAddress(u.Host)
	if !ok {
		return model.Target{}, false
	}
	if port == 0 {
		port = servicePorts[u.Scheme]
	}
	p := u.EscapedPath()
	if u.RawQuery != "" {
		p += "?" + u.RawQuery
	}
	return model.Target{Scheme: strings.ToUpper(u.Scheme), Host: host, Port: port, Path: p}, true
}

// ownAddress reads an address of the pod itself.
func ownAddress(s string) (host string, port int, ok bool) {
	i := strings.LastIndexByte(s, ':')
	h := s
	if i >= 0 && !strings.HasSuffix(s, "]") {
		h = s[:i]
		n, err := strconv.Atoi(s[i+1:])
		if err != nil || n <= 0 || n > 65535 {
			return "", 0, false
		}
		port = n
	}
	switch {
	case h == "" || h == "0.0.0.0" || h == "[::]" || (address{host: h}).loopback():
		return "", port, true
	}
	return h, port, false
}
