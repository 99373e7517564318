package livenessequalsreadiness

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

// both is a pass over a container whose two probes ask one endpoint.
func both(e *model.Endpoint) *lint.Pass {
	p := ruletest.Pass(model.Liveness, e)
	ready := *p.Probe
	ready.Role, ready.Span, ready.Line = model.Readiness, ruletest.Yaml(40), 40
	f := func(line int) model.Field { return model.Field{Key: ruletest.Yaml(line), Value: ruletest.Yaml(line)} }
	ready.Fields = model.Fields{"httpGet": f(41), "httpGet.path": f(42), "httpGet.port": f(43), "periodSeconds": f(44), "timeoutSeconds": f(45), "failureThreshold": f(46)}
	p.Container.Probes = append(p.Container.Probes, &ready)
	p.Probe, p.Endpoint = nil, nil
	return p
}

func answers(statuses ...int) *model.Endpoint {
	return &model.Endpoint{Answer: model.Answer{Statuses: statuses}}
}

func TestFollowedAndFailing(t *testing.T) {
	e := answers(200, 503)
	e.State = []model.State{{Name: "inflight", Kind: "local", Gates: true, Load: true, Span: ruletest.Code(33)}}
	p := both(e)
	p.Container.Probes[1].Target.PortName = "http"
	ref := func(r model.Role, line int) lint.ProbeRef {
		return lint.ProbeRef{Workload: "Deployment/shop", Container: "app", Role: r, File: "deploy.yaml", Line: line}
	}
	ruletest.Want(t, Rule, p, lint.Finding{
		Level: lint.Error, Certainty: model.Proven,
		Title:   "liveness and readiness probe of `shop` ask the same: `/healthz`",
		Primary: lint.Label{Span: ruletest.Yaml(22), Text: "the kubelet restarts container `app` when this fails"},
		Labels: []lint.Label{
			{Span: ruletest.Yaml(42), Text: "and takes it out of rotation when the same fails"},
			{Span: ruletest.Yaml(43), Text: "port 8080, the one that liveness asks"},
			{Span: ruletest.Yaml(26), Text: "3 failures, 10s apart: restarted 20s to 32s into an outage"},
			{Span: ruletest.Yaml(46), Text: "out of rotation 20s to 32s into an outage"},
			{Span: ruletest.Code(33), Text: "fails under load, by `inflight`", Strong: true},
		},
		Notes: []string{
			"it fails under load, by `inflight`: that passes by itself, and a restart only adds a cold start",
			"in rotation for up to 32s, restarted from 20s on: the restart comes where the removal alone was wanted",
		},
		Help:   "a liveness endpoint that only says whether this process still runs; until there is one, `failureThreshold: 6` on the liveness probe restarts no earlier than 50s",
		Probes: []lint.ProbeRef{ref(model.Liveness, 20), ref(model.Readiness, 40)},
	})
}

