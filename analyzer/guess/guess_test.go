package guess

import (
	"fmt"
	"slices"
	"testing"

	"github.com/probelint/probelint/internal/model"
)

type code struct{ asked []string }

func (c *code) Endpoint(_ *model.Program, r *model.Route, req model.Request, _ *model.Container) *model.Endpoint {
	c.asked = append(c.asked, req.Method+" "+req.Path)
	if r.Handler == "lost" {
		return nil
	}
	return &model.Endpoint{Symbol: r.Handler}
}

func TestProbes(t *testing.T) {
	p := &model.Program{Servers: []*model.Server{
		{Kind: "http", Routes: []*model.Route{
			{Pattern: "/livez"},
			{Pattern: "/readyz", Method: "GET"},
			{Pattern: "/healthz"},
			{Pattern: "/startupz"},
			{Pattern: "/orders"},
			{Pattern: "/ready", Method: "POST"},
			{Pattern: "/health/{id}"},
			{Pattern: "/livez"},
			{Pattern: "/alive", Handler: "lost"},
			{Pattern: "/ping", Handler: "linked"},
		}},
		{Kind: "grpc", Routes: []*model.Route{{Pattern: "/live"}}},
	}}
	c := &code{}
	var got []string
	for _, pr := range Probes(c, p, func(r *model.Route) bool { return r.Handler == "linked" }) {
		if !pr.Guessed || pr.Certainty != model.Guessed || pr.Endpoint == nil || pr.PeriodSeconds != 10 || pr.TimeoutSeconds != 1 || pr.FailureThreshold != 3 {
			t.Errorf("probe %+v", pr)
		}
		got = append(got, fmt.Sprintf("%s %s %q", pr.Target.Path, pr.Role, pr.Endpoint.Role))
	}
	want := []string{`/livez liveness "liveness"`, `/readyz readiness "readiness"`, `/healthz readiness ""`, `/startupz startup "startup"`}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if slices.Contains(c.asked, "GET /orders") || slices.Contains(c.asked, "GET /ping") {
		t.Errorf("asked for %q", c.asked)
	}
}
