package link

import (
	"fmt"
	"path"
	"sort"
	"strings"

	"github.com/probelint/probelint/internal/model"
)

// choice is the program that a container runs, or why it is not known.
type choice struct {
	program   *program
	certainty model.Certainty
	evidence  []model.Evidence
	// why is the reason where there is no program and no candidates; candidates are left where only the probes can tell.
	why        string
	candidates []*program
	// elsewhere: the image is known to hold no program of the input.
	elsewhere bool
	// container is the container with what its Dockerfile sets.
	container *model.Container
	// absent is the main package that the image is built from and that is not in the input, nil where none is known.
	absent *model.Miss
	// imageSeen: the image's own ENV and CMD were read, so that a default in code is in force for certain.
	imageSeen bool
}

// The strength of evidence. A program is chosen on the strength of names from `enough` on.
const (
	decisive = 1000
	explicit = 100 // a build file names the image and leads to the package
	built    = 60  // a Dockerfile leads to the package, and the image is taken to be built by it
	exact    = 40  // the image, or the program it starts, bears the program's own name
	similar  = 22
	enough   = 18
)

// score is the evidence for one program.
type score struct {
	program  *program
	points   int
	certain  bool // evidence that suffices for proof is among it
	evidence []model.Evidence
}

func (s *score) add(points int, certain bool, e model.Evidence) {
	s.points += points
	s.certain = s.certain || certain
	if e.Fact != "" {
		s.evidence = append(s.evidence, e)
	}
}

func (j *joiner) choose(w *model.Workload, c *model.Container) choice {
	ch := choice{container: c}
	im := parseImage(c.Image)
	imageAt := c.Fields.Value("image", c.Span)
	if p, e, bound := j.bindingOf(w, c); bound {
		if p == nil {
			ch.why = e.Fact
			return ch
		}
		ch.program, ch.certainty, ch.evidence = p, model.Proven, []model.Evidence{e}
		if r := j.recipeOf(im, w, c); r != nil {
			ch.container, ch.imageSeen = withImage(c, r.recipe), true
		}
		return ch
	}
	if len(j.programs) == 0 {
		ch.why = ifElse(j.in.Code == nil, "no Go was read", "no Go main package was read")
		if j.in.Code != nil {
			ch.absent = j.absent(im, w, c)
		}
		return ch
	}
	if im.ko != "" {
		if p := j.byImportPath(im.ko); p != nil {
			ch.program, ch.certainty = p, model.Proven
			ch.evidence = []model.Evidence{evidence("image", &imageAt, "ko builds %s", im.ko)}
			return ch
		}
		ch.why = fmt.Sprintf("not read: ko builds %s, which is not among the Go packages read", im.ko)
		return ch
	}

	if im.raw == "" {
		ch.why = "no image: the manifest names none for this container"
		return ch
	}

	scores := map[*program]*score{}
	of := func(p *program) *score {
		if scores[p] == nil {
			scores[p] = &score{program: p}
		}
		return scores[p]
	}
	r := j.recipeOf(im, w, c)
	if r != nil {
		ch.container, ch.imageSeen = withImage(c, r.recipe), !r.recipe.viaMake || len(r.recipe.command()) > 0
		if r.recipe.other != "" && len(r.recipe.builds) == 0 {
			ch.why = fmt.Sprintf("not Go: `%s` is built by %s with %s", im.raw, r.recipe.file.path, r.recipe.other)
			ch.elsewhere = true
			return ch
		}
	}
	if r != nil {
		j.scoreRecipe(r, startedProgram(ch.container), c, im, of)
	}
	j.scoreBuilds(im, c, of)
	j.scoreNames(im, imageAt, startedProgram(c), w, c, of)

	ranked := make([]*score, 0, len(scores))
	for _, p := range j.programs {
		if s := scores[p]; s != nil && s.points > 0 {
			ranked = append(ranked, s)
		}
	}
	sort.SliceStable(ranked, func(a, b int) bool { return ranked[a].points > ranked[b].points })
	if len(ranked) > 0 && ranked[0].points >= enough {
		top := ranked[0]
		if len(ranked) == 1 || top.points >= ranked[1].points+4 {
			ch.program, ch.evidence = top.program, top.evidence
			ch.certainty = model.Likely
			if top.certain && (len(ranked) == 1 || top.points >= ranked[1].points+15 || !ranked[1].certain) {
				ch.certainty = model.Proven
			}
			if ch.certainty == model.Likely && j.soleMain(w) == top.program && im.foreign() == "" {
				ch.certainty = model.Proven
			}
			return ch
		}
		for _, s := range ranked {
			if s.points+4 > top.points {
				ch.candidates = append(ch.candidates, s.program)
			}
		}
		return ch
	}
	return j.withoutNames(ch, im, w, r)
}

