package render

import (
	"context"
	"path"
	"regexp"
	"slices"
	"strings"
	"text/template/parse"

	"helm.sh/helm/v4/pkg/chart/common"
	chart "helm.sh/helm/v4/pkg/chart/v2"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/manifest"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// podText is what a template that makes pods holds, and a rendered pod.
var podText = regexp.MustCompile(`(?:^|[\s{,"-])(?:containers|livenessProbe|readinessProbe|startupProbe)"?:`)

// kindText is an object that a template holds itself.
var kindText = regexp.MustCompile(`(?m)^kind:`)

// most switched renderings of a chart: each costs as much as the chart itself.
const mostSwitched = 6

// off is a template whose pods no set of values renders, with what would turn them on.
type off struct {
	file *source.File
	// on has to be set; kept has to stay as it is, as on has once it is set.
	on, kept settings
	// because is the condition that keeps it off, where no switch is known.
	because string
	// perhaps: it holds no pod itself, and includes what may.
	perhaps bool
}

// switched renders what the values of a chart switch off, with those switches on. live are the templates that gave pods, and
// printed those that gave anything, under the sets of values that were asked for.
func (r *run) switched(ctx context.Context, t *tree, live, printed map[string]bool, sets []valuesSet) (out []manifest.Rendering) {
	offs := r.offs(t, live, printed, sets)
	var groups []group
	for _, o := range offs {
		if o.because != "" {
			r.leftOff(t, o, o.because)
			continue
		}
		groups = grouped(groups, o)
	}
	for i := 0; i < len(groups) && i < mostSwitched; i++ {
		g := groups[i]
		got, err := r.renderedOn(ctx, t, g)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil && len(g.offs) > 1 { // one of them does not render with the rest: each by itself
			for _, o := range g.offs {
				groups = append(groups, alone(o))
			}
			continue
		}
		why := ""
		if err != nil {
			why = ", with which it does not render: " + reasonOf(err.Error())
		}
		for _, o := range g.offs {
			if got != nil && got.Only[o.file.Path] != nil {
				r.on[o.file.Path] = append(r.on[o.file.Path], "`"+strings.Join(o.on.words(), "`, `")+"`")
			} else {
				r.leftOff(t, o, "`"+strings.Join(o.on.words(), "`, `")+"` not being set"+why)
			}
		}
		if got != nil && len(got.Only) > 0 {
			out = append(out, *got)
		}
	}
	for _, g := range groups[min(len(groups), mostSwitched):] {
		for _, o := range g.offs {
			if r.on[o.file.Path] == nil && r.off[o.file.Path] == "" {
				r.leftOff(t, o, "`"+strings.Join(o.on.words(), "`, `")+"` not being set")
			}
		}
	}
	return out
}

// group are templates that can be switched on together.
type group struct {
	on, kept settings
	offs     []off
}

func grouped(groups []group, o off) []group {
	for i := range groups {
		if groups[i].kept.add(o.kept) {
			groups[i].on.add(o.on)
			groups[i].offs = append(groups[i].offs, o)
			return groups
		}
	}
	return append(groups, alone(o))
}

func alone(o off) group {
	g := group{settings{}, settings{}, []off{o}}
	g.on.add(o.on)
	g.kept.add(o.kept)
	return g
}

// renderedOn renders a chart with switches on. Only the templates that they turn on are kept to be judged; the rest is
// rendered so that Services and the like are joined.
func (r *run) renderedOn(ctx context.Context, t *tree, g group) (*manifest.Rendering, error) {
	a := &attempt{tree: t, under: g.on, lenient: true, without: r.base.without, fill: settings{}}
	a.fill.add(r.base.fill)
	outs, err := a.render(ctx)
	for try := 0; err != nil && try < 20; try++ {
		p, prepErr := a.prepare()
		if ctx.Err() != nil || prepErr != nil {
			return nil, err
		}
		at, ok := locate(err, sortedKeys(p.templates))
		if !ok {
			return nil, err
		}
		if _, down, ok := missingValue(err, p, at.name); !ok || !a.fill.add(settings{down: map[string]any{}}) {
			return nil, err
		}
		outs, err = a.render(ctx)
	}
	if err != nil {
		return nil, err
	}
	out := &manifest.Rendering{Tool: "helm", Dir: t.dir, Only: map[string][]string{}}
	for _, o := range outs {
		r.in.Set.Add(o.file)
		f := source.New(o.file.Path, []byte(o.text))
		f.Origin = o.from.span
		out.Files = append(out.Files, f)
		if !podText.MatchString(o.text) {
			continue
		}
		for _, x := range g.offs {
			if x.file.Path == o.file.Path {
				out.Only[o.file.Path] = x.on.words()
			}
		}
	}
	return out, nil
}

// leftOff says of a template that makes pods that none was judged.
func (r *run) leftOff(t *tree, o off, because string) {
	f := o.file
	if _, told := r.off[f.Path]; told || o.perhaps {
		return
	}
	r.off[f.Path] = because
	r.out.Limits = append(r.out.Limits, model.Limit{
		What:    "template " + f.Path + " of chart " + t.dir,
		Because: "it renders no pod with the values that were read, because of " + because,
	})
}

// offs are the templates of a chart and its subcharts that hold a pod and rendered none, in the order of their names.
func (r *run) offs(t *tree, live, printed map[string]bool, sets []valuesSet) []off {
	b, err := t.build()
	if err != nil {
		return nil
	}
	a := &attempt{tree: t}
	p, err := a.prepare()
	if err != nil {
		return nil
	}
	all := asMap(p.values["Values"])
	given := func(path []string) bool { // said on the command line
		for _, s := range sets {
			if s.given && s.file != nil {
				if trees, _ := manifest.ParseTrees(s.file); slices.ContainsFunc(trees, func(t *manifest.Tree) bool { return holds(t, path) }) {
					return true
				}
			}
		}
		return false
	}
	defines := definitions(b.Chart)
	var out []off
	visit := func(c *chart.Chart, at []string, f *common.File, enable settings) {
		look := func(path []string) any {
			if v := lookUp(all, path); v != nil || len(path) < len(at) || !slices.Equal(path[:len(at)], at) {
				return v
			}
			return lookUp(c.Values, path[len(at):]) // of a subchart that is off
		}
		src := b.sources[f]
		if src == nil || live[src.Path] || r.out.Failed[src.Path] || notRendered(f.Name) || strings.Contains(string(f.Data), "CustomResourceDefinition") {
			return
		}
		for _, o := range offsOf(src, string(f.Data), !printed[src.Path], defines, &solver{at: at, look: look}, enable) {
			for k := range o.on {
				if given(strings.Split(k, ".")) {
					o.because = "`" + k + "`, which the values named on the command line set"
				}
			}
			out = append(out, o)
		}
	}
	var walk func(t *tree, c *chart.Chart, at []string, enable settings)
	walk = func(t *tree, c *chart.Chart, at []string, enable settings) {
		for _, f := range c.Templates {
			visit(c, at, f, enable)
		}
		for i, d := range c.Dependencies() {
			if i >= len(t.subs) || path.Ext(t.subs[i].dir) == ".tgz" || strings.Contains(t.subs[i].dir, ".tgz/") {
				continue
			}
			if on, ok := enabling(t, t.subs[i], at, func(path []string) any { return lookUp(all, path) }, enable); ok {
				walk(t.subs[i], d, append(slices.Clone(at), t.subs[i].meta.Name), on)
			}
		}
	}
	walk(t, b.Chart, nil, nil)
	return out
}

// enabling is what switches a subchart on, empty where it is on already; false for one that is a copy of a chart from elsewhere and
// switched off, or goes by another name.
func enabling(t, sub *tree, at []string, look func([]string) any, above settings) (settings, bool) {
	on := settings{}
	on.add(above)
	for _, d := range t.meta.Dependencies {
		if d == nil || d.Name != sub.meta.Name {
			continue
		}
		if d.Alias != "" && d.Alias != d.Name {
			return nil, false
		}
		for _, c := range strings.Split(d.Condition, ",") {
			full := append(slices.Clone(at), strings.Split(strings.TrimSpace(c), ".")...)
			is, ok := look(full).(bool)
			if !ok {
				continue
			}
			if !is {
				if d.Repository != "" && !strings.HasPrefix(d.Repository, "file://") {
					return nil, false
				}
				on[strings.Join(full, ".")] = true
			}
			break // the first one that is set decides
		}
		for _, tag := range d.Tags {
			if is, ok := look([]string{"tags", tag}).(bool); ok && !is && d.Condition == "" {
				return nil, false
			}
		}
	}
	return on, true
}

func notRendered(name string) bool {
	base := path.Base(name)
	return strings.HasPrefix(base, "_") || strings.EqualFold(base, "NOTES.txt") || strings.Contains(name, "templates/tests/")
}

// holds reports whether a values file sets a value.
func holds(t *manifest.Tree, at []string) bool {
	n := t.Root()
	for _, key := range at {
		if _, n = manifest.Child(n, key); n == nil {
			return false
		}
	}
	return true
}

func lookUp(m map[string]any, at []string) any {
	var v any = m
	for _, p := range at {
		here := asMap(v)
		if here == nil {
			return nil
		}
		v = here[p]
	}
	return v
}

// offsOf finds what has to be set for each part of a template that holds a pod. Where the template printed nothing at all and holds no
// object itself, a helper that it includes counts as such a part. Parts that the same settings turn on are one, and where some can be
// turned on, those that cannot are not told: they are other forms of the same.
func offsOf(file *source.File, text string, silent bool, defines map[string]*parse.ListNode, s *solver, enable settings) (out []off) {
	t := parse.New("switches")
	t.Mode = parse.SkipFuncCheck
	if _, err := t.Parse(text, "", "", map[string]*parse.Tree{}); err != nil || t.Root == nil {
		return nil
	}
	w := &partWalk{text: text}
	w.list(t.Root, nil, newConditions(defines))
	parts, perhaps := w.pods, false
	if len(parts) == 0 && silent && !kindText.MatchString(text) {
		parts, perhaps = w.includes, true
	}
	because := ""
	for _, p := range parts {
		o := off{file: file, on: settings{}, kept: settings{}, perhaps: perhaps}
		o.on.add(enable)
		s.kept = o.kept
		bad := ""
		for _, b := range p {
			more, ok := s.solve(b.of, b.want)
			if !ok || !o.on.add(more) {
				bad = b.text
				break
			}
		}
		if bad == "" && len(o.on) == 0 && len(p) > 0 {
			bad = p[0].text // what decides is no value
		}
		switch {
		case bad != "" && because == "":
			because = bad
		case bad == "" && len(o.on) > 0 && o.kept.add(o.on) && !slices.ContainsFunc(out, func(x off) bool { return slices.Equal(x.on.words(), o.on.words()) }):
			out = append(out, o)
		}
	}
	// Settings that others are a part of turn on no further pod: the chart has a probe of it off.
	all := slices.Clone(out)
	out = slices.DeleteFunc(out, func(x off) bool {
		return slices.ContainsFunc(all, func(y off) bool { return len(y.on) < len(x.on) && x.on.holds(y.on) })
	})
	if len(out) == 0 && because != "" {
		out = append(out, off{file: file, because: because, perhaps: perhaps})
	}
	return out
}

// definitions are the helpers of a chart and its subcharts, by their names.
func definitions(c *chart.Chart) map[string]*parse.ListNode {
	out := map[string]*parse.ListNode{}
	var add func(c *chart.Chart)
	add = func(c *chart.Chart) {
		for _, d := range c.Dependencies() {
			add(d)
		}
		for _, f := range c.Templates {
			t := parse.New("definitions")
			t.Mode = parse.SkipFuncCheck
			set := map[string]*parse.Tree{}
			if _, err := t.Parse(string(f.Data), "", "", set); err != nil {
				continue
			}
			for _, name := range sortedKeys(set) {
				if set[name].Root != nil && name != "definitions" {
					out[name] = set[name].Root
				}
			}
		}
	}
	add(c)
	return out
}

// partWalk collects the parts of a template with the conditions around them.
type partWalk struct {
	text           string
	pods, includes [][]branch
	// prints: what is printed is collected too, of a helper.
	prints  bool
	printed []outcome
}

func (w *partWalk) list(l *parse.ListNode, around []branch, c *conditions) {
	if l == nil {
		return
	}
	for _, n := range l.Nodes {
		switch n := n.(type) {
		case *parse.TextNode:
			if text := strings.TrimSpace(string(n.Text)); w.prints && text != "" {
				w.printed = append(w.printed, outcome{slices.Clone(around), text, nil})
			}
			if podText.Match(n.Text) {
				w.pods = append(w.pods, slices.Clone(around))
			}
		case *parse.ActionNode:
			w.action(n, around, c)
		case *parse.TemplateNode:
			w.includes = append(w.includes, slices.Clone(around))
		case *parse.IfNode:
			w.branches(&n.BranchNode, around, c, c)
		case *parse.WithNode:
			w.branches(&n.BranchNode, around, c, c.inside())
		case *parse.RangeNode:
			w.branches(&n.BranchNode, around, c, c.inside())
		}
	}
}

func (w *partWalk) action(n *parse.ActionNode, around []branch, c *conditions) {
	for _, v := range n.Pipe.Decl {
		if _, again := c.vars[v.Ident[0]]; again || n.Pipe.IsAssign {
			c.vars[v.Ident[0]] = unknown{}
			continue
		}
		c.vars[v.Ident[0]] = c.pipe(n.Pipe)
	}
	if len(n.Pipe.Decl) > 0 {
		return
	}
	if w.prints {
		w.printed = append(w.printed, outcome{slices.Clone(around), "", c.pipe(n.Pipe)})
	}
	for _, cmd := range n.Pipe.Cmds {
		if id, ok := cmd.Args[0].(*parse.IdentifierNode); ok && id.Ident == "include" {
			w.includes = append(w.includes, slices.Clone(around))
			return
		}
	}
}

func (w *partWalk) branches(b *parse.BranchNode, around []branch, outside, inside *conditions) {
	text := b.Pipe.String()
	if start, end, ok := actionAt(w.text, int(b.Pipe.Pos)); ok {
		text = strings.TrimSpace(strings.Trim(strings.Trim(w.text[start:end], "{}"), "-"))
	}
	of := outside.pipe(b.Pipe)
	w.list(b.List, append(slices.Clone(around), branch{of, true, lint.Quote(text)}), inside)
	w.list(b.ElseList, append(slices.Clone(around), branch{of, false, lint.Quote("not: " + text)}), outside)
}
