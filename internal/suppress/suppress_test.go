package suppress_test

import (
	"strings"
	"testing"
	"time"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/manifest"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
	"github.com/probelint/probelint/internal/suppress"
)

func outline(f *source.File) suppress.Outline {
	var out suppress.Outline
	o := manifest.OutlineOf(f)
	for _, r := range o.Documents {
		out.Documents = append(out.Documents, suppress.Range(r))
	}
	for _, r := range o.Roots {
		out.Roots = append(out.Roots, suppress.Range(r))
	}
	for _, r := range o.Nodes {
		out.Nodes = append(out.Nodes, suppress.Range(r))
	}
	for _, r := range o.Text {
		out.Text = append(out.Text, suppress.Range(r))
	}
	return out
}

// In each text a finding of rule r is placed at every «name»; those whose name begins with a capital are silenced.
func TestScopes(t *testing.T) {
	for name, c := range map[string]struct{ file, text string }{
		"own line, the entry below": {"a.yaml", `
a:
  # probelint:ignore r -- why
  livenessProbe:
    «Kind»httpGet:
      path: «Path»/
    failureThreshold: «Last»1
  readinessProbe: «next»x
`},
		"own line above the first key of a mapping": {"a.yaml", `
probe:
  # probelint:ignore r -- why
  httpGet:
    path: «Path»/
  failureThreshold: «next»1
`},
		"own line, the item below": {"a.yaml", `
list:
# probelint:ignore r -- why
- name: «Name»a
  image: «Image»b
- name: «next»c
`},
		"own line behind blank lines and other comments": {"a.yaml", `
a: «before»1
# probelint:ignore r -- why

# another
b: «B»2
c: «c»3
`},
		"two comments on one entry": {"a.yaml", `
# probelint:ignore q -- why
# probelint:ignore r -- why
a: «A»1
`},
		"trailing, the entry of that line": {"a.yaml", `
livenessProbe: # probelint:ignore r -- why
  path: «Path»/
readinessProbe:
  path: «path»/ # probelint:ignore q -- why
  port: «Port»1 # probelint:ignore r -- why
`},
		"trailing, the item of that line": {"a.yaml", `
list:
  - name: «Name»a # probelint:ignore r -- why
    image: «Image»b
  - name: «next»c
`},
		"flow map, trailing": {"a.yaml", `
a: {b: «B»1, c: {d: «D»2}} # probelint:ignore r -- why
e: {f: «f»3}
`},
		"flow map over lines, inside": {"a.yaml", `
a: {
  b: «B»1, # probelint:ignore r -- why
  # probelint:ignore r -- why
  c: {d: «D»2},
  e: «e»3
}
`},
		"flow map over lines, behind it": {"a.yaml", `
a: {b: «B»1,
  c: «C»2
} # probelint:ignore r -- why
d: «d»3
`},
		"nothing inside a block scalar": {"a.yaml", `
script: |
  # probelint:ignore r -- why
  echo
other: «other»1
folded: >-
  text
  # probelint:ignore r -- why

    more
last: «last»1
`},
		"the head of a block scalar": {"a.yaml", `
script: | # probelint:ignore r -- why
  «Inside»echo
other: «other»1
`},
		"behind a block scalar": {"a.yaml", `
a:
  script: |
    echo
  # probelint:ignore r -- why
  next: «Next»1
`},
		"nothing inside quotes": {"a.yaml", `
a: "x # probelint:ignore r -- why"
b: 'y # probelint:ignore r -- why'
c: «c»1
`},
		"no comment without a blank": {"a.yaml", `
a: x#probelint:ignore r -- why
b: «b»1
`},
		"above the first key: the document": {"a.yaml", `
# probelint:ignore r -- why
a: «A»1
b: «B»1
---
a: «a»1
`},
		"ignore-file: the document": {"a.yaml", `
a: «a»1
---
# probelint:ignore-file r -- why
a: «A»1
b: «B»1
---
a: «aa»1
`},
		"ignore-file below the head": {"a.yaml", `
a: «a»1
# probelint:ignore-file r -- why
b: «b»1
`},
		"anchors and merges": {"a.yaml", `
base: &x
  # probelint:ignore r -- why
  p: «P»1
  q: «q»1
use:
  <<: *x
  # probelint:ignore r -- why
  s: «S»1
`},
		"template, by indentation": {"a.yaml", `
{{- if .Values.x }}
spec:
  containers:
    - name: {{ .Chart.Name }}
      # probelint:ignore r -- why
      livenessProbe:
        httpGet:
          path: «Path»{{ .Values.path }}
        {{- with .Values.y }}
        failureThreshold: «Threshold»{{ . }}
        {{- end }}
      readinessProbe: «next»{{ toYaml .Values.z }}
{{- end }}
`},
		"template, its own comment": {"a.yaml", `
spec:
  x: «x»{{ .Values.x }}
  {{- /* probelint:ignore r -- why */}}
  y:
    z: «Z»{{ .Values.z }}
  v: «V»1 {{/* probelint:ignore r -- why */ -}}
  w: «w»{{ .Values.w }}
`},
		"template, trailing, list at the key's indentation": {"a.yaml", `
containers: # probelint:ignore r -- why
- name: «Name»{{ .Values.x }}
  image: «Image»b
volumes:
- name: «next»v
`},
		"template, block scalar": {"a.yaml", `
x: {{ .Values.x }}
script: |
  # probelint:ignore r -- why
  echo
other: «other»1
`},
		"go, own line": {"a.go", `
package p

func f() {
	//probelint:ignore r -- why
	if «Cond»x {
		«Body»y()
	}
	«next»z()
}
`},
		"go, trailing": {"a.go", `
package p

func f() {
	if «Cond»x { //probelint:ignore r -- why
		«Body»y()
	}
	«next»z()
	w(
		«Arg»1, //probelint:ignore r -- why
	)
}
`},
		"go, a declaration": {"a.go", `
package p

// f does it.
//
//probelint:ignore r -- why
func f() {
	«Body»y()
}

func g() { «next»y() }
`},
		"go, one of a group": {"a.go", `
package p

var (
	a = «a»1
	//probelint:ignore r -- why
	b = «B»2
	c = «c»3 // text
)

type t struct {
	«x»x int
	//probelint:ignore r -- why
	«Y»y int
}
`},
		"go, at the end of a block": {"a.go", `
package p

func f() {
	«before»y()
	//probelint:ignore r -- why
}

func g() { «next»y() }
`},
		"go, the file": {"a.go", `
//probelint:ignore-file r -- why
package p

func f() { «Body»y() }
`},
		"go, nolint": {"a.go", `
package p

func f() {
	«Y»y() //nolint:errcheck,probelint // why
	«z»z() //nolint:errcheck // why
	«w»w() //nolint // why
}
`},
		"go, nothing inside strings": {"a.go", "\npackage p\n\nvar s = `\n//probelint:ignore r -- why\n`\n\nvar t = «t»1\n"},
		"dockerfile": {"Dockerfile", `
FROM x
# probelint:ignore r -- why
HEALTHCHECK --interval=5s \
  CMD «Cmd»true
RUN «run»x
`},
	} {
		for _, end := range []string{"\n", "\r\n"} {
			t.Run(name, func(t *testing.T) {
				text, marks := cut(strings.ReplaceAll(strings.TrimPrefix(c.text, "\n"), "\n", end))
				f := source.New(c.file, []byte(text))
				x := suppress.New(time.Time{})
				switch {
				case strings.HasSuffix(c.file, ".go"):
					x.AddGo(f)
				case c.file == "Dockerfile":
					x.AddDockerfile(f)
				default:
					x.AddYAML(f, outline(f))
				}
				for mark, at := range marks {
					got := x.Match(&lint.Finding{Rule: "r", Primary: lint.Label{Span: f.Span(at, at+1)}}, nil)
					if want := mark[0] >= 'A' && mark[0] <= 'Z'; (got != nil) != want {
						t.Errorf("%s: silenced %v, want %v", mark, got != nil, want)
					} else if got != nil && got.Reason != "why" {
						t.Errorf("%s: reason %q", mark, got.Reason)
					}
				}
			})
		}
	}
}

