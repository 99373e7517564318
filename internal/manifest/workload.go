package manifest

import (
	"reflect"
	"strings"

	yaml "go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"

	"github.com/probelint/probelint/internal/model"
)

// draft is a workload whose joins are still to be made.
type draft struct {
	*model.Workload
	containers []draftContainer
	group      string
}

// draftContainer keeps what the values of a container's environment are made from. It holds no nodes: the trees of all
// files together would be most of the memory of a run.
type draftContainer struct {
	*model.Container
	env     []corev1.EnvVar
	envFrom []corev1.EnvFromSource
	// envAt and envFromAt are the places of their entries.
	envAt, envFromAt []model.Span
}

// builder makes one workload.
type builder struct {
	r    *reader
	o    *object
	t    podTemplate
	w    *model.Workload
	out  *draft
	spec corev1.PodSpec // without containers
	// grace is the pod's terminationGracePeriodSeconds in force.
	grace int64
}

// Defaults of the API server (SEMANTICS.md K1).
const (
	defaultGrace            = 30
	defaultProgressDeadline = 600
)

// withReplicas are the kinds that run as many pods as spec.replicas says, 1 by default.
var withReplicas = map[string]bool{
	"Deployment": true, "StatefulSet": true, "ReplicaSet": true, "ReplicationController": true, "DeploymentConfig": true, "Rollout": true,
}

func (r *reader) workload(o *object, t podTemplate, many bool) *draft {
	d := o.doc
	w := &model.Workload{
		Kind: o.kind, APIVersion: o.apiVersion, Namespace: o.namespace, Name: o.name, File: d.file.Path,
		Labels: stringMap(t.meta, "metadata", "labels"), Annotations: stringMap(t.meta, "metadata", "annotations"),
		ObjectLabels: stringMap(o.node, "metadata", "labels"), ObjectAnnotations: stringMap(o.node, "metadata", "annotations"),
		TemplatePath: t.path, PodSpecPath: t.specPath, Fields: make(model.Fields, 24), Containers: []*model.Container{},
	}
	w.ID = o.kind + "/" + o.name
	if o.namespace != "" {
		w.ID = o.kind + "/" + o.namespace + "/" + o.name
	}
	if many {
		w.ID += "/" + t.path
	}
	d.workloadFields(w.Fields, o.node, t.specPath)
	first := o.node
	if len(o.node.Content) > 0 && o.node.Style&yaml.FlowStyle == 0 {
		first = o.node.Content[0]
	}
	start := d.offset(first.Line, first.Column)
	at := d.span(start, start+1)
	w.File, w.Line = at.File, at.Line
	if name, ok := w.Fields["metadata.name"]; ok {
		w.Span = name.Value
	} else if name, ok := w.Fields["metadata.generateName"]; ok {
		w.Span = name.Value
	} else {
		w.Span = w.Fields.Value("kind", d.valueSpan(nil, first))
	}
	b := &builder{r: r, o: o, t: t, w: w, out: &draft{Workload: w, group: o.group()}}
	b.object()
	b.pod()
	if t.known {
		b.misplaced()
		b.repeated()
	}
	byStart(w.Invalid)
	if !w.BuiltIn() {
		customLabels(w)
	}
	return b.out
}

// object reads what stands outside the pod template.
func (b *builder) object() {
	n, w := b.o.node, b.w
	if v, ok := integer(n, "spec", "replicas"); ok && v >= 0 && v < 1<<31 {
		i := int(v)
		w.Replicas = &i
	} else if k, v := get(n, "spec", "replicas"); withReplicas[w.Kind] && b.t.known && (k == nil || isNull(v)) {
		one := 1
		w.Replicas = &one
	}
	if v, ok := integer(n, "spec", "minReadySeconds"); ok {
		w.MinReadySeconds = v
	}
	if w.Kind == "Deployment" && b.t.known {
		v, ok := integer(n, "spec", "progressDeadlineSeconds")
		if !ok {
			v = defaultProgressDeadline
		}
		w.ProgressDeadlineSeconds = &v
	}
}

// podFields are the fields of a pod spec that are decoded; the rest of it says nothing about probes.
var podFields = map[string]bool{"terminationGracePeriodSeconds": true, "hostNetwork": true, "restartPolicy": true, "shareProcessNamespace": true, "hostAliases": true}

