// Package reporttest holds the findings that every format is tested with: one of each kind that has broken a linter's
// output somewhere (STYLE.md section 4), and the comparison with golden files.
package reporttest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/report"
	"github.com/probelint/probelint/internal/source"
)

// checkout is the manifest of DESIGN.md's example.
const checkout = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: checkout
spec:
  replicas: 6
  selector:
    matchLabels: {app: checkout}
  template:
    metadata:
      labels:
        app: checkout
    spec:
      terminationGracePeriodSeconds: 30
      securityContext:
        runAsNonRoot: true
      # the api
      containers:
        - name: api
          image: registry.example.com/checkout:1.4.2
          livenessProbe:
            httpGet:
              path: /healthz
              port: http
            timeoutSeconds: 1
            periodSeconds: 10
            failureThreshold: 3
          readinessProbe:
            exec:
              command:
                - pg_isready
                - -h
                - db
`

var health = strings.Repeat("// a comment\n", 21) + `func (h *health) register(mux *http.ServeMux) {
	// the route
	mux.HandleFunc("/healthz", h.healthz)
}
` + strings.Repeat("\n", 11) + `func (h *health) healthz(w http.ResponseWriter, r *http.Request) {
	if err := h.db.PingContext(r.Context()); err != nil {
		http.Error(w, err.Error(), 503)
		return
	}
	fmt.Fprintln(w, "ok")
}
`

const (
	odd  = "containers:\n- name: 検査\n  image: \"e\u0301te\u0301\"\t# 日本語\n  ports: [{containerPort: 8080}, {containerPort: 9090}]\n"
	crlf = "kind: Pod\r\nspec:\r\n  containers:\r\n    - name: app\r\n      livenessProbe:\r\n        httpGet: {path: /, port: 80}\r\n        periodSeconds: 5\r\n"
	evil = "metadata:\n  name: \"a\x1b[31mb\u202ec\"\n"
)

// Files are the sources of Findings.
func Files() *source.Set {
	set := source.NewSet("/nowhere")
	long := `{"kind":"Pod","spec":{"containers":[` + strings.Repeat(`{"name":"filler","image":"x"},`, 12) +
		`{"name":"app","livenessProbe":{"failureThreshold":1}}` + strings.Repeat(`,{"name":"filler"}`, 12) + "]}}"
	for path, text := range map[string]string{
		"deploy/checkout.yaml": checkout, "internal/health/health.go": health, "odd.yaml": odd, "windows.yaml": crlf,
		"evil.yaml": evil, "min.json": long, "bad.yaml": "kind: Pod\nspec: [unclosed\n",
	} {
		set.Add(source.New(path, []byte(text)))
	}
	return set
}

// At is the span of the n-th occurrence (from 0) of text in a file of the set. It panics where there is none: a test that
// points nowhere proves nothing.
func At(set *source.Set, path, text string, n int) model.Span {
	f, err := set.Get(path)
	if err != nil {
		panic(err)
	}
	off := 0
	for i := 0; ; i++ {
		k := bytes.Index(f.Data[off:], []byte(text))
		if k < 0 {
			panic(fmt.Sprintf("%s: no occurrence %d of %q", path, n, text))
		}
		if i == n {
			return f.Span(off+k, off+k+len(text))
		}
		off += k + len(text)
	}
}

// Findings are the hard ones, in the order of an engine.
func Findings(set *source.Set) []lint.Finding {
	at := func(path, text string, n int) model.Span { return At(set, path, text, n) }
	const dep, oddFile = "deploy/checkout.yaml", "odd.yaml"
	probe := func(role model.Role, line int) lint.ProbeRef {
		return lint.ProbeRef{Workload: "Deployment/checkout", Container: "api", Role: role, File: dep, Line: line}
	}
	span := func(path, from, to string) model.Span {
		a, b := at(path, from, 0), at(path, to, 0)
		a.End = b.End
		return a
	}
	fs := []lint.Finding{
		{
			Rule: "unreadable-input", Level: lint.Error, Certainty: model.Proven, Title: "`bad.yaml` is no YAML: did not find `,` or `]`",
			Primary: lint.Label{Span: model.Span{File: "bad.yaml", Start: 26, End: 26, Line: 3}, Text: "the list is open here"},
		},
		{
			Rule: "liveness-checks-dependency", Level: lint.Error, Certainty: model.Proven,
			Title:   "liveness probe of `checkout` fails whenever PostgreSQL does",
			Primary: lint.Label{Span: at(dep, "/healthz", 0), Text: "the kubelet restarts container `api` when this fails"},
			Labels: []lint.Label{
				{Span: span(dep, "failureThreshold: 3", "failureThreshold: 3"), Text: "3 failures, 10s apart: restarted 20s to 31s into an outage"},
				{Span: at("internal/health/health.go", `"/healthz"`, 0), Text: "same path, served here on port 8080"},
				{Span: at("internal/health/health.go", "h.db.PingContext(r.Context())", 0), Text: "pings PostgreSQL on every probe", Strong: true},
			},
			Notes: []string{"a restart cannot repair the database; all 6 replicas restart together and start cold against a recovering server"},
			Help:  "keep `/healthz` about this process alone, and report PostgreSQL in the body of the readiness answer",
			Probes: []lint.ProbeRef{
				probe(model.Liveness, 21),
				{Workload: "Deployment/worker", Container: "worker", Role: model.Startup, File: "deploy/worker.yaml", Line: 30},
			},
		},
		{
			Rule: "multi-line", Level: lint.Warning, Certainty: model.Likely, Title: "two spans over several lines, one inside the other",
			Primary: lint.Label{Span: span(dep, "exec:", "- db\n"), Text: "the whole handler"},
			Labels: []lint.Label{
				{Span: span(dep, "command:", "- -h"), Text: "the first arguments"},
				{Span: at(dep, "pg_isready", 0), Text: "asks another host"},
			},
			Probes: []lint.ProbeRef{probe(model.Readiness, 28)},
		},
		{
			Rule: "control-characters", Level: lint.Warning, Certainty: model.Proven, Title: "name \x1b[31mred\x1b[0m of \u202ereversed",
			Primary: lint.Label{Span: at("evil.yaml", "\"a\x1b[31mb\u202ec\"", 0), Text: "label\x1b[2J"},
		},
		{
			Rule: "syntax-over-go", Level: lint.Info, Certainty: model.Guessed, Title: "a span over the whole handler",
			Primary: lint.Label{Span: span("internal/health/health.go", "func (h *health) healthz", "\"ok\")\n}"), Text: "all of it"},
			Labels:  []lint.Label{{Span: at("internal/health/health.go", "err.Error()", 0), Text: "within"}},
		},
		{
			Rule: "long-line", Level: lint.Error, Certainty: model.Proven, Title: "one failure in a minified file",
			Primary: lint.Label{Span: at("min.json", `"failureThreshold":1`, 0), Text: "one failure restarts it"},
			Probes:  []lint.ProbeRef{{Workload: "Pod/x", Container: "app", Role: model.Liveness, File: "min.json", Line: 1}},
		},
		{
			Rule: "no-place", Level: lint.Error, Certainty: model.Proven, Title: "a finding without a range",
		},
		{
			Rule: "wide-and-combining", Level: lint.Warning, Certainty: model.Proven, Title: "wide, combining and tab on one line",
			Primary: lint.Label{Span: at(oddFile, "\"e\u0301te\u0301\"", 0), Text: "four letters"},
			Labels: []lint.Label{
				{Span: at(oddFile, "検査", 0), Text: "two wide letters"},
				{Span: at(oddFile, "日本語", 0), Text: "behind a tab"},
				{Span: at(oddFile, "8080", 0), Text: "the first port"},
				{Span: at(oddFile, "9090", 0), Text: "the second port"},
				{Span: at(oddFile, "[{containerPort: 8080}, {containerPort: 9090}]", 0)},
			},
		},
		{
			Rule: "fixable", Level: lint.Warning, Certainty: model.Proven, Title: "`periodSeconds` with a fix, in a file with CRLF",
			Primary: lint.Label{Span: at("windows.yaml", "periodSeconds", 0), Text: "this key"},
			Labels:  []lint.Label{{Span: at("windows.yaml", "httpGet", 0), Text: "its handler"}},
			Fixes: []lint.Fix{{Title: "Set `periodSeconds` to 10", Safe: true, Edits: []lint.Edit{
				{Span: at("windows.yaml", "5", 0), Text: "10"},
			}}},
			Probes: []lint.ProbeRef{{Workload: "Pod/", Container: "app", Role: model.Liveness, File: "windows.yaml", Line: 5}},
		},
		{
			Rule: "gone", Level: lint.Warning, Certainty: model.Proven, Title: "a file that is no longer there",
			Primary: lint.Label{Span: model.Span{File: "gone.yaml", Start: 10, End: 12, Line: 2}, Text: "unseen"},
		},
		{
			Rule: "silenced", Level: lint.Error, Certainty: model.Proven, Title: "a finding that a comment silences",
			Primary:    lint.Label{Span: at(dep, "timeoutSeconds: 1", 0)},
			Suppressed: &lint.Suppression{Reason: "wanted"},
		},
	}
	for i := range fs {
		fs[i].Fingerprint = fmt.Sprintf("%064d", i)
	}
	return fs
}

// Input is a run with all of Findings shown, the suppressed one too.
func Input() *report.Input {
	set := Files()
	in := &report.Input{
		Findings: Findings(set), Show: lint.Info, Set: set,
		Limits: []model.Limit{
			{What: "module example.com/gone", Because: "not in the module cache", RulesOff: []string{"check-without-deadline", "cached-aggregate"}},
			{What: "charts/app", Because: "templates are not rendered"},
		},
		Summary: lint.Summary{Workloads: 14, Probes: 30, Packages: 9, Linked: 12, Unlinked: 2},
	}
	for _, f := range in.Findings {
		in.Summary.Count(f)
	}
	return in
}

// Few is Input with the findings of some rules alone.
func Few(rules ...string) *report.Input {
	in := Input()
	in.Findings = slices.DeleteFunc(in.Findings, func(f lint.Finding) bool { return !slices.Contains(rules, f.Rule) })
	return in
}
