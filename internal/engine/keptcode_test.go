package engine

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/probelint/probelint/internal/cache"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/manifest/render"
	"github.com/probelint/probelint/rules"
)

var edits = flag.Int("edits", 60, "changes that TestCachedRunsEqualOthers makes")

// edited is a copy of a repository that changes: the example, or that of PROBELINT_TREE.
type edited struct {
	dir   string
	files map[string][]byte // as they were at first
	rand  *rand.Rand
	names []string // of the files that change
}

func newTree(t testing.TB, seed uint64) *edited {
	return newTreeOf(t, seed, filepath.Join("..", "..", "testdata", "shop"))
}

func newTreeOf(t testing.TB, seed uint64, from string) *edited {
	t.Helper()
	tr := &edited{dir: filepath.Join(t.TempDir(), "shop"), files: map[string][]byte{}, rand: rand.New(rand.NewPCG(seed, 1))} //nolint:gosec // a test
	err := filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules"):
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		tr.files[rel] = data
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for rel, data := range tr.files {
		tr.write(t, rel, data)
		if read.MatchString(rel) {
			tr.names = append(tr.names, rel)
		}
	}
	slices.Sort(tr.names)
	if err := os.MkdirAll(filepath.Join(tr.dir, ".git"), 0o750); err != nil {
		t.Fatal(err)
	}
	return tr
}

// read are the names of files that say something to a run.
var read = regexp.MustCompile(`\.(go|ya?ml|json|tpl|mod|sum|txt)$|Dockerfile|Makefile`)

func (tr *edited) write(t testing.TB, rel string, data []byte) {
	t.Helper()
	name := filepath.Join(tr.dir, rel)
	if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	before := time.Now().Add(-time.Minute) // what changes while a run reads it is not kept
	if err := os.Chtimes(name, before, before); err != nil {
		t.Fatal(err)
	}
}

// swaps are edits of code and manifests, most of which change what is found.
var swaps = [][2]string{
	{"Second", "Minute"},
	{"200", "503"},
	{"/livez", "/healthz"},
	{"err != nil", "err == nil"},
	{"GET ", ""},
	{"return", "panic(1); return"},
	{"timeoutSeconds: 2", "timeoutSeconds: 1"},
	{"periodSeconds: 10", "periodSeconds: 3"},
	{"8080", "9999"},
	{"livenessProbe", "readinessProbe"},
	{"func ", "\n\n\nfunc "},
	{"env:", "env:\n            - {name: EXTRA, value: \"1\"}"},
	{"context.Background()", "r.Context()"},
}

// change changes one file and says how.
func (tr *edited) change(t *testing.T) string {
	t.Helper()
	rel := tr.names[tr.rand.IntN(len(tr.names))]
	name := filepath.Join(tr.dir, rel)
	data, err := os.ReadFile(name)
	switch n := tr.rand.IntN(10); {
	case err != nil || n == 0:
		tr.write(t, rel, tr.files[rel])
		return "restore " + rel
	case n == 1:
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		return "delete " + rel
	case n == 2:
		to := name[:len(name)-len(filepath.Ext(name))] + "_other" + filepath.Ext(name)
		if err := os.Rename(name, to); err != nil {
			t.Fatal(err)
		}
		return "rename " + rel
	default:
		swap := swaps[tr.rand.IntN(len(swaps))]
		i := tr.rand.IntN(len(data) + 1)
		at := bytes.Index(data[i:], []byte(swap[0]))
		if at < 0 {
			tr.write(t, rel, append(data, '\n'))
			return "a line more in " + rel
		}
		at += i
		tr.write(t, rel, slices.Concat(data[:at], []byte(swap[1]), data[at+len(swap[0]):]))
		return fmt.Sprintf("%q for %q in %s", swap[1], swap[0], rel)
	}
}

func runTree(t testing.TB, dir string, c *cache.Dir) *Result {
	t.Helper()
	return runTreeAs(t, dir, c, "")
}

