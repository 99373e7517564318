package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/util"

	"github.com/probelint/probelint/internal/lint"
)

// dataFile merges a file into data. The folders between the one that was named and the file are the path, as OPA has it:
// teams/a/limits.yaml with `max: 3` is data.teams.a.max.
func (l *loader) dataFile(name string, in []string) error {
	f, err := l.read(name)
	if f == nil || err != nil {
		return err
	}
	fault := func(format string, args ...any) {
		l.fault(Fault{Span: f.Span(0, 0), Title: lint.Quote(short(f.Path)) + fmt.Sprintf(format, args...), Notes: []string{"the policies that read it did not run"}})
	}
	if at := tooDeep(f.Data); at >= 0 {
		fault(" has brackets more than %d deep", nesting)
		return nil
	}
	var doc any
	if err := util.Unmarshal(f.Data, &doc); err != nil {
		msg, _, _ := strings.Cut(err.Error(), "\n")
		fault(" does not parse: %s", msg)
		return nil
	}
	value, ok := doc.(map[string]any)
	if !ok {
		if doc != nil {
			fault(" is data and holds no object at its top")
		}
		return nil
	}
	for _, folder := range slices.Backward(in) {
		value = map[string]any{folder: value}
	}
	for _, top := range []string{"fixtures", "probelint"} {
		if _, taken := value[top]; taken {
			fault(" sets data.%s, which the program fills", top)
			return nil
		}
	}
	if at := merge(l.data, value, "data"); at != "" {
		fault(" sets %s, which another file sets too", at)
	}
	return nil
}

// merge adds from to into and returns the path of the first value that both have, "" where there is none.
func merge(into, from map[string]any, at string) string {
	for _, k := range slices.Sorted(maps.Keys(from)) {
		old, exists := into[k]
		if !exists {
			into[k] = from[k]
			continue
		}
		a, ok1 := old.(map[string]any)
		b, ok2 := from[k].(map[string]any)
		if !ok1 || !ok2 {
			return at + "." + k
		}
		if path := merge(a, b, at+"."+k); path != "" {
			return path
		}
	}
	return ""
}

// defines reports whether a path leads to something in the data that was loaded.
func defines(data map[string]any, path []string) bool {
	var v any = data
	for _, p := range path {
		m, ok := v.(map[string]any)
		if !ok {
			_, isList := v.([]any)
			return isList // the rest is an index
		}
		if v, ok = m[p]; !ok {
			return false
		}
	}
	return true
}

// keysAt are the names below a path of the data, for suggestions.
func keysAt(data map[string]any, path []string) []string {
	var v any = data
	for _, p := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[p]
	}
	m, _ := v.(map[string]any)
	return slices.Sorted(maps.Keys(m))
}
