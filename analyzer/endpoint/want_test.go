package endpoint_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/probelint/probelint/analyzer/endpoint"
	"github.com/probelint/probelint/analyzer/load"
	"github.com/probelint/probelint/internal/link"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// TestMain hides the machine's module cache, so that an archive sees the same modules everywhere: its own and the stubs.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "modcache")
	if err != nil {
		panic(err)
	}
	os.Setenv("GOMODCACHE", dir)
	os.Setenv("GOFLAGS", "-mod=mod")
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// TestArchives runs testdata/*.txtar. Each is a repository with a file `want`; a line is a request and what the endpoint
// that answers it does, as describe prints it:
//
//	GET /readyz?full=1 X-Debug:1 TIMEOUT=2s -ping=1s: 200,503; dep (*database/sql.DB).PingContext gates sequential deadline 2s
//
// Behind the method come the path, headers (Name:value), environment variables and flags of the container. `PROGRAM GET`
// names the program where there are several. A line `#` is for the reader.
func TestArchives(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatal("no archives", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			want, files := archive(t, name)
			compare(t, analyze(t, files), want)
		})
	}
}

func compare(t *testing.T, a *endpoint.Analysis, want string) {
	t.Helper()
	for _, line := range strings.Split(want, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		asked, expected, ok := strings.Cut(line, ": ")
		if !ok {
			t.Errorf("%q has no `: `", line)
			continue
		}
		got, err := answer(a, asked)
		if err != nil {
			t.Errorf("%s: %v", asked, err)
			continue
		}
		if got != expected {
			t.Errorf("%s\n want %s\n  got %s", asked, expected, got)
		}
	}
}

// analyze writes the files to a directory, with a go.mod where there is none, and analyzes it.
func analyze(t testing.TB, files []txtar.File) *endpoint.Analysis {
	t.Helper()
	r := loadFiles(t, files)
	a := endpoint.Analyze(context.Background(), r)
	for _, p := range a.Programs() {
		for _, s := range p.Stopped {
			if strings.Contains(s.Why, "the analysis failed") {
				t.Errorf("%s: %s", s.Call, s.Why)
			}
		}
	}
	return a
}

