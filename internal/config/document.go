package config

import (
	"fmt"
	"strconv"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/probelint/probelint/internal/lint"
)

// document is the form of the file. The JSON schema is made from it (schema.json, by the test), and decode fills it.
type document struct {
	Version   version          `yaml:"version" json:"version" jsonschema:"required" jsonschema_description:"The version of this form: 1."`
	Profile   profile          `yaml:"profile" json:"profile,omitempty" jsonschema_description:"Thresholds and levels: default, or strict, which fails on warnings and allows 15 s of readiness exposure."`
	Rules     map[string]level `yaml:"rules" json:"rules,omitempty" jsonschema_description:"The level of each rule: off, info, warning or error. A lower level is a ceiling; a higher one lifts what is proven."`
	Budgets   budgets          `yaml:"budgets" json:"budgets,omitempty" jsonschema_description:"Thresholds of rules that compare with one."`
	Exclude   []glob           `yaml:"exclude" json:"exclude,omitempty" jsonschema_description:"Files and folders that are not read, relative to this file; ** crosses folders."`
	Overrides []override       `yaml:"overrides" json:"overrides,omitempty" jsonschema_description:"Other levels and budgets for some paths or workloads. The last one that fits wins."`
	Bindings  []binding        `yaml:"bindings" json:"bindings,omitempty" jsonschema_description:"Which Go package a container runs, where nothing in the repository says so."`
	Critical  []critical       `yaml:"critical" json:"critical,omitempty" jsonschema_description:"Dependencies that readiness is meant to check."`
	Policies  []file           `yaml:"policies" json:"policies,omitempty" jsonschema_description:"Folders and files of team policies in Rego, relative to this file."`
	Knowledge []file           `yaml:"knowledge" json:"knowledge,omitempty" jsonschema_description:"Files with further routers, clients and health libraries, relative to this file."`
}

type budgets struct {
	ReadinessExposure   *duration `yaml:"readiness-exposure" json:"readiness-exposure,omitempty" jsonschema_description:"How long a broken instance keeps its traffic, 45s by default."`
	LivenessExposure    *duration `yaml:"liveness-exposure" json:"liveness-exposure,omitempty" jsonschema_description:"How long a hung process stays, 120s by default."`
	VerdictMaxAge       *duration `yaml:"verdict-max-age" json:"verdict-max-age,omitempty" jsonschema_description:"How old an answer of a health check is allowed to be, 2s by default."`
	FleetCallsPerSecond *number   `yaml:"fleet-calls-per-second" json:"fleet-calls-per-second,omitempty" jsonschema_description:"Calls that the probes of all replicas make of one dependency in a second, 20 by default."`
}

type override struct {
	Paths     []glob           `yaml:"paths" json:"paths,omitempty" jsonschema_description:"Globs of files, relative to this file."`
	Workloads []workload       `yaml:"workloads" json:"workloads,omitempty" jsonschema_description:"Workloads as KIND/NAME or NAME; * stands for any letters."`
	Rules     map[string]level `yaml:"rules" json:"rules,omitempty" jsonschema_description:"Levels for these."`
	Budgets   budgets          `yaml:"budgets" json:"budgets,omitempty" jsonschema_description:"Budgets for these."`
}

type binding struct {
	Workload  text `yaml:"workload" json:"workload" jsonschema:"required" jsonschema_description:"KIND/NAME or NAME."`
	Container text `yaml:"container" json:"container,omitempty" jsonschema_description:"The container; every container where it is left out."`
	Package   text `yaml:"package" json:"package" jsonschema:"required" jsonschema_description:"The main package: an import path, or a folder relative to this file."`
}

type critical struct {
	Call   text `yaml:"call" json:"call" jsonschema:"required" jsonschema_description:"The call: \"(*database/sql.DB).PingContext\", or in short DB.PingContext."`
	In     text `yaml:"in" json:"in,omitempty" jsonschema_description:"The folder of the Go code that makes the call; everywhere where it is left out."`
	Reason text `yaml:"reason" json:"reason" jsonschema:"required" jsonschema_description:"Why an instance is of no use without it."`
}

// scalar is a value that is written as one word. parse says in words what is wrong with a text.
type scalar interface{ parse(text string) error }

type (
	version  int
	profile  string
	level    lint.Level
	duration float64 // seconds
	number   float64
	glob     string
	workload string
	text     string
	file     string
)

func (v *version) parse(s string) error {
	if s != strconv.Itoa(Version) {
		return fmt.Errorf("version %s of the configuration is not known; this program reads version %d", s, Version)
	}
	*v = Version
	return nil
}

func (p *profile) parse(s string) error {
	*p = profile(s)
	return oneOf("profile", s, "default", "strict")
}

func (l *level) parse(s string) error {
	v, ok := lint.ParseLevel(s)
	if !ok {
		return oneOf("level", s, "off", "info", "warning", "error")
	}
	*l = level(v)
	return nil
}

func oneOf(what, s string, words ...string) error {
	for _, w := range words {
		if w == s {
			return nil
		}
	}
	if near := lint.Nearest(s, words); near != "" {
		return fmt.Errorf("unknown %s %q; did you mean %q?", what, s, near)
	}
	return fmt.Errorf("unknown %s %q; one of %s", what, s, lint.Or(words))
}

func (d *duration) parse(s string) error {
	v, err := time.ParseDuration(s)
	if _, plain := strconv.ParseFloat(s, 64); err != nil && plain == nil {
		return fmt.Errorf("%s has no unit: write %ss for seconds", s, s)
	}
	if err != nil {
		return fmt.Errorf("%q is no duration; one is written 45s or 1m30s", s)
	}
	if v < 0 {
		return fmt.Errorf("a duration of %s is negative", s)
	}
	*d = duration(v.Seconds())
	return nil
}

func (n *number) parse(s string) error {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return fmt.Errorf("%q is no number", s)
	}
	if v <= 0 || v > 1e9 {
		return fmt.Errorf("%s is no number above 0", s)
	}
	*n = number(v)
	return nil
}

func (g *glob) parse(s string) error {
	if s == "" || !doublestar.ValidatePattern(s) {
		return fmt.Errorf("%q is no glob", s)
	}
	*g = glob(s)
	return nil
}

func (w *workload) parse(s string) error {
	if s == "" || !doublestar.ValidatePattern(s) {
		return fmt.Errorf("%q names no workload; one is written Deployment/checkout or checkout", s)
	}
	*w = workload(s)
	return nil
}

func (t *text) parse(s string) error {
	if s == "" {
		return fmt.Errorf("is empty")
	}
	*t = text(s)
	return nil
}

func (f *file) parse(s string) error {
	if s == "" {
		return fmt.Errorf("is empty")
	}
	*f = file(s)
	return nil
}
