package manifest

import (
	"regexp"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"github.com/probelint/probelint/internal/model"
)

// routeReader reads an Ingress, a route of a Gateway or one of their kin: the Services that it leads to, and what it says of
// requests.
type routeReader struct {
	o *object
	r *route
}

// route reads one.
func (o *object) route(at model.Span) *route {
	r := &route{Ingress: model.Ingress{
		Kind: o.kind, Name: o.name, File: at.File, Line: at.Line, Span: at,
		Annotations: stringMap(o.node, "metadata", "annotations"), Fields: o.fields(),
	}}
	rr := &routeReader{o, r}
	_, spec := get(o.node, "spec")
	switch o.kind {
	case "Ingress":
		rr.ingress(spec)
	case "Route":
		rr.openshift(spec)
	case "IngressRoute":
		rr.traefik(spec)
	case "HTTPProxy":
		rr.contour(spec)
	default:
		rr.gateway(spec)
	}
	return r
}

// to notes a Service that is led to, and returns its name; "" where the reference is no Service.
func (rr *routeReader) to(n *yaml.Node) string {
	name, ns := text(n, "name"), text(n, "namespace")
	if kind := text(n, "kind"); name == "" || kind != "" && kind != "Service" {
		return ""
	}
	if ns == "" {
		ns = rr.o.namespace
	}
	rr.r.to = append(rr.r.to, target{namespaceOf(ns), name})
	return name
}

// add keeps one rule. at is the path of the rule below the object, of it that of the path, where one is written.
func (rr *routeReader) add(x model.IngressRoute, of string, at string) {
	if x.Service == "" {
		return
	}
	x.Field = at
	if _, ok := rr.r.Fields[of]; ok {
		x.Field = of
	}
	rr.r.Routes = append(rr.r.Routes, x)
}

// port fills in the port of a Service, a number or a name.
func port(x *model.IngressRoute, n *yaml.Node) {
	switch {
	case n == nil || n.Kind != yaml.ScalarNode:
	case isText(n):
		x.PortName = n.Value
	default:
		if v, ok := wholeNumber(n.Value); ok {
			x.Port = int(v)
		}
	}
}

// ingress reads v1 and v1beta1.
func (rr *routeReader) ingress(spec *yaml.Node) {
	backend := func(x model.IngressRoute, b *yaml.Node, of, at string) {
		if _, s := get(b, "service"); s != nil {
			x.Service = rr.to(s)
			if _, p := get(s, "port", "number"); p != nil {
				port(&x, p)
			} else if _, p := get(s, "port", "name"); p != nil {
				port(&x, p)
			}
		} else if s := text(b, "serviceName"); s != "" {
			rr.r.to = append(rr.r.to, target{namespaceOf(rr.o.namespace), s})
			x.Service = s
			_, p := get(b, "servicePort")
			port(&x, p)
		}
		rr.add(x, of, at)
	}
	for _, key := range []string{"defaultBackend", "backend"} {
		if _, b := get(spec, key); b != nil {
			backend(model.IngressRoute{}, b, "", "spec."+key)
		}
	}
	for i, rule := range items(spec, "rules") {
		for k, p := range items(rule, "http", "paths") {
			at := "spec.rules" + index(i) + ".http.paths" + index(k)
			if _, b := get(p, "backend"); b != nil {
				x := model.IngressRoute{Host: text(rule, "host"), Path: text(p, "path")}
				x.Path, x.Match = rr.match(x.Path, text(p, "pathType"))
				backend(x, b, at+".path", at+".backend")
			}
		}
	}
}

// match is how an Ingress compares a path. Where the type is left to the controller, or absent in v1beta1, `/*` is a prefix for those
// of GKE and AWS, and any path a prefix for ingress-nginx unless it has a regular expression.
func (rr *routeReader) match(path, kind string) (string, string) {
	rest, star := strings.CutSuffix(path, "/*")
	nginx := strings.Contains(rr.r.Annotations["kubernetes.io/ingress.class"]+text(rr.o.node, "spec", "ingressClassName"), "nginx")
	for a := range rr.r.Annotations {
		nginx = nginx || strings.HasPrefix(a, "nginx.ingress.kubernetes.io/")
	}
	switch regex := rr.r.Annotations["nginx.ingress.kubernetes.io/use-regex"] == "true"; {
	case kind == "Exact":
		return path, model.MatchExact
	case path == "":
		return "", ""
	case kind == "Prefix":
		return path, model.MatchPrefix
	case star && !strings.ContainsAny(rest, "*?"):
		return rest + "/", model.MatchPrefix
	case nginx && !regex && !strings.ContainsAny(path, `*?()[]{}|^$\+`):
		return path, model.MatchPrefix
	}
	return path, model.MatchPattern
}

