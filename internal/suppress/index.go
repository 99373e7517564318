package suppress

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// Index holds the suppressions of a run. It is safe for concurrent use.
type Index struct {
	now        time.Time
	byFile     map[string][]*entry
	byWorkload map[*model.Workload][]*entry
	all        []*entry

	mu sync.Mutex
}

// New makes an empty index. now is the day that `until=` is compared with; the zero time lets nothing expire.
func New(now time.Time) *Index {
	return &Index{now: now, byFile: map[string][]*entry{}, byWorkload: map[*model.Workload][]*entry{}}
}

// AddYAML reads the comments of a YAML file.
func (x *Index) AddYAML(f *source.File, o Outline) { x.add(f.Path, yamlComments(f, o)) }

// AddGo reads the comments of a Go file.
func (x *Index) AddGo(f *source.File) { x.add(f.Path, goComments(f)) }

// AddDockerfile reads the comments of a Dockerfile.
func (x *Index) AddDockerfile(f *source.File) { x.add(f.Path, dockerComments(f)) }

func (x *Index) add(path string, es []*entry) {
	if _, done := x.byFile[path]; done {
		return
	}
	if len(es) > 0 {
		x.byFile[path] = es
		x.all = append(x.all, es...)
	}
}

// AddWorkload reads the annotations of a workload and of its pod template.
func (x *Index) AddWorkload(w *model.Workload, file func(path string) *source.File) {
	for _, of := range []struct {
		annotations map[string]string
		path        string
	}{{w.ObjectAnnotations, "metadata.annotations"}, {w.Annotations, joinPath(w.TemplatePath, "metadata.annotations")}} {
		names := make([]string, 0, len(of.annotations))
		for k := range of.annotations {
			if strings.HasPrefix(k, Annotation) {
				names = append(names, k)
			}
		}
		slices.Sort(names)
		for _, k := range names {
			at, ok := w.Fields[of.path+"."+k]
			if !ok {
				at = model.Field{Key: w.Span, Value: w.Span}
			}
			if slices.ContainsFunc(x.byWorkload[w], func(e *entry) bool { return e.span == at.Key && e.rules[0].text == k[len(Annotation):] }) { // a Pod is its own template
				continue
			}
			e := &entry{span: at.Key, workload: w, word: "ignore"}
			rest := strings.TrimSpace(of.annotations[k])
			if strings.HasPrefix(rest, "until=") {
				date, after, _ := strings.Cut(rest, " ")
				e.expiry(strings.TrimPrefix(date, "until="))
				rest = strings.TrimSpace(after)
			}
			e.reason = strings.TrimSpace(strings.TrimPrefix(rest, "-- "))
			rule := strings.TrimPrefix(k, Annotation)
			e.rules = []name{{text: rule, at: Range{at.Key.End - len(rule), at.Key.End}}}
			if ok && len(of.annotations) > 1 && w.Renderer == "" {
				e.remove = ownLines(file(at.Key.File), at)
			}
			x.byWorkload[w] = append(x.byWorkload[w], e)
			x.all = append(x.all, e)
		}
	}
}

func joinPath(a, b string) string {
	if a == "" {
		return b
	}
	return a + "." + b
}

// ownLines are the whole lines of an entry that shares them with nothing else.
func ownLines(f *source.File, at model.Field) []Range {
	if f == nil || f.Recoded {
		return nil
	}
	start, _, _ := lineBounds(f.Data, at.Key.Start)
	_, end, next := lineBounds(f.Data, max(at.Key.End, at.Value.End-1))
	if strings.TrimSpace(string(f.Data[start:at.Key.Start])) != "" || strings.TrimSpace(string(f.Data[min(end, max(at.Key.End, at.Value.End)):end])) != "" {
		return nil
	}
	return []Range{{start, next}}
}

// Match finds what silences a finding about a workload, which is nil where there is none: an annotation of that workload, or a
// comment whose scope holds any of the places that the finding shows. It remembers that those were of use.
func (x *Index) Match(f *lint.Finding, w *model.Workload) *lint.Suppression {
	if x == nil || len(x.all) == 0 {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	var found *lint.Suppression
	try := func(e *entry) {
		if !e.covers(f.Rule) || !e.silences(x.now) {
			return
		}
		if found == nil {
			found = &lint.Suppression{Reason: e.reason, Span: e.span}
		}
	}
	at := func(s model.Span) {
		for _, e := range x.byFile[s.File] {
			if e.none == "" && e.scope.holds(s.Start) {
				try(e)
			}
		}
	}
	at(f.Primary.Span)
	for _, l := range f.Labels {
		at(l.Span)
	}
	for _, e := range x.byWorkload[w] {
		try(e)
	}
	return found
}

// covers reports whether an entry names a rule, and remembers that it was of use.
func (e *entry) covers(rule string) bool {
	if e.all {
		e.used = true
		return true
	}
	for i := range e.rules {
		if e.rules[i].text == rule {
			e.rules[i].used = true
			return true
		}
	}
	return false
}

// sorted are the entries in the order of their places.
func (x *Index) sorted() []*entry {
	out := slices.Clone(x.all)
	slices.SortStableFunc(out, func(a, b *entry) int {
		return cmp.Or(strings.Compare(a.span.File, b.span.File), cmp.Compare(a.span.Start, b.span.Start))
	})
	return out
}
