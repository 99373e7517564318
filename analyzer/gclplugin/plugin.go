// Package gclplugin registers probelint as a module plugin of golangci-lint v2 (github.com/golangci/plugin-module-register
// v0.1.2). A custom golangci-lint imports it; docs/integrations.md says how.
package gclplugin

import (
	"fmt"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/probelint/probelint/analyzer/vet"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/rules"
)

func init() { register.Plugin("probelint", New) }

// Settings are those under linters.settings.custom.probelint.settings of .golangci.yml. An unknown key is an error.
type Settings struct {
	// Show is the lowest level reported: error, warning (default) or info.
	Show string `json:"show"`
	// Profile decides the thresholds: default or strict.
	Profile string `json:"profile"`
	// Select names the only rules that report.
	Select []string `json:"select"`
	// Facts, true by default, keeps a cached result only as long as no package of the program has changed. false spares
	// golangci-lint the source of all dependencies; a change in another package is then seen once the cache is cleaned.
	Facts *bool `json:"facts"`
}

// Plugin is what golangci-lint asks for analyzers.
type Plugin struct {
	options vet.Options
	facts   bool
}

// New makes the plugin from its settings, as golangci-lint read them.
func New(raw any) (register.LinterPlugin, error) {
	s, err := register.DecodeSettings[Settings](raw)
	if err != nil {
		return nil, fmt.Errorf("reading the settings of probelint: %w", err)
	}
	p := &Plugin{options: vet.Options{Rules: rules.All(), Profile: s.Profile, Select: s.Select, OnePerLine: true}, facts: s.Facts == nil || *s.Facts}
	if s.Show != "" {
		level, ok := lint.ParseLevel(s.Show)
		if !ok || level == lint.Off {
			return nil, fmt.Errorf("reading the settings of probelint: show: %q is no level; the levels are error, warning and info", s.Show)
		}
		p.options.Show = level
	}
	if err := p.options.Validate(); err != nil {
		return nil, fmt.Errorf("reading the settings of probelint: %w", err)
	}
	return p, nil
}

// BuildAnalyzers returns the one analyzer.
func (p *Plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	return []*analysis.Analyzer{vet.New(p.options, p.facts)}, nil
}

// GetLoadMode asks for types: drivers compute facts in that mode alone.
func (p *Plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
