package manifest

import (
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v3"
)

// object is one Kubernetes object of a document: the document's root, or a member of a list.
type object struct {
	doc        *document
	node       *yaml.Node
	apiVersion string
	kind       string
	name       string
	namespace  string
}

// group is the API group, "" for the core group.
func (o *object) group() string {
	g, _, ok := strings.Cut(o.apiVersion, "/")
	if !ok {
		return ""
	}
	return g
}

// Reasons of files and documents that hold no workload.
const (
	whyNotObject = "no apiVersion and kind"
	whyNoVersion = "no apiVersion beside its kind"
	whySchema    = "a CustomResourceDefinition: its pod template is a schema"
	whyPolicy    = "a policy: its pod template is a pattern"
	whyPatch     = "a patch: containers without an image are not judged"
	whyNoPod     = "no pod template"
	whyEmpty     = "empty"
	whyConfig    = "ConfigMaps and Secrets hold data, not workloads"
	whyTemplate  = "a template that is not rendered"
	whyTest      = "a test of the chart, which runs on demand"
)

// objects calls use for each object of a document and why for each part that is none. Lists are opened: `kind: List`, typed
// lists, OpenShift templates, and a sequence at the root.
func (d *document) objects(use func(*object), why func(string)) {
	d.members(d.root, "", "", use, why, 0)
}

func (d *document) members(n *yaml.Node, apiVersion, kind string, use func(*object), why func(string), depth int) {
	n = deref(n)
	const nested = 4 // lists in lists
	if depth > nested {
		why("lists nested too deep")
		return
	}
	switch {
	case n == nil || isNull(n):
		return
	case n.Kind == yaml.SequenceNode:
		for _, c := range n.Content {
			d.members(c, apiVersion, kind, use, why, depth+1)
		}
		return
	case n.Kind != yaml.MappingNode:
		why(whyNotObject)
		return
	}
	o := &object{doc: d, node: n, apiVersion: text(n, "apiVersion"), kind: text(n, "kind"), namespace: text(n, "metadata", "namespace"), name: text(n, "metadata", "name")}
	if o.name == "" {
		o.name = text(n, "metadata", "generateName")
	}
	if o.kind == "" && o.apiVersion == "" { // members of a typed list leave them out
		o.apiVersion, o.kind = apiVersion, kind
	}
	if o.kind == "" || o.apiVersion == "" {
		if o.kind != "" {
			why(whyNoVersion)
			return
		}
		why(whyNotObject)
		return
	}
	list := "items"
	if o.kind == "Template" && o.group() == "template.openshift.io" || o.kind == "Template" && o.apiVersion == "v1" {
		list = "objects"
	}
	if _, v := get(n, list); v != nil && v.Kind == yaml.SequenceNode && (list == "objects" || strings.HasSuffix(o.kind, "List")) {
		of := strings.TrimSuffix(o.kind, "List")
		for _, c := range v.Content {
			d.members(c, o.apiVersion, of, use, why, depth+1)
		}
		return
	}
	use(o)
}

// podTemplate is a place in an object where a pod is described.
type podTemplate struct {
	// path is that of the template, whose metadata and spec are the pod's; specPath that of the pod spec.
	path, specPath string
	meta           *yaml.Node // the mapping that holds the pod's metadata, nil where there is none
	spec           *yaml.Node
	known          bool // one of the kinds below, not found by search
}

// knownKinds are the kinds whose pod template has a fixed place, by kind and group.
var knownKinds = map[string]map[string]string{
	"Pod":                   {"": ""},
	"PodTemplate":           {"": "template"},
	"ReplicationController": {"": "spec.template"},
	"ReplicaSet":            {"apps": "spec.template", "extensions": "spec.template"},
	"Deployment":            {"apps": "spec.template", "extensions": "spec.template"},
	"StatefulSet":           {"apps": "spec.template"},
	"DaemonSet":             {"apps": "spec.template", "extensions": "spec.template"},
	"Job":                   {"batch": "spec.template"},
	"CronJob":               {"batch": "spec.jobTemplate.spec.template"},
	"DeploymentConfig":      {"apps.openshift.io": "spec.template", "": "spec.template"},
	"Rollout":               {"argoproj.io": "spec.template"},
	"Service":               {"serving.knative.dev": "spec.template"},
	"Configuration":         {"serving.knative.dev": "spec.template"},
	"Revision":              {"serving.knative.dev": ""},
}

