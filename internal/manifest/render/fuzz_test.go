package render

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/probelint/probelint/internal/manifest"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// Whatever a template, its values, a base and a patch hold: no panic, an end, every span inside of its file, and of what the
// marks led to nothing left in what is read.
func FuzzRender(f *testing.F) {
	names, _ := filepath.Glob("testdata/*.txtar")
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		var template, values, base, patch []byte
		for _, file := range a.Files {
			switch filepath.Base(file.Name) {
			case "deployment.yaml", "pod.yaml":
				template, base = file.Data, file.Data
			case "values.yaml":
				values = file.Data
			case "kustomization.yaml", "timeout.yaml":
				patch = file.Data
			}
		}
		f.Add(template, values, base, patch)
	}
	for _, t := range []string{
		"{{- range $i, $e := .Values.a }}\n{{ $e | quote | nindent 2 }}{{ else }}x{{ end }}", `{{ tpl (toYaml .Values.a) . }}`, "{ {{- .Values.a -}} }",
		`{{ with .Values.a }}{{ printf "%s-%v" .b .c | trunc 3 }}{{ end }}`, "{{ block \"x\" . }}a: {{ .Values.a }}\n{{ end }}", `{{ template "x" }}{{ define "x" }}{{ . }}{{ end }}`,
		"{{- if and .Values.on (eq .Values.k \"x\") (not .Values.o.p) }}\n" + podOf + "{{ else if dig \"e\" false .Values.a }}", "{{ define \"h\" }}{{ if .Values.on }}true{{ include \"h\" . }}{{ end }}{{ end }}{{ if include \"h\" . }}",
		"{{- $v := (.Values.o | default dict).p }}{{ if or $v (index .Values.a \"b\") (ne .Values.k 1) }}", `{{ .Capabilities.KubeVersion }} {{ .Files.Get "a" }} {{ lookup "v1" "Pod" "" "" }} {{ merge .Values.a (dict "b" 1) | toYaml }}`,
	} {
		f.Add([]byte(t+podOf), []byte("a: {b: c, d: [1, {e: f}]}\non: false\no: {p: true}\nk: z\n"), []byte(podOf), []byte("- {op: replace, path: /spec/containers/0/image, value: x}"))
	}
	f.Fuzz(func(t *testing.T, template, values, base, patch []byte) {
		root := t.TempDir()
		for name, data := range map[string][]byte{
			"c/Chart.yaml": []byte("apiVersion: v2\nname: c\nversion: 1.0.0\n"), "c/values.yaml": values, "c/templates/t.yaml": template,
			"k/kustomization.yaml": []byte("resources: [base.yaml]\npatches: [{path: patch.yaml, target: {kind: Pod}}]\n"), "k/base.yaml": base, "k/patch.yaml": patch,
			"r/kustomization.yaml": patch,
		} {
			name = filepath.Join(root, name)
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		set := source.NewSet(root)
		start := time.Now()
		res, err := manifest.Read(context.Background(), set, manifest.Options{Paths: []string{root}, Renderer: New(nil)})
		if err != nil {
			t.Fatal(err)
		}
		if d := time.Since(start); d > 3*mostTime {
			t.Errorf("took %s", d)
		}
		check := func(s model.Span) {
			f, err := set.Get(s.File)
			if err != nil {
				t.Fatalf("span %+v in no file: %v", s, err)
			}
			if s.Start < 0 || s.End < s.Start || s.End > len(f.Data) || f.LineNumber(s.Start) != s.Line {
				t.Fatalf("span %+v is not in its file of %d bytes", s, len(f.Data))
			}
		}
		for _, w := range res.Workloads {
			check(w.Span)
			for _, c := range w.Containers {
				check(c.Span)
				for _, at := range c.Fields {
					check(at.Key)
					check(at.Value)
				}
				for _, p := range c.Probes {
					check(p.Span)
					for _, at := range p.Fields {
						check(at.Key)
						check(at.Value)
					}
				}
			}
		}
		for _, f := range res.Findings {
			check(f.Primary.Span)
		}
	})
}
