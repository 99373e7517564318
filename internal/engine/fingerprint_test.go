package engine

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

func prints(r *Result) map[string]string {
	m := map[string]string{}
	for _, f := range r.Findings {
		m[f.Fingerprint] = f.Title
	}
	return m
}

func onPath(p *lint.Pass) {
	if p.Probe.Role == model.Liveness {
		p.Report(lint.Finding{Title: p.Workload.Name, Primary: lint.Label{Span: p.Probe.Fields["httpGet.path"].Value}})
	}
}

// What a fingerprint is made of: each part changes it, and nothing else does.
func TestFingerprint(t *testing.T) {
	base := func() *model.Workload { return shop("a", 0) }
	of := func(name string, w *model.Workload) string {
		t.Helper()
		r := run(t, Options{Rules: []*lint.Rule{rule(name, lint.PerProbe, onPath)}}, w)
		if len(r.Findings) != 1 || len(r.Findings[0].Fingerprint) != 64 {
			t.Fatalf("findings %+v", r.Findings)
		}
		return r.Findings[0].Fingerprint
	}
	want := of("r", base())
	moved := shop("a", 5000)
	moved.File, moved.Containers[0].Probes[0].File = "elsewhere.yaml", "elsewhere.yaml"
	if of("r", moved) != want {
		t.Error("moving the object changes it")
	}
	for name, change := range map[string]func(*model.Workload){
		"name":      func(w *model.Workload) { w.Name = "b" },
		"namespace": func(w *model.Workload) { w.Namespace = "n" },
		"kind":      func(w *model.Workload) { w.Kind = "StatefulSet" },
		"group":     func(w *model.Workload) { w.APIVersion = "example.com/v1" },
		"container": func(w *model.Workload) { w.Containers[0].Name = "c" },
		"field": func(w *model.Workload) {
			f := w.Containers[0].Probes[0].Fields
			f["httpGet.port"] = f["httpGet.path"]
			delete(f, "httpGet.path")
			f["httpGet.path"] = model.Field{Value: f["httpGet.port"].Value}
			f["exec.command[0].x"] = f["httpGet.port"]
		},
	} {
		w := base()
		change(w)
		if of("r", w) == want {
			t.Errorf("another %s has the same fingerprint", name)
		}
	}
	if of("other", base()) == want {
		t.Error("another rule has the same fingerprint")
	}
	v2 := base()
	v2.APIVersion = "apps/v2"
	if of("r", v2) != want {
		t.Error("another version of the API changes it")
	}
}

func TestFingerprintsOfEqualsDiffer(t *testing.T) {
	r := run(t, Options{Rules: []*lint.Rule{rule("r", lint.PerWorkload, func(p *lint.Pass) {
		p.Report(lint.Finding{Title: "a", Cause: "1"})
		p.Report(lint.Finding{Title: "b", Cause: "2"})
	})}}, shop("a", 0))
	if len(prints(r)) != 2 {
		t.Errorf("got %v", prints(r))
	}
}

// One more manifest in front of a handler does not rename the handler's finding.
func TestFingerprintOfCodeIgnoresTheManifests(t *testing.T) {
	e := &model.Endpoint{Symbol: "(*h).healthz", Dependencies: []*model.Dependency{{Call: "Ping", Span: at("h.go", 50)}}}
	inCode := rule("r", lint.PerProbe, func(p *lint.Pass) {
		p.Report(lint.Finding{Title: "t", Primary: lint.Label{Span: at("h.go", 50)}})
	})
	of := func(names ...string) string {
		var ws []*model.Workload
		for i, n := range names {
			w := shop(n, i*1000)
			w.Containers[0].Probes[0].Endpoint, w.Containers[0].Probes[1].Endpoint = e, e
			ws = append(ws, w)
		}
		r := run(t, Options{Rules: []*lint.Rule{inCode}}, ws...)
		if len(r.Findings) != 1 {
			t.Fatalf("%d findings", len(r.Findings))
		}
		return r.Findings[0].Fingerprint
	}
	if of("a") != of("b", "a") {
		t.Error("it does")
	}
}
