package vet

import (
	"fmt"

	"github.com/probelint/probelint/internal/lint"
)

// Validate says what is wrong with options that come from a user.
func (o Options) Validate() error {
	if o.Profile != "" && o.Profile != "default" && o.Profile != "strict" {
		return fmt.Errorf("profile: %q is unknown; the profiles are default and strict", o.Profile)
	}
	known := map[string]bool{}
	names := make([]string, 0, len(o.Rules))
	for _, r := range o.Rules {
		known[r.Name] = true
		names = append(names, r.Name)
	}
	for _, name := range o.Select {
		if known[name] {
			continue
		}
		if near := lint.Nearest(name, names); near != "" {
			return fmt.Errorf("select: unknown rule %q; did you mean %q?", name, near)
		}
		return fmt.Errorf("select: unknown rule %q", name)
	}
	return nil
}
