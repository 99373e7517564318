package render

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/types"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/manifest"
	"github.com/probelint/probelint/internal/model"
)

// kustomize builds the outermost kustomizations of the run: a base that an overlay includes is judged as the overlay has it.
func (r *run) kustomize(ctx context.Context) {
	if len(r.in.Kustomizations) == 0 {
		return
	}
	ks := newKustomizations(r.in.Set, r.in.Overlay, r.in.MaxBytes)
	included := map[string]bool{}
	for _, dir := range r.in.Kustomizations {
		if k := ks.of(dir); k != nil && !k.foreign {
			for _, b := range slices.Concat(k.bases, k.components) {
				included[b] = true
			}
		}
	}
	var todo []string
	for _, dir := range r.in.Kustomizations {
		if !included[dir] {
			todo = append(todo, dir)
		}
	}
	todo = append(todo, ks.circles(r.in.Kustomizations, todo)...)
	r.keep = openKept(r.cache, r.in)
	defer r.keep.save(ctx)
	done := map[string]bool{}
	for len(todo) > 0 && ctx.Err() == nil {
		dir := todo[0]
		todo = todo[1:]
		k := ks.of(dir)
		if done[dir] || k == nil || k.foreign || k.k.Kind == types.ComponentKind {
			continue
		}
		done[dir] = true
		if !r.build(ctx, ks, k) {
			todo = append(todo, k.bases...) // what it includes is then judged by itself
		}
	}
}

// circles are kustomizations that include each other, and that none of the outermost ones includes: the first of each circle. kustomize
// says what is wrong with them.
func (ks *kustomizations) circles(all, outermost []string) (out []string) {
	seen := map[string]bool{}
	var visit func(dir string)
	visit = func(dir string) {
		k := ks.of(dir)
		if seen[dir] || k == nil {
			return
		}
		seen[dir] = true
		for _, b := range slices.Concat(k.bases, k.components) {
			visit(b)
		}
	}
	for _, dir := range outermost {
		visit(dir)
	}
	for _, dir := range all {
		if !seen[dir] {
			out = append(out, dir)
			visit(dir)
		}
	}
	return out
}

// mostBuild bounds one build.
const mostBuild = time.Minute

// build renders one kustomization.
func (r *run) build(ctx context.Context, ks *kustomizations, k *kustomization) bool {
	r.leftOut(ks, k, map[string]bool{})
	if k.err != nil {
		r.unbuilt(ks, k, k.err)
		return false
	}
	files, err := r.keep.files(ks, k, func() ([]*made, error) {
		built, err := r.objects(ctx, ks, k)
		if err != nil {
			return nil, err
		}
		m := &mapper{ks: ks, top: k}
		var files []*made
		for _, o := range built {
			files = append(files, m.file(o.text, o.from))
		}
		return files, ctx.Err()
	})
	if ctx.Err() != nil {
		return false
	}
	if err != nil {
		r.unbuilt(ks, k, err)
		return false
	}
	g := manifest.Rendering{Tool: "kustomize", Dir: k.dir}
	for _, f := range files {
		g.Files = append(g.Files, f.source())
	}
	r.out.Renderings = append(r.out.Renderings, g)
	r.read(ks, k)
	return true
}

// object is one object that kustomize printed, and the file relative to the root that it came from, "" for a generated one.
type object struct {
	text []byte
	from string
}

// objects builds a kustomization. Where each object comes from kustomize says on request, but then notes every transformation of
// every object too, which takes three times as long as the rest: where an annotation can be put into the text of the
// resources, it is not asked.
func (r *run) objects(ctx context.Context, ks *kustomizations, k *kustomization) ([]object, error) {
	ks.resources = ks.markable(k)
	ks.jail.tracked = r.tracked || ks.resources == nil
	built, err := whole(ctx, ks, k)
	if !ks.jail.tracked && (err != nil || ks.jail.unmarked) && !errors.Is(err, errSlow) && ctx.Err() == nil {
		ks.jail.tracked = true // an error is told of the files as they are
		built, err = whole(ctx, ks, k)
	}
	if err != nil {
		return nil, err
	}
	var out []object
	for _, res := range built.Resources() {
		annotations := res.GetAnnotations()
		from := annotations[fileAnnotation]
		if origin := originPath(annotations); ks.jail.tracked && origin != "" {
			from = path.Join(k.dir, origin)
		}
		delete(annotations, originAnnotation)
		delete(annotations, fileAnnotation)
		if err := res.SetAnnotations(annotations); err != nil {
			continue
		}
		if text, err := res.AsYAML(); err == nil && manifest.Useful(text) {
			out = append(out, object{text, from})
		}
	}
	return out, nil
}

