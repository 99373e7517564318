package engine

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/probelint/probelint/internal/judge"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

func at(file string, start int) model.Span {
	return model.Span{File: file, Start: start, End: start + 5, Line: start/10 + 1}
}

// shop is a workload with one container, a liveness probe and a readiness probe; start places it in the file.
func shop(name string, start int) *model.Workload {
	probe := func(r model.Role, off int) *model.Probe {
		return &model.Probe{
			Role: r, Kind: model.HTTPGet, File: "a.yaml", Line: off/10 + 1, Span: at("a.yaml", off), PeriodSeconds: 10,
			TimeoutSeconds: 1, FailureThreshold: 3, SuccessThreshold: 1,
			Fields: model.Fields{"httpGet": {Key: at("a.yaml", off+10), Value: at("a.yaml", off+15)}, "httpGet.path": {Value: at("a.yaml", off+20)}},
		}
	}
	c := &model.Container{Name: "app", Span: at("a.yaml", start+10), Probes: []*model.Probe{probe(model.Liveness, start+20), probe(model.Readiness, start+60)}}
	return &model.Workload{Kind: "Deployment", APIVersion: "apps/v1", Name: name, File: "a.yaml", Line: start/10 + 1, Span: at("a.yaml", start), Containers: []*model.Container{c}}
}

func rule(name string, scope lint.Scope, check func(*lint.Pass), silences ...string) *lint.Rule {
	return &lint.Rule{Name: name, Level: lint.Warning, Scope: scope, Check: check, Silences: silences}
}

func speak(title string) func(*lint.Pass) {
	return func(p *lint.Pass) { p.Report(lint.Finding{Title: title}) }
}

