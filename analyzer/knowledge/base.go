package knowledge

import (
	"cmp"
	"slices"
	"strings"
)

// Base answers lookups. The zero value knows nothing; [Default] is what ships with the program. A Base is never changed
// after it was made and is safe for concurrent use.
type Base struct {
	tables
	// below is asked where this level has no answer.
	below *Base
}

// tables are the rows of one level and the index over them.
type tables struct {
	Tables
	packages []packageIndex // by path
	variants []variant      // by stem, then version
}

// Tables are facts in the form that lookups return. Rows may stand in any order when they are given to [Base.With]. An index
// of a parameter or result that does not exist is -1: the zero value means the first one.
type Tables struct {
	Calls     []Call
	Patterns  []CallPattern
	Clients   []Client
	Drivers   []Driver
	Routes    []RouterCall
	Routers   []Router
	Checks    []HealthCall
	Libraries []HealthLibrary
	Wrappers  []WrapperCall
	Settings  []Setting
	Symbols   []Symbol
	Paths     []HealthPath
	Commands  []ExecCommand
}

// packageIndex says where the rows of one import path lie.
type packageIndex struct {
	path                                               string
	calls, routes, checks, wrappers, settings, symbols rows
}

// rows is a range of a table, hi exclusive.
type rows struct{ lo, hi uint16 }

// variant is an import path without its major version.
type variant struct {
	stem    string
	version int
	pkg     uint16 // index into packages
}

// Default is the knowledge that ships with the program.
func Default() *Base { return &shipped }

var shipped = Base{tables: tables{
	Tables: Tables{
		Calls: generatedCalls, Patterns: generatedPatterns, Clients: generatedClients, Drivers: generatedDrivers,
		Routes: generatedRoutes, Routers: generatedRouters, Checks: generatedChecks, Libraries: generatedLibraries,
		Wrappers: generatedWrappers, Settings: generatedSettings, Symbols: generatedSymbols,
		Paths: generatedPaths, Commands: generatedCommands,
	},
	packages: generatedPackages,
	variants: generatedVariants,
}}

// With returns a Base that asks extra first and b where extra has no answer.
func (b *Base) With(extra Tables) *Base {
	t := tables{Tables: Tables{
		Calls: slices.Clone(extra.Calls), Patterns: slices.Clone(extra.Patterns), Clients: slices.Clone(extra.Clients),
		Drivers: slices.Clone(extra.Drivers), Routes: slices.Clone(extra.Routes), Routers: slices.Clone(extra.Routers),
		Checks: slices.Clone(extra.Checks), Libraries: slices.Clone(extra.Libraries), Wrappers: slices.Clone(extra.Wrappers),
		Settings: slices.Clone(extra.Settings), Symbols: slices.Clone(extra.Symbols), Paths: slices.Clone(extra.Paths),
		Commands: slices.Clone(extra.Commands),
	}}
	sortBySymbol(t.Calls, (*Call).symbol)
	sortBySymbol(t.Routes, (*RouterCall).symbol)
	sortBySymbol(t.Checks, (*HealthCall).symbol)
	sortBySymbol(t.Wrappers, (*WrapperCall).symbol)
	sortBySymbol(t.Settings, (*Setting).symbol)
	sortBySymbol(t.Symbols, (*Symbol).symbol)
	slices.SortStableFunc(t.Clients, func(x, y Client) int { return strings.Compare(x.Entry, y.Entry) })
	slices.SortStableFunc(t.Drivers, func(x, y Driver) int { return strings.Compare(x.Name, y.Name) })
	slices.SortStableFunc(t.Routers, func(x, y Router) int { return strings.Compare(x.ID, y.ID) })
	slices.SortStableFunc(t.Libraries, func(x, y HealthLibrary) int { return strings.Compare(x.ID, y.ID) })
	slices.SortStableFunc(t.Paths, func(x, y HealthPath) int { return strings.Compare(x.Path, y.Path) })
	slices.SortStableFunc(t.Commands, func(x, y ExecCommand) int { return strings.Compare(x.Name, y.Name) })
	t.index()
	return &Base{tables: t, below: b}
}

// index fills packages and variants from sorted rows.
func (t *tables) index() {
	at := map[string]*packageIndex{}
	get := func(path string) *packageIndex {
		p := at[path]
		if p == nil {
			p = &packageIndex{path: path}
			at[path] = p
		}
		return p
	}
	span(t.Calls, (*Call).symbol, func(p string, r rows) { get(p).calls = r })
	span(t.Routes, (*RouterCall).symbol, func(p string, r rows) { get(p).routes = r })
	span(t.Checks, (*HealthCall).symbol, func(p string, r rows) { get(p).checks = r })
	span(t.Wrappers, (*WrapperCall).symbol, func(p string, r rows) { get(p).wrappers = r })
	span(t.Settings, (*Setting).symbol, func(p string, r rows) { get(p).settings = r })
	span(t.Symbols, (*Symbol).symbol, func(p string, r rows) { get(p).symbols = r })
	for _, p := range t.Patterns {
		if !strings.Contains(p.Path, "*") {
			get(p.Path)
		}
	}
	for _, p := range at {
		t.packages = append(t.packages, *p)
	}
	slices.SortFunc(t.packages, func(x, y packageIndex) int { return strings.Compare(x.path, y.path) })
	for i, p := range t.packages {
		stem, version := splitVersion(p.path)
		t.variants = append(t.variants, variant{stem, version, uint16(i)})
	}
	slices.SortFunc(t.variants, func(x, y variant) int {
		return cmp.Or(strings.Compare(x.stem, y.stem), cmp.Compare(x.version, y.version))
	})
}

