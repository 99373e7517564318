package render

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/probelint/probelint/internal/manifest"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

var update = flag.Bool("update", false, "write what is read into the want files")

// Each archive is a repository; its file `want` says what is read from it and where each field of each probe stands.
func TestGolden(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			want := -1
			var values []string
			root := layOut(t, a)
			for i, f := range a.Files {
				if f.Name == "want" {
					want = i
				}
				if strings.HasPrefix(f.Name, "given-") {
					values = append(values, filepath.Join(root, f.Name))
				}
			}
			got := read(t, root, values)
			if *update {
				if want < 0 {
					a.Files = append(a.Files, txtar.File{Name: "want"})
					want = len(a.Files) - 1
				}
				a.Files[want].Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want < 0 {
				t.Fatal("no file named want; -update writes it")
			}
			if d := cmp.Diff(string(a.Files[want].Data), got); d != "" {
				t.Errorf("want (-), got (+):\n%s", d)
			}
			if again := read(t, root, values); again != got {
				t.Errorf("a second run differs:\n%s", cmp.Diff(got, again))
			}
			if asked := readWith(t, root, values, Renderer{tracked: true}); asked != got {
				t.Errorf("where objects come from is not what kustomize says:\n%s", cmp.Diff(asked, got))
			}
		})
	}
}

func layOut(t *testing.T, a *txtar.Archive) string {
	t.Helper()
	root := t.TempDir()
	for _, f := range a.Files {
		if f.Name == "want" {
			continue
		}
		name := filepath.Join(root, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// read describes what is read from a repository.
func read(t *testing.T, root string, values []string) string {
	t.Helper()
	return readWith(t, root, values, New(nil))
}

func readWith(t *testing.T, root string, values []string, with Renderer) string {
	t.Helper()
	return readOver(t, root, manifest.Options{Values: values, Renderer: with})
}

// readOver reads a repository with texts that stand for those of some files, as the engine does for an editor's buffers.
func readOver(t *testing.T, root string, o manifest.Options) string {
	t.Helper()
	set := source.NewSet(root)
	for rel, text := range o.Overlay {
		set.Add(source.Decode(rel, text))
	}
	o.Paths = []string{root}
	res, err := manifest.Read(context.Background(), set, o)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	at := func(s model.Span) string {
		f, err := set.Get(s.File)
		if err != nil {
			t.Errorf("no file %s: %v", s.File, err)
			return s.File
		}
		if s.Start < 0 || s.End < s.Start || s.End > len(f.Data) {
			t.Fatalf("span %+v is outside of its file of %d bytes", s, len(f.Data))
		}
		text, more, _ := strings.Cut(string(f.Data[s.Start:s.End]), "\n")
		if more != "" {
			text += " …"
		}
		return fmt.Sprintf("%s:%d %s", s.File, s.Line, text)
	}
	for _, w := range res.Workloads {
		with := w.RenderedWith
		if with != "" {
			with = " with " + with
		}
		if len(w.Switched) > 0 {
			with += " switched by " + strings.Join(w.Switched, ", ")
		}
		fmt.Fprintf(&b, "%s%s by %q, %s:%d\n", w.Ref(), with, w.Renderer, w.File, w.Line)
		fmt.Fprintf(&b, "  name    %s\n", at(w.Span))
		for _, s := range w.Services {
			fmt.Fprintf(&b, "  service %s\n", at(s.Span))
		}
		for _, c := range w.Containers {
			fmt.Fprintf(&b, "  %-7s %s\n", c.Kind, at(c.Span))
			fmt.Fprintf(&b, "  image   %s = %s\n", at(c.Fields.Value("image", c.Span)), c.Image)
			for _, p := range c.Probes {
				fmt.Fprintf(&b, "    %s  %s:%d %s\n", p.Role, p.File, p.Line, at(p.Span))
				var paths []string
				for path := range p.Fields {
					paths = append(paths, path)
				}
				slices.Sort(paths)
				for _, path := range paths {
					f := p.Fields[path]
					fmt.Fprintf(&b, "      %-20s %s | %s\n", path, at(f.Key), at(f.Value))
				}
			}
		}
	}
	for _, f := range res.Findings {
		fmt.Fprintf(&b, "%s: %s\n  %s\n", f.Level, f.Title, at(f.Primary.Span))
		for _, n := range f.Notes {
			fmt.Fprintf(&b, "  note: %s\n", n)
		}
	}
	for _, f := range res.Files {
		fmt.Fprintf(&b, "%s %s: %s\n", f.Status, f.Path, f.Why)
	}
	for _, l := range res.Limits {
		fmt.Fprintf(&b, "limit: %s: %s\n", l.What, l.Because)
	}
	return strings.ReplaceAll(b.String(), root, "ROOT")
}
