package manifest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// layOut writes the files of a txtar archive below a new directory.
func layOut(t testing.TB, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// readDir reads paths relative to dir, dir itself where there are none.
func readDir(t testing.TB, dir string, paths ...string) (*Result, *source.Set) {
	t.Helper()
	return readWith(t, dir, Options{}, paths...)
}

func readWith(t testing.TB, dir string, o Options, paths ...string) (*Result, *source.Set) {
	t.Helper()
	if len(paths) == 0 {
		paths = []string{"."}
	}
	for _, p := range paths {
		if p != "-" {
			p = filepath.Join(dir, p)
		}
		o.Paths = append(o.Paths, p)
	}
	set := source.NewSet(dir)
	r, err := Read(context.Background(), set, o)
	if err != nil {
		t.Fatal(err)
	}
	return r, set
}

// readText reads one file.
func readText(t testing.TB, text string) (*Result, *source.Set) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "in.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return readDir(t, dir, "in.yaml")
}

// describeFindings writes each finding as "level file:line:column title".
func describeFindings(t testing.TB, r *Result, set *source.Set) []string {
	t.Helper()
	var out []string
	for _, f := range r.Findings {
		if f.Rule != "unreadable-input" {
			t.Errorf("finding of rule %q", f.Rule)
		}
		src, err := set.Get(f.Primary.Span.File)
		if err != nil {
			t.Errorf("the file of a finding is not in the set: %v", err)
			continue
		}
		line, column := src.Position(f.Primary.Span.Start)
		if line != f.Primary.Span.Line {
			t.Errorf("%s: span says line %d, offset says %d", f.Title, f.Primary.Span.Line, line)
		}
		out = append(out, fmt.Sprintf("%s %s:%d:%d %s", f.Level, f.Primary.Span.File, line, column, f.Title))
	}
	return out
}

func describeFiles(r *Result) []string {
	var out []string
	for _, f := range r.Files {
		out = append(out, fmt.Sprintf("%s %s %d %s", f.Status, f.Path, f.Workloads, f.Why))
	}
	return out
}

func ids(r *Result) []string {
	var out []string
	for _, w := range r.Workloads {
		out = append(out, w.ID)
	}
	return out
}

func equal(t testing.TB, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// deployment is a Deployment around the YAML of a container list, indented as needed.
func deployment(containers string) string {
	return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: app, namespace: shop}\nspec:\n  template:\n    metadata: {labels: {app: app}}\n    spec:\n      containers:\n" + indent(containers, 8)
}

// withProbe is a Deployment whose container has this YAML below its name, image and a port.
func withProbe(probe string) string {
	return deployment("- name: api\n  image: example.com/api:1\n  ports: [{name: http, containerPort: 8080}]\n" + indent(probe, 2))
}

func indent(s string, n int) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		if strings.TrimSpace(line) != "" {
			b.WriteString(strings.Repeat(" ", n))
		}
		b.WriteString(line)
	}
	return b.String()
}

func only(t testing.TB, r *Result) *model.Workload {
	t.Helper()
	if len(r.Workloads) != 1 {
		t.Fatalf("%d workloads, want 1: %v", len(r.Workloads), describeFiles(r))
	}
	return r.Workloads[0]
}

