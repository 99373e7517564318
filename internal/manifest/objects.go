package manifest

import (
	"sort"
	"strconv"

	yaml "go.yaml.in/yaml/v3"

	"github.com/probelint/probelint/internal/model"
)

// around is one object that is joined to workloads. Exactly one of the pointers and maps below the line is set.
type around struct {
	kind, namespace, name string
	written               bool // the namespace is
	file                  string

	service *service
	scaler  *scaler
	budget  *budget
	route   *route
	peer    *peer
	backend *model.BackendConfig
	checked *target // the Service that backend is about, where it names one
	config  map[string]string
}

type service struct {
	model.Service
	selector map[string]string
}

// scaler is a HorizontalPodAutoscaler or KEDA's ScaledObject.
type scaler struct {
	kind, name string // of its target
	most       int
}

type budget struct {
	model.Budget
	selector selector
}

// route leads from outside to Services.
type route struct {
	model.Ingress
	to []target
}

type target struct{ namespace, name string }

type peer struct {
	model.PeerAuthentication
	selector map[string]string
}

// selector is a label selector; nil matches nothing and an empty one everything.
type selector struct {
	none   bool
	labels map[string]string
	rules  []rule
}

type rule struct {
	key, operator string
	values        []string
}

// around reads an object that is joined to workloads, nil for any other.
func (r *reader) around(o *object) *around {
	a := &around{kind: o.kind, namespace: namespaceOf(o.namespace), name: o.name, written: o.namespace != ""}
	g := o.group()
	at := o.doc.nameSpan(o)
	a.file = at.File
	switch {
	case o.kind == "Service" && g == "":
		a.service = o.service(at)
	case o.kind == "ConfigMap" && g == "":
		a.config = stringMap(o.node, "data")
		if a.config == nil {
			a.config = map[string]string{}
		}
	case o.kind == "HorizontalPodAutoscaler" && g == "autoscaling":
		most, ok := integer(o.node, "spec", "maxReplicas")
		a.scaler = &scaler{text(o.node, "spec", "scaleTargetRef", "kind"), text(o.node, "spec", "scaleTargetRef", "name"), int(most)}
		if !ok {
			return a
		}
	case o.kind == "ScaledObject" && within(g, "keda.sh"):
		most, ok := integer(o.node, "spec", "maxReplicaCount")
		kind := text(o.node, "spec", "scaleTargetRef", "kind")
		if kind == "" {
			kind = "Deployment"
		}
		if ok {
			a.scaler = &scaler{kind, text(o.node, "spec", "scaleTargetRef", "name"), int(most)}
		}
	case o.kind == "PodDisruptionBudget" && g == "policy":
		a.budget = &budget{model.Budget{Name: o.name, File: a.file, Line: at.Line, Span: at}, selectorOf(o.node, "spec", "selector")}
	case o.kind == "PeerAuthentication" && within(g, "istio.io"):
		a.peer = o.peerAuthentication(at)
	case o.kind == "BackendConfig" && g == "cloud.google.com":
		a.backend = o.backendConfig(at)
	case o.kind == "HealthCheckPolicy" && g == "networking.gke.io":
		of, ok := o.checkedService()
		if !ok {
			return nil
		}
		a.backend, a.checked = o.healthCheckPolicy(at), &of
	case joinKinds[o.kind] == useJoin && routeKinds[o.kind](g):
		a.route = o.route(at)
	default:
		return nil
	}
	return a
}

// routeKinds are the kinds that lead requests to Services, with the groups that define them.
var routeKinds = map[string]func(group string) bool{
	"Ingress":                 func(g string) bool { return g == "networking.k8s.io" || g == "extensions" },
	"HTTPRoute":               gatewayGroup,
	"GRPCRoute":               gatewayGroup,
	"TLSRoute":                gatewayGroup,
	"TCPRoute":                gatewayGroup,
	"Route":                   func(g string) bool { return g == "route.openshift.io" || g == "" },
	"IngressRoute":            func(g string) bool { return within(g, "traefik.io") || within(g, "traefik.containo.us") },
	"HTTPProxy":               func(g string) bool { return within(g, "projectcontour.io") },
	"Service":                 noGroup,
	"HorizontalPodAutoscaler": noGroup,
	"PodDisruptionBudget":     noGroup,
	"ScaledObject":            noGroup,
	"PeerAuthentication":      noGroup,
	"BackendConfig":           noGroup,
	"HealthCheckPolicy":       noGroup,
}

