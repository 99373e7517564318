package render

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"helm.sh/helm/v4/pkg/chart/common"
	valuesutil "helm.sh/helm/v4/pkg/chart/common/util"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"

	"github.com/probelint/probelint/internal/manifest"
	"github.com/probelint/probelint/internal/source"
)

// release is what templates are told of the release: the name of the chart in namespace default, a first install.
func release(c *chart.Chart) common.ReleaseOptions {
	return common.ReleaseOptions{Name: c.Name(), Namespace: "default", Revision: 1, IsInstall: true}
}

// attempt is one way to render a chart.
type attempt struct {
	tree *tree
	// with is the values file, nil for the chart's defaults alone.
	with *source.File
	// under are values that are set besides, nil for none.
	under settings
	// fill are values that templates need and nothing sets: empty maps, by their paths.
	fill settings
	// lenient: missing required values are empty and fail does not. without are the templates that are left out, by name.
	lenient bool
	without map[string]leave
}

// leave says how a template is left out.
type leave uint8

const (
	unexecuted leave = iota + 1 // its definitions stay
	unparsed                    // nothing of it stays
)

// output is a template's text with the file that it came from.
type output struct {
	name string // of the template, as Helm names it
	file *source.File
	text string
	from *origins
}

// prepared is everything that one execution of a chart's templates needs.
type prepared struct {
	*built
	values common.Values
	// templates are those of the chart and of its subcharts, by the name that Helm gives them.
	templates map[string]*common.File
	user      []*manifest.Tree
}

func (a *attempt) prepare() (*prepared, error) {
	b, err := a.tree.build()
	if err != nil {
		return nil, err
	}
	p := &prepared{built: b, templates: map[string]*common.File{}}
	user := map[string]any{}
	if a.under != nil {
		user = a.under.values()
	}
	if a.with != nil {
		if user, err = loader.LoadValues(bytes.NewReader(a.with.Data)); err != nil {
			return nil, &chartError{a.with.Path, err}
		}
		p.user, _ = manifest.ParseTrees(a.with)
	}
	if len(a.fill) > 0 {
		user = filled(user, a.fill.values())
	}
	if err := chartutil.ProcessDependencies(b.Chart, user); err != nil {
		return nil, fmt.Errorf("reading the dependencies: %w", err)
	}
	p.values, err = valuesutil.ToRenderValuesWithSchemaValidation(b.Chart, user, release(b.Chart), capabilities(), true)
	if err != nil {
		return nil, fmt.Errorf("merging the values: %w", err)
	}
	p.index(b.Chart, a.without)
	return p, nil
}

// index names the templates, and turns those that are not to be executed into partials: their definitions stay.
func (p *prepared) index(c *chart.Chart, without map[string]leave) {
	for _, f := range c.Templates {
		name := path.Join(c.ChartFullPath(), f.Name)
		if without[name] == unparsed {
			f.Data = nil
		}
		if without[name] > 0 { // others may include it by its name, for a checksum
			f.Data = append(slices.Clone(f.Data), fmt.Sprintf("{{define %q}}{{end}}", name)...)
		}
		if without[name] > 0 || strings.EqualFold(path.Base(f.Name), "NOTES.txt") {
			f.Name = path.Join(path.Dir(f.Name), "_"+path.Base(f.Name))
			name = path.Join(c.ChartFullPath(), f.Name)
		}
		p.templates[name] = f
	}
	for _, d := range c.Dependencies() {
		p.index(d, without)
	}
}

// filled adds what is not set to values.
func filled(values, more map[string]any) map[string]any {
	if values == nil {
		values = map[string]any{}
	}
	for k, v := range more {
		if below, ok := v.(map[string]any); ok {
			if have := asMap(values[k]); have != nil || values[k] == nil {
				values[k] = filled(have, below)
			}
		}
	}
	return values
}

// places finds where the values were written.
func (p *prepared) places() *known {
	k := newKnown()
	values := asMap(p.values["Values"])
	var layers []layer
	for i := len(p.user) - 1; i >= 0; i-- {
		layers = append(layers, layer{p.user[i], p.user[i].Root()})
	}
	k.table(values, layers, p.layers(p.Chart), nil, 0)
	return k
}

func (p *prepared) layers(c *chart.Chart) *chartLayers {
	out := &chartLayers{subs: map[string]*chartLayers{}}
	if t := p.of(c); t != nil && t.sources["values.yaml"] != nil {
		trees, _ := manifest.ParseTrees(t.sources["values.yaml"])
		for i := len(trees) - 1; i >= 0; i-- {
			out.own = append(out.own, layer{trees[i], trees[i].Root()})
		}
	}
	for _, d := range c.Dependencies() {
		out.subs[d.Name()] = p.layers(d)
	}
	return out
}

