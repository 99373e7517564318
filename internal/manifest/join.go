package manifest

import (
	"bytes"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/probelint/probelint/internal/model"
)

// id names an object of the cluster. Several files may hold one of the same id: the overlays of one base do.
type id struct{ kind, namespace, name string }

// joiner finds the objects around a workload.
type joiner struct {
	byID     map[id][]*around
	services index2 // by selector
	budgets  index2
	routes   map[target][]id // by the Services that they lead to
	scalers  map[id][]id     // target -> scalers
	checks   map[target][]id // by the Services whose health check they set
	peers    []id
	// rendered: the objects are those of one rendering, and belong together wherever their templates lie.
	rendered bool
	takers   *takers
	homes    map[id][]string // the files that hold a workload of this name
}

// index2 finds the objects whose selector can match some labels: by namespace and by one pair of the selector, "" for a
// selector without pairs. Without it every Service would be tried on every workload.
type index2 map[[2]string][]id

func (x index2) add(ns string, selector map[string]string, of id, again bool) {
	pair := ""
	for k, v := range selector {
		if p := k + "=" + v; pair == "" || p < pair {
			pair = p
		}
	}
	at := [2]string{ns, pair}
	if !again || !slices.Contains(x[at], of) {
		x[at] = append(x[at], of)
	}
}

// candidates are in the order of their names, whatever the order of the labels.
func (x index2) candidates(ns string, labels map[string]string) []id {
	out := slices.Clone(x[[2]string{ns, ""}])
	for k, v := range labels {
		out = append(out, x[[2]string{ns, k + "=" + v}]...)
	}
	slices.SortFunc(out, func(a, b id) int { return strings.Compare(a.name, b.name) })
	return slices.Compact(out)
}

// mostAround is how many Services, budgets or routes a workload is joined to; no cluster has more, and input that was made
// to have them must not cost their product.
const mostAround = 100

// join makes the workloads of all files out of their drafts, in the order of the files. rendered: they are those of one rendering.
func (r *reader) join(all []*contents, rendered bool) []*model.Workload {
	r.configMaps(all)
	j := &joiner{rendered: rendered, byID: map[id][]*around{}, services: index2{}, budgets: index2{}, routes: map[target][]id{}, scalers: map[id][]id{}, checks: map[target][]id{}}
	for _, c := range all {
		for _, a := range c.around {
			j.add(a)
		}
	}
	var drafts []*draft
	for _, c := range all {
		drafts = append(drafts, c.drafts...)
	}
	j.survey(drafts)
	out := make([]*model.Workload, 0, len(drafts))
	for _, d := range drafts {
		j.workload(d)
		out = append(out, d.Workload)
	}
	return out
}

// survey finds which workloads each Service and budget fits, before any is joined.
func (j *joiner) survey(drafts []*draft) {
	if j.rendered {
		return
	}
	var all []candidate
	j.homes = map[id][]string{}
	for _, d := range drafts {
		j.homes[d.id()] = append(j.homes[d.id()], d.File)
		for _, a := range j.fitting(d) {
			all = append(all, candidate{a, d})
		}
	}
	j.takers = newTakers(drafts, all)
}

// fitting are the Services and budgets that select the pods of a workload, in the order of their names.
func (j *joiner) fitting(d *draft) (out []*around) {
	ns := namespaceOf(d.Namespace)
	for _, of := range j.services.candidates(ns, d.Labels) {
		if a := j.nearest(of, d.File); len(out) < mostAround && len(a.service.selector) > 0 && contains(d.Labels, a.service.selector) {
			out = append(out, a)
		}
	}
	for _, of := range j.budgets.candidates(ns, d.Labels) {
		if a := j.nearest(of, d.File); len(out) < 2*mostAround && a.budget.selector.matches(d.Labels) {
			out = append(out, a)
		}
	}
	return out
}

