package render

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/probelint/probelint/internal/cache"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/manifest"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// Renderer renders with the libraries of Helm and kustomize.
type Renderer struct {
	// tracked: kustomize is asked where each object comes from, which is what else takes its place is compared with.
	tracked bool
	// cache holds what kustomize printed for the next run, nil for none.
	cache *cache.Dir
}

// New returns the renderer of the command line. What it finds out is kept in a cache, nil for none.
func New(c *cache.Dir) Renderer { return Renderer{cache: c} }

// run is one call of Render.
type run struct {
	Renderer
	in   manifest.RenderInput
	out  *manifest.Rendered
	keep *kept
	// told are the kustomizations whose absent parts were reported.
	told map[string]bool
	// undefined are the findings about helpers that are not defined, by chart, values and name: an index into the findings, and how many
	// templates they are about.
	undefined, failedWith map[string]int
	// base is how the chart at hand rendered with its defaults. on are the settings under which a template that its values switch
	// off was rendered, off what keeps one off, by the path of the template.
	base *attempt
	on   map[string][]string
	off  map[string]string
}

// Render renders the charts and kustomizations. What cannot be rendered is a finding, and its files are left to be read as
// they are.
func (c Renderer) Render(ctx context.Context, in manifest.RenderInput) *manifest.Rendered {
	defer silence()()
	r := &run{Renderer: c, in: in, out: &manifest.Rendered{Used: map[string]string{}, Failed: map[string]bool{}}, told: map[string]bool{}, undefined: map[string]int{}, failedWith: map[string]int{}, on: map[string][]string{}, off: map[string]string{}}
	for _, dir := range outermost(in.Charts) {
		if ctx.Err() != nil {
			break
		}
		r.chart(ctx, dir)
	}
	r.unusedValues()
	r.kustomize(ctx)
	return r.out
}

// silence keeps Helm and kustomize from writing warnings to the process's standard error through the standard logger, and
// returns what puts it back.
func silence() func() {
	old := log.Writer()
	log.SetOutput(io.Discard)
	return func() { log.SetOutput(old) }
}

// outermost drops the charts that are subcharts of another one of the list: they are rendered as parts of it.
func outermost(charts []string) []string {
	var out []string
	for _, dir := range charts {
		if !slices.ContainsFunc(charts, func(c string) bool {
			return strings.HasPrefix(dir, path.Join(c, "charts")+"/") || c == "." && strings.HasPrefix(dir, "charts/")
		}) {
			out = append(out, dir)
		}
	}
	return out
}

// chart renders one chart with each of its sets of values.
func (r *run) chart(ctx context.Context, dir string) {
	t, err := loadTree(r.in.Set, r.in.Overlay, dir, r.in.MaxBytes)
	if err != nil {
		r.unloadable(dir, err)
		return
	}
	r.incomplete(t)
	how := map[string][]string{} // template -> the values it was rendered with
	if t.meta.Type == "library" {
		r.use(t, how, "a template of the library chart "+dir+", which other charts include")
		return
	}
	rendered := 0
	live, printed := map[string]bool{}, map[string]bool{}
	sets := r.sets(t)
	r.base = nil
	for _, set := range sets {
		a := &attempt{tree: t, with: set.file}
		outs, err := r.attempts(ctx, a, set)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			r.failed(t, set, err)
			continue
		}
		rendered++
		if set.file == nil {
			r.base = a
		}
		if set.file != nil && !set.given {
			r.out.Used[set.rel] = "values for the chart " + dir
		}
		g := manifest.Rendering{Tool: "helm", Dir: dir, With: set.rel}
		for _, o := range outs {
			r.in.Set.Add(o.file)
			f := source.New(o.file.Path, []byte(o.text))
			f.Origin = o.from.span
			g.Files = append(g.Files, f)
			how[o.file.Path] = append(how[o.file.Path], set.name)
			printed[o.file.Path] = true
			live[o.file.Path] = live[o.file.Path] || podText.MatchString(o.text)
		}
		r.out.Renderings = append(r.out.Renderings, g)
	}
	if r.base != nil {
		r.out.Renderings = append(r.out.Renderings, r.switched(ctx, t, live, printed, sets)...)
	}
	if rendered > 0 {
		r.use(t, how, "a template of the chart "+dir+" that renders nothing")
	}
}