// execute renders once. With marks the templates are instrumented first.
func (a *attempt) execute(ctx context.Context, marks bool) (out map[string]string, of []mark, p *prepared, err error) {
	if p, err = a.prepare(); err != nil {
		return nil, nil, nil, err
	}
	ps := &pass{guard: newGuard(), lenient: a.lenient, marks: marks, of: &of}
	if marks {
		ps.values = p.places()
		for _, name := range sortedKeys(p.templates) {
			f := p.templates[name]
			src := p.sources[f]
			if src == nil {
				continue
			}
			text, err := instrument(src, string(f.Data), &of)
			if err != nil {
				return nil, nil, nil, err
			}
			f.Data = []byte(text)
		}
	}
	type result struct {
		out map[string]string
		err error
	}
	done := make(chan result, 1)
	go func() {
		out, err := engine.Engine{CustomTemplateFuncs: ps.functions()}.RenderWithContext(ctx, p.Chart, p.values)
		done <- result{out, err}
	}()
	timeout := time.NewTimer(mostTime + mostTime/4)
	defer timeout.Stop()
	select {
	case r := <-done:
		if ps.over.Load() {
			return nil, nil, nil, errBound
		}
		return r.out, of, p, r.err
	case <-timeout.C:
	case <-ctx.Done():
	}
	// A loop that calls nothing cannot be stopped; whatever it calls next ends it.
	ps.over.Store(true)
	if ctx.Err() != nil {
		return nil, nil, nil, ctx.Err()
	}
	return nil, nil, nil, errBound
}

// render renders with marks and without, and joins the two.
func (a *attempt) render(ctx context.Context) ([]output, error) {
	marked, of, _, err := a.execute(ctx, true)
	if errors.Is(err, errBound) || ctx.Err() != nil {
		return nil, err
	}
	plain, _, p, err := a.execute(ctx, false)
	if err != nil {
		return nil, err
	}
	var out []output
	for _, name := range sortedKeys(plain) {
		text := plain[name]
		src := p.sources[p.templates[name]]
		if src == nil || strings.TrimSpace(text) == "" {
			continue
		}
		out = append(out, output{name, src, text, originsOf(text, marked[name], of, src)})
	}
	return out, nil
}

// originsOf leads from a rendered text to its places: by the marks where the marked text is the same, else by keys.
func originsOf(text, marked string, of []mark, src *source.File) *origins {
	o := &origins{text: text, file: src, whole: src.Span(0, 0)}
	if same, marks := unmark(marked); same == text && len(marks) > 0 {
		o.marks, o.of = marks, of
	}
	return o
}

// templateError is where a template failed.
type templateError struct {
	name         string
	line, column int
	message      string
	unparsed     bool // it does not parse
	demanded     bool // required or fail ended it
}

// locate finds the template that an error of Helm's engine is about. The first place of a chain is that of the file which is
// rendered; what it includes follows.
func locate(err error, names []string) (templateError, bool) {
	text := err.Error()
	at, found := len(text), ""
	for _, n := range names {
		if i := strings.Index(text, n+":"); i >= 0 && (i < at || i == at && len(n) > len(found)) {
			at, found = i, n
		}
	}
	if found == "" {
		return templateError{}, false
	}
	e := templateError{name: found, unparsed: strings.HasPrefix(text, "parse error"), demanded: strings.HasPrefix(text, "execution error at (")}
	rest := text[at+len(found):]
	if n, _ := fmt.Sscanf(rest, ":%d:%d", &e.line, &e.column); n < 1 {
		_, _ = fmt.Sscanf(rest, ":%d", &e.line)
	}
	e.message = reasonOf(text)
	return e, true
}

// reasonOf is the last part of an error's chain: what happened, without where.
func reasonOf(text string) string {
	text = strings.TrimSpace(text)
	for _, lead := range []string{"execution error at (", "parse error at ("} {
		if rest, ok := strings.CutPrefix(text, lead); ok {
			if _, after, ok := strings.Cut(rest, "): "); ok {
				return oneLine(after)
			}
		}
	}
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		text = text[i+1:]
	}
	if i := strings.LastIndex(text, ">: "); i >= 0 {
		text = text[i+3:]
	}
	return oneLine(text)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
