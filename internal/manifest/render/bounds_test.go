package render

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

const podOf = "\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: b}]}\n"

// Templates that would run for ever or fill the memory end with a finding, soon.
func TestBounds(t *testing.T) {
	bombs := map[string]string{
		"list":        `{{ range until 2000000000 }}x{{ end }}`,
		"sequence":    `{{ seq 1 2000000000 }}`,
		"text":        `{{ repeat 2000000000 "x" }}`,
		"indent":      `{{ indent 2000000000 "x" }}`,
		"replace":     `{{ $a := repeat 1000000 "a" }}{{ replace "a" $a $a }}`,
		"doubling":    `{{ $x := "xxxxxxxx" }}{{ range until 64 }}{{ $x = printf "%s%s" $x $x }}{{ end }}{{ $x }}`,
		"graph":       `{{ $d := dict }}{{ range until 64 }}{{ $d = dict "a" $d "b" $d }}{{ end }}{{ toYaml $d }}`,
		"printed":     `{{ $d := dict }}{{ range until 64 }}{{ $d = dict "a" $d "b" $d }}{{ end }}{{ $d }}`,
		"circle":      `{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ toJson $d }}`,
		"recursion":   `{{ define "a" }}{{ include "a" . }}{{ include "a" . }}{{ end }}{{ include "a" . }}`,
		"templates":   `{{ define "a" }}{{ template "a" . }}{{ end }}{{ template "a" . }}`,
		"tree":        callTree(40),
		"loops":       `{{ $l := until 10000 }}{{ range $l }}{{ range $l }}{{ range $l }}x{{ end }}{{ end }}{{ end }}`,
		"number":      `{{ range 2000000000 }}{{ end }}`,
		"tpl":         `{{ define "a" }}{{ tpl "{{ include \"a\" . }}" . }}{{ end }}{{ include "a" . }}`,
		"pattern":     `{{ regexReplaceAll "" (repeat 1000000 "a") (repeat 100 "b") }}`,
		"groups":      `{{ regexReplaceAll "(.*)" (repeat 1000000 "a") (repeat 100 "$1") }}`,
		"certificate": `{{ range until 2000 }}{{ $c := genCA "x" 365 }}{{ end }}`,
	}
	for name, bomb := range bombs {
		t.Run(name, func(t *testing.T) {
			root := layOut(t, txtar.Parse([]byte("-- c/Chart.yaml --\napiVersion: v2\nname: c\nversion: 1.0.0\n-- c/templates/p.yaml --\n"+bomb+podOf)))
			start := time.Now()
			got := read(t, root, nil)
			if d := time.Since(start); d > 2*mostTime {
				t.Errorf("took %s", d)
			}
			if name != "certificate" && !strings.Contains(got, "does not render") {
				t.Errorf("no finding:\n%s", got)
			}
		})
	}
}

// A long text with a pattern that matches little is none.
func TestLongTextIsNoBomb(t *testing.T) {
	root := layOut(t, txtar.Parse([]byte("-- c/Chart.yaml --\napiVersion: v2\nname: c\nversion: 1.0.0\n-- c/templates/p.yaml --\n"+
		`{{ $_ := regexReplaceAll "b" (repeat 700000 "a") "a replacement of some length ${0}" }}`+podOf)))
	if got := read(t, root, nil); !strings.Contains(got, "Pod/p by") {
		t.Errorf("not rendered:\n%s", got)
	}
}

// callTree is a template that calls itself twice on every level.
func callTree(depth int) string {
	var b strings.Builder
	b.WriteString(`{{ define "t0" }}x{{ end }}`)
	for i := 1; i <= depth; i++ {
		prev := "t" + itoa(i-1)
		b.WriteString(`{{ define "t` + itoa(i) + `" }}{{ template "` + prev + `" }}{{ template "` + prev + `" . }}{{ end }}`)
	}
	return b.String() + `{{ template "t` + itoa(depth) + `" . }}`
}

func itoa(i int) string { return string(rune('0'+i/10)) + string(rune('0'+i%10)) }

// Nothing is fetched, however a kustomization names it, and nothing outside of the root is read.
func TestNoNetwork(t *testing.T) {
	asked := make(chan string, 100)
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.URL.Path }))
	defer srv.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			asked <- "connection"
			c.Close()
		}
	}()
	u := srv.URL
	root := layOut(t, txtar.Parse([]byte(`
-- pod.yaml --`+podOf+`
-- kustomization.yaml --
resources:
  - pod.yaml
  - `+u+`/resource.yaml
  - `+u+`/repo.git
  - git::`+u+`/repo
  - `+u+`//deploy?ref=main
  - git@`+l.Addr().String()+`:owner/repo
  - ../outside.yaml
components: ["`+u+`/component?ref=1"]
crds: ["`+u+`/crd"]
configurations: ["`+u+`/configuration"]
openapi: {path: "`+u+`/openapi"}
patchesStrategicMerge: ["`+u+`/strategic"]
patchesJson6902: [{path: "`+u+`/json", target: {version: v1, kind: Pod, name: p}}]
patches: [{path: "`+u+`/patch"}]
replacements: [{path: "`+u+`/replacement"}]
generators:
  - |-
    apiVersion: builtin
    kind: ConfigMapGenerator
    metadata: {name: g}
    files: ["`+u+`/generated"]
transformers:
  - |-
    apiVersion: builtin
    kind: PatchTransformer
    metadata: {name: t}
    path: "`+u+`/transformed"
configMapGenerator: [{name: m, files: ["a=`+u+`/file"], envs: ["`+u+`/env"]}]
helmCharts: [{name: c, repo: "`+u+`/charts"}]
`)))
	if err := os.WriteFile(filepath.Join(filepath.Dir(root), "outside.yaml"), []byte(strings.ReplaceAll(podOf, "name: p}", "name: outside}")), 0o600); err != nil {
		t.Fatal(err)
	}
	got := read(t, root, nil)
	if !strings.Contains(got, `Pod/p by "kustomize"`) || strings.Contains(got, "Pod/outside") {
		t.Errorf("the local part is not built, or more than that:\n%s", got)
	}
	select {
	case what := <-asked:
		t.Errorf("asked for %s", what)
	default:
	}
}

// What has no fixed value has one here, and a mark is no part of any text.
func TestMarks(t *testing.T) {
	for _, id := range []int{0, 1, 1023, 1024, 1 << 20, markMost - 1} {
		text := "a" + markOf(id) + "b"
		plain, marks := unmark(text)
		if plain != "ab" || len(marks) != 1 || marks[0] != (placed{1, id}) {
			t.Errorf("mark %d: %q, %v", id, plain, marks)
		}
	}
	odd := "\U000F0000\U000F0100x\xf3\xb0"
	if plain, marks := unmark(odd); plain != odd || len(marks) != 0 {
		t.Errorf("half a mark: %q, %v", plain, marks)
	}
}
