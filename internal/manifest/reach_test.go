package manifest

import (
	"strings"
	"testing"
)

func svc(name, selects string) string {
	return "---\n{apiVersion: v1, kind: Service, metadata: {name: " + name + "}, spec: {selector: {app: " + selects + "}, ports: [{port: 80}]}}\n"
}

// A repository of examples holds many objects of the same names and labels, and what lies apart is not installed together.
func TestReach(t *testing.T) {
	for name, c := range map[string]struct{ files, want string }{
		"the directory beside": {
			"-- k8s/deployments/a.yaml --\n" + app("a", "") + "-- k8s/services/s.yaml --\n" + svc("s", "a"), "k8s/deployments/a.yaml: s",
		},
		"a directory below": {
			"-- k8s/svc.yaml --\n" + svc("s", "a") + "-- k8s/apps/a/a.yaml --\n" + app("a", ""), "k8s/apps/a/a.yaml: s",
		},
		"another example": {
			"-- x/one/a.yaml --\n" + app("a", "") + "-- x/two/deep/s.yaml --\n" + svc("s", "a"), "x/one/a.yaml:",
		},
		"another example of the same name": {
			"-- x/one/a.yaml --\n" + app("a", "") + "-- x/two/deep/s.yaml --\n" + svc("a-svc", "a"), "x/one/a.yaml: a-svc",
		},
		"another example that has its own": {
			"-- x/one/a.yaml --\n" + app("a", "") + "-- x/two/deep/s.yaml --\n" + svc("a", "a") + app("a", ""), "x/one/a.yaml: | x/two/deep/s.yaml: a",
		},
		"a fixture in the same directory that has its own": {
			"-- t/one.yaml --\n" + app("a", "") + "-- t/two.yaml --\n" + svc("s", "a") + app("a", ""), "t/one.yaml: | t/two.yaml: s",
		},
		"two versions in one directory": {
			"-- t/one.yaml --\n" + app("a", "") + "-- t/two.yaml --\n" + strings.Replace(app("a", ""), "name: a}", "name: a2}", 1) + "-- t/svc.yaml --\n" + svc("s", "a"),
			"t/one.yaml: s | t/two.yaml: s",
		},
		"a fixture that selects no workload of its own": {
			"-- t/one.yaml --\n" + app("a", "") + "-- t/two.yaml --\n" + svc("s", "a") + app("b", ""), "t/one.yaml: | t/two.yaml:",
		},
		"the directory beside, when its own has one": {
			"-- t/a/one.yaml --\n" + app("a", "") + "-- t/b/two.yaml --\n" + svc("s", "a") + strings.Replace(app("a", ""), "name: a}", "name: a2}", 1),
			"t/a/one.yaml: | t/b/two.yaml: s",
		},
	} {
		r, _ := readDir(t, layOut(t, c.files))
		var got []string
		for _, w := range r.Workloads {
			line := w.File + ":"
			for _, s := range w.Services {
				line += " " + s.Name
			}
			got = append(got, line)
		}
		if have := strings.Join(got, " | "); have != c.want {
			t.Errorf("%s: %s, want %s", name, have, c.want)
		}
	}
}

// A namespace that both write joins from afar; one that neither writes does not.
func TestReachOfNames(t *testing.T) {
	auth := func(ns string) string {
		return "---\n{apiVersion: security.istio.io/v1, kind: PeerAuthentication, metadata: {name: p" + ns + "}, spec: {mtls: {mode: STRICT}}}\n"
	}
	in := func(file, text, ns string) string {
		return "-- " + file + " --\n" + strings.Replace(text, "}, spec", ", namespace: "+ns+"}, spec", 1)
	}
	count := func(files string) (services, peers, replicas, apart int) {
		r, _ := readDir(t, layOut(t, files))
		w := r.Workloads[0]
		for _, p := range w.PeerAuthentications {
			if p.Apart {
				apart++
			}
		}
		if w.Replicas != nil {
			replicas = *w.Replicas
		}
		return len(w.Services), len(w.PeerAuthentications), replicas, apart
	}
	scaler := "---\n{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h}, spec: {maxReplicas: 12, scaleTargetRef: {kind: Deployment, name: a}}}\n"
	services, peers, _, _ := count("-- a/x/a.yaml --\n" + app("a", "prod") + in("b/y/s.yaml", svc("s", "a"), "prod") + in("c/z/p.yaml", auth(""), "prod"))
	equal(t, "one namespace", []int{services, peers}, []int{1, 1})
	services, peers, replicas, _ := count("-- a/x/a.yaml --\n" + app("a", "") + "-- b/y/s.yaml --\n" + svc("s", "a") + auth("") + scaler)
	equal(t, "no namespace, and the only pair of the names", []int{services, peers, replicas}, []int{0, 0, 12})
	_, _, replicas, _ = count("-- a/x/a.yaml --\n" + app("a", "") + "-- b/y/s.yaml --\n" + app("a", "") + scaler)
	equal(t, "an autoscaler that has its own", replicas, 1)
	_, peers, _, apart := count("-- a/x/a.yaml --\n" + app("a", "") + in("b/y/s.yaml", auth(""), "istio-system"))
	equal(t, "the mesh", []int{peers, apart}, []int{1, 1})
	_, peers, _, _ = count("-- a/x/a.yaml --\n" + app("a", "") + in("b/y/s.yaml", auth(""), "istio-system") + in("c/z/s.yaml", auth(""), "istio-system"))
	equal(t, "two meshes", peers, 0)
}

func TestRoutesLeadToTheNearest(t *testing.T) {
	route := "---\n{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: in}, spec: {defaultBackend: {service: {name: a}}}}\n"
	r, _ := readDir(t, layOut(t, "-- a/x/a.yaml --\n"+app("a", "")+svc("a", "a")+"-- b/y/a.yaml --\n"+app("a", "")+svc("a", "a")+route))
	got := map[string]int{}
	for _, w := range r.Workloads {
		got[w.File] = len(w.Ingresses)
	}
	equal(t, "ingresses", got, map[string]int{"a/x/a.yaml": 0, "b/y/a.yaml": 1})
}
