package manifest

import (
	"path"
	"strings"
)

// reach says how near two files of one repository lie to each other. Objects of one namespace are joined by their labels in a
// cluster; a repository holds the objects of many clusters (examples, fixtures, environments), mostly in namespace "default" and
// with the same few labels, so that labels alone would join what is never installed together.
type reach int

// From far to near. Kin: one file's directory holds the other's, or both directories have the same parent.
const (
	far reach = iota
	kin
	sameDir
	sameFile
)

func reachOf(a, b string) reach {
	if a == b {
		return sameFile
	}
	da, db := path.Dir(a), path.Dir(b)
	switch {
	case da == db:
		return sameDir
	case below(da, db), below(db, da), path.Dir(da) == path.Dir(db):
		return kin
	}
	return far
}

// below reports whether directory d lies below directory of.
func below(d, of string) bool { return of == "." || strings.HasPrefix(d, of+"/") }

// candidate is an object whose labels or names fit a workload.
type candidate struct {
	a *around
	d *draft
}

// takers are the workloads that each object of a selector fits: how near the nearest of them lies, and which files hold the
// workloads of one name.
type takers struct {
	best  map[*around]reach
	files map[*around]map[id][]string
	// hold are the files that hold a workload.
	hold map[string]bool
}

func newTakers(drafts []*draft, all []candidate) *takers {
	t := &takers{best: map[*around]reach{}, files: map[*around]map[id][]string{}, hold: map[string]bool{}}
	for _, d := range drafts {
		t.hold[d.File] = true
	}
	for _, c := range all {
		t.best[c.a] = max(t.best[c.a], reachOf(c.a.file, c.d.File))
		if t.files[c.a] == nil {
			t.files[c.a] = map[id][]string{}
		}
		of := c.d.id()
		t.files[c.a][of] = append(t.files[c.a][of], c.d.File)
	}
	return t
}

// holds reports whether the object belongs to the workload that its selector fits: both come from one file, or they lie near each
// other and no workload is nearer: neither one of the same name (the copy in another example), nor, from another
// directory, any. From afar only a written namespace or a common name join them.
func (t *takers) holds(a *around, d *draft) bool {
	near := reachOf(a.file, d.File)
	if near == sameFile {
		return true
	}
	mine := closeness(a.file, d.File)
	for _, f := range t.files[a][d.id()] {
		if closeness(a.file, f) > mine {
			return false
		}
	}
	switch near {
	case sameDir: // a Service that selects no workload of its own file, which has some, is meant to select none
		return t.best[a] == sameFile || !t.hold[a.file] || sameApp(a.name, d.Name)
	case kin:
		return t.best[a] <= kin || below(path.Dir(d.File), path.Dir(a.file)) || below(path.Dir(a.file), path.Dir(d.File))
	}
	return t.best[a] == far && together(a, d)
}

// together reports whether an object and a workload that lie far apart say that they belong together: both write the same
// namespace, or one's name starts with the other's, as in `checkout` and `checkout-svc`.
func together(a *around, d *draft) bool {
	return sharedNamespace(a, d) || sameApp(a.name, d.Name)
}

// sharedNamespace reports whether both write the same namespace, and one that says something.
func sharedNamespace(a *around, d *draft) bool {
	return a.written && d.Namespace == a.namespace && a.namespace != "default"
}

func sameApp(a, b string) bool {
	return a != "" && b != "" && (a == b || strings.HasPrefix(a, b+"-") || strings.HasPrefix(b, a+"-"))
}

func (d *draft) id() id { return id{d.Kind, namespaceOf(d.Namespace), d.Name} }
