package vettool_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/probelint/probelint/analyzer/vettool"
	"github.com/probelint/probelint/internal/lint"
)

// pings is a handler in a package of its own with two calls that take no context.
const pings = `
-- go.mod --
module example.com/pings

go 1.22
-- main.go --
package main

import (
	"database/sql"
	"net/http"

	"example.com/pings/health"
)

func main() {
	db, _ := sql.Open("postgres", "")
	http.HandleFunc("/livez", health.Live(db))
	http.ListenAndServe(":8080", nil)
}
-- health/health.go --
package health

import (
	"database/sql"
	"net/http"
)

func Live(db *sql.DB) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := db.Ping(); err != nil {
			w.WriteHeader(503)
		}
	}
}
`

// fixer is the test binary as a tool of the go command, with a rule that has a safe fix in Go code.
const fixer = "PROBELINT_TEST_FIXER"

func runFixer() int {
	rule := &lint.Rule{Name: "ping-takes-context", Level: lint.Warning, Scope: lint.PerProbe, Check: func(p *lint.Pass) {
		for _, d := range p.Endpoint.Dependencies {
			p.Report(lint.Finding{
				Title: "pings without a context", Primary: lint.Label{Span: d.Span},
				Fixes: []lint.Fix{{Title: "pass the request's context", Safe: true, Edits: []lint.Edit{{Span: d.Span, Text: "db.PingContext(r.Context())"}}}},
			})
		}
	}}
	return vettool.Main(context.Background(), os.Args[0], os.Args[1:], []*lint.Rule{rule}, os.Stdout, os.Stderr)
}

// The go command applies fixes, shows them as a difference, and takes the tool for go fix as well.
func TestGoAppliesFixes(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go vet and go fix")
	}
	t.Setenv(fixer, "1")
	tool, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const old, fixed = "if err := db.Ping(); err", "if err := db.PingContext(r.Context()); err"
	for name, tt := range map[string]struct {
		args    []string
		applied bool
	}{
		"vet -fix":       {[]string{"vet", "-fix", "-vettool=" + tool, "./..."}, true},
		"vet -fix -diff": {[]string{"vet", "-fix", "-diff", "-vettool=" + tool, "./..."}, false},
		"fix":            {[]string{"fix", "-fixtool=" + tool, "./..."}, true},
		"fix -diff":      {[]string{"fix", "-diff", "-fixtool=" + tool, "./..."}, false},
	} {
		dir := write(t, pings)
		out, errs, code := goCommand(t, dir, tt.args...)
		text, err := os.ReadFile(filepath.Join(dir, "health", "health.go"))
		if err != nil {
			t.Fatal(err)
		}
		if want := map[bool]string{true: fixed, false: old}[tt.applied]; !strings.Contains(string(text), want) {
			t.Errorf("%s (exit %d) leaves\n%s\n%s%s", name, code, text, out, errs)
		}
		if !tt.applied && (!strings.Contains(out+errs, "-\t\t"+old) || !strings.Contains(out+errs, "+\t\t"+fixed)) {
			t.Errorf("%s prints no difference:\n%s%s", name, out, errs)
		}
		if tt.applied {
			if _, errs, code := goCommand(t, dir, "build", "-o", os.DevNull, "."); code != 0 {
				t.Errorf("%s: the fixed code does not build:\n%s", name, errs)
			}
		}
	}
}