// pod reads the pod spec: each container on its own, so that what is wrong in one stays there.
func (b *builder) pod() {
	d := &decoder{types: b.r.types, doc: b.o.doc}
	typ := reflect.TypeFor[corev1.PodSpec]()
	info := b.r.types.of(typ)
	spec := reflect.ValueOf(&b.spec).Elem()
	n := b.t.spec
	var lists [3]*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := deref(n.Content[i]).Value
		d.path = append(d.path[:0], nonEmpty(name))
		at, ok := info.fields[name]
		switch {
		case name == "containers":
			lists[1] = deref(n.Content[i+1])
		case name == "initContainers":
			lists[0] = deref(n.Content[i+1])
		case name == "ephemeralContainers":
			lists[2] = deref(n.Content[i+1])
		case !ok:
			d.report(unknownField, n, n.Content[i], n.Content[i+1], typ)
		case podFields[name]:
			d.value(n, n.Content[i], n.Content[i+1], spec.FieldByIndex(at))
		}
	}
	b.w.HostNetwork = b.spec.HostNetwork
	b.grace = defaultGrace
	if g := b.spec.TerminationGracePeriodSeconds; g != nil {
		b.grace = *g
		if b.grace < 0 {
			b.grace = 1
		}
	}
	b.w.TerminationGracePeriodSeconds = b.grace
	for i, list := range []string{"initContainers", "containers", "ephemeralContainers"} {
		if lists[i] == nil || lists[i].Kind != yaml.SequenceNode {
			continue
		}
		for j, c := range lists[i].Content {
			if c = deref(c); c.Kind == yaml.MappingNode {
				b.container(list, j, c)
			}
		}
	}
	b.podProblems(d.problems)
}

func (b *builder) container(list string, i int, n *yaml.Node) {
	doc := b.o.doc
	d := &decoder{types: b.r.types, doc: doc}
	typed := new(corev1.Container)
	if list == "ephemeralContainers" {
		e := new(corev1.EphemeralContainer)
		d.value(nil, nil, n, reflect.ValueOf(e).Elem())
		*typed = corev1.Container(e.EphemeralContainerCommon)
	} else {
		d.value(nil, nil, n, reflect.ValueOf(typed).Elem())
	}
	c := &model.Container{Name: typed.Name, Image: typed.Image, Kind: model.Main, Fields: make(model.Fields, 24), Probes: []*model.Probe{}}
	switch list {
	case "initContainers":
		c.Kind = model.Init
		if typed.RestartPolicy != nil && *typed.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			c.Kind = model.Sidecar
		}
	case "ephemeralContainers":
		c.Kind = model.Ephemeral
	}
	c.ID = b.w.ID + "/" + c.Name
	if c.Name == "" {
		c.ID = b.w.ID + "/" + list + index(i)
	}
	doc.containerFields(c.Fields, n)
	c.Span = c.Fields.Value("name", c.Fields.Value("image", doc.valueSpan(nil, n)))
	for _, p := range typed.Ports {
		protocol := string(p.Protocol)
		if protocol == "" {
			protocol = "TCP"
		}
		c.Ports = append(c.Ports, model.ContainerPort{Name: p.Name, Port: int(p.ContainerPort), Protocol: protocol})
	}
	if q := typed.Resources.Limits.Cpu(); !q.IsZero() {
		v := q.MilliValue()
		c.CPULimitMillis = &v
	}
	if q := typed.Resources.Limits.Memory(); !q.IsZero() {
		v := q.Value()
		c.MemoryLimitBytes = &v
	}
	b.lifecycle(c, typed, n)
	for _, role := range []model.Role{model.Liveness, model.Readiness, model.Startup} {
		key, value := get(n, role.Key())
		if key == nil || isNull(value) {
			continue
		}
		p := b.probe(c, typed, role, key, value, problemsBelow(d.problems, role.Key()))
		c.Probes = append(c.Probes, p)
	}
	b.containerProblems(c, d.problems)
	byStart(c.Invalid)
	b.w.Containers = append(b.w.Containers, c)
	c.Command, c.Args = typed.Command, typed.Args
	b.out.containers = append(b.out.containers, draftContainer{c, typed.Env, typed.EnvFrom, doc.envSpans(n, "env"), doc.envSpans(n, "envFrom")})
}

// problemsBelow are the problems at or below a key, their paths relative to it; "" is the key itself.
func problemsBelow(all []problem, key string) []problem {
	var out []problem
	for _, p := range all {
		rest, ok := strings.CutPrefix(p.path, key)
		if !ok || rest != "" && rest[0] != '.' && rest[0] != '[' {
			continue
		}
		p.path = strings.TrimPrefix(rest, ".")
		out = append(out, p)
	}
	return out
}
