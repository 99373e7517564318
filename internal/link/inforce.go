package link

import (
	"strings"

	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/values"
)

// RoutesInForce are a server's routes with the paths that a container's variables and flags set.
func RoutesInForce(routes []*model.Route, env values.Values) []*model.Route {
	var out []*model.Route
	for i, r := range routes {
		p, ok := patternInForce(r, env)
		if !ok || p == r.Pattern {
			if out != nil {
				out = append(out, r)
			}
			continue
		}
		if out == nil {
			out = append(out, routes[:i]...)
		}
		set := *r
		set.Pattern = p
		out = append(out, &set)
	}
	if out == nil {
		return routes
	}
	return out
}

// patternInForce is a pattern for one container. ok is false where nothing is set or the pattern has placeholders, whose syntax
// is the router's.
func patternInForce(r *model.Route, env values.Values) (string, bool) {
	if len(r.PatternValue.Alternatives) == 0 {
		return "", false
	}
	p, _, ok := values.Resolve(r.PatternValue, env)
	if !ok {
		return "", false
	}
	if _, rest, method := strings.Cut(p, " "); method {
		p = strings.TrimSpace(rest)
	}
	if p == "" || strings.ContainsAny(p, "{:*") {
		return "", false
	}
	p = "/" + strings.TrimLeft(p, "/")
	for strings.Contains(p, "//") {
		p = strings.ReplaceAll(p, "//", "/")
	}
	return p, true
}
