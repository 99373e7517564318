package endpoint_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/probelint/probelint/analyzer/endpoint"
	"github.com/probelint/probelint/analyzer/load"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// BenchmarkShop analyzes the example repository and asks every route, without the load.
func BenchmarkShop(b *testing.B) {
	dir, err := filepath.Abs(filepath.Join("..", "..", "testdata", "shop"))
	if err != nil {
		b.Fatal(err)
	}
	if _, err := os.Stat(dir); err != nil {
		b.Skip("testdata/shop is not there")
	}
	r, err := load.Load(context.Background(), load.Options{Set: source.NewSet(dir), Dirs: []string{dir}, Offline: true})
	if err != nil {
		b.Fatal(err)
	}
	benchmark(b, r)
}

// BenchmarkPackages analyzes a generated module: 200 packages, each with a store, a service behind an interface, and a
// handler, wired into one program.
func BenchmarkPackages(b *testing.B) { benchmark(b, loadFiles(b, generated(200))) }

func benchmark(b *testing.B, r *load.Result) {
	b.ReportAllocs()
	routes := 0
	for b.Loop() {
		routes = 0
		a := endpoint.Analyze(context.Background(), r)
		for _, p := range a.Programs() {
			for _, s := range p.Servers {
				for _, route := range s.Routes {
					a.Endpoint(p, route, model.Request{Method: "GET", Path: route.Pattern}, nil)
					routes++
				}
			}
		}
	}
	b.ReportMetric(float64(routes), "routes")
}

func generated(n int) []txtar.File {
	files := []txtar.File{{Name: "go.mod", Data: []byte("module example.com/large\n\ngo 1.26\n")}}
	imports, wiring := "", ""
	for i := range n {
		next := ""
		if i > 0 {
			next = fmt.Sprintf("import prev \"example.com/large/p%d\"\n\nvar Prev = prev.Name\n", i-1)
		}
		files = append(files, txtar.File{Name: fmt.Sprintf("p%d/p.go", i), Data: fmt.Appendf(nil, `package p%d

import (
	"context"
	"database/sql"
	"net/http"
	"time"
)

%s
const Name = "p%d"

type Store interface{ Ping(ctx context.Context) error }

type sqlStore struct{ db *sql.DB }

func (s *sqlStore) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	return s.db.PingContext(ctx)
}

type Service struct {
	store Store
	names map[string]int
}

func New(db *sql.DB) *Service { return &Service{store: &sqlStore{db}, names: map[string]int{}} }

func (s *Service) Check(ctx context.Context) error {
	for range 3 {
		if err := s.store.Ping(ctx); err == nil {
			return nil
		}
	}
	return s.store.Ping(ctx)
}

func (s *Service) Register(mux *http.ServeMux) {
	mux.HandleFunc("/p%d/healthz", func(w http.ResponseWriter, r *http.Request) {
		if err := s.Check(r.Context()); err != nil {
			http.Error(w, "down", http.StatusServiceUnavailable)
			return
		}
		w.WriteHeader(http.StatusOK)
	})
}
`, i, "", i, i)})
		if next != "" {
			files = append(files, txtar.File{Name: fmt.Sprintf("p%d/prev.go", i), Data: fmt.Appendf(nil, "package p%d\n\n%s", i, next)})
		}
		imports += fmt.Sprintf("\t\"example.com/large/p%d\"\n", i)
		wiring += fmt.Sprintf("\tp%d.New(db).Register(mux)\n", i)
	}
	return append(files, txtar.File{Name: "main.go", Data: []byte("package main\n\nimport (\n\t\"database/sql\"\n\t\"net/http\"\n\n" + imports +
		")\n\nfunc main() {\n\tdb, _ := sql.Open(\"pgx\", \"postgres://db/app\")\n\tmux := http.NewServeMux()\n" + wiring + "\thttp.ListenAndServe(\":8080\", mux)\n}\n")})
}
