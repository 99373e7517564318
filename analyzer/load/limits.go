package load

import (
	"fmt"
	"go/version"
	"path/filepath"
	"slices"
	"strings"

	"github.com/probelint/probelint/internal/model"
)

// limits collects what could not be read, once each.
type limits struct{ list []model.Limit }

func (l *limits) add(what, because string, rulesOff ...string) {
	for _, x := range l.list {
		if x.What == what && x.Because == because {
			return
		}
	}
	l.list = append(l.list, model.Limit{What: what, Because: because, RulesOff: rulesOff})
}

// reportsAbsence are the rules that say that something is not there. Where calls could not be typed they speak no louder
// than info.
var reportsAbsence = []string{"probe-path-unregistered", "probe-port-not-listened", "readiness-always-ok", "no-graceful-shutdown", "no-drain-delay"}

// summarise says in words what the load had to do without.
func (l *loader) summarise(r *Result, nodes []*node, roots []root) {
	if len(roots) == 0 {
		return
	}
	if l.env.goroot == "" {
		l.limits.add("the standard library is known from built-in type stubs only", "no Go installation was found", reportsAbsence...)
	}
	for _, x := range roots {
		if x.graph.adhoc {
			where := l.set.Rel(x.dir)
			if where == "." {
				where = "the analysed directory"
			}
			l.limits.add("imports are resolved within "+where+" alone", "there is no go.mod at or above it", reportsAbsence...)
		}
	}
	l.newer(r, roots)
	l.leftOut(r, roots)
	var missing, stubbed []string
	why := map[string]string{}
	note := func(list *[]string, name string) {
		if name != "" && !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
	for _, n := range nodes {
		if n.missed != nil && !n.std {
			note(&stubbed, n.missed.label(n))
		}
		if n.first == nil {
			continue
		}
		for _, d := range n.deps {
			if d.miss != nil && d != l.unsafe && !(d.std && l.env.goroot == "") {
				name := d.miss.label(d)
				note(&missing, name)
				why[name] = d.miss.why
			}
		}
	}
	slices.Sort(missing)
	slices.Sort(stubbed)
	if len(stubbed) > 0 {
		l.limits.add("the code of "+enumerate(stubbed), "not in the module cache, and `go mod download` fetches it; built-in type stubs stand for it")
	}
	if len(missing) > 0 {
		because := why[missing[0]]
		for _, m := range missing {
			if why[m] != because {
				because = "not in the module cache, or no module of go.mod provides it"
			}
		}
		l.limits.add("types of "+enumerate(missing)+" are unknown", because, reportsAbsence...)
	}
	if r.TypedCalls < r.Calls {
		what := fmt.Sprintf("%d of %d calls in Go code call something of unknown type", r.Calls-r.TypedCalls, r.Calls)
		because := "they call C through cgo"
		if ill := illTyped(r); ill != "" {
			because = ill
		}
		l.limits.add(what, because, reportsAbsence...)
	}
}

// newer says which modules ask for a newer Go than the one whose standard library was read. Rules that report an absence
// suffer only where something is of unknown type.
func (l *loader) newer(r *Result, roots []root) {
	if !version.IsValid(l.env.version) {
		return
	}
	var off []string
	if r.TypedCalls < r.Calls {
		off = reportsAbsence
	}
	for _, x := range roots {
		if version.Compare(version.Lang(x.mod.asks), version.Lang(l.env.version)) > 0 {
			l.limits.add(x.mod.path+" was read with the standard library of "+l.env.version, "its go.mod or go.work asks for "+x.mod.asks, off...)
		}
	}
}

// excluded is a first-party directory whose every Go file is for another build.
type excluded struct {
	dir   string // absolute
	files []string
}

func (l *loader) exclude(dir string, files []string) {
	if len(files) > 0 {
		l.excluded = append(l.excluded, excluded{dir, files})
	}
}

// leftOut says which Go code is for another build. Beside packages that were read that is common (generators, other systems)
// and minor; a root of which nothing was read is not.
func (l *loader) leftOut(r *Result, roots []root) {
	for _, x := range roots {
		inside := func(dir string) bool {
			return dir == x.dir || strings.HasPrefix(dir, strings.TrimSuffix(x.dir, "/")+"/")
		}
		var first *excluded
		for i, e := range l.excluded {
			if inside(e.dir) && (first == nil || e.dir < first.dir) {
				first = &l.excluded[i]
			}
		}
		if first == nil {
			continue
		}
		read := slices.ContainsFunc(r.Packages, func(p *Package) bool { return inside(filepath.Join(l.set.Root, filepath.FromSlash(p.Dir))) })
		where := l.set.Rel(first.dir)
		if where == "." {
			where = "the analysed directory"
		}
		because := "each file is for another build: " + first.files[0] + l.condition(first)
		if read {
			l.limits.add("the Go code in "+where, because)
			l.limits.list[len(l.limits.list)-1].Minor = true
			continue
		}
		l.limits.add("the Go code in "+where, because+"; GOFLAGS=-tags=TAG reads it", reportsAbsence...)
	}
}

// condition is the build constraint of the first file, as ` has "//go:build special"`.
func (l *loader) condition(e *excluded) string {
	f, err := l.set.Get(l.set.Rel(filepath.Join(e.dir, e.files[0])))
	if err != nil || !matchName(e.files[0]) {
		return ""
	}
	x := headerConstraint(f.Data)
	if x == nil {
		return ""
	}
	return " has //go:build " + clip(x.String(), 40)
}

// label names what is missing: the module, or the package where no module is known.
func (m *miss) label(n *node) string {
	if m.module != "" && m.module != "std" {
		return m.module
	}
	return n.path
}

// illTyped quotes the first type error of the run and counts the packages that have any.
func illTyped(r *Result) string {
	n, msg := 0, ""
	for _, p := range r.Packages {
		if p.IllTyped {
			if n++; msg == "" {
				msg = firstLine(p.Errors[0].Error())
			}
		}
	}
	switch n {
	case 0:
		return ""
	case 1:
		return "type errors in 1 package: " + msg
	}
	return fmt.Sprintf("type errors in %d packages, the first: %s", n, msg)
}

// enumerate lists at most six names.
func enumerate(l []string) string {
	if len(l) > 6 {
		return fmt.Sprintf("%s and %d more", strings.Join(l[:6], ", "), len(l)-6)
	}
	return strings.Join(l, ", ")
}
