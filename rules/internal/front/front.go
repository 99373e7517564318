// Package front answers which Ingresses and routes let a plain request from outside through to a path of a container.
package front

import (
	"regexp"
	"slices"
	"strings"

	"github.com/probelint/probelint/internal/model"
)

// Way is one way in.
type Way struct {
	Ingress *model.Ingress
	Route   model.IngressRoute
	// Span is where the path is written, or the rule that has none.
	Span model.Span
}

// Ways are the ways of a GET without special headers to a path and port of the pods, one for each Ingress or route: its first. A way is
// left out where something stands in it that is not read: a pattern that can take the path, a rewrite, a middleware, a login, a list
// of addresses, a balancer that is not open to the internet.
func Ways(w *model.Workload, path string, port int) []Way {
	var out []Way
	path, _, _ = strings.Cut(path, "?")
	for _, in := range w.Ingresses {
		if guarded(in, path) {
			continue
		}
		var hosts []string
		for _, r := range in.Routes {
			if !slices.Contains(hosts, r.Host) {
				hosts = append(hosts, r.Host)
			}
		}
		for _, h := range hosts {
			if r, ok := taken(in.Routes, h, path); ok && leads(w, in, r, port) {
				at := in.Fields.Value(r.Field, in.Span)
				if r.Match == "" { // no path: the key of what it leads to
					at = in.Fields.Key(r.Field, in.Span)
				}
				out = append(out, Way{in, r, at})
				break
			}
		}
	}
	return out
}

// taken is the route that takes a path of a host; ok is false where none does, or that cannot be told.
func taken(routes []model.IngressRoute, host, path string) (best model.IngressRoute, ok bool) {
	rank := -1
	for _, r := range routes {
		if r.Host != host || len(r.Headers) > 0 || r.Method != "" && r.Method != "GET" {
			continue
		}
		now := -1
		switch at := strings.TrimSuffix(r.Path, "/"); {
		case r.Match == model.MatchPattern:
			return model.IngressRoute{}, false
		case r.Match == "":
			now = 0
		case r.Match == model.MatchExact && r.Path == path:
			now = 1 << 20
		case r.Match == model.MatchPrefix && (path == at || strings.HasPrefix(path, at+"/")):
			now = 1 + len(at)
		}
		if now > rank {
			best, rank = r, now
		}
	}
	return best, rank >= 0 && !best.Filtered
}

// leads reports whether a route leads to a port of the pods of this workload.
func leads(w *model.Workload, in *model.Ingress, r model.IngressRoute, port int) bool {
	if port == 0 || !slices.Contains(in.Services, r.Service) {
		return false
	}
	if in.Kind == "Route" && r.Port == port { // OpenShift names the port of the pod
		return true
	}
	for _, s := range w.Services {
		if s.Name != r.Service {
			continue
		}
		for _, sp := range s.Ports {
			named := r.PortName != "" && (r.PortName == sp.Name || in.Kind == "Route" && r.PortName == sp.TargetName)
			only := r.PortName == "" && r.Port == 0 && len(s.Ports) == 1
			if sp.TargetPort == port && (named || only || r.Port != 0 && r.Port == sp.Port) {
				return true
			}
		}
	}
	return false
}

// guards are words in the names of annotations that put something before the Service: a login, a list of addresses, another path, a
// plugin.
var guards = []string{"auth", "whitelist", "allowlist", "allow-list", "denylist", "deny-list", "rewrite", "middlewares", "inbound-cidrs", "plugins", "/conditions.", "source-range", "waf"}

// guarded reports whether annotations keep requests for a path out, or do what is not read here.
func guarded(in *model.Ingress, path string) bool {
	class := in.Annotations["kubernetes.io/ingress.class"]
	if strings.Contains(class, "internal") {
		return true
	}
	alb := class == "alb"
	for k, v := range in.Annotations {
		for _, g := range guards {
			if strings.Contains(k, g) && !strings.HasSuffix(k, "-auth-tls-pass-certificate-to-upstream") {
				return true
			}
		}
		if strings.HasSuffix(k, "-snippet") || strings.HasSuffix(k, "-snippets") {
			if strings.Contains(v, path) || denies.MatchString(v) {
				return true
			}
		}
		alb = alb || strings.HasPrefix(k, "alb.ingress.kubernetes.io/")
	}
	// an ALB is internal unless it is said not to be (model_build_load_balancer.go)
	return alb && in.Annotations["alb.ingress.kubernetes.io/scheme"] != "internet-facing"
}

// denies finds what refuses requests in a piece of an nginx configuration.
var denies = regexp.MustCompile(`(?m)^\s*(?:deny|return|auth_request|auth_basic|rewrite|satisfy|if)\b`)

// Cache is what an Ingress is told to store.
type Cache struct {
	// Span is the annotation; For is how long as written ("5m").
	Span model.Span
	For  string
}

// Stores reports whether an Ingress keeps answers that say nothing of being kept: `proxy_cache` with `proxy_cache_valid` in a snippet
// of ingress-nginx or of NGINX's own controller. One that ignores Cache-Control is none: no header would help.
func Stores(in *model.Ingress) (Cache, bool) {
	keys := make([]string, 0, len(in.Annotations))
	for k := range in.Annotations {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		nginx := strings.HasPrefix(k, "nginx.ingress.kubernetes.io/") || strings.HasPrefix(k, "nginx.org/")
		if !nginx || !strings.HasSuffix(k, "-snippet") && !strings.HasSuffix(k, "-snippets") {
			continue
		}
		text := comment.ReplaceAllString(in.Annotations[k], "")
		on, valid := cacheOn.FindStringSubmatch(text), cacheValid.FindStringSubmatch(text)
		if on == nil || on[1] == "off" || valid == nil || cacheIgnores.MatchString(text) || cacheSkips.MatchString(text) {
			continue
		}
		return Cache{Span: in.Fields.Value("metadata.annotations."+k, in.Span), For: valid[1]}, true
	}
	return Cache{}, false
}

var (
	comment      = regexp.MustCompile(`(?m)#.*$`)
	cacheOn      = regexp.MustCompile(`(?m)(?:^|[;{}])\s*proxy_cache\s+(\S+?)\s*;`)
	cacheValid   = regexp.MustCompile(`(?m)(?:^|[;{}])\s*proxy_cache_valid\s+(?:(?:any|[\d\s]*200[\d\s]*)\s+)?([1-9]\d*[smhdwMy]?)\s*;`)
	cacheIgnores = regexp.MustCompile(`proxy_ignore_headers[^;]*\bCache-Control\b`)
	cacheSkips   = regexp.MustCompile(`proxy_(?:no_cache|cache_bypass)\s+1\s*;`)
)
