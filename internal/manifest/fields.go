package manifest

import (
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"github.com/probelint/probelint/internal/model"
)

// Bounds of the fields that are remembered outside containers and probes.
const (
	fieldDepth = 8
	fieldMost  = 2000
)

// fieldWalk collects the places of the fields below a node.
type fieldWalk struct {
	doc  *document
	out  model.Fields
	leaf func(path string) bool // do not look below this path
}

func (f *fieldWalk) below(n *yaml.Node, prefix string, depth int) {
	if depth > fieldDepth || len(f.out) > fieldMost {
		return
	}
	n = deref(n)
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			if deref(key).Kind != yaml.ScalarNode {
				continue
			}
			path := deref(key).Value
			if prefix != "" {
				path = prefix + "." + path
			}
			f.out[path] = f.doc.field(key, value)
			if v := deref(value); v.Kind != yaml.ScalarNode && (f.leaf == nil || !f.leaf(path)) {
				f.below(v, path, depth+1)
			}
		}
	case yaml.SequenceNode:
		for i, c := range n.Content {
			at := f.doc.valueSpan(nil, c)
			path := prefix + index(i)
			f.out[path] = model.Field{Key: at, Value: at}
			if v := deref(c); v.Kind != yaml.ScalarNode && (f.leaf == nil || !f.leaf(path)) {
				f.below(v, path, depth+1)
			}
		}
	}
}

// containerLeaves are parts of a container whose inside no rule points at, and the probes, which have fields of their own.
var containerLeaves = map[string]bool{
	"livenessProbe": true, "readinessProbe": true, "startupProbe": true,
	"env": true, "envFrom": true, "volumeMounts": true, "volumeDevices": true, "securityContext": true,
}

func (d *document) containerFields(out model.Fields, n *yaml.Node) {
	f := fieldWalk{d, out, func(path string) bool { return containerLeaves[path] }}
	f.below(n, "", 1)
}

func (d *document) probeFields(out model.Fields, n *yaml.Node) {
	f := fieldWalk{d, out, nil}
	f.below(n, "", 1)
}

// podLeaves are parts of a pod spec that have fields of their own or that no rule points at.
var podLeaves = map[string]bool{
	"containers": true, "initContainers": true, "ephemeralContainers": true, "volumes": true, "affinity": true,
	"tolerations": true, "topologySpreadConstraints": true, "imagePullSecrets": true, "securityContext": true,
}

// workloadFields collects the fields of an object but for its containers.
func (d *document) workloadFields(out model.Fields, n *yaml.Node, specPath string) {
	f := fieldWalk{d, out, func(path string) bool {
		switch {
		case path == "status" || path == "metadata.managedFields" || path == "spec.volumeClaimTemplates",
			path == "spec.selector", strings.HasSuffix(path, ".labels"):
			return true
		}
		rest := len(specPath) + 1
		return len(path) > rest && path[:rest-1] == specPath && path[rest-1] == '.' && podLeaves[path[rest:]]
	}}
	f.below(n, "", 1)
}
