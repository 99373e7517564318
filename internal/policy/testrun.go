package policy

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/cover"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/tester"
	"github.com/open-policy-agent/opa/v1/topdown"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// TestResult is one test that was run.
type TestResult struct {
	Package, Name string
	At            model.Span
	// Failed: the test is false, or Error says why it did not come to its end. Skipped: its name begins with todo_.
	Failed, Skipped bool
	Error           string
	// FalseAt is the expression that was not true, zero where that is not known; False is its text.
	FalseAt model.Span
	False   string
	// Output is what print() said.
	Output string
	Took   time.Duration
}

// testTimeout is how long one test may take.
const testTimeout = 5 * time.Second

// Test runs the tests whose name matches a regular expression, all where it is empty. Load was told to load them.
func (s *Set) Test(ctx context.Context, filter string, covered *Coverage) ([]TestResult, error) {
	txn, err := s.store.NewTransaction(ctx, storage.TransactionParams{})
	if err != nil {
		return nil, fmt.Errorf("reading data of tests: %w", err)
	}
	defer s.store.Abort(ctx, txn)
	runner := func() *tester.Runner {
		return tester.NewRunner().SetCompiler(newCompiler().WithEnablePrintStatements(true)).SetStore(s.store).SetModules(s.loaded.good()).
			CapturePrintOutput(true).SetTimeout(testTimeout).Filter(filter)
	}
	r := runner()
	if covered != nil {
		r = r.SetCoverageQueryTracer(covered.tracer).SetCoverageRuns(nil)
	}
	results, err := r.RunTests(ctx, txn)
	if err != nil {
		return nil, fmt.Errorf("running the tests of policies: %w", err)
	}
	var out []TestResult
	for t := range results {
		x := TestResult{
			Package: strings.TrimPrefix(t.Package, "data."), Name: t.Name, At: span(s.files, t.Location), Failed: t.Fail || t.Error != nil,
			Skipped: t.Skip, Output: string(t.Output), Took: t.Duration,
		}
		if t.Error != nil {
			x.Error, _, _ = strings.Cut(t.Error.Error(), "\n")
		}
		out = append(out, x)
	}
	if slices.ContainsFunc(out, func(t TestResult) bool { return t.Failed && t.Error == "" }) { // again, with a trace
		again, err := runner().EnableTracing(true).RunTests(ctx, txn)
		if err != nil {
			return nil, fmt.Errorf("running the tests of policies: %w", err)
		}
		for t := range again {
			s.falseAt(out, t)
		}
	}
	slices.SortFunc(out, func(a, b TestResult) int {
		return cmp.Or(strings.Compare(a.At.File, b.At.File), cmp.Compare(a.At.Start, b.At.Start), strings.Compare(a.Name, b.Name))
	})
	return out, nil
}

// falseAt notes the expression at which a test came to its end.
func (s *Set) falseAt(all []TestResult, t *tester.Result) {
	at := span(s.files, t.Location)
	for i := range all {
		x := &all[i]
		if x.At != at || x.Name != t.Name || !x.Failed {
			continue
		}
		for _, e := range t.Trace {
			if e.Op == topdown.FailOp && e.Location != nil && e.Location.File == t.Location.File {
				x.FalseAt = span(s.files, e.Location)
				x.False, _, _ = strings.Cut(string(e.Location.Text), "\n")
			}
		}
	}
}

// Coverage is which lines of the policies were reached.
type Coverage struct{ tracer *cover.Cover }

// NewCoverage counts from nothing.
func NewCoverage() *Coverage { return &Coverage{cover.New()} }

// Cover judges units for the lines that it reaches alone.
func (s *Set) Cover(ctx context.Context, units []*lint.Unit, c *Coverage) {
	if s.run == nil {
		s.Begin(nil)
	}
	q := s.current(func(r *run) *query { return r.typed })
	for _, u := range units {
		s.evalTraced(ctx, q, s.run.convert.document(newInput(u)), c.tracer)
	}
}

// CoverDocument does the same for policies that judge raw manifests.
func (s *Set) CoverDocument(ctx context.Context, f *source.File, c *Coverage) {
	if s.run == nil {
		s.Begin(nil)
	}
	for _, ns := range s.loaded.o.Namespaces {
		q := s.current(func(r *run) *query { return r.raw[ns] })
		if q == nil {
			continue
		}
		for _, m := range manifestsOf(f) {
			s.evalTraced(ctx, s.withFile(q, m.file), m.value, c.tracer)
		}
	}
}

// FileCoverage is that of one file: lines that can be reached, and those that were not.
type FileCoverage struct {
	File    string
	Covered int
	Missed  []int
}

// Coverage are the policies with their coverage, in the order of their names; neither tests nor the program's own library.
func (s *Set) Coverage(c *Coverage) []FileCoverage {
	modules := s.loaded.good()
	for _, m := range s.loaded.modules {
		if m.test || m.file == libraryFile {
			delete(modules, m.file)
		}
	}
	report := c.tracer.Report(modules)
	var out []FileCoverage
	for file := range modules {
		f := report.Files[file]
		if f == nil {
			continue
		}
		x := FileCoverage{File: file, Covered: f.CoveredLines}
		for _, r := range f.NotCovered {
			for row := r.Start.Row; row <= r.End.Row; row++ {
				if !slices.Contains(x.Missed, row) && !f.IsCovered(row) {
					x.Missed = append(x.Missed, row)
				}
			}
		}
		slices.Sort(x.Missed)
		out = append(out, x)
	}
	slices.SortFunc(out, func(a, b FileCoverage) int { return strings.Compare(a.File, b.File) })
	return out
}

// Tests is how many files of tests were loaded.
func (s *Set) Tests() int {
	n := 0
	for _, m := range s.loaded.modules {
		if m.test {
			n++
		}
	}
	return n
}
