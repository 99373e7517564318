package load

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkLoad measures a whole load of a small program without any cache: net/http, database/sql and context.
func BenchmarkLoad(b *testing.B) {
	dir := b.TempDir()
	src := `package main

import (
	"context"
	"database/sql"
	"net/http"
	"time"
)

func main() {
	db, _ := sql.Open("postgres", "")
	http.HandleFunc("/healthz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), time.Second)
		defer cancel()
		if err := db.PingContext(ctx); err != nil {
			http.Error(w, "down", http.StatusServiceUnavailable)
		}
	})
	_ = http.ListenAndServe(":8080", nil)
}
`
	for name, text := range map[string]string{"go.mod": "module example.com/app\n\ngo 1.24\n", "main.go": src} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	e := &env{goroot: testGoroot(b), version: "go1.26.0"}
	b.ReportAllocs()
	for b.Loop() {
		r, err := Load(context.Background(), Options{Dirs: []string{dir}, env: e})
		if err != nil || r.Calls == 0 || r.Calls != r.TypedCalls {
			b.Fatalf("%v, %d of %d calls typed", err, r.TypedCalls, r.Calls)
		}
	}
}

// BenchmarkRepository loads the module that PROBELINT_REPO names, with the module cache that PROBELINT_MODCACHE names or
// that of this machine, and reports how much of it was typed.
func BenchmarkRepository(b *testing.B) {
	dir := os.Getenv("PROBELINT_REPO")
	if dir == "" {
		b.Skip("PROBELINT_REPO is not set")
	}
	e := findEnv(context.Background())
	if c := os.Getenv("PROBELINT_MODCACHE"); c != "" {
		e.modcache = c
	}
	var r *Result
	for b.Loop() {
		var err error
		if r, err = Load(context.Background(), Options{Dirs: []string{dir}, env: e}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(r.Packages)), "packages")
	if r.Calls > 0 {
		b.ReportMetric(100*float64(r.TypedCalls)/float64(r.Calls), "%typed")
	}
	for _, l := range r.Limits {
		b.Logf("%s: %s", l.What, l.Because)
	}
}

func BenchmarkSkim(b *testing.B) {
	src, err := os.ReadFile(filepath.Join(testGoroot(b), "src", "net", "http", "server.go"))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		skim(src)
	}
}
