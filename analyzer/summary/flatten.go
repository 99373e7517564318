package summary

import (
	"go/constant"
	"strings"

	"github.com/probelint/probelint/analyzer/knowledge"
)

// Flat is a route as the outside sees it.
type Flat struct {
	Route    *Route
	Server   *Server
	Method   string
	Pattern  string // net/http ServeMux syntax
	CatchAll bool
	Handler  Value
	Mux      *Mux
	// Direct: the route of an own router; only its handler is followed, not what stands before it.
	Direct bool
	// Parts are the texts that the pattern is joined of, where a container's settings have a part in it.
	Parts []Value
}

// JoinedText is the text of several values one after the other.
func JoinedText(parts []Value) Value { return Value{Scalars: joinedText(parts)} }

// partsOf are the parts of a pattern that variables or flags can change, nil for any other.
func partsOf(prefix []Value, p Value) []Value {
	all := append(prefix[:len(prefix):len(prefix)], p)
	set := false
	for _, v := range all {
		if v.Open || len(v.Scalars) == 0 {
			return nil
		}
		for _, s := range v.Scalars {
			set = set || s.Sym != nil
		}
	}
	if !set {
		return nil
	}
	return all
}

// Flatten lists the routes of a server with the prefixes of groups and mounts applied.
func (g *Engine) Flatten(s *Server) []Flat {
	var out []Flat
	seen := map[*Mux]bool{}
	var walk func(m *Mux, prefix string, parts []Value, depth int)
	walk = func(m *Mux, prefix string, parts []Value, depth int) {
		if depth > 8 || seen[m] {
			return
		}
		seen[m] = true
		defer delete(seen, m)
		for _, r := range m.Routes {
			method, pattern := r.Method, ""
			p, known := r.Pattern.str()
			if !known {
				p = symbolicPattern(r.Pattern)
			}
			if m.Library == "net/http" {
				if mt, rest, ok := strings.Cut(p, " "); ok {
					method, p = mt, strings.TrimSpace(rest)
				}
				if !strings.HasPrefix(p, "/") && !strings.HasPrefix(p, "{") {
					if i := strings.IndexByte(p, '/'); i > 0 { // host
						p = p[i:]
					}
				}
				pattern = joinPattern(prefix, p)
			} else {
				pattern = joinPattern(prefix, toServeMux(p, m.Syntax))
			}
			h := Value{}
			if n := len(r.Handlers); n > 0 {
				h = r.Handlers[n-1]
			}
			inner := g.muxesOfRoute(r)
			if len(inner) > 0 {
				base := strings.TrimSuffix(pattern, "/")
				base = strings.TrimSuffix(base, "/{rest...}")
				for _, o := range inner {
					if m.Library == "net/http" || m.Library == "gorilla/mux" {
						// a mounted mux sees the whole path unless the prefix was stripped
						walk(o.Mux, stripped(h, base), nil, depth+1)
					} else {
						walk(o.Mux, base, append(parts[:len(parts):len(parts)], r.Pattern), depth+1)
					}
				}
				continue
			}
			switch {
			case r.Mount && !strings.HasSuffix(pattern, "{rest...}"):
				pattern = strings.TrimSuffix(pattern, "/") + "/"
			case m.Library != "net/http" && strings.HasSuffix(pattern, "/"):
				pattern += "{$}" // only net/http takes a last slash for all that lies below
			}
			out = append(out, Flat{Route: r, Server: s, Method: method, Pattern: pattern, CatchAll: r.CatchAll || pattern == "/" && (m.Library == "net/http" || r.Mount) || pattern == "/{rest...}", Handler: h, Mux: m, Parts: partsOf(parts, r.Pattern)})
		}
		for _, x := range m.Groups {
			p, ok := x.Prefix.str()
			if !ok {
				p = symbolicPattern(x.Prefix)
			}
			walk(x, joinPattern(prefix, toServeMux(p, m.Syntax)), append(parts[:len(parts):len(parts)], x.Prefix), depth+1)
		}
	}
	ms := g.muxesOf(s.Handler)
	for _, o := range ms {
		walk(o.Mux, g.stripOf(s.Handler), nil, 0)
	}
	if len(ms) == 0 && len(s.Handler.Terms) > 0 {
		r := &Route{Pattern: stringValue("/", nil), Handlers: []Value{s.Handler}, Pos: s.Pos, End: s.End, CallPos: s.Pos, CatchAll: true}
		out = append(out, g.ownRoutes(s)...)
		out = append(out, Flat{Route: g.catchAll(s, r), Server: s, Pattern: "/", CatchAll: true, Handler: s.Handler})
	}
	return out
}