// runTreeAs is a run that can take the whole answer over from one of the same identity.
func runTreeAs(t testing.TB, dir string, c *cache.Dir, identity string) *Result {
	t.Helper()
	r, err := Run(context.Background(), Options{
		Root: dir, WorkingDir: dir, Paths: []string{dir}, Rules: rules.All(), Settings: lint.DefaultSettings("default"), Offline: true,
		Cache: c, Renderer: render.New(c), Identity: identity,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// sameResults reports what of two results differs.
func sameResults(a, b *Result) string {
	for name, pair := range map[string][2]any{
		"findings": {a.Findings, b.Findings}, "workloads": {a.Workloads, b.Workloads}, "programs": {a.Programs, b.Programs},
		"limits": {a.Limits, b.Limits}, "summary": {a.Summary, b.Summary}, "packages": {a.Packages, b.Packages}, "crashes": {a.Crashes, b.Crashes},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			return name
		}
	}
	return ""
}

// sameAnswers reports what of the reported part of two results differs.
func sameAnswers(a, b *Result) string {
	for name, pair := range map[string][2]any{
		"findings": {a.Findings, b.Findings}, "limits": {a.Limits, b.Limits}, "summary": {a.Summary, b.Summary}, "first file": {a.First, b.First},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			return name
		}
	}
	return ""
}

// TestCachedRunsEqualOthers edits, deletes, renames and restores files and compares each run with one without cache.
// PROBELINT_TREE names another repository than the example: PROBELINT_TREE=dir go test ./internal/engine -run Cached -edits 200.
func TestCachedRunsEqualOthers(t *testing.T) {
	tr := newTree(t, 7)
	if from := os.Getenv("PROBELINT_TREE"); from != "" {
		tr = newTreeOf(t, 7, from)
	}
	c := cache.Open(t.TempDir(), "test", cache.DefaultLimit)
	var done []string
	for n := range *edits {
		done = append(done, tr.change(t))
		if testing.Verbose() {
			t.Logf("%d: %s", n+1, done[n])
		}
		want := runTree(t, tr.dir, nil)
		if diff := sameResults(runTree(t, tr.dir, c), want); diff != "" {
			t.Fatalf("a run with a cache has other %s after\n  %s", diff, strings.Join(done, "\n  "))
		}
		for _, run := range []string{"first", "second"} {
			if diff := sameAnswers(runTreeAs(t, tr.dir, c, "same"), want); diff != "" {
				t.Fatalf("the %s run that may take the answer over has other %s after\n  %s", run, diff, strings.Join(done, "\n  "))
			}
		}
	}
}

// TestUnchangedCodeIsNotRead proves that the cache is used at all, and for how long.
func TestUnchangedCodeIsNotRead(t *testing.T) {
	tr := newTree(t, 1)
	c := cache.Open(t.TempDir(), "test", cache.DefaultLimit)
	read := func() bool {
		t.Helper()
		side, kept, err := cachedGo(context.Background(), open(&Options{Root: tr.dir, WorkingDir: tr.dir}).result.Set, []string{tr.dir}, &Options{Cache: c, Offline: true})
		if err != nil || kept == nil || len(side.code.Programs()) == 0 {
			t.Fatalf("%v, %v", kept, err)
		}
		kept.save(context.Background())
		return kept.real != nil
	}
	if !read() {
		t.Error("an empty cache answered")
	}
	if read() {
		t.Error("unchanged code was read again")
	}
	tr.write(t, "deploy/orders.yaml", append(tr.files["deploy/orders.yaml"], '\n'))
	tr.write(t, "internal/cart/cart_test.go", []byte("package cart\n"))
	if read() {
		t.Error("a manifest and a test made the code be read again")
	}
	tr.write(t, "internal/cart/more.go", []byte("package cart\n"))
	if !read() {
		t.Error("a new file was not noticed")
	}
	t.Setenv("GOFLAGS", "-tags=other")
	if !read() {
		t.Error("another build tag was not noticed")
	}
}

// TestAnsweringAfterTheCode proves that a question that was not asked before is answered as without cache.
func TestAnsweringAfterTheCode(t *testing.T) {
	tr := newTree(t, 1)
	c := cache.Open(t.TempDir(), "test", cache.DefaultLimit)
	runTree(t, tr.dir, c)
	for rel, data := range tr.files {
		if strings.HasPrefix(rel, "deploy") {
			tr.write(t, rel, bytes.ReplaceAll(data, []byte("path: /"), []byte("path: /not-asked-before?full=1&x=/")))
		}
	}
	if diff := sameResults(runTree(t, tr.dir, c), runTree(t, tr.dir, nil)); diff != "" {
		t.Errorf("other %s", diff)
	}
}
