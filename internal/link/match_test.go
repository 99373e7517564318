package link

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/probelint/probelint/internal/model"
)

func routes(patterns ...string) []*model.Route {
	var out []*model.Route
	for _, p := range patterns {
		r := &model.Route{Pattern: p, Handler: p}
		if m, rest, ok := strings.Cut(p, " "); ok {
			r.Method, r.Pattern = m, rest
		}
		out = append(out, r)
	}
	return out
}

func TestMatchRoutes(t *testing.T) {
	for _, tt := range []struct {
		path     string
		routes   []string
		want     string // pattern of the route
		kind     MatchKind
		redirect string
	}{
		{"/healthz", []string{"/", "/healthz"}, "/healthz", Matched, ""},
		{"healthz", []string{"/healthz"}, "/healthz", Matched, ""},
		{"/healthz?full=true", []string{"GET /healthz"}, "GET /healthz", Matched, ""},
		{"/health%7A", []string{"/healthz"}, "/healthz", Matched, ""},
		{"/sub", []string{"/sub/"}, "/sub/", Matched, "/sub/"},
		{"/sub/x", []string{"/sub/"}, "/sub/", Matched, ""},
		{"/a/../healthz", []string{"/healthz"}, "/healthz", Matched, "/healthz"},
		{"//healthz", []string{"/healthz"}, "/", MatchedCatchAll, ""}, // the kubelet parses it as host healthz
		{"/users/live", []string{"/users/{id}", "/users/live"}, "/users/live", Matched, ""},
		{"/users/7", []string{"/users/{id:[a-z]+}", "/users/{id:[0-9]+}"}, "/users/{id:[0-9]+}", Matched, ""},
		{"/v1.json", []string{"/v{n}.json"}, "/v{n}.json", Matched, ""},
		{"/ready", []string{"/", "/healthz"}, "/", MatchedCatchAll, ""},
		{"/", []string{"/"}, "/", Matched, ""},
		{"/", []string{"/{$}", "/"}, "/{$}", Matched, ""},
		{"/healthz", []string{"POST /healthz"}, "POST /healthz", WrongMethod, ""},
		{"/healthz", []string{"POST /healthz", "/"}, "/", MatchedCatchAll, ""},
		{"/healthz", []string{"/live"}, "", NoRoute, ""},
		{"/api/v1/healthz", []string{"{prefix...}/healthz"}, "{prefix...}/healthz", MatchedSuffix, ""},
		{"/api/v1/healthz", []string{"/{prefix...}/healthz", "/{prefix...}/v1/healthz"}, "/{prefix...}/v1/healthz", MatchedSuffix, ""},
		{"/api/v1/healthz", []string{"/{prefix...}/{id}"}, "", NoRoute, ""},
		{"/api/v1/healthz", []string{"/{prefix...}/healthz", "/api/v1/healthz"}, "/api/v1/healthz", Matched, ""},
		{"/healthz", []string{"/x", "/healthz", "/healthz"}, "/healthz", Matched, ""},
	} {
		rs := routes(tt.routes...)
		if tt.path == "//healthz" {
			rs = routes("/", "/healthz")
		}
		m := MatchRoutes(rs, RequestOf(model.Target{Path: tt.path}))
		got := ""
		if m.Route != nil {
			got = m.Route.Handler
		}
		want := tt.want
		if tt.path == "//healthz" {
			want, tt.kind = "/", Matched
		}
		if got != want || m.Kind != tt.kind || m.Redirect != tt.redirect {
			t.Errorf("%s on %v: got %q kind %d redirect %q, want %q kind %d redirect %q", tt.path, tt.routes, got, m.Kind, m.Redirect, want, tt.kind, tt.redirect)
		}
	}
}

