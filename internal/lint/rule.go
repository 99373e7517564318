package lint

import (
	"github.com/probelint/probelint/internal/model"
)

// Sees says which side a rule needs: the manifest, the Go code, or both joined.
type Sees string

// The sides. A rule that sees several runs in the weaker mode where one is absent.
const (
	Manifest Sees = "M"
	Go       Sees = "G"
	Link     Sees = "L"
)

// Scope says what a rule's Check is called for, once each. In every scope the Pass holds the enclosing objects too.
type Scope uint8

// The scopes.
const (
	// PerProbe: for each probe; Pass.Probe is set, and Pass.Endpoint where code answers it. Under go vet the probe is
	// Guessed and there is no container.
	PerProbe Scope = iota
	// PerContainer: for each container; Pass.Container is set.
	PerContainer
	// PerWorkload: for each workload.
	PerWorkload
	// PerProgram: for each Go main package that a container was linked to; Pass.Program is set, and Pass.Workload and
	// Pass.Container where they are known.
	PerProgram
	// PerInput: never called by the scheduler; such findings are made by the stages that read input (unreadable-input) or
	// by the suppression stage.
	PerInput
)

// Fact is something about Go code that is looked for only where a rule that runs needs it.
type Fact string

// The facts. FactTests: model.Tests of endpoints. FactPools: model.SharedPool of dependencies.
const (
	FactTests Fact = "tests"
	FactPools Fact = "pools"
)

// Rule is one entry of the catalogue.
type Rule struct {
	// Name is stable for ever: kebab-case, names the bad thing, at most 40 characters.
	Name string
	// Level is the loudest level of the default profile; a finding may be quieter.
	Level Level
	Sees  []Sees
	Scope Scope
	// Nursery rules are off unless selected by name.
	Nursery bool
	// Facts are what the rule needs of the Go code that costs too much to be looked for where no rule that runs needs it.
	Facts []Fact
	// Doc is the text of doc.md. Its first paragraph, on one line, is the summary.
	Doc string
	// Check reports through the pass. It keeps no state.
	Check func(*Pass)
	// Silences names the rules that this one silences on the same probe ("One cause, one finding" in RULES.md). A finding
	// silences only findings that share a probe with it.
	Silences []string
	// SilencesCall names the rules that this one silences only where their primary span overlaps one of its own spans: the
	// same call, not the whole probe.
	SilencesCall []string
}

// Pass is what a rule is given. The fields that its scope does not promise may be nil.
type Pass struct {
	Settings  *Settings
	Workload  *model.Workload
	Container *model.Container
	Probe     *model.Probe
	Endpoint  *model.Endpoint
	Program   *model.Program
	// ProgramCertainty is how sure it is that Container runs Program; "" where either is nil.
	ProgramCertainty model.Certainty
	// Report takes a finding; Rule and, where empty, Probes and Identity are filled in.
	Report func(Finding)
}

// Settings are the thresholds that a profile and the configuration decide.
type Settings struct {
	Profile string // default or strict
	// Budgets in seconds.
	ReadinessExposure float64 // 45; strict 15
	LivenessExposure  float64 // 120
	VerdictMaxAge     float64 // 2
	// FleetCallsPerSecond is the load on one dependency from which fleet-check-load speaks.
	FleetCallsPerSecond float64 // 20
}

// DefaultSettings are those of a profile, "default" or "strict".
func DefaultSettings(profile string) *Settings {
	s := &Settings{Profile: profile, ReadinessExposure: 45, LivenessExposure: 120, VerdictMaxAge: 2, FleetCallsPerSecond: 20}
	if profile == "strict" {
		s.ReadinessExposure = 15
	}
	return s
}

// Ref names the pass's probe for a finding.
func (p *Pass) Ref() ProbeRef { return RefOf(p.Workload, p.Container, p.Probe) }

// RefOf names a probe for a finding.
func RefOf(w *model.Workload, c *model.Container, pr *model.Probe) ProbeRef {
	r := ProbeRef{Role: pr.Role, File: pr.File, Line: pr.Line}
	if w != nil {
		r.Workload = w.Ref()
	}
	if c != nil {
		r.Container = c.Name
	}
	return r
}