// withoutNames decides where no name of the tree fits: a foreign image, the only main package, or none.
func (j *joiner) withoutNames(ch choice, im image, w *model.Workload, r *usedRecipe) choice {
	if r == nil || !r.named {
		if f := im.foreign(); f != "" {
			ch.why = fmt.Sprintf("not our image: `%s` is %s", short(im.raw), f)
			ch.elsewhere = true
			return ch
		}
		if !im.placeholder() && j.ownImages != "" && !j.endsInOwnName(im) {
			ch.why = fmt.Sprintf("not our image: `%s` bears no name of this tree, whose own images are such as `%s`", short(im.raw), j.ownImages)
			ch.elsewhere = true
			return ch
		}
	}
	if p := j.soleMain(w); p != nil {
		ch.program, ch.certainty = p, model.Proven
		ch.evidence = []model.Evidence{{Step: "program", Fact: fmt.Sprintf("%s is the only main package of the module that holds the manifest", p.label()), File: p.Span.File, Line: p.Span.Line, Span: p.Span}}
		return ch
	}
	near := j.nearModule(w)
	var left []*program
	for _, p := range j.programs {
		if !p.helper && (near == "" || p.moduleDir == near) {
			left = append(left, p)
		}
	}
	if len(left) == 0 {
		for _, p := range j.programs {
			if !p.helper {
				left = append(left, p)
			}
		}
	}
	if len(left) == 1 {
		ch.program, ch.certainty = left[0], model.Likely
		ch.evidence = []model.Evidence{{Step: "program", Fact: fmt.Sprintf("%s is the only main package that is no tool", left[0].label()), File: left[0].Span.File, Line: left[0].Span.Line, Span: left[0].Span}}
		return ch
	}
	ch.candidates = left
	if len(left) == 0 {
		ch.why = "no main package here is a program that a container runs"
	}
	return ch
}

// scoreRecipe follows a Dockerfile from the program that starts to the package it was built from.
func (j *joiner) scoreRecipe(r *usedRecipe, command string, c *model.Container, im image, of func(*program) *score) {
	points, certain := built, r.certain
	switch {
	case r.named && r.certain:
		points = explicit
	case r.only && !j.endsInOwnName(im):
		points = similar // one Dockerfile, and an image whose name says nothing
	case r.only:
		points = similar + 8
	}
	if g, ok := r.recipe.started(command); ok {
		if len(r.recipe.builds) > 1 && g.base() == path.Base(command) {
			points = max(points, exact) // of several programs the container starts this one by its name
		}
		if p := j.byBuild(g.dir, g.importPath, im.name, c.Name, path.Base(command)); p != nil {
			of(p).add(points, certain, r.why)
			of(p).add(0, certain, evidence("program", &g.span, "%s builds `%s` from %s", r.recipe.file.path, path.Base(g.out), p.label()))
			return
		}
	}
	// The binary comes from make, goreleaser or the like.
	names := []string{path.Base(command)}
	if pre := r.recipe.prebuilt(command); pre != "" {
		names = append([]string{pre, strings.TrimRight(pre, "-_."+anything)}, names...)
	}
	for _, name := range names {
		if p, b := j.byBinary(name); p != nil {
			of(p).add(points, certain, r.why)
			of(p).add(0, certain, evidence("program", &b.span, "builds `%s` from %s", b.name, p.label()))
			return
		}
	}
	for _, name := range names {
		if p := j.byOwnName(name); p != nil {
			of(p).add(points, certain, r.why)
			of(p).add(0, certain, evidence("program", &r.recipe.entrySpan, "the image starts `%s`, the name of %s", name, p.label()))
			return
		}
	}
}

// byOwnName is the only program that bears a name as its own.
func (j *joiner) byOwnName(name string) *program {
	var found *program
	if name == "" || name == "." || name == "/" {
		return nil
	}
	for _, p := range j.programs {
		if n, _ := j.nameScore(name, p); n >= exact-4 {
			if found != nil {
				return nil
			}
			found = p
		}
	}
	return found
}

// scoreBuilds uses what build files say of the image without a Dockerfile.
func (j *joiner) scoreBuilds(im image, c *model.Container, of func(*program) *score) {
	if im.placeholder() {
		return
	}
	for _, b := range j.builds.images {
		if (b.mainDir == "" && b.importPath == "") || b.image.name == "" || !(b.image.same(im) || b.image.name == im.name) {
			continue
		}
		if p := j.byBuild(b.mainDir, b.importPath, im.name, c.Name, ""); p != nil {
			of(p).add(explicit, true, evidence("image", &b.span, "%s builds `%s` from %s", b.tool, b.image.name, p.label()))
			return
		}
	}
}

