package lsp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
)

var chart = map[string]string{
	"chart/Chart.yaml":  "apiVersion: v2\nname: shop\nversion: 0.1.0\n",
	"chart/values.yaml": "probe:\n  timeout: 1\n  period: 10\n",
	"chart/templates/deployment.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: {name: shop}
spec:
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      containers:
        - name: shop
          image: example.com/shop:1.0.0
          ports: [{containerPort: 8080}]
          readinessProbe:
            httpGet: {path: /ready, port: 8080}
            periodSeconds: {{ .Values.probe.period }}
            timeoutSeconds: {{ .Values.probe.timeout }}
`,
}

// Unsaved templates and values of a chart count as those on disk do.
func TestUnsavedCharts(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range chart {
		to := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e := openAt(t, root)
	const values, template = "chart/values.yaml", "chart/templates/deployment.yaml"
	says := func(rule string, line uint32) func([]protocol.Diagnostic) bool {
		return func(ds []protocol.Diagnostic) bool {
			for _, d := range ds {
				if string(d.Code.(protocol.String)) == rule && d.Range.Start.Line == line {
					return true
				}
			}
			return false
		}
	}
	const rule = "timeout-exceeds-period"
	silent := func(ds []protocol.Diagnostic) bool { return !strings.Contains(words(ds), rule) }
	e.open(template, chart[template])
	e.open(values, chart[values])
	e.change(values, 2, strings.Replace(chart[values], "timeout: 1", "timeout: 20", 1))
	e.await("a timeout of an unsaved values file", template, says(rule, 15))
	e.change(template, 2, "# a line in front\n"+chart[template])
	e.await("the same a line further down in an unsaved template", template, says(rule, 16))
	e.change(template, 3, strings.Replace(chart[template], "{{ .Values.probe.period }}", "30", 1))
	e.await("a longer period in an unsaved template", template, silent)
	e.change(template, 4, chart[template])
	e.await("the template as it is on disk", template, says(rule, 15))
	e.change(values, 3, chart[values])
	e.await("the values as they are on disk", template, silent)
}