// cut takes the marks out of a text and returns where they stood.
func cut(s string) (string, map[string]int) {
	var b strings.Builder
	marks := map[string]int{}
	for {
		before, rest, ok := strings.Cut(s, "«")
		b.WriteString(before)
		if !ok {
			return b.String(), marks
		}
		name, after, _ := strings.Cut(rest, "»")
		marks[name] = b.Len()
		s = after
	}
}

// A comment at any place that a finding shows silences it.
func TestAnyPlace(t *testing.T) {
	f := source.New("a.yaml", []byte("a: 1\nb: 2 # probelint:ignore r, q until=2026-11-30 -- why: because\n"))
	x := suppress.New(time.Date(2026, 11, 30, 23, 0, 0, 0, time.UTC))
	x.AddYAML(f, outline(f))
	finding := &lint.Finding{Rule: "q", Primary: lint.Label{Span: f.Span(0, 1)}, Labels: []lint.Label{{Span: f.Span(8, 9)}}}
	s := x.Match(finding, nil)
	if s == nil || s.Reason != "why: because" || s.Span.Line != 2 {
		t.Fatalf("got %+v", s)
	}
	if x.Match(&lint.Finding{Rule: "q", Primary: lint.Label{Span: f.Span(0, 1)}}, nil) != nil {
		t.Error("the other entry is silent too")
	}
	if x.Match(&lint.Finding{Rule: "p", Primary: lint.Label{Span: f.Span(8, 9)}}, nil) != nil {
		t.Error("another rule is silent too")
	}
	later := suppress.New(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC))
	later.AddYAML(f, outline(f))
	if later.Match(finding, nil) != nil {
		t.Error("it holds for ever")
	}
}

// An annotation silences the findings of its own workload.
func TestAnnotation(t *testing.T) {
	one := &model.Workload{Kind: "Deployment", Name: "one", Span: model.Span{File: "a.yaml"}, Annotations: map[string]string{
		"ignore.probelint.dev/r": "why", "ignore.probelint.dev/s": "until=2020-01-01 -- why", "ignore.probelint.dev/q": "",
	}}
	two := &model.Workload{Kind: "Deployment", Name: "two"}
	x := suppress.New(time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC))
	x.AddWorkload(one, func(string) *source.File { return nil })
	for _, c := range []struct {
		rule string
		w    *model.Workload
		want bool
	}{{"r", one, true}, {"r", two, false}, {"q", one, false}, {"s", one, false}} {
		if got := x.Match(&lint.Finding{Rule: c.rule, Primary: lint.Label{Span: one.Span}}, c.w); (got != nil) != c.want {
			t.Errorf("%s on %s: %+v", c.rule, c.w.Name, got)
		}
	}
}
