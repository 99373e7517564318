package load

import (
	"path/filepath"
	"strings"

	"github.com/probelint/probelint/analyzer/load/stubs"
)

// node finds or makes the node of a key.
func (l *loader) node(key nodeKey, fill func(*node)) *node {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.nodes[key]
	if n == nil {
		n = &node{path: key.path}
		fill(n)
		l.nodes[key] = n
	}
	return n
}

// lookup finds the package that an import in a package stands for. It always returns a node; one without source says
// what is missing.
func (l *loader) lookup(path string, from *node) *node {
	if path == "unsafe" {
		return l.unsafe
	}
	if from.std {
		if l.stdDir("vendor/"+path) != "" {
			path = "vendor/" + path
		}
		return l.stdNode(path)
	}
	first, _, _ := strings.Cut(path, "/")
	own := false
	for p := range prefixes(path) {
		own = own || from.graph != nil && from.graph.firsts[p] != nil
	}
	if !own && !strings.Contains(first, ".") && (l.stdDir(path) != "" || l.env.goroot == "") {
		return l.stdNode(path)
	}
	if from.graph == nil {
		return l.stubNode(path, &miss{why: "the Go installation was not found"})
	}
	return l.node(nodeKey{from.graph.id, path}, func(n *node) {
		n.graph = from.graph
		n.dir, n.mod, n.miss = from.graph.resolve(path)
		if n.miss != nil {
			l.useStub(n)
		}
	})
}

func (l *loader) stdDir(path string) string {
	if l.env.goroot == "" {
		return ""
	}
	dir := filepath.Join(l.env.goroot, "src", filepath.FromSlash(path))
	if len(l.disk.goFiles(dir)) == 0 {
		return ""
	}
	return dir
}

func (l *loader) stdNode(path string) *node {
	return l.node(nodeKey{stdGraph, path}, func(n *node) {
		n.std = true
		n.dir = l.stdDir(path)
		if n.dir == "" {
			n.miss = &miss{module: "std", why: "it is not in the Go installation"}
			if l.env.goroot == "" {
				n.miss.why = "the Go installation was not found"
			}
			l.useStub(n)
		}
	})
}

func (l *loader) stubNode(path string, m *miss) *node {
	return l.node(nodeKey{stdGraph, path}, func(n *node) {
		n.miss = m
		l.useStub(n)
	})
}

// useStub lets a type stub stand in for a package that is missing.
func (l *loader) useStub(n *node) {
	if src, whole, ok := stubs.Source(n.path); ok {
		n.stub, n.part = src, !whole
		n.missed, n.miss = n.miss, nil
	}
}
