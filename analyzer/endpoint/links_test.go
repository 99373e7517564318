package endpoint_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/probelint/probelint/internal/link"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/values"
)

// TestLinks runs testdata/links/*.txtar: what a program registers, and where a request is answered. Each line of `want` is
//
//	server :8080 http            a listener with its address, kind, `tls`, and the subcommands that lead to it
//	GET :8080 /livez: livez 31   the function that answers a request on that server, its line (left out below router and
//	                             health, where the libraries are) and statuses; "none" where no route does,
//	                             the way of matching where it is no route proper; grpc and a service name for a gRPC check
//	GET :8080 /livez PORT=9090 -addr=:7   with variables and flags of the container
//
// All servers have a line.
func TestLinks(t *testing.T) {
	var names []string
	for _, dir := range []string{"", "router"} {
		found, err := filepath.Glob(filepath.Join("testdata", "links", dir, "*.txtar"))
		if err != nil || len(found) == 0 {
			t.Fatal("no archives", err)
		}
		names = append(names, found...)
	}
	for _, name := range names {
		rel, err := filepath.Rel(filepath.Join("testdata", "links"), name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.ToSlash(strings.TrimSuffix(rel, ".txtar")), func(t *testing.T) {
			want, files := archive(t, name)
			compareLinks(t, analyze(t, files), want)
		})
	}
}

func compareLinks(t *testing.T, a link.Analysis, want string) {
	t.Helper()
	compareServers(t, a, want, func(asked, expected string) {
		if got := answerOf(a, strings.Fields(asked)); got != expected && plainPlace(got) != expected {
			t.Errorf("%s\n got %s\nwant %s", asked, got, expected)
		}
	})
}

// compareServers compares the lines `server` of want and hands the others to ask.
func compareServers(t *testing.T, a link.Analysis, want string, ask func(asked, expected string)) {
	t.Helper()
	var servers []string
	for _, p := range a.Programs() {
		for _, s := range p.Servers {
			servers = append(servers, describeServer(s))
		}
	}
	for _, line := range strings.Split(want, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if strings.HasPrefix(line, "server ") {
			i := slices.Index(servers, line)
			if i < 0 {
				t.Errorf("no %q, left are %q", line, servers)
				continue
			}
			servers = slices.Delete(servers, i, i+1)
			continue
		}
		asked, expected, ok := strings.Cut(line, ": ")
		if !ok {
			t.Errorf("%q has no `: `", line)
			continue
		}
		ask(asked, expected)
	}
	for _, s := range servers {
		t.Errorf("not listed: %s", s)
	}
}

func describeServer(s *model.Server) string {
	address := s.Address
	if address == "" {
		address = "?"
	}
	out := fmt.Sprintf("server %s %s", address, s.Kind)
	if s.TLS {
		out += " tls"
	}
	if s.Unserved {
		out += " unserved"
	}
	if len(s.Commands) > 0 {
		out += " " + strings.Join(s.Commands, ",")
	}
	return out
}

// answerOf asks the server of an address in a container that sets variables and flags.
func answerOf(a link.Analysis, words []string) string {
	e, how := endpointOf(a, words)
	if e == nil {
		return "none"
	}
	return place(e) + how
}

// endpointOf is what answers `METHOD ADDRESS PATH [ENV=value] [-flag=value]`, nil for nothing, and the way of matching where it
// is no route proper, or the facts of a gRPC check.
func endpointOf(a link.Analysis, words []string) (e *model.Endpoint, how string) {
	method, address, path := words[0], words[1], words[2]
	c := &model.Container{}
	for _, w := range words[3:] {
		if strings.HasPrefix(w, "-") {
			c.Args = append(c.Args, w)
			continue
		}
		name, value, _ := strings.Cut(w, "=")
		c.Env = append(c.Env, model.EnvVar{Name: name, Value: value, Known: true})
	}
	req := model.Request{Method: method}
	req.Path, req.Query, _ = strings.Cut(path, "?")
	for _, p := range a.Programs() {
		for _, s := range p.Servers {
			listens := s.Address
			if v, _, ok := values.Resolve(s.AddressValue, values.Of(c)); ok {
				listens = v
			}
			if listens != address && (listens != "" || address != "?") {
				continue
			}
			if method == "grpc" {
				service := strings.Trim(path, `"`)
				for _, r := range s.Routes {
					if strings.Contains(r.Pattern, "grpc.health.v1.Health") {
						e := a.Endpoint(p, r, model.Request{Method: "POST", Path: r.Pattern, Service: service}, c)
						return e, grpcFacts(e)
					}
				}
				continue
			}
			m := link.MatchRoutes(link.RoutesInForce(s.Routes, values.Of(c)), req)
			if m.Route == nil || m.Kind > link.MatchedSuffix {
				continue
			}
			how := map[link.MatchKind]string{link.MatchedCatchAll: " catch-all", link.MatchedSuffix: " suffix"}[m.Kind]
			return a.Endpoint(p, m.Route, req, c), how
		}
	}
	return nil, ""
}

// place is the function's own name, its line and its statuses.
func place(e *model.Endpoint) string {
	if why := panicked(e); why != "" {
		return why
	}
	return strings.TrimSpace(fmt.Sprintf("%s %d %v", ownName(e), e.Line, e.Answer.Statuses))
}

// ownName is the function's name without its package.
func ownName(e *model.Endpoint) string {
	name := e.Symbol[strings.LastIndexByte(e.Symbol, '/')+1:]
	if i := strings.IndexByte(name, '.'); i >= 0 {
		name = name[i+1:]
	}
	return name
}

// plainPlace is a place without its line and brackets: "live 14 [200]" is "live 200".
func plainPlace(s string) string {
	return placeLine.ReplaceAllString(s, "${1} ${2}")
}

var placeLine = regexp.MustCompile(`^(\S+) \d+ \[([^\]]*)\]`)

func grpcFacts(e *model.Endpoint) string {
	g := e.GRPC
	if g == nil {
		return " no facts"
	}
	if !g.Standard {
		return ""
	}
	out := fmt.Sprintf(" standard %q", g.Set)
	if !g.Complete {
		out += " and more"
	}
	if g.Turns {
		out += " turns"
	}
	return out
}
