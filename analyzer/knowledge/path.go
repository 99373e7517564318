package knowledge

import (
	"strings"

	"github.com/probelint/probelint/internal/model"
)

// HealthPath is a conventional path of a health endpoint.
type HealthPath struct {
	Path string // lower case, without a trailing slash
	// Role is liveness, readiness, startup, ambiguous, not_health, dependency or by_prefix (data/paths.yaml).
	Role string
	Note string
}

// GuessRole says which probe a path is conventionally for: where no manifest decides, it is all there is. An aggregate such as
// /healthz serves any probe: it has no role and is ambiguous. A path that is no health path has neither.
func GuessRole(path string) (role model.Role, ambiguous bool) { return Default().GuessRole(path) }

// GuessRole is like the function [GuessRole].
func (b *Base) GuessRole(path string) (role model.Role, ambiguous bool) {
	switch b.pathRole(path) {
	case "liveness":
		return model.Liveness, false
	case "readiness":
		return model.Readiness, false
	case "startup":
		return model.Startup, false
	case "ambiguous":
		return "", true
	}
	return "", false
}

// IsHealthPath reports whether a path is conventionally that of a health endpoint.
func IsHealthPath(path string) bool { return Default().IsHealthPath(path) }

// IsHealthPath is like the function [IsHealthPath].
func (b *Base) IsHealthPath(path string) bool {
	switch b.pathRole(path) {
	case "liveness", "readiness", "startup", "ambiguous":
		return true
	}
	return false
}

// pathRole is the role of data/paths.yaml, "" for a path that says nothing.
func (b *Base) pathRole(path string) string {
	path = cleanPath(path)
	for ; b != nil; b = b.below {
		if p, ok := byKey(b.Paths, func(p *HealthPath) string { return p.Path }, path); ok && p.Role != "by_prefix" {
			return p.Role
		}
	}
	segments := strings.Split(strings.Trim(path, "/"), "/")
	last := segments[len(segments)-1]
	for _, w := range generatedWords {
		if last == w.word && (w.strong || neutralParents(segments)) || w.strong && hasSuffixWord(last, w.word) {
			return w.role
		}
	}
	// A check below an endpoint (/healthz/ping, /readyz/etcd) has the role of the endpoint.
	for i := len(segments) - 2; i >= 0; i-- {
		for _, w := range generatedWords {
			if w.strong && segments[i] == w.word {
				return w.role
			}
		}
	}
	return ""
}

// word is a segment that names a role. A strong one means health wherever it stands and after "_" and "-"; a weak one only as
// the last segment, below segments that say nothing.
type word struct {
	word, role string
	strong     bool
}

// cleanPath drops the query, a method and host before the path, wildcards at the end and a trailing slash.
func cleanPath(path string) string {
	if i := strings.IndexByte(path, '/'); i > 0 {
		path = path[i:]
	}
	path, _, _ = strings.Cut(path, "?")
	path = strings.ToLower(path)
	for {
		i := strings.LastIndexByte(path, '/')
		if i < 0 {
			return path
		}
		switch tail := path[i+1:]; {
		case i == 0 && tail == "":
			return "/"
		case tail == "", tail == "*", strings.HasPrefix(tail, "{") && (strings.HasSuffix(tail, "...}") || tail == "{$}"):
			path = path[:i]
			if path == "" {
				return "/"
			}
		default:
			return path
		}
	}
}

func hasSuffixWord(segment, w string) bool {
	if !strings.HasSuffix(segment, w) || len(segment) == len(w) {
		return false
	}
	c := segment[len(segment)-len(w)-1]
	return c == '_' || c == '-'
}

// neutralParents reports whether all segments but the last say nothing of what the path is about.
func neutralParents(segments []string) bool {
	for _, s := range segments[:len(segments)-1] {
		if !isNeutral(s) {
			return false
		}
	}
	return true
}

func isNeutral(s string) bool {
	if len(s) >= 2 && s[0] == 'v' && '0' <= s[1] && s[1] <= '9' {
		return true
	}
	switch s {
	case "", "-", "_", "__", "api", "apis", "internal", "private", "public", "admin", "management", "manage", "actuator", "debug", "system",
		"sys", "ops", "monitor", "monitoring", "probe", "probes", "check", "checks", "k8s", "kube", "kubernetes", "server", "service", "q", "app", "rest":
		return true
	}
	return false
}
