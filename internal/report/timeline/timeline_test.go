package timeline_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/report/reporttest"
	"github.com/probelint/probelint/internal/report/timeline"
)

func ptr[T any](v T) *T { return &v }

func probe(role model.Role, period, timeout, failures int) *model.Probe {
	return &model.Probe{
		Role: role, Kind: model.HTTPGet, Target: model.Target{Path: "/healthz", Port: 8080},
		PeriodSeconds: period, TimeoutSeconds: timeout, FailureThreshold: failures, SuccessThreshold: 1,
	}
}

// workloads are one of each kind of drawing: all probes with a shared dependency, one probe that never counts, timings that are
// not known, nothing at all.
func workloads() []*model.Workload {
	db := func(deadline float64) *model.Dependency {
		return &model.Dependency{Name: "PostgreSQL", Kind: "database", Scope: model.External, Gates: true, Deadline: &model.Deadline{Seconds: deadline, Known: deadline > 0}}
	}
	live, ready, start := probe(model.Liveness, 10, 1, 3), probe(model.Readiness, 5, 10, 2), probe(model.Startup, 5, 3, 24)
	live.Endpoint = &model.Endpoint{Dependencies: []*model.Dependency{db(0), db(0), {Name: "Redis", Scope: model.External}, {Name: "disk", Scope: model.FileSys, Gates: true}}}
	ready.Endpoint = &model.Endpoint{Cache: &model.Cache{Known: true, Seconds: 15}, Dependencies: []*model.Dependency{db(2)}}
	ready.SuccessThreshold, ready.InitialDelaySeconds = 2, 5
	live.TerminationGracePeriodSeconds = ptr(int64(10))
	live.Program = &model.Program{Shutdown: &model.Shutdown{Wait: ptr(1.0), Timeout: ptr(28.0)}}
	named := probe(model.Liveness, 10, 1, 3)
	named.Target = model.Target{PortName: "web"}
	unknown := probe(model.Readiness, 10, 1, 3)
	unknown.Unknown = []string{"periodSeconds"}
	only := probe(model.Readiness, 10, 1, 3)
	only.Endpoint = &model.Endpoint{Dependencies: []*model.Dependency{db(0)}}
	return []*model.Workload{
		{
			Kind: "Deployment", Name: "checkout", File: "deploy/checkout.yaml", Line: 1, Replicas: ptr(6), TerminationGracePeriodSeconds: 30,
			Services: []*model.Service{{Name: "checkout"}}, Ingresses: []*model.Ingress{{Kind: "Ingress", Name: "shop"}},
			Containers: []*model.Container{
				{Name: "api", Kind: model.Main, PreStop: &model.PreStop{Seconds: ptr(3.0)}, Probes: []*model.Probe{live, ready, start}},
				{Name: "migrate", Kind: model.Init},
				{Name: "proxy", Kind: model.Sidecar, PreStop: &model.PreStop{Kind: "exec"}},
			},
		},
		{
			Kind: "StatefulSet", Name: "e\u202evil", File: "b.yaml", Line: 9, TerminationGracePeriodSeconds: 1,
			Containers: []*model.Container{
				{Name: "a", Kind: model.Main, Probes: []*model.Probe{named, unknown}},
				{Name: "b", Kind: model.Main, Probes: []*model.Probe{only, {Role: model.Liveness}}},
			},
		},
	}
}

func TestGolden(t *testing.T) {
	doc := timeline.Build(workloads())
	for name, write := range map[string]func(io.Writer) error{
		"all.txt":    func(w io.Writer) error { return timeline.WriteText(w, doc, 0) },
		"narrow.txt": func(w io.Writer) error { return timeline.WriteText(w, doc, 60) },
		"all.svg":    func(w io.Writer) error { return timeline.WriteSVG(w, doc) },
		"all.html":   func(w io.Writer) error { return timeline.WriteHTML(w, doc) },
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := write(&b); err != nil {
				t.Fatal(err)
			}
			reporttest.Golden(t, name, b.Bytes())
			if strings.Contains(b.String(), "\u202e") {
				t.Error("a mark that reorders text reaches the reader")
			}
			if err := write(failing{}); !errors.Is(err, errFull) {
				t.Errorf("a full disk gives %v", err)
			}
		})
	}
}

