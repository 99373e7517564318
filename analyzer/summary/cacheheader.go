package summary

import (
	"go/token"
	"strings"
)

// HeaderSet is a call that sets a header of the answer.
type HeaderSet struct {
	Value    string // "" where it is no constant
	Pos, End token.Pos
}

// cacheHeader notes a call that sets Cache-Control, by the name that it is given: net/http's Header and the contexts of frameworks
// all take it first.
func (it *Interp) cacheHeader(s *site) {
	if it.resp == nil || it.held.cacheSet != nil || len(s.args) == 0 {
		return
	}
	h := &HeaderSet{}
	switch s.name {
	case "Set", "Add", "Header", "SetHeader", "AddHeader", "Append":
		if k, ok := s.arg(0).str(); !ok || len(s.args) < 2 || !strings.EqualFold(k, "Cache-Control") {
			return
		}
		h.Value, _ = s.arg(1).str()
	default:
		return
	}
	h.Pos, h.End = sitePos(s)
	it.held.cacheSet = h
}

// cacheMiddleware notes a middleware of a library that says by its name what it sets: chi's NoCache, and what others call theirs.
func (it *Interp) cacheMiddleware(mw Value) {
	if it.resp == nil || it.held.cacheSet != nil {
		return
	}
	for _, t := range mw.Terms {
		name := ""
		switch t := t.(type) {
		case *Func:
			name = t.Fn.Name()
		case *Object:
			if t.Lib != nil {
				name = t.Lib.Name
			}
		}
		if strings.HasSuffix(name, "NoCache") || strings.HasSuffix(name, "NoStore") {
			it.held.cacheSet = &HeaderSet{}
		}
	}
}

// CacheControl is the first call that sets Cache-Control on some way to the answer; nil where none was seen.
func (r *Result) CacheControl() *HeaderSet { return r.Interp.held.cacheSet }
