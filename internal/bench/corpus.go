package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// corpus is a folder of manifests.
type corpus struct {
	dir       string
	files     int
	documents int
	bytes     int
	all       string // every document in one file, for tools that take no folder
	policy    string // a folder with a Rego policy, for conftest
}

// perDir is the number of manifests in one folder.
const perDir = 100

// writeCorpus writes n manifests, each with one workload. What stands in the n-th file depends on n alone.
func writeCorpus(dir string, n int) (corpus, error) {
	c := corpus{dir: filepath.Join(dir, "manifests"), files: n, all: filepath.Join(dir, "all.yaml"), policy: filepath.Join(dir, "policy")}
	if err := os.MkdirAll(c.policy, 0o750); err != nil {
		return c, fmt.Errorf("making the corpus: %w", err)
	}
	if err := os.WriteFile(filepath.Join(c.policy, "probes.rego"), []byte(conftestPolicy), 0o600); err != nil {
		return c, fmt.Errorf("writing the policy: %w", err)
	}
	all, err := os.Create(c.all)
	if err != nil {
		return c, fmt.Errorf("writing the corpus: %w", err)
	}
	defer all.Close()
	for i := range n {
		name := filepath.Join(c.dir, fmt.Sprintf("team-%03d", i/perDir), fmt.Sprintf("app-%d.yaml", i))
		if i%perDir == 0 {
			if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
				return c, fmt.Errorf("making the corpus: %w", err)
			}
		}
		text := manifestText(i)
		if err := os.WriteFile(name, text, 0o600); err != nil {
			return c, fmt.Errorf("writing the corpus: %w", err)
		}
		if _, err := fmt.Fprintf(all, "---\n%s", text); err != nil {
			return c, fmt.Errorf("writing the corpus: %w", err)
		}
		c.bytes += len(text)
		c.documents += 1 + bytes.Count(text, []byte("\n---\n"))
	}
	if err := all.Close(); err != nil {
		return c, fmt.Errorf("writing the corpus: %w", err)
	}
	return c, nil
}

// manifestText is one file as people write them: a workload with probes and comments, mostly with a Service behind it, now and
// then with an autoscaler, a disruption budget or a ConfigMap.
func manifestText(i int) []byte {
	var b bytes.Buffer
	kind := []string{"Deployment", "Deployment", "Deployment", "StatefulSet", "DaemonSet"}[i%5]
	fmt.Fprintf(&b, header, kind, i, i%17)
	switch kind {
	case "StatefulSet":
		fmt.Fprintf(&b, "  serviceName: app-%d\n  replicas: 3\n", i)
	case "Deployment":
		fmt.Fprintf(&b, "  replicas: %d\n  strategy:\n    type: RollingUpdate\n    rollingUpdate: {maxSurge: 1, maxUnavailable: 0}\n", 1+i%6)
	}
	fmt.Fprintf(&b, template, i, i%17, 30+i%4*15, i, i%40)
	b.WriteString(probeStyles[i%len(probeStyles)])
	if i%3 == 0 {
		b.WriteString("          lifecycle:\n            preStop:\n              exec:\n                command: [\"sleep\", \"5\"]\n")
	}
	if i%4 == 1 {
		b.WriteString(sidecar)
	}
	if i%10 != 9 {
		fmt.Fprintf(&b, service, i, i%17)
	}
	switch {
	case i%6 == 1 && kind == "Deployment":
		fmt.Fprintf(&b, autoscaler, i, i%17)
	case i%6 == 2:
		fmt.Fprintf(&b, budget, i, i%17)
	case i%6 == 3:
		fmt.Fprintf(&b, config, i, i%17)
	}
	return b.Bytes()
}

const header = `# Owned by the platform team; see the runbook before changing the probes.
apiVersion: apps/v1
kind: %[1]s
metadata:
  name: app-%[2]d
  namespace: team-%[3]d
  labels:
    app.kubernetes.io/name: app-%[2]d
    app.kubernetes.io/part-of: shop
  annotations:
    prometheus.io/scrape: "true"
    prometheus.io/port: "9090"
spec:
`

