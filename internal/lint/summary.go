package lint

// Summary counts what a run read and found. The json tags are the contract of DESIGN.md, "JSON".
type Summary struct {
	Errors    int `json:"errors"`
	Warnings  int `json:"warnings"`
	Infos     int `json:"infos"`
	Workloads int `json:"workloads"`
	Probes    int `json:"probes"`
	// Packages are the Go packages of the input, without their dependencies.
	Packages int `json:"packages"`
	// Linked and Unlinked are the probes whose target is code (httpGet, grpc, the program's own subcommand).
	Linked     int `json:"linked"`
	Unlinked   int `json:"unlinked"`
	Suppressed int `json:"suppressed"`
	// Baselined are findings that a baseline or another revision knows; they count nowhere else.
	Baselined int `json:"baselined,omitempty"`
}

// Count adds a finding to the counts by level; a suppressed one counts as suppressed alone.
func (s *Summary) Count(f Finding) {
	if f.Suppressed != nil {
		s.Suppressed++
		return
	}
	switch f.Level {
	case Error:
		s.Errors++
	case Warning:
		s.Warnings++
	case Info:
		s.Infos++
	}
}

// Recount counts the findings anew, after some were taken out.
func (s *Summary) Recount(fs []Finding) {
	s.Errors, s.Warnings, s.Infos, s.Suppressed = 0, 0, 0, 0
	for _, f := range fs {
		s.Count(f)
	}
}
