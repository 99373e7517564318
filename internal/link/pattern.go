package link

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/probelint/probelint/internal/model"
)

// pattern is a parsed route.
type pattern struct {
	route    *model.Route
	method   method
	host     string
	segments []segment
	// unresolved: a prefix that is not known stands before the segments.
	unresolved bool
}

type method string

// accepts reports whether a route of this method answers the request. GET answers HEAD too.
func (m method) accepts(asked string) bool {
	return m == "" || strings.EqualFold(string(m), asked) || strings.EqualFold(string(m), "GET") && asked == "HEAD"
}

// segment is one part of a pattern between slashes. Literal "/" is the end mark {$}.
type segment struct {
	text string
	wild bool
	rest bool           // takes all that follows, also nothing
	re   *regexp.Regexp // a wildcard that takes only some texts
}

// parsePattern reads the syntax of net/http ServeMux, and beyond it what other routers allow: a wildcard inside a
// segment ("v{n}.json") and one with an expression ("{id:[0-9]+}"). A method or a host at the start of Pattern is taken as
// well as those in the route's own fields.
func parsePattern(r *model.Route) *pattern {
	p := &pattern{route: r, method: method(r.Method), host: r.Host}
	s := r.Pattern
	if i := strings.IndexAny(s, " \t"); i > 0 && !strings.ContainsAny(s[:i], "/{") {
		if p.method == "" {
			p.method = method(s[:i])
		}
		s = strings.TrimLeft(s[i:], " \t")
	}
	if i := strings.IndexByte(s, '/'); i > 0 && !strings.Contains(s[:i], "{") {
		if p.host == "" {
			p.host = s[:i]
		}
		s = s[i:]
	}
	trimmed := strings.TrimPrefix(s, "/")
	if strings.HasPrefix(trimmed, "{") {
		end := strings.IndexByte(trimmed, '}')
		if end > 0 && strings.HasSuffix(trimmed[:end], "...") && (end+1 < len(trimmed) || trimmed[:end] == "{prefix...") {
			p.unresolved = true
			s = trimmed[end+1:]
			if s == "" {
				p.segments = []segment{{wild: true, rest: true}}
				return p
			}
		}
	}
	if !strings.HasPrefix(s, "/") {
		s = "/" + s
	}
	p.segments = parseSegments(s)
	return p
}

func parseSegments(s string) []segment {
	var out []segment
	for len(s) > 0 {
		s = s[1:]
		if s == "" {
			return append(out, segment{wild: true, rest: true})
		}
		i := slashOutsideBraces(s)
		part := s[:i]
		s = s[i:]
		switch {
		case part == "{$}" && s == "":
			return append(out, segment{text: "/"})
		case !strings.Contains(part, "{"):
			out = append(out, segment{text: unescape(part)})
		case strings.HasPrefix(part, "{") && strings.HasSuffix(part, "...}"):
			return append(out, segment{wild: true, rest: true, text: part})
		default:
			out = append(out, segment{wild: true, text: part, re: segmentExpr(part)})
		}
	}
	return out
}

func slashOutsideBraces(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '{':
			depth++
		case '}':
			depth--
		case '/':
			if depth <= 0 {
				return i
			}
		}
	}
	return len(s)
}

// segmentExpr is the expression of a segment that is more than one plain wildcard, nil for a plain one.
func segmentExpr(part string) *regexp.Regexp {
	var b strings.Builder
	plain := true
	b.WriteByte('^')
	for part != "" {
		i := strings.IndexByte(part, '{')
		if i != 0 {
			if i < 0 {
				i = len(part)
			}
			b.WriteString(regexp.QuoteMeta(part[:i]))
			part, plain = part[i:], false
			continue
		}
		end := closingBrace(part)
		if end < 0 {
			return nil
		}
		_, expr, has := strings.Cut(part[1:end], ":")
		if has && expr != "" {
			plain = false
			b.WriteString("(?:" + strings.TrimSuffix(strings.TrimPrefix(expr, "^"), "$") + ")")
		} else {
			b.WriteString("[^/]+")
		}
		part = part[end+1:]
	}
	if plain {
		return nil
	}
	re, err := regexp.Compile(b.String() + "$")
	if err != nil {
		return nil // taken as a plain wildcard
	}
	return re
}

