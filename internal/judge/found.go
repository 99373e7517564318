package judge

import (
	"runtime/debug"
	"slices"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// Objects are what a rule is run for; nil is what does not apply.
type Objects struct {
	Workload  *model.Workload
	Container *model.Container
	Probe     *model.Probe
	Endpoint  *model.Endpoint
	Program   *model.Program
}

// Found is a finding with the objects that it was reported for.
type Found struct {
	lint.Finding
	Objects
}

// Panic is a fault of a rule itself.
type Panic struct {
	Value any
	Stack string
}

// Runner calls rules, one after the other. A rule is run for many more places than it reports of, so that what one is given is made once.
// The zero value is ready; it is not safe for concurrent use.
type Runner struct {
	pass  lint.Pass
	rule  *lint.Rule
	at    Objects
	found []Found
}

// Run calls one rule for one place and appends what it reports to out. A rule that panics loses this place alone.
func Run(out []Found, r *lint.Rule, at Objects, s *lint.Settings, program model.Certainty) (found []Found, crash *Panic) {
	return new(Runner).Run(out, r, at, s, program)
}

// Run is the function Run.
func (x *Runner) Run(out []Found, r *lint.Rule, at Objects, s *lint.Settings, program model.Certainty) (found []Found, crash *Panic) {
	if r.Check == nil {
		return out, nil
	}
	defer func() {
		if v := recover(); v != nil {
			found, crash = out, &Panic{Value: v, Stack: string(debug.Stack())}
		}
	}()
	report := x.pass.Report
	if report == nil {
		report = x.report
	}
	x.rule, x.at, x.found = r, at, out
	x.pass = lint.Pass{
		Settings: s, Workload: at.Workload, Container: at.Container, Probe: at.Probe, Endpoint: at.Endpoint,
		Program: at.Program, ProgramCertainty: program, Report: report,
	}
	r.Check(&x.pass)
	return x.found, nil
}

func (x *Runner) report(f lint.Finding) {
	one := Found{Finding: f, Objects: x.at}
	one.Complete(x.rule)
	x.found = append(x.found, one)
}

// Complete fills in what a rule may leave out.
func (f *Found) Complete(r *lint.Rule) {
	f.Rule = r.Name
	if f.Level == lint.Off {
		f.Level = r.Level
	}
	if f.Certainty == "" {
		f.Certainty = model.Proven
	}
	if len(f.Probes) == 0 && f.Probe != nil && f.Workload != nil {
		f.Probes = []lint.ProbeRef{lint.RefOf(f.Workload, f.Container, f.Probe)}
	}
	if f.Primary.Span.IsZero() {
		f.Primary.Span = f.Place()
	}
	if len(f.Identity) == 0 {
		f.Identity = Identity(f)
	}
	f.Labels = distinct(f.Labels, f.Primary)
	f.Notes = slices.Compact(f.Notes)
}

// distinct drops labels that say what another one says of the same span, and those that point nowhere.
func distinct(labels []lint.Label, primary lint.Label) []lint.Label {
	said := []lint.Label{primary}
	for _, l := range labels {
		if !l.Span.IsZero() && !slices.ContainsFunc(said, func(x lint.Label) bool { return x.Span == l.Span && x.Text == l.Text }) {
			said = append(said, l)
		}
	}
	return said[1:]
}

// Place is the span of the smallest object, for a finding that points nowhere.
func (o *Objects) Place() model.Span {
	for _, s := range []func() model.Span{
		func() model.Span { return deref(o.Probe).Span },
		func() model.Span { return deref(o.Endpoint).Span },
		func() model.Span { return deref(o.Container).Span },
		func() model.Span { return deref(o.Workload).Span },
		func() model.Span { return deref(o.Program).Span },
	} {
		if at := s(); !at.IsZero() {
			return at
		}
	}
	return model.Span{}
}

func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// Name is how a fault of a rule or a stage names the place.
func (o *Objects) Name() string {
	var parts []string
	if o.Workload != nil {
		parts = append(parts, o.Workload.Ref())
	} else if o.Program != nil {
		parts = append(parts, o.Program.Package)
	}
	if o.Container != nil {
		parts = append(parts, "container "+o.Container.Name)
	}
	if o.Probe != nil && o.Probe.Guessed {
		parts = append(parts, o.Probe.Target.Path)
	} else if o.Probe != nil {
		parts = append(parts, o.Probe.Role.Key())
	}
	return strings.Join(parts, " ")
}
