package link

import (
	"net/url"
	"path"
	"strings"

	"github.com/probelint/probelint/internal/model"
)

// MatchKind says how a set of routes answers a request.
type MatchKind uint8

// The kinds of match, from best to none.
const (
	// Matched: Route answers.
	Matched MatchKind = iota
	// MatchedCatchAll: only a route that answers whatever no other route answers.
	MatchedCatchAll
	// MatchedSuffix: only a route whose prefix could not be resolved, and its literal end is that of the path.
	MatchedSuffix
	// WrongMethod: Route has the path under another method (405).
	WrongMethod
	// NoRoute: nothing answers; Maybe holds the routes that could, were they resolved.
	NoRoute
)

// Match is the outcome of matching one request.
type Match struct {
	Kind  MatchKind
	Route *model.Route
	// Redirect is the path that the router sends the request to first, "" where it answers at once.
	Redirect string
	// Maybe are routes whose prefix or pattern is unresolved and that could answer this request.
	Maybe []*model.Route
}

// MatchRoutes finds the route that answers a request, as net/http ServeMux does (Go 1.26, server.go and
// routing_tree.go): the path is cleaned with a redirect, literals are more specific than wildcards and these than a rest,
// `/sub` is redirected to `/sub/`, a host wins over none. Among equals, which ServeMux refuses and other routers accept, a
// method wins over none, then the first that was registered.
func MatchRoutes(routes []*model.Route, req model.Request) Match {
	host := ""
	for _, h := range req.Headers {
		if strings.EqualFold(h.Name, "Host") {
			host = stripPort(h.Value)
		}
	}
	asked := req.Path
	if asked == "" {
		asked = "/"
	}
	clean := cleanPath(asked)
	ps := make([]*pattern, len(routes))
	for i, r := range routes {
		ps[i] = parsePattern(r)
	}
	m := matchClean(ps, req.Method, host, clean)
	if m.Redirect == "" && clean != asked && m.Kind <= MatchedSuffix {
		m.Redirect = clean
	}
	if m.Kind == MatchedCatchAll && clean == "/" {
		m.Kind = Matched // the root page is what is asked for
	}
	if m.Kind >= MatchedCatchAll {
		for _, p := range ps {
			if p.unresolved && p.method.accepts(req.Method) && p.suffixMay(clean) {
				m.Maybe = append(m.Maybe, p.route)
			}
		}
		if p := suffixMatch(ps, req.Method, clean); p != nil && m.Kind == NoRoute {
			return Match{Kind: MatchedSuffix, Route: p.route, Maybe: m.Maybe}
		}
	}
	return m
}

// matchClean matches a cleaned path.
func matchClean(ps []*pattern, meth, host, clean string) Match {
	best := bestPattern(ps, meth, host, clean)
	if !best.exact(clean) && !strings.HasSuffix(clean, "/") {
		// A router that is told /sub/ redirects /sub there, if nothing has exactly that path.
		if p := bestPattern(ps, meth, host, clean+"/"); p.exact(clean + "/") {
			return Match{Kind: p.kind(), Route: p.route, Redirect: clean + "/"}
		}
	}
	if best == nil || best.kind() == MatchedCatchAll {
		if p, redirect := otherSlash(ps, meth, host, clean); p != nil {
			return Match{Kind: Matched, Route: p.route, Redirect: redirect}
		}
	}
	if best != nil {
		return Match{Kind: best.kind(), Route: best.route}
	}
	for _, q := range []string{clean, clean + "/"} {
		if strings.HasSuffix(clean, "/") && q != clean {
			continue
		}
		var other *pattern
		for _, p := range ps {
			if p.hostOK(host) && !p.method.accepts(meth) && p.match(q) && (other == nil || p.moreSpecific(other)) {
				other = p
			}
		}
		if other != nil {
			return Match{Kind: WrongMethod, Route: other.route}
		}
	}
	return Match{Kind: NoRoute}
}

// otherSlash finds a route of a router that treats /x and /x/ alike or redirects one to the other.
func otherSlash(ps []*pattern, meth, host, clean string) (*pattern, string) {
	other := clean + "/"
	if strings.HasSuffix(clean, "/") {
		other = strings.TrimSuffix(clean, "/")
	}
	if other == "" {
		return nil, ""
	}
	p := bestPattern(ps, meth, host, other)
	if p == nil || p.kind() != Matched {
		return nil, ""
	}
	switch p.route.TrailingSlash {
	case model.SlashRedirect:
		return p, other
	case model.SlashIgnore:
		return p, ""
	}
	return nil, ""
}

func bestPattern(ps []*pattern, meth, host, clean string) *pattern {
	var best *pattern
	for _, p := range ps {
		if p.hostOK(host) && p.method.accepts(meth) && p.match(clean) && (best == nil || p.moreSpecific(best)) {
			best = p
		}
	}
	return best
}

// suffixMatch finds the only route with an unresolved prefix whose literal end is specific and is the end of the path.
func suffixMatch(ps []*pattern, meth, clean string) *pattern {
	var best *pattern
	tied := false
	for _, p := range ps {
		if !p.unresolved || !p.method.accepts(meth) || !p.specificSuffix() || !p.suffixMay(clean) {
			continue
		}
		switch {
		case best == nil || len(p.segments) > len(best.segments):
			best, tied = p, false
		case len(p.segments) == len(best.segments):
			tied = tied || p.route.Handler != best.route.Handler || p.route.Handler == ""
		}
	}
	if tied {
		return nil
	}
	return best
}

// RequestOf is what the kubelet sends for a probe (SEMANTICS.md K3). The path is parsed as the kubelet does
// (pkg/probe/http/request.go: url.Parse, else taken as it is) and keeps its percent-encoding.
func RequestOf(t model.Target) model.Request {
	req := model.Request{Method: "GET", Headers: t.Headers}
	u, err := url.Parse(t.Path)
	if err != nil {
		u = &url.URL{Path: t.Path}
	}
	req.Query = u.RawQuery
	req.Path = u.EscapedPath()
	if !strings.HasPrefix(req.Path, "/") {
		req.Path = "/" + req.Path
	}
	return req
}

// cleanPath is net/http's: the path without empty, `.` and `..` segments, its last slash kept.
func cleanPath(p string) string {
	if p == "" {
		return "/"
	}
	if p[0] != '/' {
		p = "/" + p
	}
	np := path.Clean(p)
	if p[len(p)-1] == '/' && np != "/" {
		np += "/"
	}
	return np
}

func stripPort(h string) string {
	i := strings.LastIndexByte(h, ':')
	if i < 0 || strings.HasSuffix(h, "]") {
		return h
	}
	return h[:i]
}
