// Package engine is one run from start to end: read the manifests, read the Go code, join them, compute the kubelet's
// windows, judge, silence, group, order. The same input gives the same Result, whatever the number of processors.
package engine

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/probelint/probelint/analyzer/knowledge"
	"github.com/probelint/probelint/internal/cache"
	"github.com/probelint/probelint/internal/judge"
	"github.com/probelint/probelint/internal/link"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/manifest"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// Options are what a run is asked.
type Options struct {
	// Root is the directory that paths are relative to; empty: found from the first path (source.FindRoot).
	Root string
	// WorkingDir is the absolute directory that relative Paths and GoDirs start from.
	WorkingDir string
	// Paths are files and directories; "-" is Stdin. Empty: WorkingDir.
	Paths []string
	Stdin io.Reader
	// Rules is the catalogue. It is given, not imported, so that a rule's own tests can run the engine.
	Rules    []*lint.Rule
	Settings *lint.Settings
	// Select names the only rules that report, empty for all but the nursery; Ignore names rules that do not. Levels
	// overrides levels, and turns a nursery rule on.
	Select, Ignore []string
	Levels         map[string]lint.Level
	// Overrides change levels and thresholds for some workloads and files, the last one that fits wins.
	Overrides []Override
	// Critical are dependencies that readiness is meant to check.
	Critical []Critical
	// NoGo leaves the Go code unread. GoDirs are read besides the modules found. Offline: no module is downloaded.
	NoGo    bool
	GoDirs  []string
	Offline bool
	// Renderer renders charts and kustomizations; it is given so that Helm is linked into the command line alone. Values are
	// absolute paths of values files, with each of which every chart is rendered besides its defaults.
	Renderer manifest.Renderer
	Values   []string
	// Bindings are the `bindings` of the configuration: which Go package a container runs.
	Bindings []link.Bind
	// Knowledge is what the configuration's `knowledge` files say of the project's own clients and wrappers (docs/knowledge.md).
	Knowledge knowledge.Extra
	// Exclude takes a path relative to Root, slash-separated.
	Exclude func(rel string) bool
	// Now is the time that the `until=` of a suppression is compared with; zero: none has expired.
	Now time.Time
	// Policies are files and folders of team rules in Rego, PolicyData files and folders of data for them, from WorkingDir on.
	// PolicyNamespaces are the packages that judge raw manifests; empty: main. LoadPolicies loads them (package policy).
	Policies, PolicyData, PolicyNamespaces []string
	LoadPolicies                           func(context.Context, PolicySource) (Policies, error)
	// NoSilencing lets rules speak although another one spoke ("One cause, one finding"): for the tests of one rule.
	NoSilencing bool
	// Overlay is text that stands for that of files on disk, by path relative to Root: the unsaved buffers of an editor.
	Overlay map[string][]byte
	// Keep holds the Go side for the next run; nil: every run reads it anew.
	Keep *Keep
	// Cache holds what was found out for the next run; nil for none.
	Cache *cache.Dir
	// Identity is all that decides the findings of a run besides the files, the other options included; "": no answer is kept. A
	// run that has one can return what an earlier one found, without Workloads, Programs, Packages, Files
	// and what was judged.
	Identity string
	// Progress is told which stage begins; nil for nobody.
	Progress func(stage string)

	// brokenPolicies: not every policy could be loaded, so that a name may be that of a rule that is not there for this reason.
	brokenPolicies bool

	facts []lint.Fact // that the rules which run need of the Go code
}

// Override is other levels and thresholds for some workloads and files.
type Override struct {
	// Match takes the workload of a finding, nil where there is none, and the absolute path of its file.
	Match  func(w *model.Workload, file string) bool
	Levels map[string]lint.Level
	// Settings changes a copy of the run's settings; nil: none.
	Settings func(*lint.Settings)
}

// Critical marks the calls of a dependency that readiness is meant to check.
type Critical struct {
	// Call is a symbol, "(*database/sql.DB).PingContext", or its short form, "DB.PingContext". In takes the absolute path of the
	// file that makes the call; nil: every file.
	Call   string
	In     func(file string) bool
	Reason string
	// Span is where it is written.
	Span model.Span
}

func (o *Options) progress(format string, args ...any) {
	if o.Progress != nil {
		o.Progress(fmt.Sprintf(format, args...))
	}
}

// Result is what a run read and found.
type Result struct {
	Workloads []*model.Workload
	Programs  []*model.Program
	Limits    []model.Limit
	// Findings are grouped and in the order of files, lines, columns and rules. Suppressed ones are among them.
	Findings []lint.Finding
	Summary  lint.Summary
	Set      *source.Set
	Files    []manifest.File
	// Packages are the Go packages of the input in the order of their folders, without what they import.
	Packages []Package
	// First is the file of the first workload.
	First string
	// Units are what the policies were asked about, for `policy input`. Documents is how many objects of raw manifests they
	// judged.
	Units     []*lint.Unit
	Documents int
	// Calls are the symbols of the dependencies that handlers of probes ask, sorted.
	Calls []string
	// Rules are the catalogue of the run, the policies among them.
	Rules []*lint.Rule
	// Crashes are rules and stages that failed inside; each is among the Limits too. A run with any proves less than it
	// says.
	Crashes []Crash

	coverage *coverage
}