func closingBrace(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

func (p *pattern) hostOK(host string) bool { return p.host == "" || p.host == host }

// match reports whether the whole pattern takes a cleaned path. A pattern with an unresolved prefix never does.
func (p *pattern) match(clean string) bool {
	return !p.unresolved && matchSegments(p.segments, clean)
}

func matchSegments(segs []segment, rest string) bool {
	for i, s := range segs {
		if s.rest {
			return i == len(segs)-1 && rest != ""
		}
		if rest == "" {
			return false
		}
		var part string
		part, rest = firstSegment(rest)
		switch {
		case !s.wild:
			if s.text != part {
				return false
			}
		case part == "/":
			return false
		case s.re != nil && !s.re.MatchString(part):
			return false
		}
	}
	return rest == ""
}

// firstSegment splits as net/http does: "/" alone is a segment of its own.
func firstSegment(p string) (seg, rest string) {
	if p == "/" {
		return "/", ""
	}
	p = p[1:]
	i := strings.IndexByte(p, '/')
	if i < 0 {
		i = len(p)
	}
	return unescape(p[:i]), p[i:]
}

func unescape(s string) string {
	if u, err := url.PathUnescape(s); err == nil {
		return u
	}
	return s
}

// exact is net/http's exactMatch: a rest that took nothing, or no rest at all.
func (p *pattern) exact(clean string) bool {
	if p == nil {
		return false
	}
	if len(p.segments) == 0 || !p.segments[len(p.segments)-1].rest {
		return true
	}
	return strings.HasSuffix(clean, "/") && len(p.segments) == strings.Count(clean, "/")
}

// kind tells a catch-all from a route proper. A rest pattern at the root is a catch-all by itself.
func (p *pattern) kind() MatchKind {
	if p.route.CatchAll || len(p.segments) == 1 && p.segments[0].rest {
		return MatchedCatchAll
	}
	return Matched
}

// moreSpecific orders patterns that take the same path: a host before none, then segment by segment literal,
// expression, wildcard, rest, then a method before none. Equal patterns keep their order.
func (p *pattern) moreSpecific(q *pattern) bool {
	if (p.host != "") != (q.host != "") {
		return p.host != ""
	}
	if p.route.CatchAll != q.route.CatchAll {
		return !p.route.CatchAll
	}
	for i := 0; i < len(p.segments) && i < len(q.segments); i++ {
		if a, b := p.segments[i].rank(), q.segments[i].rank(); a != b {
			return a < b
		}
	}
	if len(p.segments) != len(q.segments) {
		return len(p.segments) > len(q.segments)
	}
	return p.method != "" && q.method == ""
}

func (s segment) rank() int {
	switch {
	case s.rest:
		return 3
	case !s.wild:
		return 0
	case s.re != nil:
		return 1
	}
	return 2
}

// suffixMay reports whether a path can be some prefix followed by this pattern's segments.
func (p *pattern) suffixMay(clean string) bool {
	for i := 0; i < len(clean); i++ {
		if clean[i] == '/' && matchSegments(p.segments, clean[i:]) {
			return true
		}
	}
	return false
}

// specificSuffix reports whether the known end of the pattern says something: its last segment is a literal.
func (p *pattern) specificSuffix() bool {
	if len(p.segments) == 0 {
		return false
	}
	last := p.segments[len(p.segments)-1]
	if last.text == "/" && !last.wild && len(p.segments) > 1 {
		last = p.segments[len(p.segments)-2]
	}
	return !last.wild && last.text != "" && last.text != "/"
}
