package link

import (
	"path"
	"sort"
	"strings"

	"github.com/probelint/probelint/internal/model"
)

// usedRecipe is the Dockerfile that an image is built by, with the way in which it was found.
type usedRecipe struct {
	recipe *recipe
	// named: a build file names image and Dockerfile together. byFolder: the folder, the file or the stage bears the name of
	// the image or container. only: it is the only Dockerfile in question.
	named, byFolder, only bool
	// certain: the image's own name led to it, and nothing else did as well.
	certain bool
	why     model.Evidence
}

// recipeOf finds the Dockerfile of an image, nil where none fits.
func (j *joiner) recipeOf(im image, w *model.Workload, c *model.Container) *usedRecipe {
	if r := j.namedRecipe(im, w, c); r != nil {
		return r
	}
	if im.foreign() != "" && !j.endsInOwnName(im) {
		return nil
	}
	names := []string{im.name}
	if im.placeholder() {
		names = []string{c.Name, w.Name}
	}
	for i, n := range append(names, c.Name) {
		if n == "" || plain[n] && i > 0 {
			continue
		}
		if r := j.recipeByFolder(n, w, c); r != nil {
			r.certain = r.certain && n == im.name
			return r
		}
	}
	return j.onlyRecipe(im, w, c)
}

// namedRecipe: a build file names the image and its Dockerfile.
func (j *joiner) namedRecipe(im image, w *model.Workload, c *model.Container) *usedRecipe {
	if im.placeholder() {
		return nil
	}
	var best *build
	rank, tied := 0, false
	for i := range j.builds.images {
		b := &j.builds.images[i]
		if b.dockerfile == "" || j.dockerfile(b.dockerfile) == nil {
			continue
		}
		n := 0
		switch {
		case b.image.placeholder():
			if sameName(b.name, im.name) {
				n = 2
			}
		case b.image.same(im):
			n = 4
		case b.image.name == im.name:
			n = 3
		case nearName(im.name, b.image.name):
			n = 1
		}
		switch {
		case n > rank:
			best, rank, tied = b, n, false
		case n == rank && n > 0 && (b.dockerfile != best.dockerfile || b.target != best.target):
			tied = true
		}
	}
	if best == nil {
		return nil
	}
	d := j.dockerfile(best.dockerfile)
	st := d.stage(best.target)
	certain := rank > 1 && !tied
	if st == nil {
		var sure bool
		st, sure = d.leaf(im.name, c.Name, w.Name)
		certain = certain && sure
	}
	r := interpret(d, st, best.context, best.args)
	return &usedRecipe{recipe: r, named: true, certain: certain, why: evidence("image", &best.span, "%s builds `%s` with %s", best.tool, ifElse(best.image.name != "", best.image.name, best.name), best.dockerfile)}
}

// leaf is the stage that an image is made of where no target is named: the last one. Where several stages are ends, one
// that bears a name of the container is taken before the last, and sure is false.
func (d *dockerfile) leaf(names ...string) (s *stage, sure bool) {
	used := map[*stage]bool{}
	for _, s := range d.stages {
		used[d.stage(s.base)] = true
		for _, st := range s.steps {
			if from := st.flags["from"]; from != "" {
				used[d.stage(from)] = true
			}
			if i := strings.Index(st.flags["mount"], "from="); i >= 0 {
				from, _, _ := strings.Cut(st.flags["mount"][i+len("from="):], ",")
				used[d.stage(from)] = true
			}
		}
	}
	var ends []*stage
	for _, s := range d.stages {
		if !used[s] {
			ends = append(ends, s)
		}
	}
	for _, n := range names {
		for _, s := range ends {
			if len(ends) > 1 && s.name != "" && (sameName(n, s.name) || strings.HasSuffix(strings.ToLower(n), "-"+strings.ToLower(s.name))) {
				return s, false
			}
		}
	}
	return d.last(), len(ends) <= 1
}

// recipeByFolder: the folder of a Dockerfile, its suffix or a stage bears the name of the image.
func (j *joiner) recipeByFolder(name string, w *model.Workload, c *model.Container) *usedRecipe {
	var hits []string
	stages := map[string]*stage{}
	for _, f := range j.dockerfiles {
		d := j.dockerfile(f)
		if d == nil {
			continue
		}
		folder, base := path.Base(path.Dir(f)), path.Base(f)
		suffix := strings.Trim(strings.TrimPrefix(strings.TrimPrefix(base, "Dockerfile"), "dockerfile"), ".-_")
		prefix := strings.Trim(strings.TrimSuffix(strings.TrimSuffix(base, "Dockerfile"), "dockerfile"), ".-_")
		switch {
		case sameName(folder, name) || sameName(suffix, name) && suffix != base || sameName(prefix, name) && prefix != base:
			hits = append(hits, f)
		case j.folderNear(folder, name) && base == "Dockerfile":
			hits = append(hits, f)
		default:
			for _, s := range d.stages {
				if s.name != "" && sameName(s.name, name) && !plain[s.name] && s.name != "final" {
					hits = append(hits, f)
					stages[f] = s
					break
				}
			}
		}
	}
	// A debug or development variant beside the plain one says the same of the program.
	sort.SliceStable(hits, func(a, b int) bool { return variant(hits[a]) < variant(hits[b]) })
	if len(hits) == 0 || len(hits) > 1 && variant(hits[0]) == variant(hits[1]) && path.Dir(hits[0]) != path.Dir(hits[1]) {
		return nil
	}
	f := hits[0]
	d := j.dockerfile(f)
	st, sure := d.leaf(name, c.Name, w.Name)
	if stages[f] != nil {
		st, sure = stages[f], true
	}
	r := j.inBestContext(d, st, name)
	return &usedRecipe{recipe: r, byFolder: true, certain: sure, why: evidence("image", &model.Span{File: f, Line: max(st.lineOr1(), 1)}, "%s bears the name of `%s`", f, name)}
}

