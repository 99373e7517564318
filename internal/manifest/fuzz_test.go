package manifest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/probelint/probelint/internal/source"
)

// seeds are texts whose parts a fuzzer recombines.
func seeds() []string {
	return []string{
		podYAML, app("a", "prod"), withProbe("livenessProbe:\n  httpGet: {path: /é, port: http}\n  periodSeconds: \"5\"\n"),
		"a: &x {p: 1}\nb: {<<: *x}\napiVersion: v1\nkind: Pod\nspec: {containers: [{name: c, image: b, livenessProbe: &p {exec: {command: [a]}}, readinessProbe: *p}]}\n",
		"apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: c\n    image: |2-\n        x\n      y\n    command: >\n      a\n      b\n",
		`{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"name":"c","image":"b"}]}}]}`,
		"%YAML 1.1\n---\n? kind\n: Pod\n...\n--- # c\napiVersion: v1\nkind: ConfigMap\ndata: {}\n",
		"kind: Pod\r\napiVersion: v1\r\nspec: {containers: [{name: {{ .x }}, image: b}]}\r\n",
		"apiVersion: v1\nkind: Pod\nspec: {containers: [{name: c, image: b, lifecycle: {preStop: {exec: {command: [sh, -c, 'sleep 5']}}}, env: [{name: A, value: $(B)}]}]}\n",
		"\xef\xbb\xbfapiVersion: v1\nkind: Pod # \u2028 \u0085\nspec: {containers: [{name: c, image: b}]}",
		utf16LE(podYAML),
	}
}

// FuzzRead holds for any bytes: no panic (one would become a finding that says so), no span outside the text, lines that
// belong to their offsets, and a file that is accounted for.
func FuzzRead(f *testing.F) {
	for _, s := range seeds() {
		f.Add([]byte(s))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		set := source.NewSet(dir)
		begin := time.Now()
		r, err := Read(context.Background(), set, Options{Paths: []string{"-"}, Stdin: bytes.NewReader(data)})
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took > 20*time.Second {
			t.Errorf("%v for %d bytes", took, len(data))
		}
		if len(r.Files) != 1 {
			t.Fatalf("%d files", len(r.Files))
		}
		for _, fd := range r.Findings {
			if strings.Contains(fd.Title, "the reader stopped") || strings.Contains(fd.Title, "please report") {
				t.Fatal(fd.Title)
			}
		}
		if len(r.Workloads) == 0 {
			return
		}
		src, err := set.Get(StdinPath)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range r.Workloads {
			checkFields(t, src.Data, w.Fields)
			for _, c := range w.Containers {
				checkFields(t, src.Data, c.Fields)
				for _, p := range c.Probes {
					checkFields(t, src.Data, p.Fields)
					if p.Line != src.LineNumber(p.Span.Start) {
						t.Errorf("line %d of offset %d", p.Line, p.Span.Start)
					}
					for _, i := range p.Invalid {
						if i.Span.Start < 0 || i.Span.End > len(src.Data) || i.Span.Start > i.Span.End {
							t.Errorf("span %v of %d bytes", i.Span, len(src.Data))
						}
					}
				}
			}
		}
	})
}

// The real manifests that lie beside the repository, where they do: no panic, and every file accounted for.
func TestSharedManifests(t *testing.T) {
	for _, dir := range []string{"manifest-cases", "cases"} {
		root := filepath.Join("..", "..", "..", "shared", dir)
		if _, err := os.Stat(root); err != nil {
			t.Skipf("no shared manifests here: %v", err)
		}
		abs, err := filepath.Abs(root)
		if err != nil {
			t.Fatal(err)
		}
		r, set := readDir(t, abs)
		if len(r.Workloads) == 0 || len(r.Findings) > 0 {
			t.Errorf("%s: %d workloads, findings %v", dir, len(r.Workloads), describeFindings(t, r, set))
		}
		for _, w := range r.Workloads {
			src, err := set.Get(w.File)
			if err != nil {
				t.Fatal(err)
			}
			checkFields(t, src.Data, w.Fields)
			for _, c := range w.Containers {
				checkFields(t, src.Data, c.Fields)
				for _, p := range c.Probes {
					checkFields(t, src.Data, p.Fields)
				}
			}
		}
	}
}