func (g *Engine) catchAll(s *Server, r *Route) *Route {
	if s.catchAll == nil {
		s.catchAll = r
	}
	return s.catchAll
}

// stripOf is the prefix that the handlers of a server strip before its router.
func (g *Engine) stripOf(Value) string { return "" }

func stripped(h Value, base string) string {
	for _, t := range h.Terms {
		if o, ok := t.(*Object); ok && o.Kind == HandlerOf && o.Wrap.Kind == "strip" {
			if p, ok := o.Wrap.Prefix.str(); ok {
				return strings.TrimSuffix(p, "/")
			}
			return base
		}
	}
	return ""
}

// symbolicPattern keeps the known end of a pattern that is made at run time.
func symbolicPattern(v Value) string {
	if c, _, ok := v.Resolve(Values{}); ok && c.Kind() == constant.String {
		return constant.StringVal(c) // by the defaults in code
	}
	for _, s := range v.Scalars { // one of several
		if s.C != nil && s.C.Kind() == constant.String && constant.StringVal(s.C) != "" {
			return constant.StringVal(s.C)
		}
	}
	if len(v.Scalars) == 1 && v.Scalars[0].Sym != nil {
		y := v.Scalars[0].Sym
		if y.Op == opConcat {
			last := y.Args[len(y.Args)-1]
			if last.C != nil && last.C.Kind() == constant.String {
				return "{prefix...}" + constant.StringVal(last.C)
			}
		}
		if y.Def != nil && y.Def.C != nil && y.Def.C.Kind() == constant.String {
			return constant.StringVal(y.Def.C)
		}
	}
	return "{prefix...}"
}

func joinPattern(prefix, p string) string {
	if prefix == "" {
		if p == "" {
			return "/"
		}
		if !strings.HasPrefix(p, "/") && !strings.HasPrefix(p, "{prefix") {
			p = "/" + p
		}
		return p
	}
	if p == "" || p == "/" && !strings.HasSuffix(prefix, "/") {
		return prefix
	}
	if strings.HasPrefix(p, "{prefix") {
		return p
	}
	return strings.TrimSuffix(prefix, "/") + "/" + strings.TrimPrefix(p, "/")
}

// toServeMux rewrites a router's pattern: ":id" and "*rest", "{id:[0-9]+}", "/*".
func toServeMux(p string, syntax knowledge.Syntax) string {
	switch syntax {
	case knowledge.SyntaxColon:
		segs := strings.Split(p, "/")
		for i, s := range segs {
			switch {
			case strings.HasPrefix(s, ":"):
				segs[i] = "{" + strings.TrimRight(ident(s[1:]), "?") + "}"
			case strings.HasPrefix(s, "*"):
				segs[i] = "{rest...}"
				return strings.Join(segs[:i+1], "/")
			}
		}
		return strings.Join(segs, "/")
	case knowledge.SyntaxBrace:
		var b strings.Builder
		depth, colon := 0, false
		for _, r := range p {
			switch {
			case r == '{':
				depth++
				if depth > 1 {
					continue
				}
				colon = false
			case r == '}':
				depth--
				if depth > 0 {
					continue
				}
				colon = false
			case r == ':' && depth == 1:
				colon = true
				continue
			}
			if colon && r != '}' {
				continue
			}
			b.WriteRune(r)
		}
		p = b.String()
		if i := strings.IndexByte(p, '*'); i >= 0 {
			p = p[:i] + "{rest...}"
		}
	}
	return p
}

func ident(s string) string {
	for i, r := range s {
		if r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return s[:i]
		}
	}
	return s
}
