package summary

import (
	"go/types"
	"slices"
	"strings"

	"github.com/probelint/probelint/analyzer/load"
)

// noteStart notes a call of another module that by its name opens a listener which nothing else is known of: where there is
// one, a port that no seen listener has is not proven to be closed.
func (x *Index) noteStart(p *load.Package, path, recv, name, shown string) {
	if !startsListener(path, recv, name) || x.isKnown(path, recv, name) {
		return
	}
	if !slices.Contains(x.starters[p], shown) {
		x.starters[p] = append(x.starters[p], shown)
	}
}

// isKnown reports a call that the tables, or the models of the standard frameworks, speak of.
func (x *Index) isKnown(path, recv, name string) bool {
	if strings.HasPrefix(path, controllerRuntime) || path == grpcPath || strings.HasPrefix(path, grpcPath+"/") {
		return true
	}
	if x.load.ByPath[path] != nil || x.kb.KnowsPackage(path) {
		return true
	}
	_, ok := x.kb.LookupRouter(path, recv, name)
	return ok
}

// startsListener goes by the words: a verb that starts, and a server in the function, its receiver or its package.
func startsListener(path, recv, name string) bool {
	if !strings.Contains(strings.SplitN(path, "/", 2)[0], ".") {
		return false // the standard library
	}
	verb := false
	for _, v := range []string{"Start", "Serve", "Run", "Listen"} {
		verb = verb || strings.HasPrefix(name, v)
	}
	if !verb {
		return false
	}
	words := strings.ToLower(lastSegment(path) + " " + recv + " " + name)
	for _, w := range []string{"server", "serve", "http", "listen", "probe", "health", "pprof"} {
		if strings.Contains(words, w) {
			return true
		}
	}
	return false
}

// shortName is a function as people write it: server.Start, Server.Run.
func shortName(fn *types.Func) string {
	if sig, ok := fn.Type().(*types.Signature); ok && sig.Recv() != nil {
		_, recv := typeName(sig.Recv().Type())
		return recv + "." + fn.Name()
	}
	if fn.Pkg() != nil {
		return fn.Pkg().Name() + "." + fn.Name()
	}
	return fn.Name()
}
