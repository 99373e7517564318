package vet_test

import (
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/probelint/probelint/analyzer/vet"
	"github.com/probelint/probelint/rules"
)

const twoPackages = `-- go.mod --
module example.com/two

go 1.26
-- main.go --
package main

import (
	"database/sql"
	"net/http"

	"example.com/two/health"
)

func main() {
	db, err := sql.Open("postgres", "postgres://db/orders")
	if err != nil {
		panic(err)
	}
	http.HandleFunc("/readyz", health.Ready(db))
	_ = http.ListenAndServe(":8080", nil)
}
-- health/health.go --
package health

import (
	"database/sql"
	"net/http"
)

func Ready(db *sql.DB) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := db.Ping(); err != nil {
			http.Error(w, "down", http.StatusServiceUnavailable)
		}
	}
}
`

// analyze runs the analyzer in the driver of x/tools, which analyses packages side by side.
func analyze(t *testing.T, dir string, a *analysis.Analyzer) *checker.Graph {
	t.Helper()
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.LoadAllSyntax | packages.NeedModule, Dir: dir, Tests: true,
		Env: append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOPROXY=off"),
	}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	g, err := checker.Analyze([]*analysis.Analyzer{a}, pkgs, &checker.Options{SanityCheck: true})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestAnalyzerInADriver(t *testing.T) {
	if testing.Short() {
		t.Skip("loads the standard library from source")
	}
	dir := extract(t, twoPackages)
	for _, facts := range []bool{true, false} {
		g := analyze(t, dir, vet.New(vet.Options{Rules: rules.All(), Select: []string{"check-without-deadline"}}, facts))
		var got []string
		sealed := 0
		for act := range g.All() {
			if act.Err != nil {
				t.Errorf("%v: %v", act, act.Err)
			}
			sealed += len(act.AllPackageFacts())
			for _, d := range act.Diagnostics {
				got = append(got, act.Package.Fset.Position(d.Pos).String()+" "+d.Message)
				if len(d.Related) == 0 || !strings.HasSuffix(d.URL, "/docs/rules/check-without-deadline.md") {
					t.Errorf("related %v, url %q", d.Related, d.URL)
				}
			}
		}
		want := filepath.Join(dir, "health", "health.go") + ":10:13 `/readyz` waits for PostgreSQL"
		if len(got) != 1 || !strings.HasPrefix(got[0], want) {
			t.Errorf("facts %v: got %q, want one that begins with %q", facts, got, want)
		}
		if facts != (sealed > 0) {
			t.Errorf("facts %v: %d facts", facts, sealed)
		}
	}
}

// nogo hands over neither a module nor facts of indirect imports, and its files lie in a sandbox without a go.mod: what one
// package shows by itself is reported.
func TestAnalyzerWithoutModule(t *testing.T) {
	dir := extract(t, strings.Replace(strings.SplitN(twoPackages, "-- health/health.go --", 2)[0], `"example.com/two/health"`, `"context"`, 1))
	if err := os.Remove(filepath.Join(dir, "go.mod")); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "main.go")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	inline := `func(w http.ResponseWriter, _ *http.Request) {
		if err := db.PingContext(context.Background()); err != nil {
			w.WriteHeader(500)
		}
	}`
	text := strings.Replace(string(data), "health.Ready(db)", inline, 1)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax, Dir: dir, Env: append(os.Environ(), "GO111MODULE=off", "GOFLAGS=")}, name)
	if err != nil || len(pkgs) != 1 {
		t.Fatal(err, pkgs)
	}
	p := pkgs[0]
	a := vet.New(vet.Options{Rules: rules.All(), Select: []string{"check-without-deadline"}}, true)
	var got []analysis.Diagnostic
	pass := &analysis.Pass{
		Analyzer: a, Fset: p.Fset, Files: p.Syntax, Pkg: p.Types, TypesInfo: p.TypesInfo, ReadFile: os.ReadFile,
		Report:            func(d analysis.Diagnostic) { got = append(got, d) },
		ImportPackageFact: func(_ *types.Package, _ analysis.Fact) bool { return false },
		ExportPackageFact: func(analysis.Fact) {},
	}
	if _, err := a.Run(pass); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || !strings.Contains(got[0].Message, "waits for PostgreSQL") {
		t.Errorf("got %v", got)
	}
}
