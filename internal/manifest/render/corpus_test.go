package render

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/engine"

	"github.com/probelint/probelint/internal/manifest"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// charts are the outermost charts below a directory.
func charts(t *testing.T, root string) []string {
	t.Helper()
	var out []string
	_ = filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && e.Name() == "Chart.yaml" {
			rel, _ := filepath.Rel(root, filepath.Dir(p))
			out = append(out, filepath.ToSlash(rel))
		}
		return nil
	})
	return outermost(out)
}

// PROBELINT_CHARTS names a directory of charts: each has to render as Helm itself renders it, and its marks have to hold.
func TestCorpus(t *testing.T) {
	root := os.Getenv("PROBELINT_CHARTS")
	if root == "" {
		t.Skip("PROBELINT_CHARTS is not set")
	}
	ctx := context.Background()
	same, differ, marked, unmarked := 0, 0, 0, 0
	for _, dir := range charts(t, root) {
		set := source.NewSet(root)
		tr, err := loadTree(set, nil, dir, 16<<20)
		if err != nil {
			t.Logf("%s: load: %v", dir, err)
			continue
		}
		if tr.meta.Type == "library" {
			continue
		}
		a := &attempt{tree: tr}
		plain, _, _, err := a.execute(ctx, false)
		if err != nil {
			t.Logf("%s: %v", dir, err)
			continue
		}
		m, _, _, merr := a.execute(ctx, true)
		if merr != nil {
			t.Logf("%s: with marks: %v", dir, merr)
		}
		p, err := a.prepare()
		if err != nil {
			t.Fatal(err)
		}
		pure, err := engine.Engine{CustomTemplateFuncs: pinned()}.RenderWithContext(ctx, p.Chart, p.values)
		if err != nil {
			t.Errorf("%s: Helm: %v", dir, err)
			continue
		}
		for name, text := range pure {
			if plain[name] == text {
				same++
			} else {
				differ++
				t.Errorf("%s: not as Helm renders it: %s", name, firstDifference(plain[name], text))
			}
			if strings.TrimSpace(text) == "" {
				continue
			}
			if got := withoutMarks(m[name]); got == plain[name] {
				marked++
			} else {
				unmarked++
				t.Logf("%s: marks do not hold: %s", name, firstDifference(got, plain[name]))
			}
		}
	}
	t.Logf("as Helm: %d, not: %d; marks hold: %d, not: %d", same, differ, marked, unmarked)
}

// pinned are the functions whose results differ from run to run, for a comparison with Helm.
func pinned() map[string]any {
	out := map[string]any{}
	for name, fn := range fixed {
		out[name] = fn
	}
	return out
}

func firstDifference(a, b string) string {
	la, lb := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(la), len(lb)) {
		if la[i] != lb[i] {
			return "got " + la[i] + " want " + lb[i]
		}
	}
	return "one is longer"
}

// Where a place holds plain text, that text is what was rendered there.
func TestCorpusPlaces(t *testing.T) {
	root := os.Getenv("PROBELINT_CHARTS")
	if root == "" {
		t.Skip("PROBELINT_CHARTS is not set")
	}
	set := source.NewSet(root)
	res, err := manifest.Read(context.Background(), set, manifest.Options{Paths: []string{root}, Renderer: New(nil)})
	if err != nil {
		t.Fatal(err)
	}
	probes, keys, same, actions, differ := 0, 0, 0, 0, 0
	text := func(s model.Span) string {
		f, err := set.Get(s.File)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Trim(string(f.Data[s.Start:s.End]), `"'`)
	}
	for _, w := range res.Workloads {
		if w.Renderer == "" {
			continue
		}
		for _, c := range w.Containers {
			for _, p := range c.Probes {
				probes++
				if text(p.Span) == p.Role.Key() {
					keys++
				} else {
					t.Logf("%s %s %s: the key is %q at %s:%d", w.Ref(), c.Name, p.Role, text(p.Span), p.File, p.Line)
				}
				want := map[string]string{
					"periodSeconds": strconv.Itoa(p.PeriodSeconds), "timeoutSeconds": strconv.Itoa(p.TimeoutSeconds),
					"failureThreshold": strconv.Itoa(p.FailureThreshold), "httpGet.path": p.Target.Path, "httpGet.scheme": p.Target.Scheme,
				}
				for path, value := range want {
					at, ok := p.Fields[path]
					if !ok {
						continue
					}
					switch got := text(at.Value); {
					case got == value:
						same++
					case strings.Contains(got, "{{"):
						actions++
					default:
						differ++
						t.Errorf("%s %s %s.%s is %q, and %s:%d says %q", w.Ref(), c.Name, p.Role, path, value, at.Value.File, at.Value.Line, got)
					}
				}
			}
		}
	}
	t.Logf("%d probes, %d at their key; of their fields %d say the same, %d are actions, %d differ", probes, keys, same, actions, differ)
}