func loadFiles(t testing.TB, files []txtar.File) *load.Result {
	t.Helper()
	dir := t.TempDir()
	mod := false
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		mod = mod || f.Name == "go.mod"
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !mod {
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/app\n\ngo 1.26\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r, err := load.Load(context.Background(), load.Options{Set: source.NewSet(dir), Dirs: []string{dir}, Offline: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// answer is the description of what answers `[PROGRAM] METHOD PATH [Header:value] [ENV=value] [-flag=value]`.
func answer(a *endpoint.Analysis, asked string) (string, error) {
	words := strings.Fields(asked)
	name := ""
	if len(words) > 0 && strings.ToUpper(words[0]) != words[0] {
		name, words = words[0], words[1:]
	}
	if len(words) < 2 {
		return "", fmt.Errorf("no method and path")
	}
	req := model.Request{Method: words[0]}
	req.Path, req.Query, _ = strings.Cut(words[1], "?")
	c := &model.Container{}
	for _, w := range words[2:] {
		if strings.HasPrefix(w, "-") {
			c.Args = append(c.Args, w)
			continue
		}
		if k, v, ok := strings.Cut(w, "="); ok {
			c.Env = append(c.Env, model.EnvVar{Name: k, Value: v, Known: true})
			continue
		}
		k, v, _ := strings.Cut(w, ":")
		req.Headers = append(req.Headers, model.Header{Name: k, Value: v})
	}
	for _, p := range a.Programs() {
		if name != "" && p.Name() != name {
			continue
		}
		var routes []*model.Route
		for _, s := range p.Servers {
			routes = append(routes, s.Routes...)
		}
		m := link.MatchRoutes(routes, req)
		if m.Kind == link.NoRoute || m.Kind == link.WrongMethod {
			continue
		}
		ep := a.Endpoint(p, m.Route, req, c)
		if ep == nil {
			return "", fmt.Errorf("no endpoint")
		}
		if why := panicked(ep); why != "" {
			return "", fmt.Errorf("%s", why)
		}
		text := describe(ep)
		if m.Kind == link.MatchedCatchAll && req.Path != "/" {
			text = "catch-all " + text
		}
		return text, nil
	}
	return "no route", nil
}

// panicked is what the interpreter met that it could not stand, "" where nothing: Endpoint goes on behind it, tests do not.
func panicked(e *model.Endpoint) string {
	for _, u := range e.Unfollowed {
		if strings.Contains(u.Why, "the analysis failed") {
			return u.Call + ": " + u.Why
		}
	}
	return ""
}

// describe is an endpoint in one line. Places are left out: other tests look at them.
func describe(e *model.Endpoint) string {
	var statuses []string
	for _, s := range e.Answer.Statuses {
		statuses = append(statuses, strconv.Itoa(s))
	}
	head := strings.Join(statuses, ",")
	if e.Answer.Static {
		head += " static"
	}
	if e.Answer.Idle {
		head += " idle"
	}
	if e.Answer.Unknown {
		head = strings.TrimSpace(head + " unknown")
	}
	parts := []string{head}
	for _, d := range e.Dependencies {
		parts = append(parts, describeDependency(d))
	}
	if b := e.Budget; b != nil {
		s := "budget " + seconds(b.Lower)
		switch {
		case b.Upper == nil:
			s += "-"
		case *b.Upper != b.Lower:
			s += "-" + seconds(*b.Upper)
		}
		if b.Unknown {
			s += " unknown"
		}
		s += " " + b.Basis + " " + b.From
		parts = append(parts, s)
	}
	if c := e.Cache; c != nil {
		s := "cache " + c.Kind
		if c.Known {
			s += " " + seconds(c.Seconds)
		}
		if c.From != "" && c.From != "constant" {
			s += " " + c.From
		}
		if c.Aged {
			s += " aged"
		}
		parts = append(parts, s)
	}
	for _, x := range e.State {
		s := "state " + x.Name
		if x.Kind != "local" {
			s += " " + x.Kind
		}
		if x.Dependency != "" {
			s += " of " + x.Dependency
		}
		if x.Gates {
			s += " gates"
		}
		if x.Latch {
			s += " latch"
		}
		if x.Load {
			s += " load"
		}
		if x.Draining {
			s += " draining"
		}
		parts = append(parts, s)
	}
	if e.Answer.Order != "" {
		parts = append(parts, e.Answer.Order)
	}
	if e.Answer.ErrorText {
		parts = append(parts, "error-text")
	}
	var calls []string
	for _, u := range e.Unfollowed {
		calls = append(calls, "unfollowed "+u.Call)
	}
	sort.Strings(calls)
	return strings.Join(append(parts, calls...), "; ")
}

func describeDependency(d *model.Dependency) string {
	s := "dep " + d.Call
	switch {
	case d.Gates:
		s += " gates"
		if d.FailsOpen {
			s += " by its answer"
		}
	case d.GatesUnknown:
		s += " gates?"
	default:
		s += " reported"
	}
	s += " " + d.Mode
	if d.Loop > 0 {
		s += " x" + strconv.Itoa(d.Loop)
	}
	if d.Interface == "may" {
		s += " may"
	}
	if d.Scope != model.External {
		s += " " + string(d.Scope)
	}
	s += " " + string(d.Bound)
	if d.Deadline != nil && d.Deadline.Known {
		s += " " + seconds(d.Deadline.Seconds)
		if d.Deadline.From != "" && d.Deadline.From != "constant" {
			s += " " + d.Deadline.From
		}
	}
	if d.AfterAnswer {
		s += " after-answer"
	}
	return s
}

func seconds(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) + "s" }

// archive reads what an archive wants and the files that it holds.
func archive(t *testing.T, name string) (want string, files []txtar.File) {
	t.Helper()
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Files {
		if f.Name == "want" {
			want = string(f.Data)
		} else {
			files = append(files, f)
		}
	}
	if want == "" {
		t.Fatal("no file want")
	}
	return want, files
}