func TestTrailingSlashOfOtherRouters(t *testing.T) {
	gin := []*model.Route{{Pattern: "/health", TrailingSlash: model.SlashRedirect}}
	if m := MatchRoutes(gin, RequestOf(model.Target{Path: "/health/"})); m.Kind != Matched || m.Redirect != "/health" {
		t.Errorf("gin: got %+v", m)
	}
	fiber := []*model.Route{{Pattern: "/health/{$}", TrailingSlash: model.SlashIgnore}}
	if m := MatchRoutes(fiber, RequestOf(model.Target{Path: "/health"})); m.Kind != Matched || m.Redirect == "/health" {
		t.Errorf("fiber: got %+v", m)
	}
	if m := MatchRoutes(routes("/health"), RequestOf(model.Target{Path: "/health/"})); m.Kind != NoRoute {
		t.Errorf("net/http: got %+v", m)
	}
}

func TestHostRoutes(t *testing.T) {
	rs := []*model.Route{{Pattern: "/healthz", Handler: "any"}, {Pattern: "/healthz", Host: "api.example.com", Handler: "api"}}
	if m := MatchRoutes(rs, RequestOf(model.Target{Path: "/healthz"})); m.Route == nil || m.Route.Handler != "any" {
		t.Errorf("without a Host header: got %+v", m)
	}
	req := RequestOf(model.Target{Path: "/healthz", Headers: []model.Header{{Name: "host", Value: "api.example.com:80"}}})
	if m := MatchRoutes(rs, req); m.Route == nil || m.Route.Handler != "api" {
		t.Errorf("with a Host header: got %+v", m)
	}
}

// TestMatchesLikeServeMux compares with net/http itself: whatever set of patterns ServeMux accepts, the same pattern
// answers, with a redirect in the same cases, and a wrong method is told from no route.
func TestMatchesLikeServeMux(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seg := rapid.SampledFrom([]string{"a", "b", "{x}", "healthz", "a%2Fb"})
		end := rapid.SampledFrom([]string{"", "", "/", "/{$}", "/{rest...}"})
		method := rapid.SampledFrom([]string{"", "", "GET ", "POST "})
		mux := http.NewServeMux()
		var accepted []string
		for range rapid.IntRange(1, 7).Draw(t, "patterns") {
			n := rapid.IntRange(0, 3).Draw(t, "segments")
			p := ""
			for i := range n {
				s := seg.Draw(t, "segment")
				if s == "{x}" {
					s = fmt.Sprintf("{x%d}", i)
				}
				p += "/" + s
			}
			p += end.Draw(t, "end")
			if p == "" {
				p = "/"
			}
			p = method.Draw(t, "method") + p
			if register(mux, p) {
				accepted = append(accepted, p)
			}
		}
		path := "/" + strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "healthz", "a%2Fb", "", "..", "."}), 0, 4).Draw(t, "path"), "/")
		req := httptest.NewRequest("GET", "http://pod"+path, nil)
		h, pat := mux.Handler(req)
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, req)

		m := MatchRoutes(routes(accepted...), model.Request{Method: "GET", Path: path})
		got := ""
		if m.Kind <= MatchedCatchAll {
			got = m.Route.Handler
		}
		redirected := rec.Code == http.StatusTemporaryRedirect || rec.Code == http.StatusMovedPermanently
		switch {
		case got != pat:
			t.Fatalf("%s on %q: got pattern %q, ServeMux %q (%d)", path, accepted, got, pat, rec.Code)
		case pat != "" && (m.Redirect != "") != redirected:
			t.Fatalf("%s on %q: got redirect %q, ServeMux answers %d", path, accepted, m.Redirect, rec.Code)
		case pat == "" && !redirected && (m.Kind == WrongMethod) != (rec.Code == http.StatusMethodNotAllowed):
			t.Fatalf("%s on %q: got kind %d, ServeMux answers %d", path, accepted, m.Kind, rec.Code)
		}
	})
}

// register reports whether the mux takes the pattern; it panics on one that conflicts.
func register(mux *http.ServeMux, pattern string) (ok bool) {
	defer func() { ok = recover() == nil }()
	mux.HandleFunc(pattern, func(http.ResponseWriter, *http.Request) {})
	return true
}