// gateway reads HTTPRoute, GRPCRoute, TLSRoute and TCPRoute. A route of a mesh, whose parent is a Service, leads from nowhere
// outside.
func (rr *routeReader) gateway(spec *yaml.Node) {
	mesh := false
	for _, p := range items(spec, "parentRefs") {
		mesh = mesh || text(p, "kind") == "Service"
	}
	hosts := texts(items(spec, "hostnames"))
	for i, rule := range items(spec, "rules") {
		at := "spec.rules" + index(i)
		filtered := len(items(rule, "filters")) > 0 && changes(items(rule, "filters"))
		var routes []model.IngressRoute
		for _, b := range items(rule, "backendRefs") {
			x := model.IngressRoute{Service: rr.to(b), Filtered: filtered || changes(items(b, "filters"))}
			_, p := get(b, "port")
			port(&x, p)
			routes = append(routes, x)
		}
		if mesh {
			continue
		}
		matches := items(rule, "matches")
		for _, x := range routes {
			if len(matches) == 0 {
				rr.each(x, hosts, "", at+".backendRefs")
			}
			for k, m := range matches {
				x := x
				x.Path, x.Match, x.Method = "", "", text(m, "method")
				x.Headers = nil
				for _, list := range []string{"headers", "queryParams"} {
					for _, h := range items(m, list) {
						x.Headers = append(x.Headers, text(h, "name"))
					}
				}
				if _, p := get(m, "path"); p != nil {
					x.Path = text(p, "value")
					switch text(p, "type") {
					case "Exact":
						x.Match = model.MatchExact
					case "RegularExpression":
						x.Match = model.MatchPattern
					default:
						x.Match = model.MatchPrefix
					}
				}
				if rr.o.kind == "GRPCRoute" && len(x.Method) == 0 {
					if _, g := get(m, "method"); g != nil { // {service, method}: a path of HTTP/2
						x.Path, x.Match = "/"+text(g, "service")+"/"+text(g, "method"), model.MatchPattern
					}
				}
				rr.each(x, hosts, at+".matches"+index(k)+".path.value", at+".backendRefs")
			}
		}
	}
}

// each adds a rule for every host.
func (rr *routeReader) each(x model.IngressRoute, hosts []string, of, at string) {
	if len(hosts) == 0 {
		rr.add(x, of, at)
	}
	for _, h := range hosts {
		x.Host = h
		rr.add(x, of, at)
	}
}

// changes reports filters that change the path or hand the request to something that is not read. Headers that are set do neither.
func changes(filters []*yaml.Node) bool {
	for _, f := range filters {
		switch text(f, "type") {
		case "RequestHeaderModifier", "ResponseHeaderModifier", "RequestMirror":
		default:
			return true
		}
	}
	return false
}

func texts(list []*yaml.Node) []string {
	var out []string
	for _, n := range list {
		if n = deref(n); n.Kind == yaml.ScalarNode && n.Value != "" {
			out = append(out, n.Value)
		}
	}
	return out
}

// openshift reads a Route.
func (rr *routeReader) openshift(spec *yaml.Node) {
	x := model.IngressRoute{Host: text(spec, "host"), Path: text(spec, "path")}
	if x.Path != "" {
		x.Match = model.MatchPrefix
	}
	_, p := get(spec, "port", "targetPort")
	port(&x, p)
	if _, to := get(spec, "to"); to != nil {
		x.Service = rr.to(to)
		rr.add(x, "spec.path", "spec.to")
	}
	for i, s := range items(spec, "alternateBackends") {
		x.Service = rr.to(s)
		rr.add(x, "spec.path", "spec.alternateBackends"+index(i))
	}
}

// traefikRule are the rules of Traefik that are read: one host, one path, or both.
var traefikRule = regexp.MustCompile("^\\s*(?:Host\\([`\"]([^`\"]+)[`\"]\\))?\\s*(?:&&)?\\s*(?:(PathPrefix|Path)\\([`\"]([^`\"]*)[`\"]\\))?\\s*$")

// traefik reads an IngressRoute; a rule of another form than those above takes what is not known.
func (rr *routeReader) traefik(spec *yaml.Node) {
	for i, r := range items(spec, "routes") {
		at := "spec.routes" + index(i)
		x := model.IngressRoute{Filtered: len(items(r, "middlewares")) > 0}
		rule := text(r, "match")
		switch m := traefikRule.FindStringSubmatch(rule); {
		case m == nil || rule == "":
			x.Path, x.Match = rule, model.MatchPattern
		default:
			x.Host, x.Path = m[1], m[3]
			x.Match = map[string]string{"PathPrefix": model.MatchPrefix, "Path": model.MatchExact}[m[2]]
		}
		for _, s := range items(r, "services") {
			x.Service, x.Port, x.PortName = rr.to(s), 0, ""
			_, p := get(s, "port")
			port(&x, p)
			rr.add(x, at+".match", at)
		}
	}
}

// contour reads an HTTPProxy.
func (rr *routeReader) contour(spec *yaml.Node) {
	host := text(spec, "virtualhost", "fqdn")
	_, auth := get(spec, "virtualhost", "authorization")
	for i, r := range items(spec, "routes") {
		at := "spec.routes" + index(i)
		x := model.IngressRoute{Host: host, Filtered: auth != nil}
		for _, key := range []string{"pathRewritePolicy", "authPolicy", "jwtVerificationPolicy", "ipAllowPolicy", "ipDenyPolicy", "requestRedirectPolicy"} {
			if _, v := get(r, key); v != nil {
				x.Filtered = true
			}
		}
		field := ""
		for k, c := range items(r, "conditions") {
			switch {
			case text(c, "prefix") != "":
				x.Path, x.Match = text(c, "prefix"), model.MatchPrefix
				field = at + ".conditions" + index(k) + ".prefix"
			case text(c, "exact") != "":
				x.Path, x.Match = text(c, "exact"), model.MatchExact
				field = at + ".conditions" + index(k) + ".exact"
			case text(c, "regex") != "":
				x.Path, x.Match = text(c, "regex"), model.MatchPattern
				field = at + ".conditions" + index(k) + ".regex"
			default:
				x.Headers = append(x.Headers, text(c, "header", "name"))
			}
		}
		for _, s := range items(r, "services") {
			x.Service, x.Port = rr.to(s), 0
			_, p := get(s, "port")
			port(&x, p)
			rr.add(x, field, at+".services")
		}
	}
}