func TestReadWorkload(t *testing.T) {
	r, _ := readText(t, `# a comment first
apiVersion: apps/v1
kind: Deployment
metadata:
  name: checkout
  namespace: shop
  annotations: {team: orders}
spec:
  replicas: 6
  minReadySeconds: 5
  template:
    metadata:
      labels: {app: checkout}
      annotations: {sidecar.istio.io/inject: "true"}
    spec:
      terminationGracePeriodSeconds: 45
      hostNetwork: true
      initContainers:
        - {name: migrate, image: "example.com/migrate:1"}
        - {name: proxy, image: "example.com/proxy:1", restartPolicy: Always, readinessProbe: {tcpSocket: {port: 15021}}}
      containers:
        - name: api
          image: example.com/api:1
          command: [/api]
          args: ["--listen=:8080"]
          ports:
            - {name: http, containerPort: 8080}
            - {containerPort: 9090, protocol: UDP}
          resources: {limits: {cpu: 500m, memory: 1Gi}}
          livenessProbe:
            httpGet:
              path: /livez?verbose
              port: http
              scheme: HTTPS
              httpHeaders: [{name: Host, value: example.com}]
            timeoutSeconds: 0
            failureThreshold: 5
          readinessProbe:
            grpc: {port: 9000, service: orders}
            periodSeconds: 5
            successThreshold: 2
          startupProbe:
            exec: {command: [cat, /tmp/ready]}
            initialDelaySeconds: 3
            terminationGracePeriodSeconds: 60
          lifecycle:
            preStop: {exec: {command: [sh, -c, "sleep 5 && kill -TERM 1"]}}
      ephemeralContainers:
        - {name: debug, image: busybox}
`)
	w := only(t, r)
	equal(t, "findings", len(r.Findings), 0)
	type summary struct {
		ID, Kind, Namespace, Name, File string
		Line, Replicas                  int
		Grace, Deadline, MinReady       int64
		Host                            bool
		Template, Pod                   string
	}
	equal(t, "workload", summary{
		w.ID, w.Kind, w.Namespace, w.Name, w.File, w.Line, *w.Replicas, w.TerminationGracePeriodSeconds,
		*w.ProgressDeadlineSeconds, w.MinReadySeconds, w.HostNetwork, w.TemplatePath, w.PodSpecPath,
	}, summary{"Deployment/shop/checkout", "Deployment", "shop", "checkout", "in.yaml", 2, 6, 45, 600, 5, true, "spec.template", "spec.template.spec"})
	equal(t, "labels", w.Labels, map[string]string{"app": "checkout"})
	equal(t, "annotations", w.Annotations, map[string]string{"sidecar.istio.io/inject": "true"})
	equal(t, "object annotations", w.ObjectAnnotations, map[string]string{"team": "orders"})
	var kinds []string
	for _, c := range w.Containers {
		kinds = append(kinds, c.ID+" "+string(c.Kind))
	}
	equal(t, "containers", kinds, []string{
		"Deployment/shop/checkout/migrate init", "Deployment/shop/checkout/proxy sidecar", "Deployment/shop/checkout/api main",
		"Deployment/shop/checkout/debug ephemeral",
	})
	c := w.Containers[2]
	equal(t, "ports", c.Ports, []model.ContainerPort{{Name: "http", Port: 8080, Protocol: "TCP"}, {Port: 9090, Protocol: "UDP"}})
	equal(t, "limits", []int64{*c.CPULimitMillis, *c.MemoryLimitBytes}, []int64{500, 1 << 30})
	equal(t, "preStop", *c.PreStop.Seconds, 5.0)
	live, ready, start := c.Probe(model.Liveness), c.Probe(model.Readiness), c.Probe(model.Startup)
	equal(t, "liveness target", live.Target, model.Target{
		Scheme: "HTTPS", Path: "/livez?verbose", Port: 8080, PortName: "http", Headers: []model.Header{{Name: "Host", Value: "example.com"}},
	})
	equal(t, "readiness target", ready.Target, model.Target{Port: 9000, Service: "orders"})
	equal(t, "startup target", start.Target, model.Target{Command: []string{"cat", "/tmp/ready"}})
	numbers := func(p *model.Probe) [5]int {
		return [5]int{p.InitialDelaySeconds, p.TimeoutSeconds, p.PeriodSeconds, p.SuccessThreshold, p.FailureThreshold}
	}
	equal(t, "liveness timings", numbers(live), [5]int{0, 1, 10, 1, 5})
	equal(t, "readiness timings", numbers(ready), [5]int{0, 1, 5, 2, 3})
	equal(t, "startup timings", numbers(start), [5]int{3, 1, 10, 1, 3})
	equal(t, "liveness declared", live.Declared, []string{"timeoutSeconds", "failureThreshold"})
	equal(t, "startup declared", start.Declared, []string{"initialDelaySeconds", "terminationGracePeriodSeconds"})
	equal(t, "startup grace", *start.TerminationGracePeriodSeconds, int64(60))
	equal(t, "lines", []int{live.Line, ready.Line, start.Line}, []int{30, 38, 42})
	for _, p := range []*model.Probe{live, ready, start} {
		equal(t, "invalid of "+p.ID, len(p.Invalid), 0)
	}
	equal(t, "container invalid", len(c.Invalid)+len(w.Invalid), 0)
}

