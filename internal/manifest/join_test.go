package manifest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/probelint/probelint/internal/model"
)

// app is a Deployment with two labels and a named port.
func app(name, namespace string) string {
	if namespace != "" {
		namespace = ", namespace: " + namespace
	}
	return fmt.Sprintf("---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: %s%s}\nspec:\n  template:\n    metadata: {labels: {app: %s, tier: web}}\n    spec:\n      initContainers: [{name: i, image: b, ports: [{name: http, containerPort: 1}]}]\n      containers: [{name: c, image: b, ports: [{name: http, containerPort: 8080}, {name: grpc, containerPort: 9000}]}]\n", name, namespace, name)
}

func TestServices(t *testing.T) {
	r, _ := readText(t, app("a", "")+app("b", "prod")+`---
{apiVersion: v1, kind: Service, metadata: {name: a, namespace: default, annotations: {x: y}}, spec: {selector: {app: a}, ports: [{name: web, port: 80, targetPort: http}, {port: 443, targetPort: 8443}, {port: 90}, {port: 91, targetPort: nope}]}}
---
{apiVersion: v1, kind: Service, metadata: {name: both}, spec: {type: LoadBalancer, clusterIP: None, publishNotReadyAddresses: true, selector: {tier: web}, ports: []}}
---
{apiVersion: v1, kind: Service, metadata: {name: none}, spec: {ports: [{port: 1}]}}
---
{apiVersion: v1, kind: Service, metadata: {name: other}, spec: {selector: {app: a, tier: db}}}
---
{apiVersion: serving.knative.dev/v1, kind: Service, metadata: {name: kn}, spec: {template: {spec: {containers: [{image: b}]}}}}
---
{apiVersion: v1, kind: ServiceList, items: [{metadata: {name: listed}, spec: {selector: {app: a}}}]}
`)
	a, b := r.Workloads[0], r.Workloads[1]
	var names []string
	for _, s := range a.Services {
		names = append(names, s.Name)
	}
	equal(t, "services of a", names, []string{"a", "both", "listed"})
	equal(t, "services of b, in another namespace", len(b.Services), 0)
	s := a.Services[0]
	equal(t, "ports", s.Ports, []model.ServicePort{
		{Name: "web", Port: 80, TargetPort: 8080, TargetName: "http"},
		{Port: 443, TargetPort: 8443},
		{Port: 90, TargetPort: 90},
		{Port: 91, TargetName: "nope"},
	})
	equal(t, "type", []string{s.Type, a.Services[1].Type}, []string{"ClusterIP", "LoadBalancer"})
	equal(t, "flags", []bool{a.Services[1].Headless, a.Services[1].PublishNotReadyAddresses, s.Headless}, []bool{true, true, false})
	equal(t, "annotations", s.Annotations, map[string]string{"x": "y"})
	if s.Span.IsZero() || s.Line != 22 {
		t.Errorf("line %d", s.Line)
	}
}

func TestAround(t *testing.T) {
	r, _ := readText(t, app("a", "")+app("b", "prod")+`---
{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {selector: {app: a}}}
---
{apiVersion: v1, kind: Service, metadata: {name: b, namespace: prod}, spec: {selector: {app: b}}}
---
{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h}, spec: {maxReplicas: 12, scaleTargetRef: {kind: Deployment, name: a}}}
---
{apiVersion: keda.sh/v1alpha1, kind: ScaledObject, metadata: {name: k, namespace: prod}, spec: {maxReplicaCount: 7, scaleTargetRef: {name: b}}}
---
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: exact}, spec: {selector: {matchLabels: {app: a}}}}
---
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: expression}, spec: {selector: {matchExpressions: [{key: app, operator: In, values: [a, z]}, {key: gone, operator: DoesNotExist}]}}}
---
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: all}, spec: {selector: {}}}
---
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: no-selector}, spec: {minAvailable: 1}}
---
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: others}, spec: {selector: {matchExpressions: [{key: app, operator: NotIn, values: [a]}]}}}
---
{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: in, annotations: {n: m}}, spec: {rules: [{http: {paths: [{backend: {service: {name: a}}}, {backend: {service: {name: x}}}]}}]}}
---
{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: default-backend}, spec: {defaultBackend: {service: {name: a}}}}
---
{apiVersion: extensions/v1beta1, kind: Ingress, metadata: {name: old}, spec: {rules: [{http: {paths: [{backend: {serviceName: a}}]}}]}}
---
{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: ro}, spec: {rules: [{backendRefs: [{name: b, namespace: prod}, {name: a}]}]}}
---
{apiVersion: route.openshift.io/v1, kind: Route, metadata: {name: os}, spec: {to: {kind: Service, name: a}}}
---
{apiVersion: traefik.io/v1alpha1, kind: IngressRoute, metadata: {name: tr}, spec: {routes: [{services: [{name: a}]}]}}
---
{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: elsewhere}, spec: {rules: [{http: {paths: [{backend: {service: {name: x}}}]}}]}}
---
{apiVersion: security.istio.io/v1, kind: PeerAuthentication, metadata: {name: mesh, namespace: istio-system}, spec: {mtls: {mode: PERMISSIVE}}}
---
{apiVersion: security.istio.io/v1, kind: PeerAuthentication, metadata: {name: ns}, spec: {mtls: {mode: STRICT}}}
---
{apiVersion: security.istio.io/v1, kind: PeerAuthentication, metadata: {name: pods}, spec: {selector: {matchLabels: {app: a}}, mtls: {mode: DISABLE}, portLevelMtls: {8080: {mode: STRICT}}}}
`)
	a, b := r.Workloads[0], r.Workloads[1]
	equal(t, "replicas", []int{*a.Replicas, *b.Replicas}, []int{12, 7})
	var budgets, ingresses, peers []string
	for _, x := range a.Budgets {
		budgets = append(budgets, x.Name)
	}
	for _, x := range a.Ingresses {
		ingresses = append(ingresses, x.Kind+"/"+x.Name+" "+strings.Join(x.Services, ","))
	}
	for _, x := range a.PeerAuthentications {
		peers = append(peers, x.Name+" "+x.Mode)
	}
	equal(t, "budgets", budgets, []string{"all", "exact", "expression"})
	equal(t, "ingresses", ingresses, []string{"Ingress/in a", "Ingress/default-backend a", "Ingress/old a", "HTTPRoute/ro a", "Route/os a", "IngressRoute/tr a"})
	equal(t, "annotations", a.Ingresses[0].Annotations, map[string]string{"n": "m"})
	equal(t, "policies of the mesh", peers, []string{"pods DISABLE", "ns STRICT", "mesh PERMISSIVE"})
	equal(t, "port modes", a.PeerAuthentications[0].PortModes, map[int]string{8080: "STRICT"})
	equal(t, "of b", []int{len(b.Budgets), len(b.Ingresses), len(b.PeerAuthentications)}, []int{0, 1, 1})
}