func TestLevels(t *testing.T) {
	const title = " liveness and readiness probe of `shop` ask the same: `/healthz`"
	with := func(e *model.Endpoint, change func(*model.Endpoint)) *model.Endpoint {
		change(e)
		return e
	}
	for name, c := range map[string]struct {
		e    *model.Endpoint
		edit func(live, ready *model.Probe)
		want string // level and certainty, "" for silence
	}{
		"no code":    {want: "warning proven"},
		"dependency": {e: with(answers(200, 503), func(e *model.Endpoint) { e.Dependencies = []*model.Dependency{ruletest.Ping()} }), want: "error proven"},
		"likely call": {e: with(answers(200, 503), func(e *model.Endpoint) {
			d := ruletest.Ping()
			d.Certainty = model.Likely
			e.Dependencies = []*model.Dependency{d}
		}), want: "warning likely"},
		"likely link": {
			e:    with(answers(200, 503), func(e *model.Endpoint) { e.Dependencies = []*model.Dependency{ruletest.Ping()} }),
			edit: func(live, _ *model.Probe) { live.Certainty = model.Likely }, want: "warning likely",
		},
		"reported only": {
			e: with(answers(200), func(e *model.Endpoint) {
				d := ruletest.Ping()
				d.Gates = false
				e.Dependencies = []*model.Dependency{d}
			}), want: "info proven",
		},
		"reported without a bound": {
			e: with(answers(200), func(e *model.Endpoint) {
				d := ruletest.Ping()
				d.Gates, d.Bound, d.Deadline = false, model.BoundNone, nil
				e.Dependencies = []*model.Dependency{d}
			}), want: "warning proven",
		},
		"constant":           {e: with(answers(200), func(e *model.Endpoint) { e.Answer.Static = true }), want: "info proven"},
		"constant, likely":   {e: answers(200), edit: func(live, _ *model.Probe) { live.Certainty = model.Likely }, want: "warning likely"},
		"fails, reason gone": {e: answers(200, 500), want: "warning proven"},
		"status not known":   {e: with(answers(200), func(e *model.Endpoint) { e.Answer.Unknown = true }), want: "warning proven"},
		"call not followed": {
			e: with(answers(200), func(e *model.Endpoint) { e.Unfollowed = []model.Unfollowed{{Call: "x.Y", Why: "no source"}} }), want: "warning proven",
		},
		"long liveness": {
			e:    with(answers(200, 503), func(e *model.Endpoint) { e.Dependencies = []*model.Dependency{ruletest.Ping()} }),
			edit: func(live, _ *model.Probe) { live.FailureThreshold = 6 }, want: "info proven",
		},
		"not long enough": {
			e:    with(answers(200, 503), func(e *model.Endpoint) { e.Dependencies = []*model.Dependency{ruletest.Ping()} }),
			edit: func(live, _ *model.Probe) { live.PeriodSeconds, live.FailureThreshold = 9, 5 }, want: "error proven",
		},
		"a flag": {e: with(answers(200, 503), func(e *model.Endpoint) {
			e.State = []model.State{{Name: "ready", Kind: "local", Gates: true, Span: ruletest.Code(9)}}
		}), want: "error proven"},
		"a heartbeat": {e: with(answers(200, 503), func(e *model.Endpoint) {
			e.State = []model.State{{Name: "lastBeat", Kind: "local", Gates: true, Span: ruletest.Code(9)}}
		}), want: "warning proven"},
		"a flag that is told": {e: with(answers(200), func(e *model.Endpoint) {
			e.State = []model.State{{Name: "ready", Kind: "local", Span: ruletest.Code(9)}}
		}), want: "info proven"},
		"rejected":     {edit: func(live, _ *model.Probe) { live.Invalid = []model.Invalid{{Rejected: true}} }},
		"unknown port": {edit: func(_, ready *model.Probe) { ready.Target.Port, ready.Target.PortName = 0, "web" }},
		"other path":   {edit: func(_, ready *model.Probe) { ready.Target.Path = "/readyz" }},
		"other query":  {edit: func(_, ready *model.Probe) { ready.Target.Path = "/healthz?full=1" }},
		"other scheme": {edit: func(_, ready *model.Probe) { ready.Target.Scheme = "HTTPS" }},
		"other kind":   {edit: func(_, ready *model.Probe) { ready.Kind = model.TCPSocket }},
	} {
		t.Run(name, func(t *testing.T) {
			p := both(c.e)
			if c.edit != nil {
				c.edit(p.Container.Probes[0], p.Container.Probes[1])
			}
			if c.want == "" {
				ruletest.WantLine(t, Rule, p)
				return
			}
			ruletest.WantLine(t, Rule, p, c.want+title)
		})
	}
}

func TestGRPC(t *testing.T) {
	for name, c := range map[string]struct {
		g    model.GRPCHealth
		want string
	}{
		"set somewhere":   {model.GRPCHealth{Registered: true, Standard: true, Complete: true, Turns: true, Server: ruletest.Code(7)}, "error"},
		"serving forever": {model.GRPCHealth{Registered: true, Standard: true, Complete: true}, "info"},
		"own Check":       {model.GRPCHealth{Registered: true, Complete: true}, "warning"},
	} {
		t.Run(name, func(t *testing.T) {
			p := both(&model.Endpoint{GRPC: &c.g})
			for _, pr := range p.Container.Probes {
				pr.Kind, pr.Target = model.GRPC, model.Target{Port: 8080, Service: "orders"}
				pr.Fields["grpc.service"] = pr.Fields["httpGet.path"]
			}
			ruletest.WantLine(t, Rule, p, c.want+" proven liveness and readiness probe of `shop` ask the same: gRPC service `orders`")
		})
	}
}