// dataKinds hold text, not objects.
var dataKinds = []string{"ConfigMap", "Secret", "SealedSecret", "ExternalSecret"}

// templates finds the pod templates of an object. The second result says why there is none.
func (o *object) templates() ([]podTemplate, string) {
	switch g := o.group(); {
	case o.kind == "CustomResourceDefinition":
		return nil, whySchema
	case slices.Contains(dataKinds, o.kind):
		return nil, whyConfig
	case within(g, "kyverno.io"), within(g, "gatekeeper.sh"), within(g, "admissionregistration.k8s.io"):
		return nil, whyPolicy
	}
	if path, ok := knownKinds[o.kind][o.group()]; ok {
		specPath := "spec"
		t := podTemplate{path: path, known: true}
		_, t.meta = get(o.node, split2(path)...)
		if path != "" {
			specPath = path + ".spec"
		}
		t.specPath = specPath
		_, t.spec = get(o.node, strings.Split(specPath, ".")...)
		switch judgePod(t.spec, false) {
		case isPod:
			return []podTemplate{t}, ""
		case isPatch:
			return nil, whyPatch
		}
		return nil, whyNoPod
	}
	_, spec := get(o.node, "spec")
	s := search{}
	s.in(spec, "spec", nil, "", 0)
	if len(s.found) == 0 {
		return nil, whyNoPod
	}
	return s.found, ""
}

func split2(path string) []string {
	if path == "" {
		return nil
	}
	return strings.Split(path, ".")
}

// within reports whether an API group is domain or below it.
func within(group, domain string) bool {
	return group == domain || strings.HasSuffix(group, "."+domain)
}

type podVerdict uint8

const (
	noPod podVerdict = iota
	isPod
	isPatch
)

// judgePod says whether a mapping is a pod spec. Where a container has no image the mapping is a strategic merge patch,
// which says nothing of the pod that it changes. strict also wants names, for kinds that are not known.
func judgePod(spec *yaml.Node, strict bool) podVerdict {
	list := items(spec, "containers")
	if len(list) == 0 {
		return noPod
	}
	for _, c := range list {
		c = deref(c)
		if c.Kind != yaml.MappingNode {
			return noPod
		}
		if k, _ := child(c, "$patch"); k != nil {
			return isPatch
		}
		if _, image := child(c, "image"); image == nil || image.Kind != yaml.ScalarNode && !isTemplateNode(image) || strict && image.Value == "" {
			return isPatch
		}
		if strict && text(c, "name") == "" {
			return noPod
		}
	}
	return isPod
}

// search looks for pod specs in kinds that are not known.
type search struct {
	found   []podTemplate
	visited int
}

// Bounds of a search: how deep below spec a pod spec lies (spec.jobTemplate.spec.template.spec is 4 below, that of a JobSet,
// spec.replicatedJobs[].template.spec.template.spec, is 5, that of a ClusterServiceVersion,
// spec.install.spec.deployments[].spec.template.spec, is 6), how many templates one object holds, how many values are looked at.
const (
	searchDepth = 6
	searchFound = 32
	searchMost  = 20_000
)

func (s *search) in(n *yaml.Node, path string, parent *yaml.Node, parentPath string, depth int) {
	n = deref(n)
	s.visited++
	if n == nil || s.visited > searchMost || len(s.found) >= searchFound {
		return
	}
	switch n.Kind {
	case yaml.SequenceNode:
		for i, c := range n.Content {
			s.in(c, path+index(i), nil, "", depth)
		}
	case yaml.MappingNode:
		if judgePod(n, true) == isPod {
			t := podTemplate{path: path, specPath: path, spec: n}
			if strings.HasSuffix(path, ".spec") && depth > 0 {
				t.path, t.meta = parentPath, parent
			}
			s.found = append(s.found, t)
			return
		}
		if depth == searchDepth {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			s.in(n.Content[i+1], path+"."+deref(n.Content[i]).Value, n, path, depth+1)
		}
	}
}
