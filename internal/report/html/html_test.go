package html_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/report"
	"github.com/probelint/probelint/internal/report/html"
	"github.com/probelint/probelint/internal/report/reporttest"
	"github.com/probelint/probelint/internal/source"
)

func write(t testing.TB, in *report.Input) string {
	t.Helper()
	var b bytes.Buffer
	if err := html.Write(&b, in); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func ptr[T any](v T) *T { return &v }

// input is the hard run with a workload, so that timelines and coverage have something to show.
func input() *report.Input {
	in := reporttest.Input()
	in.Version = "v1.2.3"
	live := &model.Probe{
		Role: model.Liveness, Kind: model.HTTPGet, File: "deploy/checkout.yaml", Line: 21, Target: model.Target{Scheme: "HTTP", Path: "/healthz", Port: 8080},
		PeriodSeconds: 10, TimeoutSeconds: 1, FailureThreshold: 3, SuccessThreshold: 1,
		Endpoint: &model.Endpoint{Symbol: "(*health).healthz", File: "internal/health/health.go", Line: 37, Dependencies: []*model.Dependency{
			{Name: "PostgreSQL", Scope: model.External, Gates: true},
		}},
		Evidence: []model.Evidence{{Step: "program", Fact: "the only main package", File: "go.mod", Line: 1}, {Step: "route", Fact: "`/healthz` is registered"}},
	}
	ready := &model.Probe{Role: model.Readiness, Kind: model.TCPSocket, File: "deploy/checkout.yaml", Line: 28, Target: model.Target{Port: 8080}, PeriodSeconds: 5, TimeoutSeconds: 1, FailureThreshold: 2, SuccessThreshold: 1}
	unlinked := &model.Probe{Role: model.Startup, Kind: model.HTTPGet, File: "b.yaml", Line: 3, Reason: "not our <image>", PeriodSeconds: 5, TimeoutSeconds: 1, FailureThreshold: 2, SuccessThreshold: 1}
	in.Workloads = []*model.Workload{
		{
			Kind: "Deployment", Name: "checkout", File: "deploy/checkout.yaml", Line: 1, Replicas: ptr(6), TerminationGracePeriodSeconds: 30,
			Containers: []*model.Container{{Name: "api", Kind: model.Main, Probes: []*model.Probe{live, ready}}},
		},
		{Kind: "Job", Name: "x<y", File: "b.yaml", Line: 1, TerminationGracePeriodSeconds: 30, Containers: []*model.Container{{Name: "m", Kind: model.Main, Probes: []*model.Probe{unlinked}}, {Name: "n", Kind: model.Main}}},
	}
	return in
}

func TestGolden(t *testing.T) { reporttest.Golden(t, "all.html", []byte(write(t, input()))) }

// A page that anybody opens anywhere: nothing is loaded, one script runs, the one whose hash the policy names.
func TestNothingIsLoaded(t *testing.T) {
	page := write(t, input())
	for _, bad := range []string{"src=", "<link", "@import", "url(", "<iframe", "<img", "<object", "fetch(", "XMLHttpRequest", "onclick", "onload"} {
		if strings.Contains(page, bad) {
			t.Errorf("%s in the page", bad)
		}
	}
	scripts := regexp.MustCompile(`(?s)<script>(.*?)</script>`).FindAllStringSubmatch(page, -1)
	if len(scripts) != 1 {
		t.Fatalf("%d scripts", len(scripts))
	}
	sum := sha256.Sum256([]byte(scripts[0][1]))
	if hash := "&#39;sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "&#39;"; !strings.Contains(page, hash) && !strings.Contains(page, strings.ReplaceAll(hash, "+", "&#43;")) {
		t.Errorf("the policy does not name the script, whose hash is %s", hash)
	}
	for _, m := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if !strings.HasPrefix(m[1], "#") && !strings.HasPrefix(m[1], "https://github.com/probelint/probelint/") {
			t.Errorf("a link to %s", m[1])
		}
	}
}

// What a reader without a mouse, without a script or with a screen reader needs.
func TestAccessible(t *testing.T) {
	page := write(t, input())
	for _, want := range []string{`<html lang="en">`, "<main>", "<header>", "<footer>", "<nav ", `href="#findings"`, "<title>probelint: ", `aria-live="polite"`, `name="viewport"`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
	ids := map[string]int{}
	for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		ids[m[1]]++
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("the id %s is there %d times", id, n)
		}
	}
	for _, m := range regexp.MustCompile(`(?:href="#|aria-labelledby=")([^"]*)"`).FindAllStringSubmatch(page, -1) {
		for _, id := range strings.Fields(m[1]) {
			if ids[id] != 1 {
				t.Errorf("%s is nowhere", id)
			}
		}
	}
	if n, m := strings.Count(page, `role="img"`), strings.Count(page, "<desc "); n == 0 || n != m {
		t.Errorf("%d drawings, %d descriptions", n, m)
	}
	level := 0
	for _, m := range regexp.MustCompile(`<h([1-6])`).FindAllStringSubmatch(page, -1) {
		n, _ := strconv.Atoi(m[1])
		if n > level+1 {
			t.Errorf("a heading of level %d under one of level %d", n, level)
		}
		level = n
	}
	// Without a script the filter is hidden and every finding is shown.
	if !regexp.MustCompile(`<form id="filter"[^>]* hidden`).MatchString(page) || regexp.MustCompile(`<article[^>]* hidden`).MatchString(page) {
		t.Error("the page needs its script")
	}
}

