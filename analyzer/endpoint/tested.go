package endpoint

import (
	"bytes"
	"go/scanner"
	"go/token"
	"net/http"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/probelint/probelint/analyzer/load"
	"github.com/probelint/probelint/internal/model"
)

// testFile is one test file of a module, read when the first endpoint is asked about.
type testFile struct {
	module, rel string
	data        []byte
}

// testsOf says what the tests of a module show of an endpoint that can fail. A test file asks it where a string in it ends in the
// path, or an identifier is the handler's name; it sees a failure where the file also names a status of 400 or more, as a number or
// as a constant of net/http. Files are not type-checked, and what shares a file is taken to belong together: a failure that is
// tested elsewhere in the file of the endpoint's test silences, which is the side to err on.
func (a *Analysis) testsOf(module, urlPath, symbol string) *model.Tests {
	a.testsOnce.Do(func() { a.tests = a.readTests() })
	out := &model.Tests{}
	name := handlerName(symbol)
	for i := range a.tests {
		f := &a.tests[i]
		if f.module != module {
			continue
		}
		out.Files++
		if len(urlPath) > 1 && bytes.Contains(f.data, []byte(urlPath)) || name != "" && bytes.Contains(f.data, []byte(name)) {
			at, failing := asksIn(f.data, urlPath, name)
			if at < 0 {
				continue
			}
			out.Asking++
			out.Failing = out.Failing || failing
			if out.Span.IsZero() {
				if src, err := a.load.File(f.rel); err == nil {
					out.Span = src.Span(at, at+len(literalAt(f.data, at)))
				}
			}
		}
	}
	return out
}

// readTests reads the test files of all modules.
func (a *Analysis) readTests() []testFile {
	var out []testFile
	seen := map[string]bool{}
	for _, p := range a.load.Packages {
		below := strings.TrimPrefix(strings.TrimPrefix(p.Path, p.Module), "/")
		root := strings.TrimSuffix(strings.TrimSuffix(p.Dir, below), "/")
		if root == "" {
			root = "."
		}
		if p.Module == "" || seen[root] || !strings.HasSuffix(p.Dir, below) {
			continue
		}
		seen[root] = true
		for _, name := range load.TestFiles(filepath.Join(a.load.Root(), filepath.FromSlash(root))) {
			rel := path.Join(root, filepath.ToSlash(name))
			if src, err := a.load.File(rel); err == nil {
				out = append(out, testFile{p.Module, rel, src.Data})
			}
		}
	}
	return out
}

// handlerName is the name of a handler that a test can call: the last part of "(*m/p.Server).ready"; "" for a function literal.
func handlerName(symbol string) string {
	name := symbol[strings.LastIndexByte(symbol, '.')+1:]
	if rest, ok := strings.CutPrefix(name, "func"); ok && strings.Trim(rest, "0123456789") == "" || len(name) < 4 || !token.IsIdentifier(name) {
		return ""
	}
	return name
}

// asksIn is where a test file mentions an endpoint, -1 for nowhere, and whether it names a failing status.
func asksIn(data []byte, urlPath, name string) (at int, failing bool) {
	at = -1
	var s scanner.Scanner
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(data))
	s.Init(file, data, func(token.Position, string) {}, 0)
	previous, number := token.ILLEGAL, false
	for {
		pos, tok, lit := s.Scan()
		failing = failing || number && tok != token.MUL // 500 * time.Millisecond is no status
		number = false
		switch tok {
		case token.EOF:
			return at, failing
		case token.STRING:
			if text, err := strconv.Unquote(lit); err == nil && at < 0 && len(urlPath) > 1 && endsIn(text, urlPath) {
				at = file.Offset(pos)
			}
		case token.IDENT:
			if lit == name && at < 0 && previous != token.FUNC {
				at = file.Offset(pos)
			}
			failing = failing || failingStatus(lit)
		case token.INT:
			n, err := strconv.Atoi(lit)
			number = err == nil && previous != token.MUL && n >= 400 && n < 600
		}
		previous = tok
	}
}

// endsIn reports a URL or path, with or without a query, that asks urlPath.
func endsIn(text, urlPath string) bool {
	text, _, _ = strings.Cut(text, "?")
	return text == urlPath || strings.HasSuffix(text, urlPath) && !strings.HasSuffix(text, "/"+urlPath)
}

// failingStatus reports a constant of net/http for a status of 400 or more.
func failingStatus(name string) bool {
	if !strings.HasPrefix(name, "Status") {
		return false
	}
	for code := 400; code < 600; code++ {
		if text := http.StatusText(code); text != "" && name == "Status"+strings.NewReplacer(" ", "", "-", "", "'", "").Replace(text) {
			return true
		}
	}
	return name == "StatusTeapot" || name == "StatusRequestedRangeNotSatisfiable"
}

// literalAt is the token at an offset.
func literalAt(data []byte, at int) string {
	var s scanner.Scanner
	fset := token.NewFileSet()
	rest := data[at:]
	s.Init(fset.AddFile("", fset.Base(), len(rest)), rest, func(token.Position, string) {}, 0)
	_, _, lit := s.Scan()
	return lit
}
