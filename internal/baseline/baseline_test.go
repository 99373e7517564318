package baseline_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/probelint/probelint/internal/baseline"
	"github.com/probelint/probelint/internal/engine"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules"
)

func finding(rule string, id ...string) lint.Finding { return lint.Finding{Rule: rule, Identity: id} }

func TestSubtract(t *testing.T) {
	known := []lint.Finding{finding("a", "x"), finding("a", "x"), finding("b", "y"), finding("unreadable-input", "z")}
	b := baseline.From(append(known, lint.Finding{Rule: "c", Identity: []string{"q"}, Suppressed: &lint.Suppression{}}))
	if b.Count() != 3 || len(b.Entries) != 2 {
		t.Fatalf("got %+v", b)
	}
	fresh, n, stale := b.Subtract([]lint.Finding{finding("a", "x"), finding("a", "x"), finding("a", "x"), finding("c", "q"), finding("unreadable-input", "z")})
	if n != 2 || len(fresh) != 3 || len(stale) != 1 || stale[0].Rule != "b" {
		t.Errorf("fresh %+v, known %d, stale %+v", fresh, n, stale)
	}
	kept, gone, unjudged := b.Prune([]lint.Finding{finding("a", "x"), finding("c", "q")}, func(baseline.Entry) bool { return true })
	if gone != 2 || kept.Count() != 1 || kept.Entries[0].Rule != "a" || len(unjudged) != 0 {
		t.Errorf("gone %d, kept %+v, not judged %+v", gone, kept, unjudged)
	}
	kept, gone, unjudged = b.Prune(nil, func(e baseline.Entry) bool { return e.Rule == "b" && e.Object == "y" && e.Where == "" })
	if gone != 1 || kept.Count() != 2 || kept.Entries[0].Rule != "a" || baseline.Sum(unjudged) != 2 {
		t.Errorf("gone %d, kept %+v, not judged %+v", gone, kept, unjudged)
	}
}

