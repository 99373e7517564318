package link

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probelint/probelint/internal/model"
)

// code is a Go side made by hand. It counts how often a handler is followed.
type code struct {
	programs []*model.Program
	calls    int
	ignored  bool // PathIgnored of every endpoint
	requests []model.Request
}

func (c *code) Programs() []*model.Program { return c.programs }

func (c *code) Endpoint(p *model.Program, r *model.Route, req model.Request, _ *model.Container) *model.Endpoint {
	c.calls++
	c.requests = append(c.requests, req)
	if r.Handler == "lost" {
		return nil
	}
	return &model.Endpoint{Symbol: r.Handler, Program: p.Package, Route: r.Pattern, PathIgnored: c.ignored, Answer: model.Answer{Statuses: []int{200}}}
}

func text(s string) model.Expr { return model.Expr{Const: &s} }

func exprs(e ...model.Expr) model.Value { return model.Value{Alternatives: e} }

// server is an HTTP server on a constant address.
func server(addr string, patterns ...string) *model.Server {
	return &model.Server{Kind: "http", AddressValue: exprs(text(addr)), Routes: routes(patterns...)}
}

// prog is a program of module example.com/shop at dir.
func prog(dir string, servers ...*model.Server) *model.Program {
	p := &model.Program{Package: "example.com/shop", Module: "example.com/shop", Dir: dir, Complete: true, Servers: servers}
	if dir != "." {
		p.Package += "/" + dir
	}
	return p
}

func getProbe(path string, port int) *model.Probe {
	return &model.Probe{Role: model.Liveness, Kind: model.HTTPGet, Target: model.Target{Scheme: "HTTP", Path: path, Port: port}}
}

func workload(image string, c model.Container, probes ...*model.Probe) *model.Workload {
	c.Image, c.Probes = image, probes
	if c.Name == "" {
		c.Name = "app"
	}
	return &model.Workload{Kind: "Deployment", Name: "w", File: "deploy/w.yaml", Containers: []*model.Container{&c}}
}

func files(m map[string]string) func(string) ([]byte, error) {
	return func(f string) ([]byte, error) {
		if s, ok := m[f]; ok {
			return []byte(s), nil
		}
		return nil, fmt.Errorf("no file %s", f)
	}
}

// told is a probe's outcome in a line.
func told(p *model.Probe) string {
	s := "none"
	if p.Endpoint != nil {
		s = fmt.Sprintf("%s %s", p.Endpoint.Symbol, p.Certainty)
	}
	if p.Miss != nil {
		s += fmt.Sprintf(" [%s %s]", p.Miss.Kind, p.Miss.Grade)
	}
	return s
}