func TestKinds(t *testing.T) {
	pod := "{containers: [{name: a, image: b}]}"
	tests := []struct {
		name, yaml string
		want       []string // identifiers
		why        string
	}{
		{"Pod", "{apiVersion: v1, kind: Pod, metadata: {name: x}, spec: " + pod + "}", []string{"Pod/x"}, ""},
		{"ReplicationController", "{apiVersion: v1, kind: ReplicationController, metadata: {name: x}, spec: {template: {spec: " + pod + "}}}", []string{"ReplicationController/x"}, ""},
		{"CronJob", "{apiVersion: batch/v1, kind: CronJob, metadata: {name: x}, spec: {jobTemplate: {spec: {template: {spec: " + pod + "}}}}}", []string{"CronJob/x"}, ""},
		{"Knative Service", "{apiVersion: serving.knative.dev/v1, kind: Service, metadata: {name: x}, spec: {template: {spec: {containers: [{image: b}]}}}}", []string{"Service/x"}, ""},
		{"Rollout", "{apiVersion: argoproj.io/v1alpha1, kind: Rollout, metadata: {name: x}, spec: {template: {spec: " + pod + "}}}", []string{"Rollout/x"}, ""},
		{"DeploymentConfig", "{apiVersion: apps.openshift.io/v1, kind: DeploymentConfig, metadata: {name: x}, spec: {template: {spec: " + pod + "}}}", []string{"DeploymentConfig/x"}, ""},
		{"custom", "{apiVersion: example.com/v1, kind: App, metadata: {name: x}, spec: {podTemplate: {spec: " + pod + "}}}", []string{"App/x"}, ""},
		{"custom, five deep", "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: x}, spec: {replicatedJobs: [{template: {spec: {template: {spec: " + pod + "}}}}]}}", []string{"JobSet/x"}, ""},
		{"ClusterServiceVersion", "{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, metadata: {name: x}, spec: {install: {spec: {deployments: [{name: a, spec: {template: {spec: " + pod + "}}}]}}}}", []string{"ClusterServiceVersion/x"}, ""},
		{"custom, too deep", "{apiVersion: example.com/v1, kind: App, metadata: {name: x}, spec: {a: {b: {c: {d: {e: {f: {spec: " + pod + "}}}}}}}}", nil, whyNoPod},
		{"no apiVersion", "kind: Pod\nmetadata: {name: x}\nspec: " + pod, nil, whyNoVersion},
		{
			"custom, two templates", "{apiVersion: ray.io/v1, kind: RayCluster, metadata: {name: x}, spec: {head: {template: {spec: " + pod + "}}, workers: [{template: {spec: " + pod + "}}]}}",
			[]string{"RayCluster/x/spec.head.template", "RayCluster/x/spec.workers[0].template"},
			"",
		},
		{"custom without image", "{apiVersion: example.com/v1, kind: App, metadata: {name: x}, spec: {podTemplate: {spec: {containers: [{name: a}]}}}}", nil, whyNoPod},
		{"List", "{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Pod, metadata: {name: x}, spec: " + pod + "}, {apiVersion: v1, kind: Pod, metadata: {name: y}, spec: " + pod + "}]}", []string{"Pod/x", "Pod/y"}, ""},
		{"typed list", "{apiVersion: apps/v1, kind: DeploymentList, items: [{metadata: {name: x}, spec: {template: {spec: " + pod + "}}}]}", []string{"Deployment/x"}, ""},
		{"sequence", "[{apiVersion: v1, kind: Pod, metadata: {name: x}, spec: " + pod + "}]", []string{"Pod/x"}, ""},
		{"OpenShift template", "{apiVersion: template.openshift.io/v1, kind: Template, objects: [{apiVersion: v1, kind: Pod, metadata: {name: '${NAME}'}, spec: " + pod + "}]}", []string{"Pod/${NAME}"}, ""},
		{"generateName", "{apiVersion: v1, kind: Pod, metadata: {generateName: x-}, spec: " + pod + "}", []string{"Pod/x-"}, ""},
		{"no kind", "{apiVersion: v1, metadata: {name: x}, spec: " + pod + "}", nil, whyNotObject},
		{"values file", "kind_: x\nimage: {containers: [{name: a, image: b}]}", nil, whyNotObject},
		{"patch", "{apiVersion: apps/v1, kind: Deployment, metadata: {name: x}, spec: {template: {spec: {containers: [{name: a, livenessProbe: {periodSeconds: 5}}]}}}}", nil, whyPatch},
		{"patch by directive", "{apiVersion: apps/v1, kind: Deployment, metadata: {name: x}, spec: {template: {spec: {containers: [{name: a, image: b, $patch: delete}]}}}}", nil, whyPatch},
		{"CRD", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {versions: [{schema: " + pod + "}]}", nil, whySchema},
		{"CRD in one line", "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, spec: {template: {spec: " + pod + "}}}", nil, whySchema},
		{"Kyverno", "{apiVersion: kyverno.io/v1, kind: ClusterPolicy, spec: {pattern: {spec: " + pod + "}}}", nil, whyPolicy},
		{"Gatekeeper", "{apiVersion: constraints.gatekeeper.sh/v1beta1, kind: K8sProbes, spec: {pattern: {spec: " + pod + "}}}", nil, whyPolicy},
		{"ConfigMap", "{apiVersion: v1, kind: Secret, metadata: {name: x}, stringData: {a: 'spec: " + pod + "'}}", nil, whyConfig},
		{"no containers", "{apiVersion: apps/v1, kind: Deployment, metadata: {name: x}, spec: {template: {spec: {containers: []}}}}", nil, whyNoPod},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, set := readText(t, tt.yaml)
			equal(t, "findings", describeFindings(t, r, set), []string(nil))
			equal(t, "workloads", ids(r), tt.want)
			equal(t, "reason", r.Files[0].Why, tt.why)
		})
	}
}