// Each overlay meets the objects of its own directory.
func TestOverlays(t *testing.T) {
	overlay := func(dir, port, value string) string {
		return "-- " + dir + "/app.yaml --\n" + strings.Replace(app("a", ""), "name: c,", "name: c, envFrom: [{configMapRef: {name: m}}],", 1) +
			"-- " + dir + "/rest.yaml --\n{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {selector: {app: a}, ports: [{port: " + port + "}]}}\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: m}, data: {K: " + value + "}}\n"
	}
	r, _ := readDir(t, layOut(t, overlay("dev", "1", "one")+overlay("prod", "2", "two")))
	for i, want := range []string{"1 one", "2 two"} {
		w := r.Workloads[i]
		if len(w.Services) != 1 {
			t.Fatalf("%d services", len(w.Services))
		}
		equal(t, w.File, fmt.Sprint(w.Services[0].Ports[0].Port, " ", w.Containers[1].Env[0].Value), want)
	}
}

func TestEnvironment(t *testing.T) {
	r, set := readText(t, deployment(`- name: c
  image: b
  command: ["/bin/$(NAME)"]
  args: ["--port=$(PORT)", "--secret=$(SECRET)", "$$(PORT)", "$(LATE)", "--x=$(UNSET)"]
  envFrom:
    - {prefix: CM_, configMapRef: {name: conf}}
    - {configMapRef: {name: absent}}
    - {prefix: S_, secretRef: {name: sec}}
  env:
    - {name: NAME, value: api}
    - {name: PORT, value: "80"}
    - name: PORT
      value: "8080"
    - {name: ADDR, value: ":$(PORT)"}
    - {name: SECRET, valueFrom: {secretKeyRef: {name: sec, key: k}}}
    - {name: URL, value: "x$(SECRET)"}
    - {name: HOST, valueFrom: {configMapKeyRef: {name: conf, key: host}}}
    - {name: MISSING, valueFrom: {configMapKeyRef: {name: conf, key: none}}}
    - {name: IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
    - {name: CPU, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}
    - {name: TEMPLATE, value: "${FROM_CI}"}
    - {name: EMPTY}
    - {name: LATE, value: late}
  livenessProbe:
    exec: {command: [check, "$(PORT)", "$(HOST)", "$(ADDR)"]}
`)+`---
apiVersion: v1
kind: ConfigMap
metadata: {name: conf, namespace: shop}
data: {host: db, port: "5432"}
`)
	c := only(t, r).Containers[0]
	var got []string
	for _, e := range c.Env {
		got = append(got, fmt.Sprintf("%s=%q %v %s", e.Name, e.Value, e.Known, e.From))
	}
	equal(t, "env", got, []string{
		`CM_host="db" true configMap conf`, `CM_port="5432" true configMap conf`, `*="" false configMap absent`, `S_*="" false secret sec`,
		`NAME="api" true manifest`, `PORT="80" true manifest`, `PORT="8080" true manifest`, `ADDR=":8080" true manifest`,
		`SECRET="" false secret sec`, `URL="x$(SECRET)" false manifest`, `HOST="db" true configMap conf`, `MISSING="" false configMap conf`,
		`IP="" false fieldRef status.podIP`, `CPU="" false resourceFieldRef limits.cpu`, `TEMPLATE="${FROM_CI}" false manifest`,
		`EMPTY="" true manifest`, `LATE="late" true manifest`,
	})
	equal(t, "command", c.Command, []string{"/bin/api"})
	equal(t, "args", c.Args, []string{"--port=8080", "--secret=$(SECRET)", "$$(PORT)", "late", "--x=$(UNSET)"})
	equal(t, "probe", c.Probes[0].Target.Command, []string{"check", "8080", "$(HOST)", ":$(PORT)"})
	f, _ := set.Get("in.yaml")
	at := c.Env[6].Span
	equal(t, "span of a value", string(f.Data[at.Start:at.End]), `"8080"`)
	at = c.Env[3].Span
	equal(t, "span of an envFrom", string(f.Data[at.Start:at.End]), `{prefix: S_, secretRef: {name: sec}}`)
}