// Package is one Go package of the input.
type Package struct{ Path, Dir string } // import path; folder relative to the root

// NothingCheckedError says that a run read no workload and no Go package and that no error says why, so that its silence
// would prove nothing.
type NothingCheckedError struct {
	// Paths as asked, relative to the root where they lie below it. Files is how many files were looked at, Empty those of
	// them without a byte; Why is what a single file is instead.
	Paths []string
	Files int
	Empty []string
	Why   string
}

func (e *NothingCheckedError) Error() string {
	if len(e.Paths) == 1 && e.Files == 1 && len(e.Empty) == 1 {
		if e.Paths[0] == "-" {
			return "standard input is empty"
		}
		return fmt.Sprintf("%q is empty", e.Empty[0])
	}
	looked := count(e.Files, "file") + " looked at"
	switch {
	case e.Files == 0:
		looked = "no file there is named like a manifest"
	case e.Why != "":
		looked += ": " + e.Why
	}
	return fmt.Sprintf("no workload and no Go package in %s (%s)", quoteList(e.Paths), looked)
}

// Run does one run. An error means that the run proves nothing; whatever can be read in spite of a fault is read, and the
// fault is a finding or a limit.
func Run(ctx context.Context, o Options) (*Result, error) {
	if _, err := knowledgeOf(&o); err != nil {
		return nil, err
	}
	in := open(&o)
	kept := openAnswer(ctx, &o, in.abs)
	if r := kept.result(ctx, &o, in.result.Set); r != nil {
		return r, nil
	}
	policies, err := loadPolicies(ctx, &o, in.result.Set)
	if err != nil {
		return nil, err
	}
	o.brokenPolicies = policies != nil && len(policies.Faults()) > 0
	chosen, err := choose(o)
	if err != nil {
		return nil, err
	}
	o.facts = chosen.facts()
	if policies != nil {
		policies.Begin(func(rule string) bool { return chosen.reports[rule] })
	}
	if err := in.read(ctx, &o); err != nil {
		return nil, err
	}
	r := in.result
	r.Rules = o.Rules
	if len(r.Workloads) > 0 {
		r.First = r.Workloads[0].File
	}
	o.progress("judging %s", count(len(r.Workloads), "workload"))
	j := &judging{settings: o.Settings, chosen: chosen, in: in, silence: !o.NoSilencing, off: judge.RulesOff(r.Limits), policies: policies}
	found, err := j.all(ctx)
	if err != nil {
		return nil, err
	}
	found = append(found, j.suppressed(in.found)...)
	if policies != nil {
		n, judged := documents(ctx, policies, in)
		r.Documents, found = n, withoutStopped(append(found, j.suppressed(judged)...), policies)
		found = append(found, j.suppressed(faults(policies))...)
	}
	r.Crashes = append(r.Crashes, j.crashes...)
	r.coverage = newCoverage(in, &o, chosen, j.off, policies)
	found = append(found, in.suppressionFaults(r.coverage)...)
	for _, c := range r.Crashes {
		r.Limits = append(r.Limits, c.limit())
	}
	r.Findings = judge.Group(override(found, chosen, o.Root))
	fingerprint(r.Findings)
	r.Summary = summarize(r)
	if r.Nothing() && !r.Unreadable() {
		return nil, r.nothing(in.paths)
	}
	kept.keep(ctx, r, in.goInputs)
	return r, nil
}

// Read reads and joins without judging, for `inspect` and `--show-files`.
func Read(ctx context.Context, o Options) (*Result, error) {
	in := open(&o)
	if err := in.read(ctx, &o); err != nil {
		return nil, err
	}
	r := in.result
	r.Units = in.units()
	for _, c := range r.Crashes {
		r.Limits = append(r.Limits, c.limit())
	}
	r.Findings = judge.Group(in.found)
	fingerprint(r.Findings)
	r.Summary = summarize(r)
	return r, nil
}

// Nothing reports whether no workload and no Go package was read, and no policy judged a manifest as it is written.
func (r *Result) Nothing() bool {
	return r.Summary.Workloads == 0 && r.Summary.Packages == 0 && r.Documents == 0
}

// PolicyFailed reports whether an error says that a team policy did not run, or not to its end.
func (r *Result) PolicyFailed() bool {
	return slices.ContainsFunc(r.Findings, func(f lint.Finding) bool {
		return f.Rule == lint.PolicyFailed && f.Level == lint.Error && f.Suppressed == nil
	})
}

// Unreadable reports whether an error that nothing silenced says that an input could not be read. A run that read nothing because of that found
// something; without it, it proves nothing.
func (r *Result) Unreadable() bool {
	return slices.ContainsFunc(r.Findings, func(f lint.Finding) bool {
		return f.Rule == unreadableInput && f.Level == lint.Error && f.Suppressed == nil
	})
}

func (r *Result) nothing(paths []string) *NothingCheckedError {
	e := &NothingCheckedError{Paths: paths, Files: len(r.Files)}
	for _, f := range r.Files {
		if f.Empty {
			e.Empty = append(e.Empty, f.Path)
		}
		if len(r.Files) == 1 {
			e.Why = f.Why
		}
	}
	return e
}

// absolute is a path as asked, from the working directory.
func absolute(workingDir, p string) string {
	if p == "-" || filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(workingDir, p)
}