// A page loads nothing and runs nothing.
func TestPageLoadsNothing(t *testing.T) {
	var b bytes.Buffer
	if err := timeline.WriteHTML(&b, timeline.Build(workloads())); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script", "<link", "src=", "href=", "@import", "url("} {
		if strings.Contains(b.String(), bad) {
			t.Errorf("%s in the page", bad)
		}
	}
}

func TestNothing(t *testing.T) {
	var b bytes.Buffer
	if err := timeline.WriteText(&b, timeline.Build(nil), 0); err != nil || b.Len() > 0 {
		t.Errorf("%v %q", err, b.String())
	}
}

// Whatever the timings are: the drawing is well formed, no part lies outside of its scale, no line of the text is wider than the
// terminal, and the scale has no more numbers than room.
func TestDrawingsOfAnything(t *testing.T) {
	number := rapid.OneOf(rapid.IntRange(-1, 60), rapid.IntRange(0, 1<<31-1))
	rapid.Check(t, func(t *rapid.T) {
		draw := func(role model.Role) *model.Probe {
			p := probe(role, number.Draw(t, "period"), number.Draw(t, "timeout"), number.Draw(t, "failures"))
			p.InitialDelaySeconds = number.Draw(t, "delay")
			return p
		}
		w := &model.Workload{
			Kind: "Deployment", Name: "x", File: "a.yaml", Replicas: ptr(number.Draw(t, "replicas")), TerminationGracePeriodSeconds: int64(number.Draw(t, "grace")),
			Containers: []*model.Container{{Name: "c", Kind: model.Main, Probes: []*model.Probe{draw(model.Liveness), draw(model.Readiness)}}},
		}
		w.Containers[0].PreStop = &model.PreStop{Seconds: ptr(float64(number.Draw(t, "hook")))}
		w.Containers[0].Probes[1].Endpoint = &model.Endpoint{Dependencies: []*model.Dependency{{Name: "Redis", Scope: model.External, Gates: true}}}
		doc := timeline.Build([]*model.Workload{w})
		var text, svg bytes.Buffer
		if err := timeline.WriteText(&text, doc, 72); err != nil {
			t.Fatal(err)
		}
		for _, l := range strings.Split(text.String(), "\n") {
			if len(l) > 80 && strings.HasPrefix(l, "   ") { // headings are whole; the last number of a scale may stand out a little
				t.Fatalf("%d columns: %q", len(l), l)
			}
		}
		if err := timeline.WriteSVG(&svg, doc); err != nil {
			t.Fatal(err)
		}
		d := xml.NewDecoder(&svg)
		for {
			tok, err := d.Token()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if e, ok := tok.(xml.StartElement); ok {
				for _, a := range e.Attr {
					if strings.HasPrefix(a.Value, "-") || strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
						t.Fatalf("%s %s=%q", e.Name.Local, a.Name.Local, a.Value)
					}
				}
			}
		}
	})
}

func TestTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.OneOf(rapid.Float64Range(1, 100), rapid.Float64Range(1, 1e12)).Draw(t, "limit")
		n := rapid.IntRange(0, 12).Draw(t, "n")
		ticks := timeline.Ticks(limit, n)
		if len(ticks) > max(1, n)+1 || ticks[0] != 0 || ticks[len(ticks)-1] > limit {
			t.Fatalf("%v up to %v", ticks, limit)
		}
	})
}

var errFull = errors.New("no space left")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFull }

func BenchmarkTimeline(b *testing.B) {
	ws := workloads()
	for b.Loop() {
		doc := timeline.Build(ws)
		if err := timeline.WriteText(io.Discard, doc, 0); err != nil {
			b.Fatal(err)
		}
		if err := timeline.WriteSVG(io.Discard, doc); err != nil {
			b.Fatal(err)
		}
	}
}