// whole runs kustomize, once more with all schemas where it fails without: a patch can be about one.
func whole(ctx context.Context, ks *kustomizations, k *kustomization) (resmap.ResMap, error) {
	ks.jail.whole = false
	built, err := once(ctx, ks, k)
	if err != nil && ks.jail.shrunk && !errors.Is(err, errSlow) && ctx.Err() == nil {
		ks.jail.whole = true
		return once(ctx, ks, k)
	}
	return built, err
}

// errSlow ends a build that takes longer than any real one.
var errSlow = fmt.Errorf("kustomize took longer than %d seconds", int(mostBuild.Seconds()))

// once runs kustomize once.
func once(ctx context.Context, ks *kustomizations, k *kustomization) (resmap.ResMap, error) {
	type result struct {
		m   resmap.ResMap
		err error
	}
	ks.jail.read, ks.jail.shrunk, ks.jail.unmarked = map[string]bool{}, false, false
	done := make(chan result, 1)
	restore := mute()
	go func() {
		var res result
		defer func() {
			restore()
			if v := recover(); v != nil {
				res.err = fmt.Errorf("kustomize stopped: %v", v)
			}
			done <- res
		}()
		o := krusty.MakeDefaultOptions()
		o.LoadRestrictions = types.LoadRestrictionsNone // the jail restricts it to the root
		o.PluginConfig = types.DisabledPluginConfig()
		res.m, res.err = krusty.MakeKustomizer(o).Run(ks.jail, ks.abs(k.dir))
	}()
	timeout := time.NewTimer(mostBuild)
	defer timeout.Stop()
	select {
	case res := <-done:
		return res.m, res.err
	case <-timeout.C:
		return nil, errSlow
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// originAnnotation is kustomize's, fileAnnotation that of jail.mark.
const (
	originAnnotation = "config.kubernetes.io/origin"
	fileAnnotation   = "probelint.dev/file"
)

// markable are the files that are resources of a kustomization, or of one below it, and nothing else of it: an annotation in a
// patch would go to what it patches. It is nil where kustomize is asked for annotations by the kustomization itself.
func (ks *kustomizations) markable(k *kustomization) map[string]bool {
	if len(k.k.BuildMetadata) > 0 {
		return nil
	}
	files, others := map[string]bool{}, []string(nil)
	seen := map[string]bool{}
	var visit func(k *kustomization)
	visit = func(k *kustomization) {
		if k == nil || seen[k.dir] {
			return
		}
		seen[k.dir] = true
		for _, f := range k.files {
			files[f] = true
		}
		others = append(others, k.others...)
		for _, dir := range slices.Concat(k.bases, k.components) {
			visit(ks.of(dir))
		}
	}
	visit(k)
	for _, f := range others {
		if files[f] {
			return nil
		}
	}
	return files
}

// mark puts the path of a resource into its text. What is no resource stays as it is.
func (ks *kustomizations) mark(real string, raw []byte) ([]byte, bool) {
	rel := ks.rel(real)
	if !ks.resources[rel] {
		return raw, true
	}
	marked, known := ks.marked[rel]
	if !known {
		if f, err := ks.set.Get(rel); err == nil && bytes.Equal(f.Data, raw) {
			marked, _ = manifest.Annotate(f, fileAnnotation, rel)
		}
		ks.marked[rel] = marked
	}
	if marked == nil {
		return raw, false
	}
	return marked, true
}

// originPath is the file that a resource came from, relative to the kustomization that was built, "" for a generated one.
func originPath(annotations map[string]string) string {
	var o struct {
		Path string `yaml:"path"`
	}
	if kyaml.Unmarshal([]byte(annotations[originAnnotation]), &o) != nil {
		return ""
	}
	return o.Path
}

// read says of the files of a build how they were read.
func (r *run) read(ks *kustomizations, k *kustomization) {
	for real := range ks.jail.read {
		rel := ks.rel(real)
		switch {
		case isKustomization(path.Base(rel)) && path.Dir(rel) == k.dir:
			r.used(rel, "rendered by kustomize")
		case isKustomization(path.Base(rel)):
			r.used(rel, "rendered as part of "+k.dir)
		default:
			r.used(rel, "rendered by kustomize as part of "+k.dir)
		}
	}
}

// used adds to how a file was read.
func (r *run) used(rel, how string) {
	if old := r.out.Used[rel]; old != "" && !strings.Contains(old, how) {
		const most = 160
		if len(old) > most {
			return
		}
		how = old + "; " + how
	}
	r.out.Used[rel] = how
}

// leftOut reports what of a kustomization and of those below it was not rendered.
func (r *run) leftOut(ks *kustomizations, k *kustomization, seen map[string]bool) {
	if k == nil || seen[k.dir] {
		return
	}
	seen[k.dir] = true
	if !r.told[k.dir] {
		r.told[k.dir] = true
		r.absent(k, k.remote, lint.Info, "is fetched from elsewhere and was not rendered", "are fetched from elsewhere and were not rendered")
		r.absent(k, k.missing, lint.Info, "is not in the repository", "are not in the repository")
		r.absent(k, k.plugins, lint.Info, "needs another program and was not run", "need other programs and were not run")
	}
	for _, dir := range slices.Concat(k.bases, k.components) {
		r.leftOut(ks, ks.of(dir), seen)
	}
}

// absent reports parts of a kustomization.
func (r *run) absent(k *kustomization, what []string, level lint.Level, one, many string) {
	what = slices.Compact(slices.Sorted(slices.Values(what)))
	if len(what) == 0 {
		return
	}
	at := k.file.Span(0, min(len(k.file.Data), max(0, strings.IndexAny(string(k.file.Data), "\r\n"))))
	if i := strings.Index(string(k.file.Data), what[0]); i >= 0 {
		at = k.file.Span(i, i+len(what[0]))
	}
	name, verb := lint.Quote(clip(what[0])), one
	if len(what) > 1 {
		name, verb = fmt.Sprintf("%d parts", len(what)), many
	}
	r.in.Set.Add(k.file)
	r.out.Findings = append(r.out.Findings, lint.Finding{
		Rule: "unreadable-input", Level: level, Certainty: model.Proven,
		Title:    lint.Title("kustomization %s: "+escape(name+" "+verb), lint.Quote(k.dir)),
		Primary:  lint.Label{Span: at, Text: "left out"},
		Notes:    []string{"left out: " + strings.Join(what, ", ")},
		Identity: []string{k.file.Path, "kustomization", one},
	})
	r.out.Limits = append(r.out.Limits, model.Limit{What: "kustomization " + k.dir, Because: what[0] + " " + one})
	if len(what) > 1 {
		r.out.Limits[len(r.out.Limits)-1].Because = strings.Join(what, ", ") + " " + many
	}
}

// pointers is a part of a message that differs from run to run: a value of kustomize's printed with its pointers.
var pointers = regexp.MustCompile(` ?&?\{?0x[0-9a-f]{8,16}(?: 0x[0-9a-f]{8,16})*\}?`)

// unbuilt reports a kustomization that does not build. Its files are read as they are.
func (r *run) unbuilt(ks *kustomizations, k *kustomization, err error) {
	why := pointers.ReplaceAllString(oneLine(err.Error()), "")
	why = strings.ReplaceAll(why, r.in.Set.Root+string(os.PathSeparator), "")
	short := why
	for _, fact := range []string{"cycle detected", "Found multiple kustomization files"} { // what follows is no reason
		if i := strings.Index(why, fact); i >= 0 {
			short = "several kustomization files"
			if fact == "cycle detected" {
				short = "it includes itself"
				why = why[i:]
			}
		}
	}
	if i := strings.LastIndex(short, ": "); i >= 0 && i+2 < len(short) {
		short = short[i+2:]
	}
	if r.out.Used[k.file.Path] == "" {
		r.out.Used[k.file.Path], r.out.Failed[k.file.Path] = "a kustomization that does not build: "+short, true
	}
	r.in.Set.Add(k.file)
	end := max(0, strings.IndexAny(string(k.file.Data)+"\n", "\r\n"))
	level := lint.Error
	if k.incomplete(ks, map[string]bool{}) {
		level = lint.Info // of what is left out here a part may be missing
	}
	r.out.Findings = append(r.out.Findings, lint.Finding{
		Rule: "unreadable-input", Level: level, Certainty: model.Proven,
		Title:    lint.Title("kustomization %s does not build: "+escape(clip(short)), lint.Quote(k.dir)),
		Primary:  lint.Label{Span: k.file.Span(0, min(end, len(k.file.Data))), Text: "this kustomization"},
		Notes:    []string{why, "its files were read as they are, without its patches"},
		Identity: []string{k.file.Path, "kustomization", "build"},
	})
	r.out.Limits = append(r.out.Limits, model.Limit{What: "kustomization " + k.dir, Because: why})
}

// incomplete reports whether a part of a kustomization, or of one below it, was left out.
func (k *kustomization) incomplete(ks *kustomizations, seen map[string]bool) bool {
	if k == nil || seen[k.dir] {
		return false
	}
	seen[k.dir] = true
	if len(k.remote)+len(k.missing)+len(k.plugins) > 0 {
		return true
	}
	for _, dir := range slices.Concat(k.bases, k.components) {
		if ks.of(dir).incomplete(ks, seen) {
			return true
		}
	}
	return false
}
