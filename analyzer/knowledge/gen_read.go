//go:build ignore

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// The shape of data/*.yaml. The headers of the files explain the fields; those marked "readers" are not compiled in.
type file struct {
	Version  int
	Entries  []entry
	Drivers  []driver       `yaml:"drivers"`
	Words    []segment      `yaml:"segments"`
	Commands []command      `yaml:"commands"`
	Shell    map[string]any `yaml:"shell"` // readers
}

type entry struct {
	ID, Kind, Display string
	// dependencies
	Shared            bool
	HonorsCtx         string  `yaml:"honors_ctx"`
	CtxIf             string  `yaml:"ctx_if"`
	CtxNote           string  `yaml:"ctx_note"`
	NoDeadlineSeconds float64 `yaml:"no_deadline_seconds"`
	NoDeadlineNote    string  `yaml:"no_deadline_note"`
	Since             []since
	ErrIn             []string `yaml:"err_in"`
	Timeouts          []timeout
	Settings          []setting
	Measured          []map[string]any // readers
	Notes             []string         // readers
	Packages          []pkg
	// routers
	Syntax         string
	ReturnedError  string  `yaml:"returned_error"`
	CtxDetached    string  `yaml:"ctx_detached"`
	TimeoutSeconds float64 `yaml:"timeout_seconds"`
	TimeoutStatus  int     `yaml:"timeout_status"`
	TimeoutBounds  string  `yaml:"timeout_bounds"`
	GoHandler      string  `yaml:"go_handler"`  // readers
	PathSyntax     string  `yaml:"path_syntax"` // readers
	// health libraries
	Paths         map[string]string
	TimeoutScope  string `yaml:"timeout_scope"`
	TimeoutRace   bool   `yaml:"timeout_race"`
	CheckCtx      string `yaml:"check_ctx"`
	Cached        string
	CacheSeconds  float64 `yaml:"cache_seconds"`
	Aggregate     string
	LeaksError    string `yaml:"leaks_error"`
	FailureStatus int    `yaml:"failure_status"`
	Static        bool
	ReadyHasLive  bool   `yaml:"readiness_includes_liveness"`
	LeaksQuery    string `yaml:"leaks_query"`
	Degraded      int    `yaml:"degraded_status"`
	ReportedField string `yaml:"reported_field"`
	FatalField    string `yaml:"fatal_field"`
	PeriodField   string `yaml:"period_field"`
	Registry      string
	Listens       string
	Below         bool `yaml:"paths_below"`
	Verdict       string
	// paths
	Path    string
	Aliases []string
	Role    string
	Seen    map[string]int // readers
	Note    string
}

type since struct {
	Module, Version string
	Seconds         float64
}

type timeout struct {
	Name, Default, Scope string
	Seconds              float64
	SetIn                string `yaml:"set_in"`
	Note, Evidence       string // readers
}

type setting struct {
	Path, Field, Func, Param, Scope, Unit string
	Dur                                   index
	Default                               float64
}

type pkg struct {
	Paths []struct {
		Path         string
		VerifiedWith string `yaml:"verified_with"`
	}
	Symbols []symbol
}

type symbol struct {
	Recv, Name   string
	Names, Verbs []string
	DeclaredOn   string `yaml:"declared_on"`
	Kind, Type   string
	Value        string
	Sig          string
	Effect, Op   string
	Role, Sets   string
	Where, Last  string
	Imports      string
	Except       string
	Ctx, Err     index
	Dur, Time    index
	Unit         string
	Limit        float64
	IsField      bool   `yaml:"is_field"`
	IsVar        bool   `yaml:"is_var"`
	Verified     *bool  // readers
	MethodName   string `yaml:"method_name"`
	Default      string
	Method       index
	Pattern      index
	Handler      index
	Prefix       index
	Check, Label index
	Status, Body index
	Leaks        index
	RouteStruct  index `yaml:"route_struct"`
	OpStruct     index `yaml:"op_struct"`
	Answers      int
	N            index   // of a retry library: the parameter that says how often
	Plus         int     // attempts beyond that number
	Attempts     int     // by default
	Pause        float64 // between two attempts by default, in seconds
	Grow, Low    float64
	Total        float64 // seconds after which no attempt begins, by default
	Detached     bool
	Bounds       string
}

type driver struct {
	Names   []string
	Display string
	Entry   string
	File    bool
}

type segment struct {
	Role        string
	Words, Weak []string
}

type command struct {
	Name, Variant, Kind, Target string
	Aliases, Subcommands        []string
	Seen                        int      // readers
	HostFlags                   []string `yaml:"host_flags"`
	HostEnv                     []string `yaml:"host_env"`
	TimeoutFlags                []string `yaml:"timeout_flags"`
	TimeoutEnv                  []string `yaml:"timeout_env"`
	ConnectOnly                 []string `yaml:"connect_only"`
	DefaultTimeoutSeconds       float64  `yaml:"default_timeout_seconds"`
	DefaultTimeout              string   `yaml:"default_timeout"`
	Tested                      string
	Exit                        yaml.Node
	FalseOK                     []string `yaml:"false_ok"`
	FalseFail                   []string `yaml:"false_fail"`
	Fixes, Notes                []string
}

// index is the index of a parameter or result: absent (-1), N, or "N..." for N and all after it.
type index struct {
	n        int
	set      bool
	variadic bool
}

func (i *index) UnmarshalYAML(n *yaml.Node) error {
	s, variadic := strings.CutSuffix(n.Value, "...")
	v, err := strconv.Atoi(s)
	if err != nil || v < 0 {
		return fmt.Errorf("line %d: %q is no index", n.Line, n.Value)
	}
	*i = index{v, true, variadic}
	return nil
}

func (i index) String() string {
	if !i.set {
		return "-1"
	}
	return strconv.Itoa(i.n)
}

// knowledge is all files.
type knowledge struct {
	dependencies, routers, health, wrappers, paths, exec file
}

func read(dir string) (*knowledge, error) {
	k := &knowledge{}
	for name, into := range map[string]*file{
		"dependencies": &k.dependencies, "routers": &k.routers, "health_libraries": &k.health,
		"wrappers": &k.wrappers, "paths": &k.paths, "exec_commands": &k.exec,
	} {
		path := filepath.Join(dir, name+".yaml")
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		dec := yaml.NewDecoder(bytes.NewReader(data))
		dec.KnownFields(true) // a mistyped key is an error, not a lost fact
		if err := dec.Decode(into); err != nil {
			return nil, fmt.Errorf("reading %s: %w", path, err)
		}
	}
	return k, nil
}