func TestReplicas(t *testing.T) {
	one := func(kind, api, spec string) *int {
		r, _ := readText(t, "{apiVersion: "+api+", kind: "+kind+", metadata: {name: x}, spec: {"+spec+" template: {spec: {containers: [{name: a, image: b}]}}}}")
		return only(t, r).Replicas
	}
	i := func(n int) *int { return &n }
	equal(t, "default", one("Deployment", "apps/v1", ""), i(1))
	equal(t, "written", one("StatefulSet", "apps/v1", "replicas: 3,"), i(3))
	equal(t, "zero", one("Deployment", "apps/v1", "replicas: 0,"), i(0))
	equal(t, "placeholder", one("Deployment", "apps/v1", "replicas: '${N}',"), (*int)(nil))
	equal(t, "DaemonSet", one("DaemonSet", "apps/v1", ""), (*int)(nil))
	equal(t, "Job", one("Job", "batch/v1", ""), (*int)(nil))
	equal(t, "custom", one("App", "example.com/v1", "replicas: 4,"), i(4))
}

// Two workloads of one name, as overlays have them, keep distinct identifiers.
func TestDistinctIdentifiers(t *testing.T) {
	pod := "{apiVersion: v1, kind: Pod, metadata: {name: x}, spec: {containers: [{name: c, image: b, livenessProbe: {exec: {command: [a]}}}]}}\n"
	dir := layOut(t, "-- a/p.yaml --\n"+pod+"-- b/p.yaml --\n"+pod+"---\n"+pod)
	r, _ := readDir(t, dir)
	equal(t, "identifiers", ids(r), []string{"Pod/x@a/p.yaml", "Pod/x@b/p.yaml", "Pod/x@b/p.yaml#2"})
	seen := map[string]bool{}
	for _, w := range r.Workloads {
		p := w.Containers[0].Probes[0]
		if seen[p.ID] || !strings.HasPrefix(p.ID, w.ID+"/c/") {
			t.Errorf("probe %q of %q", p.ID, w.ID)
		}
		seen[p.ID] = true
	}
}

// Reading is deterministic however the workers are scheduled.
func TestDeterminism(t *testing.T) {
	dir := writeDeployments(t, 60)
	var first string
	for range 5 {
		r, _ := readDir(t, dir)
		var b strings.Builder
		for _, w := range r.Workloads {
			fmt.Fprintln(&b, w.ID, w.File, w.Line, len(w.Services))
		}
		for _, f := range r.Files {
			fmt.Fprintln(&b, f)
		}
		if first == "" {
			first = b.String()
		} else if b.String() != first {
			t.Fatal("two runs differ")
		}
	}
	if !sort.StringsAreSorted(strings.Split(strings.TrimSpace(first[strings.Index(first, "{"):]), "\n")) {
		t.Error("files are not in order")
	}
}
