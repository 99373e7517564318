package stubs

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// checker type-checks stubs with nothing but other stubs to import.
type checker struct {
	fset *token.FileSet
	pkgs map[string]*types.Package
	errs []error
}

func (c *checker) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p, ok := c.pkgs[path]; ok {
		if p == nil {
			return nil, fmt.Errorf("%s imports itself", path)
		}
		return p, nil
	}
	c.pkgs[path] = nil
	src, _, ok := Source(path)
	if !ok {
		return nil, fmt.Errorf("no stub of %s", path)
	}
	f, err := parser.ParseFile(c.fset, path, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	conf := types.Config{Importer: c, Error: func(err error) { c.errs = append(c.errs, err) }}
	p, _ := conf.Check(path, c.fset, []*ast.File{f}, nil)
	c.pkgs[path] = p
	return p, nil
}

func newChecker() *checker {
	return &checker{fset: token.NewFileSet(), pkgs: map[string]*types.Package{}}
}

func TestStubsTypeCheck(t *testing.T) {
	paths := Paths()
	slices.Sort(paths)
	if len(paths) < 500 {
		t.Fatalf("only %d stubs", len(paths))
	}
	c := newChecker()
	for _, p := range paths {
		if _, err := c.Import(p); err != nil {
			t.Errorf("%s: %v", p, err)
		}
	}
	for _, err := range c.errs {
		var te types.Error
		if errors.As(err, &te) && strings.HasSuffix(te.Msg, "missing function body") {
			continue
		}
		t.Error(err)
	}
}

func TestStubFacts(t *testing.T) {
	c := newChecker()
	for _, tt := range []struct{ path, name, method, want string }{
		{"github.com/go-chi/chi/v5", "Router", "Get", "func(pattern string, h net/http.HandlerFunc)"},
		{"github.com/gin-gonic/gin", "HandlerFunc", "", "func(*github.com/gin-gonic/gin.Context)"},
		{"github.com/gin-gonic/gin", "Engine", "GET", "func(relativePath string, handlers ...github.com/gin-gonic/gin.HandlerFunc) github.com/gin-gonic/gin.IRoutes"},
		{"github.com/redis/go-redis/v9", "Client", "Ping", "func(ctx context.Context) *github.com/redis/go-redis/v9.StatusCmd"},
		{"github.com/redis/go-redis/v9", "StatusCmd", "Err", "func() error"},
		{"github.com/redis/go-redis/v9", "StatusCmd", "Result", "func() (string, error)"},
		{"github.com/redis/go-redis/v9", "Cmdable", "Ping", "func(ctx context.Context) *github.com/redis/go-redis/v9.StatusCmd"},
		{"github.com/jackc/pgx/v5/pgxpool", "Pool", "Ping", "func(ctx context.Context) error"},
		{"github.com/jmoiron/sqlx", "DB", "PingContext", "func(ctx context.Context) error"},
		{"gorm.io/gorm", "DB", "WithContext", "func(ctx context.Context) *gorm.io/gorm.DB"},
		{"go.mongodb.org/mongo-driver/mongo", "Client", "Ping", "func(ctx context.Context, rp *go.mongodb.org/mongo-driver/mongo/readpref.ReadPref) error"},
		{"sigs.k8s.io/controller-runtime", "NewManager", "", "func(config *k8s.io/client-go/rest.Config, options sigs.k8s.io/controller-runtime/pkg/manager.Options) (sigs.k8s.io/controller-runtime/pkg/manager.Manager, error)"},
		{"sigs.k8s.io/controller-runtime/pkg/manager", "Manager", "AddHealthzCheck", "func(name string, check sigs.k8s.io/controller-runtime/pkg/healthz.Checker) error"},
		{"google.golang.org/grpc/health", "Server", "SetServingStatus", "func(service string, servingStatus google.golang.org/grpc/health/grpc_health_v1.HealthCheckResponse_ServingStatus)"},
		{"github.com/heptiolabs/healthcheck", "Handler", "AddLivenessCheck", "func(name string, check github.com/heptiolabs/healthcheck.Check)"},
		{"net/http", "Handler", "ServeHTTP", "func(net/http.ResponseWriter, *net/http.Request)"},
		{"database/sql", "DB", "PingContext", "func(ctx context.Context) error"},
	} {
		p, err := c.Import(tt.path)
		if err != nil {
			t.Errorf("%s: %v", tt.path, err)
			continue
		}
		o := p.Scope().Lookup(tt.name)
		if o == nil {
			t.Errorf("%s has no %s", tt.path, tt.name)
			continue
		}
		typ := o.Type()
		if tt.method != "" {
			m, _, _ := types.LookupFieldOrMethod(typ, true, p, tt.method)
			if m == nil {
				t.Errorf("%s.%s has no %s", tt.path, tt.name, tt.method)
				continue
			}
			typ = m.Type()
		}
		if tn, ok := o.(*types.TypeName); ok && tt.method == "" {
			typ = tn.Type().Underlying()
		}
		if got := types.TypeString(typ, nil); got != tt.want {
			t.Errorf("%s.%s %s:\n got %s\nwant %s", tt.path, tt.name, tt.method, got, tt.want)
		}
	}
}

func BenchmarkSource(b *testing.B) {
	for b.Loop() {
		if _, _, ok := Source("github.com/gin-gonic/gin"); !ok {
			b.Fatal("no stub")
		}
	}
}