// configMaps parses the ConfigMaps that containers take values from. Most hold dashboards and scripts, and are not parsed.
func (r *reader) configMaps(all []*contents) {
	need := map[string]bool{}
	for _, c := range all {
		for _, d := range c.drafts {
			for i := range d.containers {
				for _, name := range d.containers[i].needsConfig() {
					need[name] = true
				}
			}
		}
	}
	for _, c := range all {
		for i, p := range c.configs {
			if !mentions(c.src.Data[p.start:p.end], need) {
				continue
			}
			docs, err := parse(c.src, p)
			if err != nil {
				if !isTemplate(c.src.Data[p.start:p.end]) {
					r.broken(c, err, i, len(c.configs))
				}
				r.set.Add(c.src)
			}
			for _, d := range docs {
				if d.templated {
					continue
				}
				d.objects(func(o *object) {
					if a := r.around(o); a != nil {
						c.around = append(c.around, a)
					}
				}, func(string) {})
			}
		}
		c.configs = nil
	}
}

func mentions(text []byte, names map[string]bool) bool {
	for n := range names {
		if bytes.Contains(text, []byte(n)) {
			return true
		}
	}
	return false
}

func (j *joiner) add(a *around) {
	of := id{a.kind, a.namespace, a.name}
	again := len(j.byID[of]) > 0
	j.byID[of] = append(j.byID[of], a)
	switch {
	case a.service != nil && len(a.service.selector) > 0:
		j.services.add(a.namespace, a.service.selector, of, again)
	case a.budget != nil && !a.budget.selector.none:
		j.budgets.add(a.namespace, a.budget.selector.labels, of, again)
	case a.route != nil:
		for i, t := range a.route.to {
			if !again && !slices.Contains(a.route.to[:i], t) || again && !slices.Contains(j.routes[t], of) {
				j.routes[t] = append(j.routes[t], of)
			}
		}
	case a.checked != nil && !again:
		j.checks[*a.checked] = append(j.checks[*a.checked], of)
	case a.scaler != nil:
		to := id{a.scaler.kind, a.namespace, a.scaler.name}
		j.scalers[to] = append(j.scalers[to], of)
	case a.peer != nil && len(j.byID[of]) == 1:
		j.peers = append(j.peers, of)
	}
}

// nearest is the object of an id whose file lies nearest to a workload's: the same file, else the longest common directory.
// Of several overlays each workload so meets the objects of its own.
func (j *joiner) nearest(of id, file string) *around {
	all := j.byID[of]
	if len(all) == 1 {
		return all[0]
	}
	var best *around
	at := -1
	for _, a := range all {
		if n := closeness(a.file, file); n > at {
			best, at = a, n
		}
	}
	return best
}

// closeness counts the directories that two files share, more for the same directory and for the same file.
func closeness(a, b string) int {
	if a == b {
		return 1 << 20
	}
	da, db := path.Dir(a), path.Dir(b)
	if da == db {
		return 1 << 19
	}
	pa, pb := strings.Split(da, "/"), strings.Split(db, "/")
	n := 0
	for n < len(pa) && n < len(pb) && pa[n] == pb[n] {
		n++
	}
	return n
}

