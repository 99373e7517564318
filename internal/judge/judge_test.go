package judge

import (
	"slices"
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

func span(start int) model.Span {
	return model.Span{File: "main.go", Start: start, End: start + 5, Line: start}
}

func speak(name string, silences ...string) *lint.Rule {
	return &lint.Rule{Name: name, Level: lint.Warning, Silences: silences, Check: func(p *lint.Pass) {
		p.Report(lint.Finding{Title: name})
	}}
}

// What one endpoint of a program that no manifest runs is told of does not silence what another one is told of.
func TestProbesByConventionAreApart(t *testing.T) {
	loud, quiet := speak("loud", "quiet"), speak("quiet")
	rules := map[string]*lint.Rule{"loud": loud, "quiet": quiet}
	p := &model.Program{Package: "./cmd/shop"}
	live := &model.Probe{Endpoint: &model.Endpoint{Symbol: "live", Span: span(10)}}
	ready := &model.Probe{Endpoint: &model.Endpoint{Symbol: "ready", Span: span(20)}}
	var all []Found
	for _, x := range []struct {
		rule  *lint.Rule
		probe *model.Probe
	}{{loud, live}, {quiet, live}, {quiet, ready}} {
		all, _ = Run(all, x.rule, Objects{Probe: x.probe, Endpoint: x.probe.Endpoint, Program: p}, lint.DefaultSettings("default"), "")
	}
	var got []string
	for _, f := range Group(Silence(all, rules)) {
		got = append(got, f.Rule+" "+f.Identity[1])
	}
	if want := []string{"loud live", "quiet ready"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A rule that panics loses what it said of this place, and nothing that others said.
func TestPanicLosesOnePlace(t *testing.T) {
	p := &model.Program{Package: "./cmd/shop", Span: span(1)}
	out, crash := Run(nil, speak("fine"), Objects{Program: p}, lint.DefaultSettings("default"), "")
	if crash != nil || len(out) != 1 {
		t.Fatalf("got %d findings, %v", len(out), crash)
	}
	out, crash = Run(out, &lint.Rule{Name: "broken", Check: func(p *lint.Pass) {
		p.Report(lint.Finding{Title: "half of it"})
		panic("no such port")
	}}, Objects{Program: p}, lint.DefaultSettings("default"), "")
	if crash == nil || crash.Value != "no such port" || len(out) != 1 || out[0].Rule != "fine" {
		t.Errorf("got %+v, %v", out, crash)
	}
}