func TestJoinOneProgram(t *testing.T) {
	port := model.Expr{Env: "PORT"}
	def := text("8080")
	fromEnv := func(patterns ...string) *model.Server {
		s := server("", patterns...)
		s.AddressValue = exprs(model.Expr{Parts: []model.Expr{text(":"), port}}, text(":8080"))
		return s
	}
	byFlag := server("", "/healthz")
	byFlag.AddressValue = exprs(model.Expr{Parts: []model.Expr{text(":"), {Flag: "port", Default: &def}}})
	unknown := &model.Server{Kind: "http", Routes: routes("/healthz")}
	unknownTLS := &model.Server{Kind: "http", TLS: true, Routes: routes("/")}
	tls := server(":8443", "/healthz")
	tls.TLS = true
	grpc := &model.Server{Kind: "grpc", AddressValue: exprs(text(":9090")), Routes: routes(healthCheck)}
	env := func(v string) model.Container {
		return model.Container{Env: []model.EnvVar{{Name: "PORT", Value: v, Known: true}}}
	}
	secret := model.Container{Env: []model.EnvVar{{Name: "PORT", From: "secret s"}}}
	scheme := func(p *model.Probe) *model.Probe { p.Target.Scheme = "HTTPS"; return p }
	ask := func(service string, port int) *model.Probe {
		return &model.Probe{Kind: model.GRPC, Target: model.Target{Port: port, Service: service}}
	}
	tcp := func(port int) *model.Probe {
		return &model.Probe{Kind: model.TCPSocket, Target: model.Target{Port: port}}
	}
	prefixed := func(p *model.Program) *model.Program { p.Complete = false; return p }
	byPath := server(":8080", "/healthz", "/other")
	byPath.Routes[0].PatternValue = exprs(model.Expr{Env: "HEALTH_PATH"}, text("/healthz"))
	pathEnv := model.Container{Env: []model.EnvVar{{Name: "HEALTH_PATH", Value: "up", Known: true}}}
	for _, tt := range []struct {
		name    string
		program *model.Program
		c       model.Container
		probe   *model.Probe
		want    string
		reason  string
	}{
		{"path by a variable", prog(".", byPath), pathEnv, getProbe("/up", 8080), "/healthz proven", ""},
		{"path by default", prog(".", byPath), model.Container{}, getProbe("/healthz", 8080), "/healthz proven", ""},
		{"default of a path that a variable sets", prog(".", byPath), pathEnv, getProbe("/healthz", 8080), "none [path proven]", "no such route: `/healthz` is not registered on port 8080 of shop (2 routes known)"},
		{"constant", prog(".", server(":8080", "/healthz")), model.Container{}, getProbe("/healthz", 8080), "/healthz proven", ""},
		{"query and no slash", prog(".", server(":8080", "/healthz")), model.Container{}, getProbe("healthz?full=1", 8080), "/healthz proven", ""},
		{"env", prog(".", fromEnv("/healthz")), env("9000"), getProbe("/healthz", 9000), "/healthz proven", ""},
		{"env, other port", prog(".", fromEnv("/healthz")), env("9000"), getProbe("/healthz", 8080), "none [port proven]", "no server of shop listens on port 8080: it listens on :9000"},
		{"default", prog(".", fromEnv("/healthz")), model.Container{}, getProbe("/healthz", 8080), "/healthz proven", ""},
		{"secret", prog(".", fromEnv("/healthz")), secret, getProbe("/healthz", 9000), "/healthz likely", ""},
		{"flag", prog(".", byFlag), model.Container{Args: []string{"--port=7000"}}, getProbe("/healthz", 7000), "/healthz proven", ""},
		{"address not known", prog(".", unknown), model.Container{}, getProbe("/healthz", 8080), "/healthz likely", ""},
		{"addresses not known, the scheme tells", prog(".", unknown, unknownTLS), model.Container{}, scheme(getProbe("/healthz", 8443)), "/ likely [path possible]", ""},
		{"addresses not known, plain", prog(".", unknown, unknownTLS), model.Container{}, getProbe("/healthz", 8080), "/healthz likely", ""},
		{"address not known, other scheme alone", prog(".", unknown), model.Container{}, scheme(getProbe("/healthz", 8443)), "/healthz likely", ""},
		{"two ports", prog(".", server(":8080", "/"), server(":9090", "/healthz")), model.Container{}, getProbe("/healthz", 9090), "/healthz proven", ""},
		{"loopback", prog(".", server("localhost:8080", "/healthz")), model.Container{}, getProbe("/healthz", 8080), "none [loopback proven]", "not reachable: shop listens on localhost:8080, which the kubelet does not reach from outside the pod"},
		{"no route", prog(".", server(":8080", "/live")), model.Container{}, getProbe("/healthz", 8080), "none [path proven]", "no such route: `/healthz` is not registered on port 8080 of shop (1 routes known)"},
		{
			"no route, not complete", prefixed(prog(".", server(":8080", "/live"))),
			model.Container{},
			getProbe("/healthz", 8080), "none [path possible]",
			"no such route: `/healthz` is not registered on port 8080 of shop (1 routes known); not followed: a call that leads to more registrations or servers",
		},
		{"prefix not known", prog(".", server(":8080", "/{prefix...}/healthz")), model.Container{}, getProbe("/api/healthz", 8080), "/{prefix...}/healthz likely", ""},
		{"catch-all", prog(".", server(":8080", "/")), model.Container{}, getProbe("/healthz", 8080), "/ proven [path possible]", ""},
		{
			"no route is known", prog(".", server(":8080")),
			model.Container{},
			getProbe("/healthz", 8080), "none [path possible]",
			"no such route: `/healthz` is not registered on port 8080 of shop (0 routes known); not followed: a call that leads to more registrations or servers",
		},
		{"empty address", prog(".", server("", "/healthz")), model.Container{}, getProbe("/healthz", 8080), "/healthz likely", ""},
		{"gRPC to a page for browsers", prog(".", server(":9090", "/")), model.Container{}, ask("", 9090), "none [grpc proven]", "no gRPC health service: none is registered on port 9090 of shop"},
		{"connect", prog(".", server(":9090", "/grpc.health.v1.Health/")), model.Container{}, ask("", 9090), "/grpc.health.v1.Health/ proven", ""},
		{"root page", prog(".", server(":8080", "/")), model.Container{}, getProbe("/", 8080), "/ proven", ""},
		{"method", prog(".", server(":8080", "POST /healthz")), model.Container{}, getProbe("/healthz", 8080), "none [method proven]", "wrong method: `/healthz` is registered for POST on port 8080 of shop, the kubelet asks with GET"},
		{"redirect", prog(".", server(":8080", "/healthz/")), model.Container{}, getProbe("/healthz", 8080), "/healthz/ proven [redirect proven]", ""},
		{"no server", prog("."), model.Container{}, getProbe("/healthz", 8080), "none [no-server proven]", "no server: shop opens none"},
		{"TLS", prog(".", tls), model.Container{}, scheme(getProbe("/healthz", 8443)), "/healthz proven", ""},
		{"HTTP to TLS", prog(".", tls), model.Container{}, getProbe("/healthz", 8443), "/healthz proven [scheme proven]", ""},
		{"HTTPS to plain", prog(".", server(":8080", "/healthz")), model.Container{}, scheme(getProbe("/healthz", 8080)), "/healthz proven [scheme proven]", ""},
		{"gRPC", prog(".", grpc), model.Container{}, ask("", 9090), healthCheck + " proven", ""},
		{"gRPC without health", prog(".", &model.Server{Kind: "grpc", AddressValue: exprs(text(":9090"))}), model.Container{}, ask("", 9090), "none [grpc proven]", "no gRPC health service: none is registered on port 9090 of shop"},
		{"HTTP to gRPC", prog(".", grpc), model.Container{}, getProbe("/healthz", 9090), "none [protocol proven]", "no HTTP on port 9090: shop serves gRPC there"},
		{"TCP", prog(".", server(":8080", "/")), model.Container{}, tcp(8080), "none", ""},
		{"TCP, other port", prog(".", server(":8080", "/")), model.Container{}, tcp(80), "none [port proven]", "no server of shop listens on port 80: it listens on :8080"},
		{"handler not followed", prog(".", &model.Server{Kind: "http", AddressValue: exprs(text(":8080")), Routes: []*model.Route{{Pattern: "/healthz", Handler: "lost"}}}), model.Container{}, getProbe("/healthz", 8080), "none", "not followed: the handler `lost` of `/healthz`"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := workload("registry.example.com/any:1", tt.c, tt.probe)
			res := Join(Input{Workloads: []*model.Workload{w}, Code: &code{programs: []*model.Program{tt.program}}})
			if len(res.Bound) != 1 {
				t.Fatalf("bound %d containers", len(res.Bound))
			}
			if got := told(tt.probe); got != tt.want || tt.probe.Reason != tt.reason {
				t.Errorf("got  %s: %q\nwant %s: %q\nevidence %+v", got, tt.probe.Reason, tt.want, tt.reason, tt.probe.Evidence)
			}
		})
	}
}

