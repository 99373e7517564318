package manifest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// Renderer turns charts and kustomizations into the objects that they stand for. Package render implements it; it is given,
// not imported, so that Helm and kustomize are linked into the command line alone.
type Renderer interface {
	Render(ctx context.Context, in RenderInput) *Rendered
}

// RenderInput says what to render.
type RenderInput struct {
	Set *source.Set
	// Charts and Kustomizations are the directories that were found, relative to the root and sorted.
	Charts, Kustomizations []string
	// Values are absolute paths of values files, each the values of a rendering of its own.
	Values []string
	// MaxBytes is the largest file that is read.
	MaxBytes int64
	// Overlay is text that stands for that of files on disk, by path relative to the root: it is rendered, and what comes of it is
	// not kept for the next process.
	Overlay map[string][]byte
	// Keep is that of the Options; nil for none.
	Keep *Keep
}

// Rendered is what became of charts and kustomizations.
type Rendered struct {
	Renderings []Rendering
	Findings   []lint.Finding
	Limits     []model.Limit
	// Used says of each file that went into a rendering how it was read, by its path relative to the root. Such a file is
	// not read on its own.
	Used map[string]string
	// Failed are the used files that were not rendered.
	Failed map[string]bool
}

// Rendering is one chart with one set of values, or one kustomization.
type Rendering struct {
	// Tool is "helm" or "kustomize", Dir the directory relative to the root, With the values file relative to the root, ""
	// for the defaults.
	Tool, Dir, With string
	// Only, where not nil, are the paths of the templates whose workloads are judged, with the settings that were added to the
	// defaults because they turn these templates on, as written: "worker.enabled: true".
	Only map[string][]string
	// Files are the rendered texts. Their Origin leads to the template, base, patch or values file.
	Files []*source.File
}

// render has charts and kustomizations rendered, takes the files that were used out of the inputs of d, and reads what was
// rendered. Each rendering is joined by itself: the objects of one overlay or set of values say nothing of another's.
func (r *reader) render(ctx context.Context, d *discovery) (ws []*model.Workload, out *Rendered) {
	if r.opts.Renderer == nil {
		return nil, &Rendered{}
	}
	charts := slices.Clone(d.charts)
	partial := map[string]bool{} // charts of which only some templates were asked for
	for _, in := range d.inputs {
		if in.chart != "" && !slices.Contains(charts, in.chart) {
			partial[in.chart] = true
			charts = append(charts, in.chart)
		}
	}
	if len(charts)+len(d.kustomizations) == 0 {
		return nil, &Rendered{}
	}
	out = r.opts.Renderer.Render(ctx, RenderInput{
		Set: r.set, Charts: sorted(charts), Kustomizations: sorted(slices.Clone(d.kustomizations)), Values: r.opts.Values, MaxBytes: r.opts.MaxBytes,
		Overlay: r.opts.Overlay, Keep: r.opts.Keep,
	})
	asked := map[string]bool{}
	for _, in := range d.inputs {
		asked[in.rel] = true
	}
	count := map[string]int{}
	left := map[string][]string{} // reasons of what was left out
	seen := map[string]bool{}
	for _, g := range out.Renderings {
		all := r.rendering(g, func(rel string) bool {
			return r.opts.Exclude != nil && r.opts.Exclude(rel) || partial[g.Dir] && !asked[rel]
		})
		for _, c := range all {
			if g.Only != nil && g.Only[c.in.rel] == nil {
				c.drafts = nil
				continue
			}
			for _, d := range c.drafts {
				d.Switched = g.Only[c.in.rel]
			}
			for _, f := range c.findings {
				if g.Only != nil { // nothing that an install with these values meets
					f.Level = lint.Info
				}
				out.Findings = append(out.Findings, f)
			}
			for _, why := range c.why {
				if !slices.Contains(left[c.in.rel], why) {
					left[c.in.rel] = append(left[c.in.rel], why)
				}
			}
		}
		for _, w := range r.join(all, true) {
			w.Renderer, w.RenderedWith = g.Tool, g.With
			same := sameness(w)
			if seen[same] {
				continue
			}
			seen[same] = true
			count[w.File]++
			ws = append(ws, w)
		}
	}
	kept := d.inputs[:0]
	for _, in := range d.inputs {
		how, used := out.Used[in.rel]
		if !used {
			kept = append(kept, in)
			continue
		}
		if why := left[in.rel]; count[in.rel] == 0 && len(why) > 0 {
			how += "; " + strings.Join(why, "; ")
		}
		status := StatusRead
		if out.Failed[in.rel] {
			status = StatusUnreadable
		}
		marked := false
		if f := r.set.Loaded(in.rel); f != nil {
			marked = bytes.Contains(f.Data, marker)
		}
		d.files = append(d.files, File{Path: in.rel, Status: status, Why: how, Workloads: count[in.rel], Marked: marked})
	}
	d.inputs = kept
	return ws, out
}

// rendering reads the files of one rendering.
func (r *reader) rendering(g Rendering, skip func(rel string) bool) []*contents {
	var all []*contents
	for _, f := range g.Files {
		if skip(f.Path) {
			continue
		}
		c := r.renderedFile(f)
		all = append(all, c)
	}
	return all
}

func (r *reader) renderedFile(f *source.File) (c *contents) {
	c = &contents{in: input{rel: f.Path}, src: f, rendered: true}
	defer func() {
		if v := recover(); v != nil {
			c.drafts, c.around, c.configs = nil, nil, nil
			c.findings = append(c.findings, lint.Finding{
				Rule: "unreadable-input", Level: lint.Error, Certainty: model.Proven,
				Title:    lint.Title("what %s renders cannot be read", lint.Quote(f.Path)),
				Primary:  lint.Label{Span: f.Span(0, 0), Text: "nothing in it was checked"},
				Notes:    []string{fmt.Sprintf("the reader stopped: %v", v)},
				Identity: []string{f.Path, "read"},
			})
		}
	}()
	r.documents(c)
	return c
}

// sameness tells renderings of one workload apart that differ in anything but where their values came from.
func sameness(w *model.Workload) string {
	with, id := w.RenderedWith, w.ID
	w.RenderedWith = ""
	text, err := json.Marshal(w)
	w.RenderedWith, w.ID = with, id
	if err != nil {
		return with + id
	}
	return string(text)
}

// isTest reports whether an object is a test of its chart, which runs on demand and is no workload.
func (o *object) isTest() bool {
	for _, hook := range strings.Split(text(o.node, "metadata", "annotations", "helm.sh/hook"), ",") {
		if hook = strings.TrimSpace(hook); hook == "test" || hook == "test-success" || hook == "test-failure" {
			return true
		}
	}
	return false
}