// What is written is read again, and a file that is not one is refused.
func TestText(t *testing.T) {
	b := baseline.From([]lint.Finding{
		finding("b", lint.ObjectIdentity(&model.Workload{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "n", Name: "a<b>"}, "container", "api", "livenessProbe", "")...),
		finding("a", "go", "main.f", "call"), finding("a", "go", "main.f", "call"), finding("a", "file", "x.yaml"), finding("a"),
	})
	b.Code = true
	text := string(b.Text())
	for _, want := range []string{
		`{"version":1,"code":true,"findings":[` + "\n", `"object":"main.f","where":"call","count":2,`, `"object":"Deployment/n/a<b>","where":"container api livenessProbe","count":1`, "\n]}\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	again, err := baseline.Parse([]byte(text))
	if err != nil || !again.Code || string(again.Text()) != text {
		t.Errorf("%v\n%s", err, again.Text())
	}
	if lines := strings.Count(text, "\n"); lines != 6 {
		t.Errorf("%d lines for 4 entries", lines)
	}
	for _, bad := range []string{"", "[]", "{}", `{"version":2,"findings":[]}`, `{"version":1,"findings":[{"rule":"a"}]}`, text + "x", `{"version":1,"lines":[]}`} {
		if _, err := baseline.Parse([]byte(bad)); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	if empty, err := baseline.Parse((&baseline.Baseline{}).Text()); err != nil || empty.Count() != 0 {
		t.Errorf("empty: %v", err)
	}
}

// shape is one way to write the same two objects.
type shape struct {
	file, comment, gap string
	flow, quotes, swap bool
	indent             int
	before             bool // an object that is right stands before them
}

func (s shape) text() string {
	pad := func(n int) string { return strings.Repeat(" ", n*s.indent) }
	q := func(v string) string {
		if s.quotes {
			return `"` + v + `"`
		}
		return v
	}
	object := func(name string) string {
		probe := fmt.Sprintf("%slivenessProbe:%s\n%shttpGet: {path: %s, port: 8080}\n%s%sfailureThreshold: 1\n", pad(5), s.comment, pad(6), q("/"), s.gap, pad(6))
		if s.flow {
			probe = fmt.Sprintf("%slivenessProbe: {failureThreshold: 1, httpGet: {port: 8080, path: %s}}%s\n%s", pad(5), q("/"), s.comment, s.gap)
		}
		ready := pad(5) + "readinessProbe: {httpGet: {path: /, port: 8080}}\n"
		if s.swap {
			probe, ready = ready, probe
		}
		return "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n" + pad(1) + "name: " + q(name) + "\nspec:\n" +
			pad(1) + "selector: {matchLabels: {app: " + name + "}}\n" + s.gap +
			pad(1) + "template:\n" + pad(2) + "metadata: {labels: {app: " + name + "}}\n" + pad(2) + "spec:\n" +
			pad(3) + "containers:\n" + pad(3) + "-" + strings.Repeat(" ", 2*s.indent-1) + "name: api\n" + pad(5) + "image: " + q("registry.example.com/x:1") + "\n" + probe + ready
	}
	a, b := object("one"), object("two")
	if s.swap {
		a, b = b, a
	}
	text := a + "---\n" + s.gap + b
	if s.before {
		text = "apiVersion: v1\nkind: Service\nmetadata: {name: x}\nspec: {selector: {app: none}, ports: [{port: 80}]}\n---\n" + text
	}
	return text
}

// Reformatting a manifest, moving it to another file, turning its objects round and putting others before it keep every fingerprint.
func TestStableUnderReformattingAndMoves(t *testing.T) {
	base := prints(t, map[string]string{"a.yaml": shape{file: "a.yaml", indent: 2}.text()})
	if len(base) < 6 {
		t.Fatalf("only %d findings", len(base))
	}
	rapid.Check(t, func(r *rapid.T) {
		s := shape{
			file:    rapid.SampledFrom([]string{"a.yaml", "deploy/b.yml", "x/y/z.yaml"}).Draw(r, "file"),
			comment: rapid.SampledFrom([]string{"", " # a comment", "   # käse"}).Draw(r, "comment"),
			gap:     rapid.SampledFrom([]string{"", "\n", "# text\n\n"}).Draw(r, "gap"),
			flow:    rapid.Bool().Draw(r, "flow"), quotes: rapid.Bool().Draw(r, "quotes"), swap: rapid.Bool().Draw(r, "swap"),
			indent: rapid.IntRange(1, 4).Draw(r, "indent"), before: rapid.Bool().Draw(r, "before"),
		}
		if got := prints(t, map[string]string{s.file: s.text()}); !slices.Equal(got, base) {
			r.Fatalf("other fingerprints of\n%s\ngot  %q\nwant %q", s.text(), got, base)
		}
	})
}

const code = `package main

import (
	"database/sql"
	"net/http"
)

func health(db *sql.DB) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if db.Ping() != nil {
			w.WriteHeader(503)
		}
	}
}
`

const program = `package main

import (
	"database/sql"
	"net/http"
)

func main() {
	db, err := sql.Open("postgres", "postgres://db/shop")
	if err != nil {
		panic(err)
	}
	http.HandleFunc("/livez", health(db))
	_ = http.ListenAndServe(":8080", nil)
}
`

const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: x/shop, livenessProbe: {httpGet: {path: /livez, port: 8080}}}]}\n"

// Moving a handler to another file of its package, lines above it and other names inside keep the fingerprints.
func TestStableUnderMovedCode(t *testing.T) {
	mod := "module example.com/shop\n\ngo 1.25\n"
	base := prints(t, map[string]string{"go.mod": mod, "main.go": program, "health.go": code, "deploy/pod.yaml": pod})
	if !slices.ContainsFunc(base, func(s string) bool { return strings.HasPrefix(s, "liveness-checks-dependency ") }) {
		t.Fatalf("got %q", base)
	}
	for name, files := range map[string]map[string]string{
		"another file":       {"go.mod": mod, "main.go": program, "probe.go": code, "deploy/pod.yaml": pod},
		"lines above":        {"go.mod": mod, "main.go": program, "health.go": strings.Replace(code, "func health", "// health is it.\n\nvar other = 1\n\nfunc health", 1), "deploy/pod.yaml": pod},
		"other names inside": {"go.mod": mod, "main.go": program, "health.go": strings.NewReplacer("db ", "database ", "db.", "database.", "w.", "out.", "w http", "out http").Replace(code), "deploy/pod.yaml": pod},
		"a moved manifest":   {"go.mod": mod, "main.go": program, "health.go": code, "k8s/base/pod.yaml": "# text\n" + pod},
	} {
		if got := prints(t, files); !slices.Equal(got, base) {
			t.Errorf("%s:\ngot  %q\nwant %q", name, got, base)
		}
	}
}

// prints are the rules and fingerprints of all findings in a tree, sorted.
func prints(t *testing.T, files map[string]string) []string {
	t.Helper()
	dir, err := os.MkdirTemp("", "baseline")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r, err := engine.Run(context.Background(), engine.Options{Root: dir, WorkingDir: dir, Rules: rules.All(), Offline: true})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range r.Findings {
		out = append(out, f.Rule+" "+f.Fingerprint)
	}
	slices.Sort(out)
	return out
}
