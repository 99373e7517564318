package linttest

import (
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/linttest/want"
)

// once is a rule that reports one failure as the verdict.
var once = &lint.Rule{
	Name: "once", Level: lint.Error, Scope: lint.PerProbe, Sees: []lint.Sees{lint.Manifest},
	Check: func(p *lint.Pass) {
		if p.Probe.FailureThreshold == 1 {
			p.Report(lint.Finding{
				Title:   "one failure of `" + p.Workload.Name + "`",
				Primary: lint.Label{Span: p.Probe.Fields.Value("failureThreshold", p.Probe.Span), Text: "the verdict"},
				Labels:  []lint.Label{{Span: p.Probe.Span, Text: "this probe"}},
			})
		}
	},
}

const deploy = `-- deploy.yaml --
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop}
spec:
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      containers:
        - name: app
          image: shop
          livenessProbe: PROBE
            httpGet: {path: /, port: 80}
            failureThreshold: FAILURES
`

func faults(t *testing.T, comment, probe, failures string) []string {
	t.Helper()
	a := txtar.Parse([]byte(comment + "\n" + strings.NewReplacer("PROBE", probe, "FAILURES", failures).Replace(deploy)))
	wants, err := want.Parse(a)
	if err != nil {
		return []string{err.Error()}
	}
	res, err := lintFiles(t, once, a.Files, options{profile: "default"})
	if err != nil {
		t.Fatal(err)
	}
	return want.Compare(res, wants)
}

func TestCompare(t *testing.T) {
	for name, c := range map[string]struct {
		comment, probe, failures string
		want                     []string // a part of each fault
	}{
		"silent":            {failures: "3"},
		"met":               {failures: `1 # want error "^one failure of .shop.$"`},
		"met with labels":   {probe: `# want-label "this probe"`, failures: `1 # want error "" want-label "verdict"`},
		"met from comment":  {comment: `want deploy.yaml:14 error "one failure"`, failures: "1"},
		"label in comment":  {comment: `want-label deploy.yaml:12 "this probe"`, failures: `1 # want error ""`},
		"not wanted":        {failures: "1", want: []string{"nobody wants this finding; `want error \"one failure of `shop`\"` on deploy.yaml:14 would\nerror[once]: one failure"}},
		"not reported":      {failures: `3 # want error "x"`, want: []string{"not reported: deploy.yaml:14: want error \"x\"\nnothing was reported; no findings in 1 workload, 1 probe"}},
		"another level":     {failures: `1 # want info "one"`, want: []string{"this finding is not the wanted one\nwant  info \"one\"\ngot   error \"one failure of `shop`\""}},
		"another title":     {failures: `1 # want error "two"`, want: []string{"want  error \"two\""}},
		"another line":      {probe: `# want error ""`, failures: "1", want: []string{"nobody wants this finding", "not reported: deploy.yaml:12: want error \"\"\nreported:\n  deploy.yaml:14:31: error[once]"}},
		"label not there":   {failures: `1 # want error "" want-label "nothing"`, want: []string{`want-label "nothing"`}},
		"wanted twice":      {failures: `1 # want error "" error ""`, want: []string{"not reported"}},
		"no level":          {failures: `1 # want loud "x"`, want: []string{`"loud" is no level`}},
		"no expression":     {failures: `1 # want error x`, want: []string{"no quoted regular expression"}},
		"broken expression": {failures: `1 # want error "("`, want: []string{"missing closing )"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := faults(t, c.comment, c.probe, c.failures)
			if len(got) != len(c.want) {
				t.Fatalf("got %d faults, want %d:\n%s", len(got), len(c.want), strings.Join(got, "\n"))
			}
			for i, w := range c.want {
				if !strings.Contains(got[i], w) {
					t.Errorf("got  %s\nwant %s", got[i], w)
				}
			}
		})
	}
}

