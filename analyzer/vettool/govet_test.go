package vettool_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"
)

// chain is a program of three packages: main joins a route with a handler of one package that asks a store of another one
// through an interface.
const chain = `
-- go.mod --
module example.com/chain

go 1.26
-- cmd/app/main.go --
package main

import (
	"database/sql"
	"net/http"

	"example.com/chain/health"
	"example.com/chain/store"
)

func main() {
	db, err := sql.Open("postgres", "postgres://db/orders")
	if err != nil {
		panic(err)
	}
	h := health.New(store.New(db))
	http.HandleFunc("/livez", h.Live)
	_ = http.ListenAndServe(":8080", nil)
}
-- health/health.go --
package health

import (
	"context"
	"net/http"
)

type Pinger interface{ Ping(ctx context.Context) error }

type Handler struct{ store Pinger }

func New(p Pinger) *Handler { return &Handler{p} }

func (h *Handler) Live(w http.ResponseWriter, r *http.Request) {
	if err := h.store.Ping(r.Context()); err != nil {
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(http.StatusOK)
}
-- store/store.go --
package store

import (
	"context"
	"database/sql"
)

type Store struct{ db *sql.DB }

func New(db *sql.DB) *Store { return &Store{db} }

func (s *Store) Ping(ctx context.Context) error { return s.db.PingContext(ctx) }
`

// bounded is store.go with a deadline: its exported declarations, and so its export data, are those of chain.
const bounded = `package store

import (
	"context"
	"database/sql"
	"time"
)

type Store struct{ db *sql.DB }

func New(db *sql.DB) *Store { return &Store{db} }

func (s *Store) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancel()
	return s.db.PingContext(ctx)
}
`

// local is store.go without a dependency.
const local = `package store

import (
	"context"
	"database/sql"
)

type Store struct{ db *sql.DB }

func New(db *sql.DB) *Store { return &Store{db} }

func (s *Store) Ping(ctx context.Context) error { return ctx.Err() }
`

// probevet is built once for all tests, into a folder that TestMain removes.
var probevet = sync.OnceValues(func() (string, error) {
	tool := filepath.Join(tools, "probevet")
	if runtime.GOOS == "windows" {
		tool += ".exe"
	}
	out, err := exec.Command("go", "build", "-o", tool, "github.com/probelint/probelint/cmd/probevet").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building probevet: %w\n%s", err, out)
	}
	return tool, nil
})

var tools string

func TestMain(m *testing.M) {
	if os.Getenv(fixer) != "" {
		os.Exit(runFixer())
	}
	var err error
	if tools, err = os.MkdirTemp("", "probevet"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(tools)
	os.Exit(code)
}

func build(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds probevet and runs go vet")
	}
	tool, err := probevet()
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

func write(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		put(t, filepath.Join(dir, filepath.FromSlash(f.Name)), string(f.Data))
	}
	return dir
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func goCommand(t *testing.T, dir string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs strings.Builder
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOPROXY=off")
	if err := cmd.Run(); err != nil {
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		code = cmd.ProcessState.ExitCode()
	}
	return out.String(), errs.String(), code
}

// go vet sees through a chain of packages, and sees a change in the last of them although its exported declarations are the
// same: the go command keeps results by export data and facts.
func TestGoVetFollowsAChainOfPackages(t *testing.T) {
	tool, dir := build(t), write(t, chain)
	vet := func() (string, int) {
		_, errs, code := goCommand(t, dir, "vet", "-show=info", "-vettool="+tool, "./...")
		return errs, code
	}
	first, code := vet()
	for _, want := range []string{
		"store/store.go:12:58: `/livez` waits for PostgreSQL until the kubelet gives up",
		"(liveness-checks-dependency)",
	} {
		if !strings.Contains(first, want) {
			t.Errorf("go vet says (exit %d):\n%swithout %q", code, first, want)
		}
	}
	if code != 1 {
		t.Errorf("exit code %d with findings", code)
	}
	if again, _ := vet(); again != first {
		t.Errorf("the second run says:\n%sthe first said:\n%s", again, first)
	}

	put(t, filepath.Join(dir, "store", "store.go"), bounded)
	changed, _ := vet()
	if changed == first || strings.Contains(changed, "waits for") || !strings.Contains(changed, "(liveness-checks-dependency)") {
		t.Errorf("with a deadline in the last package go vet says:\n%s", changed)
	}

	put(t, filepath.Join(dir, "store", "store.go"), local)
	if clean, code := vet(); code != 0 || clean != "" {
		t.Errorf("without a dependency go vet says (exit %d):\n%s", code, clean)
	}
}

func TestGoVetJSON(t *testing.T) {
	tool, dir := build(t), write(t, chain)
	out, errs, code := goCommand(t, dir, "vet", "-json", "-show=info", "-select=liveness-checks-dependency", "-vettool="+tool, "./cmd/app")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	var lines []string
	for _, l := range strings.Split(out+errs, "\n") {
		if !strings.HasPrefix(l, "#") {
			lines = append(lines, l)
		}
	}
	var tree map[string]map[string][]struct {
		Category, Posn, End, Message string
		Related                      []struct{ Posn, Message string }
	}
	if err := json.Unmarshal([]byte(strings.Join(lines, "\n")), &tree); err != nil {
		t.Fatalf("%v in\n%s", err, out+errs)
	}
	ds := tree["example.com/chain/cmd/app"]["probelint"]
	if len(ds) != 1 || ds[0].Category != "liveness-checks-dependency" || !strings.HasSuffix(ds[0].Posn, filepath.FromSlash("store/store.go")+":12:58") {
		t.Errorf("go vet -json says\n%s", out+errs)
	}
	if len(ds) == 1 && len(ds[0].Related) == 0 {
		t.Error("the way from the route to the call is missing")
	}
}

func TestGoVetRefusesWrongFlags(t *testing.T) {
	tool, dir := build(t), write(t, chain)
	for flag, want := range map[string]string{
		"-select=liveness-checks-dependencies": `did you mean "liveness-checks-dependency"?`,
		"-show=loud":                           "the levels are error, warning and info",
		"-profile=lax":                         "the profiles are default and strict",
	} {
		_, errs, code := goCommand(t, dir, "vet", flag, "-vettool="+tool, "./cmd/app")
		if code == 0 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d\n%swithout %q", flag, code, errs, want)
		}
	}
}

// A test file beside main changes the unit that the go command hands over, not the finding.
func TestGoVetWithTestsBesideMain(t *testing.T) {
	tool, dir := build(t), write(t, chain)
	put(t, filepath.Join(dir, "cmd", "app", "main_test.go"), "package main\n\nimport \"testing\"\n\nfunc TestMain(m *testing.M) { m.Run() }\n")
	put(t, filepath.Join(dir, "cmd", "app", "app_test.go"), "package main_test\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) {}\n")
	_, errs, _ := goCommand(t, dir, "vet", "-show=info", "-select=liveness-checks-dependency", "-vettool="+tool, "./...")
	if n := strings.Count(errs, "(liveness-checks-dependency)"); n != 1 {
		t.Errorf("%d findings, want 1:\n%s", n, errs)
	}
}