func TestEvidence(t *testing.T) {
	p := prog("cmd/api", server(":8080", "/healthz"), server(":1", "/x"))
	pr := getProbe("/healthz", 8080)
	Join(Input{Workloads: []*model.Workload{workload("org/api:1", model.Container{}, pr)}, Code: &code{programs: []*model.Program{p, prog("cmd/b")}}})
	var got []string
	for _, e := range pr.Evidence {
		got = append(got, e.Step+": "+e.Fact)
	}
	want := []string{"image: image `api` bears the name of ./cmd/api", "port: listens on :8080, by a constant", "route: `/healthz` is registered"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEndpointsAreShared(t *testing.T) {
	s := server(":8080", "/healthz")
	c := &code{programs: []*model.Program{prog(".", s)}}
	a, b, q := getProbe("/healthz", 8080), getProbe("/healthz", 8080), getProbe("/healthz?full=1", 8080)
	w := workload("x/y", model.Container{}, a, b, q)
	other := workload("x/y", model.Container{Env: []model.EnvVar{{Name: "MODE", Value: "1", Known: true}}}, getProbe("/healthz", 8080))
	Join(Input{Workloads: []*model.Workload{w, other}, Code: c})
	if a.Endpoint != b.Endpoint || a.Endpoint == q.Endpoint || a.Endpoint == other.Containers[0].Probes[0].Endpoint || c.calls != 3 {
		t.Errorf("%d calls; shared %v", c.calls, a.Endpoint == b.Endpoint)
	}
	if diff := cmp.Diff(model.Request{Method: "GET", Path: "/healthz", Query: "full=1"}, c.requests[1]); diff != "" {
		t.Error(diff)
	}
}

func TestProvenCatchAll(t *testing.T) {
	pr := getProbe("/healthz", 8080)
	Join(Input{Workloads: []*model.Workload{workload("x/y", model.Container{}, pr)}, Code: &code{programs: []*model.Program{prog(".", server(":8080", "/"))}, ignored: true}})
	if m := pr.Miss; m == nil || m.Grade != model.MissProven || m.CatchAllStatus != 200 {
		t.Errorf("got %+v", m)
	}
}

func TestSubcommandDecidesBetweenServers(t *testing.T) {
	api, worker := server(":8080", "/healthz"), server(":8080", "/healthz")
	api.Commands, worker.Commands = []string{"serve"}, []string{"worker"}
	worker.Routes[0].Handler = "worker"
	pr := getProbe("/healthz", 8080)
	Join(Input{Workloads: []*model.Workload{workload("x/y", model.Container{Args: []string{"worker", "--x"}}, pr)}, Code: &code{programs: []*model.Program{prog(".", api, worker)}}})
	if got := told(pr); got != "worker proven" {
		t.Errorf("got %s %s", got, pr.Reason)
	}
	none := getProbe("/healthz", 8080)
	Join(Input{Workloads: []*model.Workload{workload("x/y", model.Container{}, none)}, Code: &code{programs: []*model.Program{prog(".", api, worker)}}})
	if none.Endpoint != nil || !strings.HasPrefix(none.Reason, "ambiguous: ") {
		t.Errorf("without a subcommand: got %s %q", told(none), none.Reason)
	}
}

func TestAddressesOfPrograms(t *testing.T) {
	s := server("", "/healthz")
	s.AddressValue = exprs(model.Expr{Parts: []model.Expr{text(":"), {Env: "PORT"}}}, text(":8080"))
	Join(Input{Workloads: []*model.Workload{workload("x/y", model.Container{Env: []model.EnvVar{{Name: "PORT", Value: "9", Known: true}}})}, Code: &code{programs: []*model.Program{prog(".", s)}}})
	if s.Address != ":9" || s.AddressFrom != "manifest" {
		t.Errorf("got %q from %q", s.Address, s.AddressFrom)
	}
}
