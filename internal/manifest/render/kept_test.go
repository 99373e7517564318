package render

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/probelint/probelint/internal/cache"
	"github.com/probelint/probelint/internal/manifest"
	"github.com/probelint/probelint/internal/source"
)

// Builds that are kept are those of a run without cache, whatever changes: each file of each archive is changed, removed, moved and put
// back in turn.
func TestKeptBuildsEqualOthers(t *testing.T) {
	for _, name := range []string{"kustomize", "kustomize-origins", "circles", "absent"} {
		t.Run(name, func(t *testing.T) {
			a, err := txtar.ParseFile("testdata/" + name + ".txtar")
			if err != nil {
				t.Fatal(err)
			}
			root := layOut(t, a)
			with := New(cache.Open(t.TempDir(), "test", cache.DefaultLimit))
			compare := func(what string) {
				t.Helper()
				want := read(t, root, nil)
				for range 2 {
					if got := readWith(t, root, nil, with); got != want {
						t.Fatalf("after %s:\n%s", what, cmp.Diff(want, got))
					}
				}
			}
			compare("nothing")
			r := rand.New(rand.NewPCG(3, 9)) //nolint:gosec // a test
			for _, f := range a.Files {
				if f.Name == "want" {
					continue
				}
				name := filepath.Join(root, filepath.FromSlash(f.Name))
				swapped := strings.NewReplacer("1", "3", "app", "ape", "b", "base", "path", "pith").Replace(string(f.Data))
				for _, data := range []string{string(f.Data) + "# a line more\n", swapped} {
					write(t, name, data)
					compare(fmt.Sprintf("%q in %s", data, f.Name))
				}
				if r.IntN(2) == 0 {
					if err := os.Remove(name); err != nil {
						t.Fatal(err)
					}
					compare("no " + f.Name)
				}
				other := filepath.Join(filepath.Dir(name), "kustomization.yml")
				if filepath.Base(name) == "kustomization.yaml" && r.IntN(3) == 0 {
					write(t, other, string(f.Data))
					compare("a second kustomization beside " + f.Name)
					if err := os.Remove(other); err != nil {
						t.Fatal(err)
					}
				}
				write(t, name, string(f.Data))
				compare("the old " + f.Name)
			}
		})
	}
}

func write(t *testing.T, name, data string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

// An answer that nobody can have found out twice shows that a build was not made again.
func TestKeptBuildsAreUsed(t *testing.T) {
	root := layOut(t, txtar.Parse([]byte(`-- base/kustomization.yaml --
resources: [pod.yaml]
-- base/pod.yaml --
apiVersion: v1
kind: Pod
metadata: {name: p}
spec: {containers: [{name: c, image: b, livenessProbe: {tcpSocket: {port: 1111}}}]}
-- over/kustomization.yaml --
resources: [../base]
`)))
	dir := cache.Open(t.TempDir(), "test", cache.DefaultLimit)
	with := New(dir)
	readWith(t, root, nil, with)
	k := openKept(dir, manifest.RenderInput{Set: source.NewSet(root), MaxBytes: manifest.DefaultMaxBytes})
	if len(k.builds) != 1 || len(k.builds["over"].Files) != 1 {
		t.Fatalf("kept: %+v", k.builds)
	}
	b := k.builds["over"]
	b.Files[0].Text = strings.Replace(b.Files[0].Text, "image: b", "image: kept", 1)
	k.builds["over"], k.changed = b, true
	k.save(t.Context())
	if got := readWith(t, root, nil, with); !strings.Contains(got, "= kept") {
		t.Errorf("built again:\n%s", got)
	}
	over := filepath.Join(root, "over", "kustomization.yaml")
	write(t, over, "resources: [../base]\nnamePrefix: x-\n")
	if got := readWith(t, root, nil, with); strings.Contains(got, "= kept") || !strings.Contains(got, "Pod/x-p") {
		t.Errorf("not built again:\n%s", got)
	}
}