func gatewayGroup(g string) bool { return within(g, "gateway.networking.k8s.io") }
func noGroup(string) bool        { return false }

// nameSpan is the place of an object's name, or of its first key.
func (d *document) nameSpan(o *object) model.Span {
	for _, name := range []string{"name", "generateName"} {
		if k, v := get(o.node, "metadata", name); k != nil && v.Value != "" {
			return d.valueSpan(k, v)
		}
	}
	if len(o.node.Content) > 0 {
		return d.keySpan(o.node.Content[0])
	}
	return d.valueSpan(nil, o.node)
}

func (o *object) fields() model.Fields {
	f := model.Fields{}
	walk := fieldWalk{o.doc, f, func(path string) bool {
		return path == "status" || path == "metadata.managedFields" || path == "metadata.labels" || path == "spec.selector"
	}}
	walk.below(o.node, "", 1)
	return f
}

func (o *object) service(at model.Span) *service {
	s := &service{Service: model.Service{
		Name: o.name, Namespace: o.namespace, Type: text(o.node, "spec", "type"), Headless: text(o.node, "spec", "clusterIP") == "None",
		PublishNotReadyAddresses: text(o.node, "spec", "publishNotReadyAddresses") == "true",
		File:                     at.File, Line: at.Line, Span: at,
		Annotations: stringMap(o.node, "metadata", "annotations"), Fields: o.fields(),
	}, selector: stringMap(o.node, "spec", "selector")}
	if s.Type == "" {
		s.Type = "ClusterIP"
	}
	for _, n := range items(o.node, "spec", "ports") {
		port, _ := integer(n, "port")
		p := model.ServicePort{Name: text(n, "name"), Port: int(port)}
		_, to := get(n, "targetPort")
		switch {
		case to == nil || isNull(to):
			p.TargetPort = p.Port
		case to.Kind == yaml.ScalarNode && isText(to):
			p.TargetName = to.Value
		case to.Kind == yaml.ScalarNode:
			if v, ok := wholeNumber(to.Value); ok {
				p.TargetPort = int(v)
			}
		}
		s.Ports = append(s.Ports, p)
	}
	return s
}

func selectorOf(n *yaml.Node, path ...string) selector {
	_, v := get(n, path...)
	if v == nil || isNull(v) {
		return selector{none: true}
	}
	s := selector{labels: stringMap(v, "matchLabels")}
	for _, e := range items(v, "matchExpressions") {
		r := rule{key: text(e, "key"), operator: text(e, "operator")}
		for _, x := range items(e, "values") {
			r.values = append(r.values, deref(x).Value)
		}
		s.rules = append(s.rules, r)
	}
	return s
}

// matches applies a label selector as the API server does.
func (s selector) matches(labels map[string]string) bool {
	if s.none || !contains(labels, s.labels) {
		return false
	}
	for _, r := range s.rules {
		v, have := labels[r.key]
		in := false
		for _, x := range r.values {
			in = in || x == v
		}
		switch r.operator {
		case "In":
			if !have || !in {
				return false
			}
		case "NotIn":
			if have && in {
				return false
			}
		case "Exists":
			if !have {
				return false
			}
		case "DoesNotExist":
			if have {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// contains reports whether labels has all of want.
func contains(labels, want map[string]string) bool {
	for k, v := range want {
		if have, ok := labels[k]; !ok || have != v {
			return false
		}
	}
	return true
}

func (o *object) peerAuthentication(at model.Span) *peer {
	p := &peer{PeerAuthentication: model.PeerAuthentication{
		Name: o.name, Namespace: o.namespace, Mode: text(o.node, "spec", "mtls", "mode"), File: at.File, Line: at.Line, Span: at,
	}, selector: stringMap(o.node, "spec", "selector", "matchLabels")}
	p.Selects = len(p.selector) > 0
	if k, v := get(o.node, "spec", "mtls", "mode"); k != nil {
		p.Span = o.doc.valueSpan(k, v)
	}
	if _, m := get(o.node, "spec", "portLevelMtls"); m != nil && m.Kind == yaml.MappingNode {
		p.PortModes = map[int]string{}
		for i := 0; i+1 < len(m.Content); i += 2 {
			if port, err := strconv.Atoi(deref(m.Content[i]).Value); err == nil {
				p.PortModes[port] = text(m.Content[i+1], "mode")
			}
		}
	}
	return p
}

// namespaceOf is the namespace that an object is taken to be in: "default" where none is written.
func namespaceOf(ns string) string {
	if ns == "" {
		return "default"
	}
	return ns
}

func keys(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