// Every word of the sheet's schemes can be read: 4.5 to 1 on each ground that it stands on (WCAG 2.2, 1.4.3).
func TestContrast(t *testing.T) {
	page := write(t, input())
	schemes := regexp.MustCompile(`:root\{([^}]*)\}`).FindAllStringSubmatch(page, -1)
	if len(schemes) != 2 {
		t.Fatalf("%d schemes", len(schemes))
	}
	for i, s := range schemes {
		color := map[string]string{}
		for _, m := range regexp.MustCompile(`--([a-z]+):(#[0-9a-f]{6})`).FindAllStringSubmatch(s[1], -1) {
			color[m[1]] = m[2]
		}
		for _, pair := range []struct {
			text    []string
			grounds []string
		}{
			{[]string{"ink", "soft", "link", "error", "warning", "info"}, []string{"ground", "card"}},
			{[]string{"ink"}, []string{"strong", "weak"}},
		} {
			for _, text := range pair.text {
				for _, ground := range pair.grounds {
					if c := contrast(t, color[text], color[ground]); c < 4.5 {
						t.Errorf("scheme %d: %s on %s has a contrast of %.2f", i, text, ground, c)
					}
				}
			}
		}
	}
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	luminance := func(hex string) float64 {
		n, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		part := func(shift uint) float64 {
			v := float64(n>>shift&255) / 255
			if v <= 0.04045 {
				return v / 12.92
			}
			return math.Pow((v+0.055)/1.055, 2.4)
		}
		return 0.2126*part(16) + 0.7152*part(8) + 0.0722*part(0)
	}
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func TestNothingFound(t *testing.T) {
	page := write(t, &report.Input{Summary: lint.Summary{Workloads: 1}})
	for _, want := range []string{"no findings", "Nothing was found", "No container was read", "No probe was read"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(page, `id="filter"`) {
		t.Error("a filter of nothing")
	}
}

// What exceeds the page is counted in it.
func TestLargeRuns(t *testing.T) {
	in := &report.Input{Summary: lint.Summary{Errors: 600}}
	for i := range 600 {
		in.Findings = append(in.Findings, lint.Finding{Rule: "r", Level: lint.Error, Title: fmt.Sprintf("t%d.", i), Fingerprint: strconv.Itoa(i)})
	}
	for i := range 130 {
		in.Workloads = append(in.Workloads, &model.Workload{Kind: "Pod", Name: strconv.Itoa(i), Containers: []*model.Container{{Name: "c", Kind: model.Main}}})
	}
	page := write(t, in)
	if n := strings.Count(page, `data-level="error"`); n != 600 {
		t.Errorf("%d of 600 findings", n)
	}
	if !strings.Contains(page, "30 more containers are not drawn here") {
		t.Error("the page does not say what it leaves out")
	}
}

// Whatever the source and wherever the spans, a page is well-formed, keeps control characters out, and shows each label once.
func TestFramesOfAnything(t *testing.T) {
	pieces := []string{"a", "containers:", "- name: x", "  ", "\t", "\n", "\r\n", "検", "e\u0301", "\xff", "\x1b[31m", "\u202e", "<script>", "&amp;", "]]>", "`", strings.Repeat("x", 200)}
	rapid.Check(t, func(t *rapid.T) {
		data := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 60).Draw(t, "pieces"), "")
		set := source.NewSet("/nowhere")
		set.Add(source.New("a.yaml", []byte(data)))
		label := func(i int) lint.Label {
			at := rapid.IntRange(-2, len(data)+5).Draw(t, "start")
			return lint.Label{Span: model.Span{File: "a.yaml", Start: at, End: at + rapid.IntRange(-3, 300).Draw(t, "length"), Line: 1}, Text: "label" + string(rune('A'+i)), Strong: rapid.Bool().Draw(t, "strong")}
		}
		f := lint.Finding{Rule: "r", Level: lint.Error, Title: data[:min(len(data), 40)], Primary: label(0)}
		n := rapid.IntRange(0, 4).Draw(t, "labels")
		for i := range n {
			f.Labels = append(f.Labels, label(i+1))
		}
		var b bytes.Buffer
		if err := html.Write(&b, &report.Input{Findings: []lint.Finding{f}, Set: set}); err != nil {
			t.Fatal(err)
		}
		page := b.String()
		if i := strings.IndexFunc(page, func(r rune) bool { return r != '\n' && r != '\t' && report.Hostile(r) }); i >= 0 {
			t.Fatalf("hostile output %q", page[max(0, i-20):i+10])
		}
		for i := range n + 1 {
			if c := strings.Count(page, ">label"+string(rune('A'+i))+"<"); c != 1 {
				t.Fatalf("label %c is shown %d times", 'A'+i, c)
			}
		}
		article := page[strings.Index(page, "<article"):strings.Index(page, "</article>")] + "</article>"
		d := xml.NewDecoder(strings.NewReader(article))
		d.Entity = xml.HTMLEntity
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				t.Fatalf("%v in %s", err, article)
			}
		}
	})
}
