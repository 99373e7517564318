// Package linttest runs a rule over small repositories through the real engine and compares what it reports with comments
// in the files themselves.
//
// testdata/*.txtar of the rule's folder are the repositories: manifests, go.mod, Go files, Dockerfiles. A trailing comment
// on the line of a finding's primary span wants it:
//
//	failureThreshold: 1 # want error "one failure restarts"
//	db.Ping() // want warning "no deadline" info "another one on this line"
//	path: /healthz # want-label "restarts container `api`"
//
// The text is a regular expression for the title, or for the text of any label on that line. An archive without such a
// comment wants silence. Where a file takes no comment, the archive's own comment wants: `want deploy.json:12 error "..."`.
// It sets options too, a line each: `profile: strict`.
package linttest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/probelint/probelint/internal/engine"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/linttest/want"
	"github.com/probelint/probelint/internal/ruletest"
)

// Run runs every archive of the rule's testdata as a subtest. A rule about other rules, such as unused-suppression, is run beside
// those, whose findings are not compared.
func Run(t *testing.T, r *lint.Rule, others ...*lint.Rule) {
	t.Helper()
	archives, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	if len(archives) == 0 {
		t.Fatalf("%s has no testdata/*.txtar", r.Name)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			archive(t, r, a, options{others: others})
		})
	}
}

// RunWith is Run over archives that need more than the manifests and the code: with changes the options of each run.
func RunWith(t *testing.T, r *lint.Rule, with func(*engine.Options)) {
	t.Helper()
	archives, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			archive(t, r, a, options{with: with})
		})
	}
}

// Archive runs one archive.
func Archive(t *testing.T, r *lint.Rule, a *txtar.Archive, others ...*lint.Rule) {
	t.Helper()
	archive(t, r, a, options{others: others})
}

func archive(t *testing.T, r *lint.Rule, a *txtar.Archive, more options) {
	t.Helper()
	o, err := parseOptions(a.Comment)
	if err != nil {
		t.Fatal(err)
	}
	o.others, o.with = more.others, more.with
	wants, err := want.Parse(a)
	if err != nil {
		t.Fatal(err)
	}
	res, err := lintFiles(t, r, a.Files, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range append(want.Compare(res, wants), want.Panics(res)...) {
		t.Error(fault)
	}
	for _, f := range res.Findings {
		if f.Rule == r.Name {
			ruletest.Words(t, r, f)
		}
	}
}

// lintFiles writes the files into a directory and runs the rule alone over it. Other rules silence nothing.
func lintFiles(t testing.TB, r *lint.Rule, files []txtar.File, o options) (*engine.Result, error) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if !strings.HasPrefix(name, dir+string(filepath.Separator)) {
			return nil, fmt.Errorf("%s leaves the archive", f.Name)
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			return nil, err
		}
	}
	opts := engine.Options{
		Root: dir, WorkingDir: dir, Paths: []string{dir}, Rules: []*lint.Rule{r}, Select: []string{r.Name},
		Settings: lint.DefaultSettings(o.profile), Offline: true, NoSilencing: true,
		Now: time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC),
	}
	if len(o.others) > 0 {
		opts.Rules, opts.Select = o.others, nil
	}
	if o.with != nil {
		o.with(&opts)
	}
	res, err := engine.Run(context.Background(), opts)
	if err != nil {
		return nil, err
	}
	var crashes []error
	for _, c := range res.Crashes {
		crashes = append(crashes, fmt.Errorf("%s: %s\n%s", c.What, c.Message, c.Stack))
	}
	// Input that cannot be read makes a test prove less than it seems to; only tests of that rule want it. A module that is
	// not there is normal.
	kept := res.Findings[:0:0]
	for _, f := range res.Findings {
		if f.Rule == r.Name || f.Level > lint.Info && (len(o.others) == 0 || f.Rule == "unreadable-input") {
			kept = append(kept, f)
		}
	}
	res.Findings = kept
	return res, errors.Join(crashes...)
}

type options struct {
	profile string
	others  []*lint.Rule // the whole catalogue, for a rule about other rules
	with    func(*engine.Options)
}

// parseOptions reads `key: value` lines of the archive's comment; other lines are for the reader.
func parseOptions(comment []byte) (options, error) {
	o := options{profile: "default"}
	for _, line := range strings.Split(string(comment), "\n") {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), "profile:"); ok {
			if o.profile = strings.TrimSpace(v); o.profile != "default" && o.profile != "strict" {
				return o, fmt.Errorf("profile: %q is neither default nor strict", o.profile)
			}
		}
	}
	return o, nil
}