// run judges workloads with rules as Run does, without reading anything.
func run(t *testing.T, o Options, ws ...*model.Workload) *Result {
	t.Helper()
	c, err := choose(o)
	if err != nil {
		t.Fatal(err)
	}
	in := &input{result: &Result{Workloads: ws}, programs: map[string]*model.Program{}, bound: map[*model.Container]binding{}}
	j := &judging{settings: lint.DefaultSettings("default"), chosen: c, in: in, silence: !o.NoSilencing}
	fs, err := j.all(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	r := in.result
	r.Findings, r.Crashes = judge.Group(override(fs, c, "/")), j.crashes
	fingerprint(r.Findings)
	r.Summary = summarize(r)
	return r
}

func lines(r *Result) []string {
	var out []string
	for _, f := range r.Findings {
		var probes []string
		for _, p := range f.Probes {
			probes = append(probes, p.Workload+" "+string(p.Role))
		}
		out = append(out, strings.TrimSpace(f.Level.String()+" "+f.Rule+": "+f.Title+" "+strings.Join(probes, ", ")))
	}
	return out
}

func expect(t *testing.T, r *Result, want ...string) {
	t.Helper()
	if got := lines(r); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestScopes(t *testing.T) {
	r := run(t, Options{Rules: []*lint.Rule{
		rule("container", lint.PerContainer, speak("c")), rule("input", lint.PerInput, speak("never")),
		rule("probe", lint.PerProbe, speak("p")), rule("workload", lint.PerWorkload, speak("w")),
	}}, shop("a", 0))
	expect(t, r, "warning workload: w", "warning container: c", "warning probe: p Deployment/a liveness", "warning probe: p Deployment/a readiness")
	if s := r.Summary; s.Workloads != 1 || s.Probes != 2 || s.Warnings != 4 || s.Unlinked != 2 {
		t.Errorf("summary %+v", s)
	}
}

func TestRejectedProbeIsJudgedByOneRuleAlone(t *testing.T) {
	w := shop("a", 0)
	w.Containers[0].Probes[0].Invalid = []model.Invalid{{Path: "x", Rejected: true}}
	both := func(p *lint.Pass) {
		p.Report(lint.Finding{Title: "pair", Probes: []lint.ProbeRef{
			lint.RefOf(p.Workload, p.Container, p.Container.Probes[0]), lint.RefOf(p.Workload, p.Container, p.Container.Probes[1]),
		}})
	}
	r := run(t, Options{Rules: []*lint.Rule{rule("pair", lint.PerContainer, both), rule("probe", lint.PerProbe, speak("p")), rule(judge.FieldInvalid, lint.PerProbe, speak("i"))}}, w)
	expect(t, r, "warning probe-field-invalid: i Deployment/a liveness", "warning probe: p Deployment/a readiness", "warning probe-field-invalid: i Deployment/a readiness")
}

func TestSilencing(t *testing.T) {
	onLiveness := func(title string, level lint.Level) func(*lint.Pass) {
		return func(p *lint.Pass) {
			if p.Probe.Role == model.Liveness {
				p.Report(lint.Finding{Title: title, Level: level})
			}
		}
	}
	loud := rule("loud", lint.PerProbe, onLiveness("l", lint.Warning), "quiet")
	possible := rule("possible", lint.PerProbe, onLiveness("m", lint.Info), "quiet")
	quiet := rule("quiet", lint.PerProbe, speak("q"))
	t.Run("on the same probe", func(t *testing.T) {
		expect(t, run(t, Options{Rules: []*lint.Rule{loud, quiet}}, shop("a", 0)), "warning loud: l Deployment/a liveness", "warning quiet: q Deployment/a readiness")
	})
	t.Run("an info silences nothing", func(t *testing.T) {
		expect(t, run(t, Options{Rules: []*lint.Rule{possible, quiet}}, shop("a", 0)), "info possible: m Deployment/a liveness", "warning quiet: q Deployment/a liveness", "warning quiet: q Deployment/a readiness")
	})
	t.Run("although it does not report", func(t *testing.T) {
		expect(t, run(t, Options{Rules: []*lint.Rule{loud, quiet}, Ignore: []string{"loud"}}, shop("a", 0)), "warning quiet: q Deployment/a readiness")
		expect(t, run(t, Options{Rules: []*lint.Rule{loud, quiet}, Select: []string{"quiet"}}, shop("a", 0)), "warning quiet: q Deployment/a readiness")
	})
	t.Run("off in tests of one rule", func(t *testing.T) {
		expect(t, run(t, Options{Rules: []*lint.Rule{loud, quiet}, Select: []string{"quiet"}, NoSilencing: true}, shop("a", 0)), "warning quiet: q Deployment/a liveness", "warning quiet: q Deployment/a readiness")
	})
	t.Run("the same call alone", func(t *testing.T) {
		first := rule("first", lint.PerProbe, func(p *lint.Pass) {
			p.Report(lint.Finding{Title: "f", Primary: lint.Label{Span: at("a.go", 0)}, Labels: []lint.Label{{Span: at("a.go", 100)}}})
		})
		first.SilencesCall = []string{"second"}
		second := rule("second", lint.PerProbe, func(p *lint.Pass) {
			p.Report(lint.Finding{Title: "same", Primary: lint.Label{Span: at("a.go", 102)}})
			p.Report(lint.Finding{Title: "other", Primary: lint.Label{Span: at("a.go", 200)}})
		})
		expect(t, run(t, Options{Rules: []*lint.Rule{first, second}}, shop("a", 0)),
			"warning first: f Deployment/a liveness, Deployment/a readiness", "warning second: other Deployment/a liveness, Deployment/a readiness")
	})
	t.Run("containers without probes", func(t *testing.T) {
		a := rule("a", lint.PerContainer, speak("a"), "b")
		b := rule("b", lint.PerWorkload, speak("b"))
		expect(t, run(t, Options{Rules: []*lint.Rule{a, b}}, shop("a", 0)), "warning a: a")
	})
}

func TestGrouping(t *testing.T) {
	handler := rule("handler", lint.PerProbe, func(p *lint.Pass) {
		level := lint.Error
		if p.Probe.Role == model.Readiness {
			level = lint.Warning
		}
		p.Report(lint.Finding{Title: "of " + p.Workload.Name, Level: level, Cause: "h", Primary: lint.Label{Span: p.Probe.Span}})
	})
	call := rule("call", lint.PerProbe, func(p *lint.Pass) {
		p.Report(lint.Finding{Title: "one call", Primary: lint.Label{Span: at("b.go", 0)}})
	})
	two := rule("two", lint.PerWorkload, func(p *lint.Pass) {
		p.Report(lint.Finding{Title: "one fact"})
		p.Report(lint.Finding{Title: "another fact"})
	})
	r := run(t, Options{Rules: []*lint.Rule{call, handler, two}}, shop("a", 0), shop("b", 1000))
	expect(t, r,
		"warning two: another fact", "warning two: one fact",
		"error handler: of a Deployment/a liveness, Deployment/b liveness",
		"warning handler: of a Deployment/a readiness, Deployment/b readiness",
		"warning two: another fact", "warning two: one fact",
		"warning call: one call Deployment/a liveness, Deployment/a readiness, Deployment/b liveness, Deployment/b readiness",
	)
}

func TestPanicLosesOnePlaceAlone(t *testing.T) {
	bad := rule("bad", lint.PerProbe, func(p *lint.Pass) {
		p.Report(lint.Finding{Title: "before"})
		if p.Probe.Role == model.Liveness {
			panic("boom")
		}
	})
	r := run(t, Options{Rules: []*lint.Rule{bad, rule("good", lint.PerProbe, speak("g"))}}, shop("a", 0))
	expect(t, r, "warning good: g Deployment/a liveness", "warning bad: before Deployment/a readiness", "warning good: g Deployment/a readiness")
	if len(r.Crashes) != 1 || r.Crashes[0].What != "rule bad on Deployment/a container app livenessProbe" || r.Crashes[0].Message != "boom" || r.Crashes[0].Stack == "" {
		t.Errorf("crashes %+v", r.Crashes)
	}
	if l := r.Crashes[0].limit(); l.Because != "internal error: boom" || !reflect.DeepEqual(l.RulesOff, []string{"bad"}) {
		t.Errorf("limit %+v", l)
	}
}

func TestManyRunsGiveOneResult(t *testing.T) {
	var ws []*model.Workload
	for i := range 40 {
		ws = append(ws, shop(strings.Repeat("x", i+1), i*200))
	}
	rules := []*lint.Rule{rule("a", lint.PerProbe, speak("a")), rule("b", lint.PerWorkload, speak("b")), rule("c", lint.PerProbe, func(*lint.Pass) { panic("c") })}
	first := run(t, Options{Rules: rules}, ws...)
	for range 5 {
		next := run(t, Options{Rules: rules}, ws...)
		for i := range next.Crashes {
			next.Crashes[i].Stack = first.Crashes[i].Stack
		}
		if !reflect.DeepEqual(first.Findings, next.Findings) || !reflect.DeepEqual(first.Crashes, next.Crashes) {
			t.Fatal("two runs differ")
		}
	}
}