func (j *joiner) folderNear(folder, name string) bool {
	if fillers[folder] || plain[folder] {
		return false
	}
	for _, p := range j.programs {
		if nearName(name, folder, p.repo, p.module) {
			return true
		}
	}
	return false
}

func (s *stage) lineOr1() int {
	if s == nil {
		return 1
	}
	return s.line
}

// variant ranks Dockerfiles for other purposes than the image that is run.
func variant(f string) int {
	b := strings.ToLower(f)
	for _, w := range []string{"debug", "dev", "test", "local", "ci", "e2e", "windows", "arm"} {
		if strings.Contains(path.Base(b), w) {
			return 1
		}
	}
	return 0
}

// onlyRecipe: there is but one Dockerfile that the image can come from: of the tree, of the module, or at its root.
func (j *joiner) onlyRecipe(im image, w *model.Workload, c *model.Container) *usedRecipe {
	if im.foreign() != "" || !im.placeholder() && j.ownImages != "" && !j.endsInOwnName(im) {
		return nil
	}
	if !im.placeholder() {
		named := false
		for _, p := range j.programs {
			n, _ := j.nameScore(im.name, p)
			named = named || n > 0
		}
		if plain[im.name] && !named {
			return nil // `org/frontend` beside programs of other names is something else
		}
		for _, b := range j.builds.images {
			if b.image.name == im.name {
				return nil // a build file says how it is made, and that could not be followed
			}
		}
	}
	var usable []string
	near := j.nearModule(w)
	for _, f := range j.dockerfiles {
		if variant(f) == 0 && j.dockerfile(f) != nil && (near == "" || inDir(f, near) || inDir(near, path.Dir(f))) {
			usable = append(usable, f)
		}
	}
	if len(usable) > 1 && (!im.placeholder() || im.name == "controller") {
		var atRoot []string
		for _, f := range usable {
			if path.Base(f) == "Dockerfile" && path.Dir(f) == orDot(near) {
				atRoot = append(atRoot, f)
			}
		}
		usable = atRoot
	}
	if len(usable) != 1 {
		return nil
	}
	d := j.dockerfile(usable[0])
	st, _ := d.leaf(im.name, c.Name, w.Name)
	r := j.inBestContext(d, st, im.name)
	if r.other != "" {
		return nil
	}
	return &usedRecipe{recipe: r, only: true, why: evidence("image", &model.Span{File: d.path, Line: st.lineOr1()}, "%s is the Dockerfile of this module", d.path)}
}

// inBestContext interprets a Dockerfile whose build context is not known: its folder or one above, whichever leads to a
// main package that was read.
func (j *joiner) inBestContext(d *dockerfile, st *stage, name string) (best *recipe) {
	key := recipeKey{st, name}
	if r, ok := j.recipes[key]; ok {
		return r
	}
	defer func() { j.recipes[key] = best }()
	var fallback *recipe
	for dir := path.Dir(d.path); ; dir = path.Dir(dir) {
		r := interpret(d, st, dir, nil)
		for _, b := range r.builds {
			if j.byBuild(b.dir, b.importPath, name, name, b.base()) != nil {
				return r
			}
		}
		if fallback == nil || dir == "." {
			fallback = r
		}
		if dir == "." || dir == "/" {
			return fallback
		}
	}
}

type recipeKey struct {
	stage *stage
	name  string
}

// dockerfile reads and parses a Dockerfile once; nil where it cannot be read or holds no stage.
func (j *joiner) dockerfile(f string) *dockerfile {
	if d, ok := j.parsed[f]; ok {
		return d
	}
	var d *dockerfile
	if data, err := j.in.Read(f); err == nil {
		if d = parseDockerfile(f, data); len(d.stages) == 0 {
			d = nil
		}
	}
	j.parsed[f] = d
	return d
}

// withImage is the container with what its image sets where the manifest is silent: ENV, ENTRYPOINT and CMD. In
// Kubernetes a command replaces both ENTRYPOINT and CMD, args replace CMD.
func withImage(c *model.Container, r *recipe) *model.Container {
	out := *c
	seen := map[string]int{}
	var env []model.EnvVar
	for _, e := range r.env {
		if i, ok := seen[e.Name]; ok {
			env[i] = e
			continue
		}
		seen[e.Name] = len(env)
		env = append(env, e)
	}
	out.Env = append(env, c.Env...)
	if len(c.Command) == 0 {
		out.Command = r.entrypoint
		if len(c.Args) == 0 {
			out.Args = r.cmd
			if len(r.entrypoint) == 0 {
				out.Command, out.Args = r.cmd, nil
			}
		}
	}
	return &out
}
