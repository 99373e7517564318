package policy

import (
	"strconv"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// object is one object of the input that a result can name, with all that it stands in.
type object struct {
	workload  *model.Workload
	container *model.Container
	probe     *model.Probe
	endpoint  *model.Endpoint
	program   *model.Program
	dep       *model.Dependency
	// span is the place of an object that has no fields of interest: a Service, a route, a budget.
	span model.Span
	what string
}

// objects indexes the objects of a unit by id.
func objects(u *lint.Unit) map[string]object {
	out := map[string]object{}
	programs := map[string]*model.Program{}
	for _, p := range u.Programs {
		programs[p.Package] = p
		out[p.ID] = object{workload: u.Workload, program: p, what: "program"}
	}
	probe := func(at object, p *model.Probe) {
		at.probe, at.what = p, "probe"
		out[p.ID] = at
		e := p.Endpoint
		if e == nil {
			return
		}
		at.endpoint, at.program, at.what = e, programs[e.Program], "endpoint"
		out[e.ID] = at
		at.what = "dependency"
		for _, d := range e.Dependencies {
			at.dep = d
			out[d.ID] = at
		}
	}
	for _, p := range u.Probes {
		probe(object{}, p)
	}
	w := u.Workload
	if w == nil {
		return out
	}
	out[w.ID] = object{workload: w, what: "workload"}
	for _, s := range w.Services {
		out[s.ID] = object{workload: w, span: s.Span, what: "Service"}
	}
	for _, i := range w.Ingresses {
		out[i.ID] = object{workload: w, span: i.Span, what: i.Kind}
	}
	for _, b := range w.Budgets {
		out[b.ID] = object{workload: w, span: b.Span, what: "budget"}
	}
	for _, c := range w.Containers {
		out[c.ID] = object{workload: w, container: c, what: "container"}
		for _, p := range c.Probes {
			probe(object{workload: w, container: c}, p)
		}
	}
	return out
}

// probeFields are the fields of a probe that hold one value in the manifest, in the order in which people write them.
var probeFields = []string{
	"initialDelaySeconds", "periodSeconds", "timeoutSeconds", "successThreshold", "failureThreshold", "terminationGracePeriodSeconds",
}

// workloadPaths are the fields of a workload that hold one value, and where it is written: below the object, or below the
// pod spec where the path begins with a dot.
var workloadPaths = map[string]string{
	"replicas": "spec.replicas", "minReadySeconds": "spec.minReadySeconds", "progressDeadlineSeconds": "spec.progressDeadlineSeconds",
	"terminationGracePeriodSeconds": ".terminationGracePeriodSeconds", "hostNetwork": ".hostNetwork",
}

// place is the bytes that an object's field stands for: the field where it is written, else the nearest that is around it,
// else the object's own name.
func (o object) place(field string) model.Span {
	at := model.Span{}
	switch {
	case !o.span.IsZero():
		at = o.span
	case o.dep != nil:
		at = placeOfDependency(o.dep, field)
	case o.what == "endpoint":
		at = placeOfEndpoint(o.endpoint, field)
	case o.what == "probe":
		at = o.placeOfProbe(field)
	case o.what == "container":
		at = placeOfContainer(o.container, field)
	case o.what == "workload":
		at = placeOfWorkload(o.workload, field)
	case o.what == "program":
		at = placeOfProgram(o.program, field)
	}
	if at.IsZero() && o.workload != nil {
		return o.workload.Span
	}
	return at
}

// under reports whether a field path is name or leads through it, and what follows.
func under(field, name string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(field, name)
	if !ok || rest != "" && rest[0] != '.' && rest[0] != '[' {
		return "", false
	}
	return strings.TrimPrefix(rest, "."), true
}

// item is the index that a path begins with, and the rest; -1 where it begins with none.
func item(path string) (index int, rest string) {
	if !strings.HasPrefix(path, "[") {
		return -1, path
	}
	number, rest, ok := strings.Cut(path[1:], "]")
	n, err := strconv.Atoi(number)
	if !ok || err != nil || n < 0 {
		return -1, path
	}
	return n, strings.TrimPrefix(rest, ".")
}

func (o object) placeOfProbe(field string) model.Span {
	p := o.probe
	if field == "" {
		return p.Span
	}
	if rest, ok := under(field, "endpoint"); ok && p.Endpoint != nil {
		return placeOfEndpoint(p.Endpoint, rest)
	}
	if rest, ok := under(field, "windows"); ok {
		pass := &lint.Pass{Workload: o.workload, Container: o.container, Probe: p}
		if l, ok := pass.DetectLabel(); ok && rest != "boot" {
			return l.Span
		}
		return p.Span
	}
	if rest, ok := under(field, "evidence"); ok {
		if i, _ := item(rest); i >= 0 && i < len(p.Evidence) && !p.Evidence[i].Span.IsZero() {
			return p.Evidence[i].Span
		}
		return p.Span
	}
	if rest, ok := under(field, "target"); ok {
		path := string(p.Kind)
		switch name := strings.Replace(rest, "portName", "port", 1); {
		case rest == "":
			return (&lint.Pass{Probe: p}).TargetSpan()
		default:
			path += "." + name
		}
		return p.Fields.Value(path, p.Span)
	}
	if f, ok := p.Fields[field]; ok {
		return both(f)
	}
	return p.Span
}

// both is a field with its key.
func both(f model.Field) model.Span {
	s := f.Key
	if f.Value.File == s.File && f.Value.End > s.End {
		s.End = f.Value.End
	}
	return s
}

func placeOfEndpoint(e *model.Endpoint, field string) model.Span {
	or := func(s model.Span) model.Span {
		if s.IsZero() {
			return e.Span
		}
		return s
	}
	if rest, ok := under(field, "dependencies"); ok {
		if i, rest := item(rest); i >= 0 && i < len(e.Dependencies) {
			return or(placeOfDependency(e.Dependencies[i], rest))
		}
	}
	if rest, ok := under(field, "answer"); ok {
		switch rest {
		case "errorText":
			return or(e.Answer.ErrorTextSpan)
		case "statuses", "static", "":
			if !e.Answer.FailureSpan.IsZero() && rest == "statuses" {
				return e.Answer.FailureSpan
			}
			return or(e.Answer.SuccessSpan)
		}
	}
	if _, ok := under(field, "cache"); ok && e.Cache != nil {
		return or(e.Cache.Span)
	}
	if _, ok := under(field, "budget"); ok && e.Budget != nil && len(e.Budget.Parts) > 0 {
		return or(e.Budget.Parts[0].Span)
	}
	if rest, ok := under(field, "state"); ok {
		if i, _ := item(rest); i >= 0 && i < len(e.State) {
			return or(e.State[i].Span)
		}
	}
	if rest, ok := under(field, "wrappers"); ok {
		if i, _ := item(rest); i >= 0 && i < len(e.Wrappers) {
			return or(e.Wrappers[i].Span)
		}
	}
	if rest, ok := under(field, "unfollowed"); ok {
		if i, _ := item(rest); i >= 0 && i < len(e.Unfollowed) {
			return or(e.Unfollowed[i].Span)
		}
	}
	if field == "route" || field == "method" {
		return or(e.Registration)
	}
	return e.Span
}

func placeOfDependency(d *model.Dependency, field string) model.Span {
	if _, ok := under(field, "deadline"); ok && d.Deadline != nil && !d.Deadline.Span.IsZero() {
		return d.Deadline.Span
	}
	if rest, ok := under(field, "via"); ok {
		if i, _ := item(rest); i >= 0 && i < len(d.Via) && !d.Via[i].Span.IsZero() {
			return d.Via[i].Span
		}
	}
	return d.Span
}

// containerPaths are fields of a container that are written elsewhere than their name says.
var containerPaths = map[string]string{
	"cpuLimitMillis": "resources.limits.cpu", "memoryLimitBytes": "resources.limits.memory", "preStop": "lifecycle.preStop",
}

func placeOfContainer(c *model.Container, field string) model.Span {
	if rest, ok := under(field, "env"); ok {
		if i, _ := item(rest); i >= 0 && i < len(c.Env) && !c.Env[i].Span.IsZero() {
			return c.Env[i].Span
		}
	}
	path := field
	for from, to := range containerPaths {
		if rest, ok := under(field, from); ok {
			path = strings.TrimSuffix(to+"."+rest, ".")
		}
	}
	if rest, ok := under(path, "ports"); ok {
		if i, name := item(rest); i >= 0 {
			path = "ports[" + itoa(i) + "]"
			if name != "" {
				path += "." + strings.Replace(name, "port", "containerPort", 1)
			}
		}
	}
	if f, ok := c.Fields[path]; ok && path == field && (field == "ports" || field == "command" || field == "args") {
		return f.Key
	}
	return c.Fields.Value(path, c.Span)
}

func placeOfWorkload(w *model.Workload, field string) model.Span {
	if path, ok := workloadPaths[field]; ok {
		if strings.HasPrefix(path, ".") {
			path = w.PodSpecPath + path
		}
		if f, ok := w.Fields[path]; ok {
			return both(f)
		}
		return w.Span
	}
	meta := w.TemplatePath + ".metadata."
	if w.TemplatePath == "" {
		meta = "metadata."
	}
	for name, path := range map[string]string{
		"labels": meta + "labels", "annotations": meta + "annotations", "objectLabels": "metadata.labels", "objectAnnotations": "metadata.annotations",
		"namespace": "metadata.namespace", "kind": "kind", "apiVersion": "apiVersion",
	} {
		rest, ok := under(field, name)
		if !ok {
			continue
		}
		if rest != "" {
			if f, ok := w.Fields[path+"."+rest]; ok {
				return both(f)
			}
		}
		if f, ok := w.Fields[path]; ok {
			if strings.HasSuffix(path, "kind") || strings.HasSuffix(path, "namespace") || strings.HasSuffix(path, "apiVersion") {
				return f.Value
			}
			return f.Key
		}
	}
	return w.Span
}

func placeOfProgram(p *model.Program, field string) model.Span {
	if rest, ok := under(field, "servers"); ok {
		if i, rest := item(rest); i >= 0 && i < len(p.Servers) {
			if routes, ok := under(rest, "routes"); ok {
				if k, _ := item(routes); k >= 0 && k < len(p.Servers[i].Routes) && !p.Servers[i].Routes[k].Span.IsZero() {
					return p.Servers[i].Routes[k].Span
				}
			}
			if !p.Servers[i].Span.IsZero() {
				return p.Servers[i].Span
			}
		}
	}
	if _, ok := under(field, "shutdown"); ok && p.Shutdown != nil && !p.Shutdown.Span.IsZero() {
		return p.Shutdown.Span
	}
	return p.Span
}