func TestOptions(t *testing.T) {
	if o, err := parseOptions([]byte("What it is about.\nprofile: strict\n")); err != nil || o.profile != "strict" {
		t.Errorf("got %+v, %v", o, err)
	}
	if _, err := parseOptions([]byte("profile: lax\n")); err == nil {
		t.Error("an unknown profile is taken")
	}
}

func TestAnArchiveStaysInItsFolder(t *testing.T) {
	if _, err := lintFiles(t, once, []txtar.File{{Name: "../x.yaml"}}, options{profile: "default"}); err == nil {
		t.Error("a file outside was written")
	}
}

func TestExamples(t *testing.T) {
	doc := "# r\n\nText.\n\n## Example\n\n```yaml\na: 1\n```\n\nand\n\n```yaml\nb: 2\n```\n\n```go\npackage main\n```\n\n```text\nno file\n```\n\n## Instead\n\n```rust\n```\n"
	files, err := examples(doc, "Example")
	if err != nil {
		t.Fatal(err)
	}
	got := string(txtar.Format(&txtar.Archive{Files: files}))
	if want := "-- deployment.yaml --\na: 1\n---\nb: 2\n-- main.go --\npackage main\n-- go.mod --\nmodule example.com/doc\n\ngo 1.26\n"; got != want {
		t.Errorf("got %s", got)
	}
	if _, err := examples(doc, "Instead"); err == nil {
		t.Error("a language that is not run is taken")
	}
	if _, err := examples(doc, "Limits"); err == nil {
		t.Error("a section without an example is taken")
	}
}

func TestStyle(t *testing.T) {
	page := "# a-rule\n\n## What it reports\n\nOne line.\n\n## Why it matters\n\nBecause.\n\n## Example\n\n```yaml\n## no heading! it should be code\n```\n\n## Instead\n\n```go\n```\n\n## Options\n\nNone, `must` is a name.\n\n## Limits\n\nNone.\n\n## References\n\n- https://example.com/may!\n"
	good := lint.Rule{Name: "a-rule", Level: lint.Info, Sees: []lint.Sees{lint.Go}, Check: func(*lint.Pass) {}, Doc: page}
	if got := Style(&good); len(got) != 0 {
		t.Errorf("faults in a good rule: %q", got)
	}
	for part, change := range map[string]func(*lint.Rule){
		"kebab-case":      func(r *lint.Rule) { r.Name = "aRule" },
		"41 letters":      func(r *lint.Rule) { r.Name = strings.Repeat("a", 41) },
		"no level":        func(r *lint.Rule) { r.Level = lint.Off },
		"sees nothing":    func(r *lint.Rule) { r.Sees = nil },
		"no check":        func(r *lint.Rule) { r.Check = nil },
		"itself":          func(r *lint.Rule) { r.Silences = []string{"a-rule"} },
		"has the heading": func(r *lint.Rule) { r.Doc = strings.Replace(page, "## Limits\n", "", 1) },
		"2 lines":         func(r *lint.Rule) { r.Doc = strings.Replace(page, "One line.", "One\nline.", 1) },
		"nothing stands":  func(r *lint.Rule) { r.Doc = strings.Replace(page, "Because.\n\n", "", 1) },
		`word "should"`:   func(r *lint.Rule) { r.Doc = strings.Replace(page, "Because.", "It should.", 1) },
		"exclamation":     func(r *lint.Rule) { r.Doc = strings.Replace(page, "Because.", "Because!", 1) },
		"pictogram":       func(r *lint.Rule) { r.Doc = strings.Replace(page, "Because.", "Because \u2728", 1) },
		"odd backticks":   func(r *lint.Rule) { r.Doc = strings.Replace(page, "Because.", "Because `it.", 1) },
		"begin with":      func(r *lint.Rule) { r.Doc = strings.TrimPrefix(page, "# a-rule\n") },
	} {
		r := good
		change(&r)
		if got := strings.Join(Style(&r), "\n"); !strings.Contains(got, part) {
			t.Errorf("%s: got %q", part, got)
		}
	}
}
