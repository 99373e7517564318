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