func TestPreStop(t *testing.T) {
	for command, want := range map[string]string{
		`[sleep, "15"]`:                           "15",
		`[/bin/sleep, "0.5"]`:                     "0.5",
		`[sleep, 2m]`:                             "120",
		`[sh, -c, sleep 5]`:                       "5",
		`[/bin/bash, -lc, "sleep 5; sleep 2.5"]`:  "7.5",
		`[sh, -ec, "exec sleep 5"]`:               "5",
		`[sh, -c, "echo bye; sleep 5 && kill 1"]`: "5",
		`[sh, -c, "sleep 10 && nginx -s quit"]`:   ">=10",
		`[sh, -c, "/drain; sleep 3"]`:             ">=3",
		`[sh, -c, "sleep $DELAY"]`:                "?",
		`[sh, -c, "while x; do sleep 1; done"]`:   "?",
		`[sh, -c, "curl x || sleep 5"]`:           "?",
		`[sh, -c, "if x; then sleep 9; fi"]`:      "?",
		`[/drain]`:                                "?",
		`[sleep]`:                                 "?",
		`[sleep, infinity]`:                       "?",
		`[sleep, "-5"]`:                           "?",
		`[sh, -c]`:                                "?",
		`[]`:                                      "?",
		`[sh, -c, "sleep 5 &"]`:                   "?",
		`[sh, -c, "(sleep 5)"]`:                   "?",
		`[sh, -c, "for i in 1 2; do sleep 5; done; sleep 1"]`: "?",
	} {
		r, _ := readText(t, withProbe("lifecycle: {preStop: {exec: {command: "+command+"}}}\n"))
		p := only(t, r).Containers[0].PreStop
		got := "?"
		if p.Seconds != nil {
			got = fmt.Sprint(*p.Seconds)
		} else if p.AtLeastSeconds != nil {
			got = fmt.Sprint(">=", *p.AtLeastSeconds)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", command, got, want)
		}
	}
	r, _ := readText(t, withProbe("lifecycle: {preStop: {sleep: {seconds: 12}}}\n"))
	p := only(t, r).Containers[0].PreStop
	equal(t, "sleep hook", []any{p.Kind, *p.Seconds}, []any{"sleep", 12.0})
	r, _ = readText(t, withProbe("lifecycle: {preStop: {httpGet: {path: /drain, port: 1}}}\n"))
	p = only(t, r).Containers[0].PreStop
	if p.Kind != "httpGet" || p.Seconds != nil {
		t.Errorf("httpGet hook: %+v", p)
	}
	r, _ = readText(t, withProbe("env: [{name: W, value: '9'}]\nlifecycle: {preStop: {exec: {command: [sleep, $(W)]}}}\n"))
	if p = only(t, r).Containers[0].PreStop; p.Seconds != nil || p.Command[1] != "$(W)" {
		t.Errorf("the kubelet expands no variables in hooks: %+v", p)
	}
}

// Variables that double each other and Services that all select everything cost what they hold, not their product.
func TestExpansionIsBounded(t *testing.T) {
	var env strings.Builder
	env.WriteString("  env:\n  - {name: A0, value: xxxxxxxxxx}\n")
	for i := 1; i < 60; i++ {
		fmt.Fprintf(&env, "  - {name: A%d, value: $(A%d)$(A%d)}\n", i, i-1, i-1)
	}
	r, _ := readText(t, deployment("- name: c\n  image: b\n"+env.String()))
	list := only(t, r).Containers[0].Env
	for _, e := range list {
		if len(e.Value) > 2*longestValue {
			t.Fatalf("%s has %d bytes", e.Name, len(e.Value))
		}
	}
	if list[3].Value != strings.Repeat("x", 80) || !list[3].Known || list[59].Known {
		t.Errorf("A3 %q %v, A59 known %v", list[3].Value, list[3].Known, list[59].Known)
	}
	var s strings.Builder
	s.WriteString(app("a", ""))
	for i := range 500 {
		fmt.Fprintf(&s, "---\n{apiVersion: v1, kind: Service, metadata: {name: s%d}, spec: {selector: {app: a}}}\n", i)
	}
	r, _ = readText(t, s.String())
	equal(t, "services", len(only(t, r).Services), mostAround)
}