// workload joins one workload.
func (j *joiner) workload(d *draft) {
	ns := namespaceOf(d.Namespace)
	for i := range d.containers {
		d.containers[i].environment(func(name string) map[string]string {
			if a := j.nearest(id{"ConfigMap", ns, name}, d.File); a != nil && j.named(a, d) {
				return a.config
			}
			return nil
		})
	}
	for _, a := range j.fitting(d) {
		switch {
		case !j.rendered && !j.takers.holds(a, d):
		case a.service != nil:
			s := resolvePorts(a.service.Service, d.Containers)
			j.backendConfigs(s, d.File)
			d.Services = append(d.Services, s)
		default:
			b := a.budget.Budget
			d.Budgets = append(d.Budgets, &b)
		}
	}
	var routes []id
	for _, s := range d.Services {
		for _, of := range j.routes[target{namespaceOf(s.Namespace), s.Name}] {
			if len(routes) < mostAround && !slices.Contains(routes, of) {
				routes = append(routes, of)
			}
		}
	}
	for _, of := range routes {
		a := j.nearest(of, d.File)
		in := a.route.Ingress
		for _, s := range d.Services {
			if slices.Contains(a.route.to, target{namespaceOf(s.Namespace), s.Name}) && j.leads(a, s) {
				in.Services = append(in.Services, s.Name)
			}
		}
		if len(in.Services) > 0 {
			d.Ingresses = append(d.Ingresses, &in)
		}
	}
	for _, of := range j.scalers[id{d.Kind, ns, d.Name}] {
		a := j.nearest(of, d.File)
		if most := a.scaler.most; most > 0 && j.named(a, d) && (d.Replicas == nil || most > *d.Replicas) {
			d.Replicas, d.ReplicasFrom = &most, "autoscaler"
		}
	}
	for _, of := range j.peers {
		a := j.nearest(of, d.File)
		whole := a.namespace == ns || a.namespace == "istio-system" && !a.peer.Selects
		if whole && contains(d.Labels, a.peer.selector) {
			p := a.peer.PeerAuthentication
			if !j.rendered && reachOf(a.file, d.File) == far && !sharedNamespace(a, d) {
				// A policy of the mesh as a whole may well lie apart from the workloads; one of a namespace that is not written
				// belongs to another example.
				if a.namespace == ns || len(j.byID[of]) > 1 {
					continue
				}
				p.Apart = true
			}
			d.PeerAuthentications = append(d.PeerAuthentications, &p)
		}
	}
	sort.SliceStable(d.PeerAuthentications, func(x, y int) bool {
		return specific(d.PeerAuthentications[x], ns) > specific(d.PeerAuthentications[y], ns)
	})
}

// named reports whether an object that names a workload, or is named by one, is meant: of several of that name the nearest
// pair, and from afar none unless both write their namespace or only this pair has the names.
func (j *joiner) named(a *around, d *draft) bool {
	if j.rendered {
		return true
	}
	mine := closeness(a.file, d.File)
	if a.scaler != nil {
		for _, f := range j.homes[d.id()] {
			if closeness(a.file, f) > mine {
				return false
			}
		}
	}
	return reachOf(a.file, d.File) > far || sharedNamespace(a, d) || len(j.byID[id{a.kind, a.namespace, a.name}]) == 1 && len(j.homes[d.id()]) == 1
}

// leads reports whether a route leads to this very Service: of several of that name to the one nearest to it.
func (j *joiner) leads(a *around, s *model.Service) bool {
	if j.rendered {
		return true
	}
	of := id{"Service", namespaceOf(s.Namespace), s.Name}
	to := j.nearest(of, a.file)
	return to == nil || len(j.byID[of]) == 1 || closeness(to.file, a.file) <= closeness(s.File, a.file)
}

// specific orders policies as Istio does: workload, namespace, mesh.
func specific(p *model.PeerAuthentication, ns string) int {
	switch {
	case p.Selects:
		return 2
	case namespaceOf(p.Namespace) == ns:
		return 1
	}
	return 0
}

// resolvePorts is a Service with its named target ports resolved on the pod: plain init containers serve nothing.
func resolvePorts(s model.Service, containers []*model.Container) *model.Service {
	s.Ports = append([]model.ServicePort(nil), s.Ports...)
	for i := range s.Ports {
		p := &s.Ports[i]
		if p.TargetName == "" {
			continue
		}
		for _, c := range containers {
			if c.Kind == model.Init || c.Kind == model.Ephemeral {
				continue
			}
			for _, cp := range c.Ports {
				if cp.Name == p.TargetName && p.TargetPort == 0 {
					p.TargetPort = cp.Port
				}
			}
		}
	}
	return &s
}

// distinct makes the identifiers of workloads differ where the input holds one more than once.
func distinct(ws []*model.Workload) {
	count := map[string]int{}
	for _, w := range ws {
		count[w.ID]++
	}
	used := map[string]int{}
	for _, w := range ws {
		if count[w.ID] < 2 {
			continue
		}
		old := w.ID
		now := old + "@" + w.File
		if used[now]++; used[now] > 1 {
			now += "#" + strconv.Itoa(used[now])
		}
		w.ID = now
		for _, c := range w.Containers {
			c.ID = now + strings.TrimPrefix(c.ID, old)
			for _, p := range c.Probes {
				p.ID = now + strings.TrimPrefix(p.ID, old)
			}
		}
	}
}
