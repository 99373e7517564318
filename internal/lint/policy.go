package lint

import "github.com/probelint/probelint/internal/model"

// PolicyFailed is the rule of findings that say that a team policy could not be run, or not to its end.
const PolicyFailed = "policy-failed"

// PolicyFixtures is the name of folders among policies whose manifests and code are input of their tests, and of no run.
const PolicyFixtures = "fixtures"

// Unit is what a team policy judges at once: a workload with the programs that its containers run, or a program that no
// manifest runs.
type Unit struct {
	Workload *model.Workload
	Programs []*model.Program
	// Probes are the guessed probes of health endpoints that no manifest asks; a unit has them or a Workload.
	Probes []*model.Probe
}

// Name is how people call the unit: Deployment/checkout, or the program's import path.
func (u *Unit) Name() string {
	if u.Workload != nil {
		return u.Workload.Ref()
	}
	if len(u.Programs) > 0 {
		return u.Programs[0].Package
	}
	return ""
}

// Judged is a finding of a team policy with the objects that it is about.
type Judged struct {
	Finding
	Workload  *model.Workload
	Container *model.Container
	Probe     *model.Probe
	Endpoint  *model.Endpoint
	Program   *model.Program
}