const template = `  selector:
    matchLabels:
      app.kubernetes.io/name: app-%[1]d
  template:
    metadata:
      labels:
        app.kubernetes.io/name: app-%[1]d
        app.kubernetes.io/part-of: shop
    spec:
      serviceAccountName: team-%[2]d
      terminationGracePeriodSeconds: %[3]d
      securityContext: {runAsNonRoot: true, runAsUser: 10001}
      containers:
        - name: api
          image: registry.example.com/shop/app-%[4]d:1.%[5]d.0
          imagePullPolicy: IfNotPresent
          args: ["serve", "--listen=:8080"]
          ports:
            - name: http
              containerPort: 8080
              protocol: TCP
            - name: metrics
              containerPort: 9090
          env:
            - name: LOG_LEVEL
              value: info
            - name: POSTGRES_DSN
              valueFrom:
                secretKeyRef: {name: postgres, key: dsn}
            - name: POD_NAME
              valueFrom:
                fieldRef:
                  fieldPath: metadata.name
          resources:
            requests:
              cpu: 100m
              memory: 128Mi
            limits:
              memory: 256Mi # no CPU limit: throttling made the probes time out
`

// probeStyles are ways to write probes, good and bad.
var probeStyles = []string{
	`          livenessProbe:
            httpGet:
              path: /livez
              port: http
            initialDelaySeconds: 5
            periodSeconds: 10
            timeoutSeconds: 2
          readinessProbe:
            httpGet:
              path: /readyz
              port: http
            periodSeconds: 5
            timeoutSeconds: 2
            failureThreshold: 2
`,
	`          # both ask the same, copied from the template
          livenessProbe:
            httpGet: {path: /healthz, port: 8080}
          readinessProbe:
            httpGet: {path: /healthz, port: 8080}
`,
	`          startupProbe:
            httpGet:
              path: /healthz
              port: http
              httpHeaders:
                - {name: X-Probe, value: startup}
            failureThreshold: 30
            periodSeconds: 10
          livenessProbe:
            tcpSocket:
              port: http
            periodSeconds: 20
            timeoutSeconds: 5
          readinessProbe:
            httpGet:
              path: /readyz?full=1
              port: http
            failureThreshold: 1
`,
	`          livenessProbe:
            exec:
              command:
                - /bin/sh
                - -c
                - wget -q -O /dev/null http://localhost:8080/healthz
            initialDelaySeconds: 30
            periodSeconds: 5
            timeoutSeconds: 10
`,
	`          readinessProbe:
            grpc:
              port: 8080
              service: orders.v1.Orders
            periodSeconds: 10
          livenessProbe:
            grpc: {port: 8080}
            periodSeconds: 10
            failureThreshold: 6
`,
	"          # no probes yet\n",
}

const sidecar = `        - name: proxy
          image: envoyproxy/envoy:v1.35.0
          ports:
            - containerPort: 15021
          readinessProbe:
            httpGet: {path: /ready, port: 15021}
            periodSeconds: 2
          resources:
            requests: {cpu: 10m, memory: 64Mi}
`

const service = `---
apiVersion: v1
kind: Service
metadata:
  name: app-%[1]d
  namespace: team-%[2]d
spec:
  selector:
    app.kubernetes.io/name: app-%[1]d
  ports:
    - name: http
      port: 80
      targetPort: http
`

const autoscaler = `---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: app-%[1]d
  namespace: team-%[2]d
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: app-%[1]d}
  minReplicas: 2
  maxReplicas: 12
  metrics:
    - type: Resource
      resource: {name: cpu, target: {type: Utilization, averageUtilization: 70}}
`

const budget = `---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: app-%[1]d
  namespace: team-%[2]d
spec:
  minAvailable: 1
  selector:
    matchLabels:
      app.kubernetes.io/name: app-%[1]d
`

const config = `---
apiVersion: v1
kind: ConfigMap
metadata:
  name: app-%[1]d
  namespace: team-%[2]d
data:
  features.yaml: |
    # read by the program at start
    checkout: true
    search: {enabled: false, host: search.internal}
`

// conftestPolicy asks of every workload what probelint's simplest rule asks.
const conftestPolicy = `package main

import rego.v1

deny contains msg if {
	some c in input.spec.template.spec.containers
	not c.readinessProbe
	msg := sprintf("%s/%s: container %s has no readiness probe", [input.kind, input.metadata.name, c.name])
}

deny contains msg if {
	some c in input.spec.template.spec.containers
	c.livenessProbe.httpGet.path == c.readinessProbe.httpGet.path
	msg := sprintf("%s/%s: container %s is alive when it is ready", [input.kind, input.metadata.name, c.name])
}
`