// valuesSet is one set of values of a chart.
type valuesSet struct {
	file *source.File // nil for the defaults
	rel  string
	name string // in words
	// given: on the command line.
	given bool
}

// sets are the sets of values that a chart is rendered with: its defaults, its ci files, the files of the command line.
func (r *run) sets(t *tree) []valuesSet {
	out := []valuesSet{{name: "its default values"}}
	pattern := filepath.Join(r.in.Set.Root, filepath.FromSlash(t.dir), "ci", "*-values.yaml")
	ci, _ := filepath.Glob(pattern)
	slices.Sort(ci)
	const most = 32
	for _, name := range ci[:min(len(ci), most)] {
		rel := r.in.Set.Rel(name)
		if f, err := r.in.Set.Get(rel); err == nil {
			out = append(out, valuesSet{f, rel, rel, false})
		}
	}
	for _, name := range r.in.Values {
		rel := r.in.Set.Rel(name)
		if f, err := r.in.Set.Get(rel); err == nil {
			out = append(out, valuesSet{f, rel, rel, true})
		}
	}
	return out
}

// attempts renders strictly, as Helm does, then with what is missing left empty, then without the templates that fail even so. Each
// failure is reported.
func (r *run) attempts(ctx context.Context, a *attempt, set valuesSet) ([]output, error) {
	const most = 60
	a.fill = settings{}
	for try := 0; ; try++ {
		outs, err := a.render(ctx)
		if err == nil || ctx.Err() != nil {
			return outs, err
		}
		p, prepErr := a.prepare()
		if prepErr != nil || errors.Is(err, errBound) || try == most {
			return nil, err
		}
		at, ok := locate(err, sortedKeys(p.templates))
		if !ok {
			return nil, err
		}
		src := p.sources[p.templates[at.name]]
		if missing, down, ok := missingValue(err, p, at.name); ok && a.fill.add(settings{down: map[string]any{}}) {
			r.valueMissing(a, set, src, at, missing)
			continue
		}
		if !a.lenient {
			a.lenient = true
			if again, err := a.render(ctx); err == nil {
				r.templateFailed(a, set, src, at, true)
				return again, nil
			} else if second, ok := locate(err, sortedKeys(p.templates)); ok && second.name != at.name {
				r.templateFailed(a, set, src, at, true)
				at, src = second, p.sources[p.templates[second.name]]
			} else if !ok {
				return nil, err
			}
		}
		r.templateFailed(a, set, src, at, false)
		if a.without == nil {
			a.without = map[string]leave{}
		}
		if a.without[at.name] > 0 {
			return nil, err
		}
		a.without[at.name] = unexecuted
		if at.unparsed {
			a.without[at.name] = unparsed
		}
	}
}

// failed reports a chart that does not render at all.
func (r *run) failed(t *tree, set valuesSet, err error) {
	file, why := path.Join(t.dir, "Chart.yaml"), reasonOf(err.Error())
	var ce *chartError
	if errors.As(err, &ce) {
		file = ce.file
	}
	notes := []string{"rendered with " + set.name, why, "nothing that it renders was checked"}
	level, notes := t.blame(lint.Error, notes)
	r.report(file, level, "chart %s does not render: "+escape(clip(why)), t.meta.Name, notes, set.rel)
	r.limit(t.dir, why)
}

// unloadable reports a chart that cannot be loaded.
func (r *run) unloadable(dir string, err error) {
	file := path.Join(dir, "Chart.yaml")
	var ce *chartError
	if errors.As(err, &ce) {
		file = ce.file
	}
	why := oneLine(err.Error())
	r.report(file, lint.Error, "chart %s cannot be loaded: "+escape(clip(why)), path.Base(dir), []string{why, "none of its templates was checked"}, "")
	r.out.Used[path.Join(dir, "Chart.yaml")], r.out.Failed[path.Join(dir, "Chart.yaml")] = "a chart that cannot be loaded: "+why, true
	r.limit(dir, why)
}