// pkg finds the rows of an import path: the path itself, or else the nearest major version of it.
func (t *tables) pkg(path string) *packageIndex {
	if len(t.packages) == 0 {
		return nil
	}
	path = unvendor(path)
	i, ok := slices.BinarySearchFunc(t.packages, path, func(p packageIndex, path string) int { return strings.Compare(p.path, path) })
	if ok {
		return &t.packages[i]
	}
	stem, version := splitVersion(path)
	i, _ = slices.BinarySearchFunc(t.variants, stem, func(v variant, stem string) int { return strings.Compare(v.stem, stem) })
	best := -1
	for ; i < len(t.variants) && t.variants[i].stem == stem; i++ {
		if best < 0 || t.variants[i].version <= version {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	return &t.packages[t.variants[best].pkg]
}

// Known reports whether any table speaks of an import path, in this or in another major version.
func (b *Base) Known(path string) bool {
	for ; b != nil; b = b.below {
		if b.pkg(path) != nil {
			return true
		}
		for i := range b.Patterns {
			if p := &b.Patterns[i]; p.Path != "*" && match(p.Path, path) {
				return true
			}
		}
	}
	return false
}

// unvendor cuts what stands before a vendored import path.
func unvendor(path string) string {
	if i := strings.LastIndex(path, "/vendor/"); i >= 0 {
		return path[i+len("/vendor/"):]
	}
	return path
}

// splitVersion takes the major version out of an import path: "x/y/v2/z" and "gopkg.in/y.v2" have version 2. Paths without
// one have version 1.
func splitVersion(path string) (stem string, version int) {
	for i := 0; i+2 < len(path); i++ {
		if (path[i] != '/' && path[i] != '.') || path[i+1] != 'v' {
			continue
		}
		j, n := i+2, 0
		for j < len(path) && '0' <= path[j] && path[j] <= '9' && n < 1000 {
			n = n*10 + int(path[j]-'0')
			j++
		}
		if j > i+2 && n > 1 && (j == len(path) || path[j] == '/') {
			return path[:i] + path[j:], n
		}
	}
	return path, 1
}

// match compares s with a pattern in which "*" stands for any text, slashes included.
func match(pattern, s string) bool {
	i := 0
	for i < len(pattern) && pattern[i] != '*' { // most patterns fail at an early byte
		if i >= len(s) || s[i] != pattern[i] {
			return false
		}
		i++
	}
	if i == len(pattern) {
		return i == len(s)
	}
	s, tail := s[i:], pattern[i+1:]
	for {
		next, more, again := strings.Cut(tail, "*")
		if !again {
			return strings.HasSuffix(s, tail)
		}
		i := strings.Index(s, next)
		if i < 0 {
			return false
		}
		s, tail = s[i+len(next):], more
	}
}

// find returns the row of a receiver and name in rows that are sorted by both.
func find[T any](table []T, r rows, symbol func(*T) (path, recv, name string), recv, name string) (T, bool) {
	return search(table[r.lo:r.hi], func(row *T) int {
		_, mr, mn := symbol(row)
		return cmp.Or(strings.Compare(mr, recv), strings.Compare(mn, name))
	})
}

// search finds the row that compares equal, by pointer, since rows are large.
func search[T any](sorted []T, order func(*T) int) (T, bool) {
	lo, hi := 0, len(sorted)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		switch c := order(&sorted[mid]); {
		case c == 0:
			return sorted[mid], true
		case c < 0:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	var zero T
	return zero, false
}

func sortBySymbol[T any](table []T, symbol func(*T) (path, recv, name string)) {
	slices.SortStableFunc(table, func(x, y T) int {
		xp, xr, xn := symbol(&x)
		yp, yr, yn := symbol(&y)
		return cmp.Or(strings.Compare(xp, yp), strings.Compare(xr, yr), strings.Compare(xn, yn))
	})
}

// span calls put with the range of each import path.
func span[T any](table []T, symbol func(*T) (path, recv, name string), put func(string, rows)) {
	for lo := 0; lo < len(table); {
		path, _, _ := symbol(&table[lo])
		hi := lo + 1
		for hi < len(table) {
			if p, _, _ := symbol(&table[hi]); p != path {
				break
			}
			hi++
		}
		put(path, rows{uint16(lo), uint16(hi)})
		lo = hi
	}
}

// KnowsPackage reports a package that the tables speak of.
func (b *Base) KnowsPackage(path string) bool {
	for ; b != nil; b = b.below {
		if b.pkg(path) != nil {
			return true
		}
	}
	return false
}
