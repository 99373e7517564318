package engine

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/probelint/probelint/internal/cache"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/rules"
)

// A process that keeps the Go side and finds it in the cache says what a run without either says: at first, after edits of
// manifests in buffers, of which some ask the code what it was never asked, and after edits of code in buffers and on disk.
func TestKeptSideFromTheCache(t *testing.T) {
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS(filepath.Join("..", "..", "testdata", "shop"))); err != nil {
		t.Fatal(err)
	}
	c := cache.Open(t.TempDir(), "test", cache.DefaultLimit)
	read := func(rel string) string {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(rel)))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	const manifest, code = "deploy/orders.yaml", "internal/health/health.go"
	yaml, source := read(manifest), read(code)
	judge := func(keep *Keep, dir *cache.Dir, overlay map[string][]byte) []string {
		t.Helper()
		r, err := Run(context.Background(), Options{
			Root: root, WorkingDir: root, Paths: []string{root}, Rules: rules.All(), Settings: lint.DefaultSettings("default"), Offline: true,
			Keep: keep, Cache: dir, Overlay: overlay,
		})
		if err != nil {
			t.Fatal(err)
		}
		out := lines(r)
		for _, f := range r.Findings {
			out = append(out, f.Fingerprint)
		}
		return out
	}
	for _, start := range []string{"nothing in the cache", "all in the cache"} {
		keep := &Keep{}
		for _, edit := range []struct {
			name    string
			overlay map[string][]byte
		}{
			{"no buffer", nil},
			{"buffers as on disk", map[string][]byte{manifest: []byte(yaml), code: []byte(source)}},
			{"another path", map[string][]byte{manifest: []byte(strings.ReplaceAll(yaml, "/readyz", "/livez"))}},
			{"a query", map[string][]byte{manifest: []byte(strings.ReplaceAll(yaml, "/healthz", "/healthz?full=1"))}},
			{"back", map[string][]byte{manifest: []byte(yaml)}},
			{"other code", map[string][]byte{code: []byte(strings.ReplaceAll(source, "s.pool.Ping(ctx)", "ctx.Err()")), manifest: []byte(yaml)}},
			{"code as on disk", map[string][]byte{code: []byte(source)}},
		} {
			want := judge(nil, nil, edit.overlay)
			if got := judge(keep, c, edit.overlay); !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %s: got\n  %s\nwant\n  %s", start, edit.name, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
			}
			if edit.name == "no buffer" && keep.kept == nil {
				t.Errorf("%s: the cache took no part", start)
			}
			if edit.name == "buffers as on disk" {
				keep.Warm()
			}
		}
		keep.Close()
	}
}
