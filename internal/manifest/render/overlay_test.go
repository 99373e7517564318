package render

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/probelint/probelint/internal/manifest"
)

// An unsaved buffer is rendered as if it had been saved: each file of each archive in turn is changed in a buffer, and then on
// disk.
func TestBuffersAreRenderedAsFilesAre(t *testing.T) {
	for _, name := range []string{"chart", "subcharts", "switches", "failing", "kustomize", "absent"} {
		t.Run(name, func(t *testing.T) {
			a, err := txtar.ParseFile("testdata/" + name + ".txtar")
			if err != nil {
				t.Fatal(err)
			}
			root := layOut(t, a)
			saved, differ := read(t, root, nil), 0
			for _, f := range a.Files {
				if f.Name == "want" {
					continue
				}
				for what, text := range map[string]string{
					"other words": strings.NewReplacer("1", "3", "app", "ape", "path", "pith").Replace(string(f.Data)),
					"half of it":  string(f.Data[:len(f.Data)/2]),
					"one more":    "# a comment in front\n" + string(f.Data),
				} {
					over := map[string][]byte{f.Name: []byte(text)}
					got := readOver(t, root, manifest.Options{Renderer: New(nil), Overlay: over})
					onDisk := filepath.Join(root, filepath.FromSlash(f.Name))
					write(t, onDisk, text)
					want := read(t, root, nil)
					if got != want {
						t.Fatalf("%s with %s: on disk (-), in a buffer (+):\n%s", f.Name, what, cmp.Diff(want, got))
					}
					if err := os.WriteFile(onDisk, f.Data, 0o644); err != nil {
						t.Fatal(err)
					}
					if got != saved {
						differ++
					}
				}
			}
			if differ == 0 {
				t.Error("no buffer changed what is read: the test shows nothing")
			}
			if again := read(t, root, nil); again != saved {
				t.Errorf("the files were not put back:\n%s", cmp.Diff(saved, again))
			}
		})
	}
}