// incomplete says which dependencies are missing, once a chart.
func (r *run) incomplete(t *tree) {
	missing := slices.Compact(slices.Sorted(slices.Values(t.missing)))
	if len(missing) > 0 {
		var names []string
		for _, m := range missing {
			names = append(names, lint.Quote(m))
		}
		const most = 3
		shown := names
		if len(shown) > most {
			shown = append(slices.Clone(shown[:most]), fmt.Sprintf("%d more", len(names)-most))
		}
		verb := " is not in `charts/`"
		if len(names) > 1 {
			verb = " are not in `charts/`"
		}
		r.report(path.Join(t.dir, "Chart.yaml"), lint.Info, "chart %s names dependencies that are absent: "+escape(lint.And(shown)), t.meta.Name, []string{
			lint.And(names) + verb, "the chart was rendered without, so their workloads were not checked",
		}, "missing")
		f := &r.out.Findings[len(r.out.Findings)-1]
		f.Help = "fetch them: `helm dependency build " + t.dir + "`"
		r.limit(t.dir, "its dependencies "+strings.Join(missing, ", ")+" are not there")
	}
	for _, b := range t.broken {
		r.report(path.Join(t.dir, "Chart.yaml"), lint.Error, "a subchart of %s cannot be loaded: "+escape(clip(oneLine(b))), t.meta.Name, []string{oneLine(b)}, "broken "+b)
	}
}

// report adds a finding at the start of a file. name is quoted into the title.
func (r *run) report(file string, level lint.Level, title, name string, notes []string, identity string) {
	f, err := r.in.Set.Get(file)
	if err != nil {
		f = source.New(file, nil)
		r.in.Set.Add(f)
	}
	start := 0
	if name := strings.Index(string(f.Data), "name:"); level == lint.Info && name >= 0 {
		start = name
	}
	end := max(start, f.Offset(f.LineNumber(start), 1<<20))
	r.out.Findings = append(r.out.Findings, lint.Finding{
		Rule: "unreadable-input", Level: level, Certainty: model.Proven,
		Title:    lint.Title(title, lint.Quote(name)),
		Primary:  lint.Label{Span: f.Span(start, end), Text: "this chart"},
		Notes:    notes,
		Identity: []string{file, "chart", identity},
	})
}

func (r *run) limit(dir, why string) {
	r.out.Limits = append(r.out.Limits, model.Limit{What: "chart " + dir, Because: why})
}

// clip keeps a message short enough for a title; a note has all of it.
func clip(s string) string {
	const most = 44
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

func escape(s string) string { return strings.ReplaceAll(s, "%", "%%") }

// use says of the files of a chart and of its subcharts how they were read.
func (r *run) use(t *tree, how map[string][]string, otherwise string) {
	for name, f := range t.sources {
		switch {
		case strings.HasPrefix(name, "templates/"):
			why := otherwise
			if with := how[f.Path]; len(with) > 0 {
				why = "rendered by Helm with " + lint.And(with)
				delete(r.out.Failed, f.Path)
			} else if on := r.on[f.Path]; len(on) > 0 {
				why = "a template of the chart " + t.dir + " that its values switch off"
			} else if r.out.Failed[f.Path] {
				why = "a template of the chart " + t.dir + " that does not render"
			} else if strings.HasPrefix(path.Base(name), "_") || path.Base(name) == "NOTES.txt" {
				why = "definitions for the templates of the chart " + t.dir
			}
			if on := r.on[f.Path]; len(on) > 0 {
				why += "; rendered with " + lint.And(on) + " besides"
			} else if because := r.off[f.Path]; because != "" {
				why += "; no pod in it was judged, because of " + because
			}
			r.out.Used[f.Path] = why
		case name == "values.yaml":
			r.out.Used[f.Path] = "the values of the chart " + t.dir
		case name == "Chart.yaml":
			r.out.Used[f.Path] = "the description of the chart " + t.dir
		}
	}
	for _, s := range t.subs {
		r.use(s, how, "a template of the subchart "+s.dir+" that renders nothing")
	}
}

// unusedValues reports values files of the command line that no chart was rendered with because they cannot be read.
func (r *run) unusedValues() {
	for _, name := range r.in.Values {
		rel := r.in.Set.Rel(name)
		r.out.Used[rel] = "values for charts, named on the command line"
		if _, err := r.in.Set.Get(rel); err != nil {
			r.report(rel, lint.Error, "values file %s cannot be read: "+escape(clip(oneLine(err.Error()))), path.Base(rel), []string{"no chart was rendered with it"}, "values")
		}
	}
}