// scoreNames compares the names that manifest and image use with those of the programs.
func (j *joiner) scoreNames(im image, imageAt model.Span, command string, w *model.Workload, c *model.Container, of func(*program) *score) {
	bin := path.Base(command)
	binAt := c.Fields.Value("command", c.Fields.Value("args", c.Span))
	binProgram, binEntry := j.byBinary(bin)
	for _, p := range j.programs {
		s := of(p)
		named := ""
		if !im.placeholder() {
			points, name := j.nameScore(im.name, p)
			if points > 0 {
				s.add(points, points >= exact, evidence("image", &imageAt, "image `%s` bears the name of %s", im.name, p.label()))
				named = name
			}
		}
		if command != "" && bin != "." && bin != "/" {
			points, _ := j.nameScore(bin, p)
			switch {
			case points >= exact:
				s.add(built, true, evidence("program", &binAt, "the container starts `%s`, the name of %s", bin, p.label()))
			case binProgram == p:
				s.add(built, true, evidence("program", &binEntry.span, "`%s`, which the container starts, is built from %s", bin, p.label()))
			case points > 0:
				s.add(points, false, evidence("program", &binAt, "the container starts `%s`", bin))
			}
		}
		for _, n := range []struct{ kind, name string }{{"container", c.Name}, {"workload", w.Name}} {
			points, _ := j.nameScore(n.name, p)
			points /= 2
			if points >= 10 {
				e := model.Evidence{}
				if named == "" || !sameName(named, n.name) {
					e = evidence("program", &c.Span, "%s `%s` bears the name of %s", n.kind, n.name, p.label())
				}
				s.add(points, false, e)
			}
		}
		if s.points > 0 {
			home := strings.TrimSuffix(p.dir, "/cmd")
			switch {
			case home != "." && inDir(w.File, home):
				s.add(8, false, evidence("program", &w.Span, "the manifest lies beside %s", p.label()))
			case p.moduleDir == j.nearModule(w):
				s.add(5, false, model.Evidence{})
			}
			if p.helper {
				s.add(-10, false, model.Evidence{})
			}
		}
	}
}

// nameScore says how well a name fits a program, and which of its names it is.
func (j *joiner) nameScore(given string, p *program) (int, string) {
	if given == "" {
		return 0, ""
	}
	best, which := 0, ""
	up := func(n int, name string) {
		if n > best {
			best, which = n, name
		}
	}
	for i, own := range p.own {
		own0 := own
		switch {
		case sameName(given, own) && i == 0 && !plain[own]:
			up(exact+4, own0)
		case sameName(given, own) && i == 0:
			up(exact, own0) // cmd/server for an image `server`
		case sameName(given, own):
			up(exact-10, own0)
		case i == 0 && nearName(given, own, p.repo, p.module):
			up(similar+6, own0)
		case i > 0 && nearName(given, own, p.repo, p.module):
			up(similar, own0)
		case endsInName(given, own):
			up(enough, own0)
		}
	}
	for _, m := range []string{p.module, p.repo} {
		siblings, main := j.perModule[p.moduleDir], p.atRoot()
		if m != p.module { // a module within a repository: the repository's name means it where nothing else has that name
			siblings, main = j.perRepo[p.repo], false
		}
		switch {
		case !sameName(given, m) && !nearName(given, m):
		case siblings == 1 || main:
			up(exact-4, m)
		case plain[p.own[0]] && !p.helper:
			up(enough+4, m) // the module's name means its main server
		case !p.helper:
			up(8, m)
		}
	}
	return best, which
}

// endsInOwnName reports whether an image bears the name of a main package, a module or the repository, or nearly that of
// an image that a build file makes. Where its last element is a plain word (`org/shop/server`), the one before counts.
func (j *joiner) endsInOwnName(im image) bool {
	names := []string{im.name}
	if plain[im.name] {
		names = append(names, path.Base(path.Dir(im.repository)))
	}
	for _, name := range names {
		for _, p := range j.programs {
			if n, _ := j.nameScore(name, p); n >= enough || sameName(name, p.module) || sameName(name, p.repo) {
				return true
			}
		}
		if sameName(name, path.Base(j.in.Root)) {
			return true
		}
	}
	for _, b := range j.builds.images {
		if !b.image.placeholder() && (sameName(im.name, b.image.name) || nearName(im.name, b.image.name)) {
			return true
		}
		if b.tool == "compose" && b.image.name == "" && sameName(im.name, b.name) {
			return true // compose names the image after the service
		}
	}
	return false
}

// soleMain is the only main package of the module whose go.mod is nearest above the manifest, nil where there are several
// or the manifest lies outside the modules read.
func (j *joiner) soleMain(w *model.Workload) *program {
	near := j.nearModule(w)
	var found *program
	for _, p := range j.programs {
		if near != "" && p.moduleDir == near {
			if found != nil {
				return nil
			}
			found = p
		}
	}
	return found
}

// nearModule is the folder of the module nearest above a manifest, "" where there is none.
func (j *joiner) nearModule(w *model.Workload) string {
	best := ""
	for _, p := range j.programs {
		if inDir(w.File, p.moduleDir) && (best == "" || len(p.moduleDir) > len(best) || best == ".") {
			best = p.moduleDir
		}
	}
	return best
}

func short(ref string) string {
	if i := strings.IndexByte(ref, '@'); i > 0 {
		ref = ref[:i]
	}
	return ref
}

// evidence makes one step; a zero span leaves the place out.
func evidence(step string, at *model.Span, format string, args ...any) model.Evidence {
	e := model.Evidence{Step: step, Fact: fmt.Sprintf(format, args...)}
	if at != nil && !at.IsZero() {
		e.File, e.Line, e.Span = at.File, at.Line, *at
	}
	return e
}
