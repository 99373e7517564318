package knowledge

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"
)

// A generated gRPC client is found by its shape, whatever its package.
func TestCallOf(t *testing.T) {
	fset := token.NewFileSet()
	pkgs := map[string]*types.Package{}
	check := func(path, src string) *types.Package {
		f, err := parser.ParseFile(fset, path+".go", src, 0)
		if err != nil {
			t.Fatal(err)
		}
		conf := types.Config{Importer: importerFunc(func(p string) (*types.Package, error) { return pkgs[p], nil })}
		pkg, err := conf.Check(path, fset, []*ast.File{f}, nil)
		if err != nil {
			t.Fatal(err)
		}
		pkgs[path] = pkg
		return pkg
	}
	check("context", `package context; type Context interface{ Err() error }`)
	check("google.golang.org/grpc", `package grpc; type CallOption interface{ before() }`)
	check("connectrpc.com/connect", `package connect; type Request[T any] struct{ Msg *T }; type Response[T any] struct{ Msg *T }`)
	pkg := check("example.com/orderspb", `package orderspb
import ("context"; "google.golang.org/grpc")
type In struct{}
type OrdersClient interface { Get(ctx context.Context, in *In, opts ...grpc.CallOption) (*In, error) }
type OrdersServer interface { Get(ctx context.Context, in *In) (*In, error) }
type plain struct{}
func (*plain) Ping(ctx context.Context) error { return nil }
func Get(ctx context.Context, opts ...grpc.CallOption) error { return nil }
`)
	conn := check("example.com/ordersconnect", `package ordersconnect
import ("context"; "connectrpc.com/connect")
type OrdersClient interface { Get(context.Context, *connect.Request[int]) (*connect.Response[int], error) }
type OrdersHandler interface { Get(context.Context, *connect.Request[int]) (*connect.Response[int], error) }
`)
	method := func(pkg *types.Package, recv, name string) *types.Func {
		obj, _, _ := types.LookupFieldOrMethod(pkg.Scope().Lookup(recv).Type(), true, pkg, name)
		return obj.(*types.Func)
	}
	for _, c := range []struct {
		fn    *types.Func
		entry string
		err   int
	}{
		{method(pkg, "OrdersClient", "Get"), "grpc", 1},
		{method(pkg, "OrdersServer", "Get"), "", 0},
		{method(pkg, "plain", "Ping"), "", 0},
		{pkg.Scope().Lookup("Get").(*types.Func), "grpc", 0},
		{method(conn, "OrdersClient", "Get"), "connect-client", 1},
		{method(conn, "OrdersHandler", "Get"), "", 0},
	} {
		got, ok := Default().CallOf(c.fn)
		if ok != (c.entry != "") || got.Entry != c.entry || ok && (!got.Pattern || got.Ctx != 0 || got.Err != c.err || got.Effect != Remote) {
			t.Errorf("%s = %+v, %v; want %q", c.fn, got, ok, c.entry)
		}
	}
	if path, recv, name, ok := NameOf(method(pkg, "plain", "Ping")); !ok || path != "example.com/orderspb" || recv != "plain" || name != "Ping" {
		t.Errorf("NameOf = %q %q %q %v", path, recv, name, ok)
	}
	if _, _, _, ok := NameOf(types.Universe.Lookup("error").Type().Underlying().(*types.Interface).Method(0)); ok {
		t.Error("error.Error has a package")
	}
}

type importerFunc func(string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }
