package link

import (
	"path"
	"strings"

	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/values"
)

// goBuild is one `go build` or `go install`.
type goBuild struct {
	// dir is the folder of the main package relative to the root of the run; importPath is set instead where the package
	// was named by import path. Both may hold `anything`.
	dir, importPath string
	// out is the file that is written, as a path in the image or tree; base names the binary.
	out  string
	span model.Span
}

// base is the binary's file name.
func (g goBuild) base() string {
	if g.out != "" {
		return path.Base(g.out)
	}
	return ""
}

// recipe is what one stage of a Dockerfile comes to: which binary starts, and what it was built from.
type recipe struct {
	file  *dockerfile
	stage *stage
	// builds are the Go builds of all stages that the image takes files from.
	builds []goBuild
	// entrypoint and cmd are the image's command line, entrySpan where it is written.
	entrypoint, cmd []string
	entrySpan       model.Span
	// env are the variables that the image sets.
	env []model.EnvVar
	// copies are the files that reach the final stage.
	copies []copied
	// other names another language that the image is made with, where no Go is in sight.
	other string
	// viaMake: a RUN calls make, mage or a script, so that the Go build is written elsewhere.
	viaMake bool
}

type copied struct {
	from, src, dst string // from: a stage, or "" for the context
	dir            bool   // dst is a folder
}

// interpret runs a stage on paper. context is the folder that COPY takes from, relative to the root of the run; args are
// the build arguments.
func interpret(d *dockerfile, target *stage, context string, args map[string]string) *recipe {
	r := &recipe{file: d, stage: target}
	if target == nil {
		return r
	}
	goSeen := false
	seen := map[*stage]bool{}
	todo := []*stage{target}
	for len(todo) > 0 {
		s := todo[0]
		todo = todo[1:]
		if s == nil || seen[s] {
			continue
		}
		chain := d.chain(s)
		for _, c := range chain {
			seen[c] = true
		}
		e := &evaluation{recipe: r, vars: map[string]string{}, context: context, args: args, final: s == target, cwd: "/"}
		for i := len(chain) - 1; i >= 0; i-- {
			e.run(d, chain[i])
		}
		root := chain[len(chain)-1].base
		goSeen = goSeen || e.goSeen || isGoImage(root)
		if r.other == "" {
			r.other = languageOf(root)
		}
		if r.other == "" {
			r.other = e.other
		}
		for _, from := range e.from {
			todo = append(todo, d.stage(from))
		}
	}
	if goSeen {
		r.other = ""
	}
	return r
}

// evaluation is the state of one chain of stages.
type evaluation struct {
	recipe  *recipe
	vars    map[string]string // ARG and ENV
	args    map[string]string
	context string
	cwd     string
	final   bool
	// mounts are the folders of the image that hold folders of the context, last first.
	mounts []copied
	from   []string
	goSeen bool
	other  string
}

func (e *evaluation) value(n string) (string, bool) { v, ok := e.vars[n]; return v, ok }

func (e *evaluation) run(d *dockerfile, s *stage) {
	for _, st := range s.steps {
		text := st.text
		if st.op != "RUN" {
			text = expandVars(text, e.value)
		}
		switch st.op {
		case "ARG":
			for _, kv := range pairs(text) {
				switch v, given := e.args[kv.name]; {
				case given:
					e.vars[kv.name] = v
				case kv.has:
					e.vars[kv.name] = kv.value
				default:
					if v, ok := d.args[kv.name]; ok {
						e.vars[kv.name] = v
					}
				}
			}
		case "ENV":
			for _, kv := range pairs(text) {
				e.vars[kv.name] = kv.value
				if e.final {
					known := !strings.Contains(kv.value, anything)
					e.recipe.env = append(e.recipe.env, model.EnvVar{Name: kv.name, Value: kv.value, Known: known, From: values.FromDockerfile, Span: st.span})
				}
			}
		case "WORKDIR":
			e.cwd = under(e.cwd, strings.Trim(text, `"'`))
		case "COPY", "ADD":
			e.copy(st, text)
		case "RUN":
			e.runScript(st)
		case "ENTRYPOINT", "CMD":
			e.entry(st)
		}
	}
}

func (e *evaluation) copy(st step, text string) {
	words := strings.Fields(text)
	if len(st.exec) > 0 {
		words = st.exec
	}
	if len(words) < 2 || strings.Contains(text, "\n") {
		return
	}
	dst := words[len(words)-1]
	c := copied{from: st.flags["from"], dst: under(e.cwd, dst), dir: strings.HasSuffix(dst, "/") || dst == "." || len(words) > 2 || under(e.cwd, dst) == e.cwd}
	if c.from != "" {
		c.from = expandVars(c.from, e.value)
		e.from = append(e.from, c.from)
	}
	for _, src := range words[:len(words)-1] {
		c.src = src
		if c.from == "" {
			c.src = under(e.context, strings.TrimPrefix(src, "/"))
			e.mounts = append([]copied{c}, e.mounts...)
		} else {
			c.src = under("/", src)
		}
		if e.final {
			e.recipe.copies = append(e.recipe.copies, c)
		}
	}
}

// inTree maps a path of the image to one of the tree, through the COPY that brought it. It is false for a path that no
// COPY brought.
func (e *evaluation) inTree(p string) (string, bool) {
	best, length := "", -1
	for _, m := range e.mounts {
		base := m.src
		if strings.HasSuffix(base, "/"+anything) || base == anything {
			base = path.Dir(base)
		}
		if (p == m.dst || strings.HasPrefix(p, strings.TrimSuffix(m.dst, "/")+"/")) && len(m.dst) > length {
			rest := strings.TrimPrefix(strings.TrimPrefix(p, m.dst), "/")
			if strings.LastIndexByte(path.Base(m.src), '.') > 0 {
				continue // a file (go.mod, *.go) says nothing of the folder that it is copied into
			}
			best, length = path.Join(base, rest), len(m.dst)
		}
	}
	return best, length >= 0
}

func (e *evaluation) runScript(st step) {
	words := values.SplitShell(st.text)
	if len(st.exec) > 0 {
		words = st.exec
	}
	if len(words) > 0 && strings.HasPrefix(words[0], "<<") {
		words = words[1:]
	}
	vars := func(w string) string { return expandVars(w, e.value) }
	cwd := e.cwd
	for _, cmd := range commands(words) {
		for i := range cmd {
			cmd[i] = vars(cmd[i])
		}
		if len(cmd) >= 2 && cmd[0] == "cd" {
			cwd = under(cwd, cmd[1])
			continue
		}
		for _, b := range goBuilds(cmd) {
			e.goSeen = true
			g := goBuild{span: st.span}
			dir := under(cwd, b.chdir)
			if b.out != "" {
				g.out = under(dir, b.out)
				if strings.HasSuffix(b.out, "/") {
					g.out += "/" // a folder
				}
			}
			if b.importPath {
				g.importPath = b.pkg
			} else {
				in, ok := e.inTree(under(dir, b.pkg))
				if !ok {
					continue
				}
				g.dir = in
			}
			if g.out == "" {
				g.out = under(dir, path.Base(strings.TrimSuffix(ifElse(g.importPath != "", g.importPath, ifElse(g.dir == ".", dir, g.dir)), "/")))
			}
			if strings.HasSuffix(g.out, "/") {
				g.out += path.Base(ifElse(g.importPath != "", g.importPath, g.dir))
			}
			e.recipe.builds = append(e.recipe.builds, g)
		}
		switch tool := path.Base(cmd[0]); tool {
		case "make", "mage", "task", "just", "bazel", "goreleaser", "earthly":
			e.recipe.viaMake = true
			e.goSeen = true // it may be Go: nothing is claimed
		case "go", "xx-go":
			e.goSeen = true
		case "npm", "yarn", "pnpm", "pip", "pip3", "cargo", "mvn", "./mvnw", "gradle", "./gradlew", "dotnet", "bundle", "composer", "mix", "poetry", "uv":
			if e.other == "" {
				e.other = tool
			}
		default:
			if strings.HasSuffix(tool, ".sh") {
				e.recipe.viaMake = true
			}
		}
	}
}

func (e *evaluation) entry(st step) {
	if !e.final {
		return
	}
	words := append([]string(nil), st.exec...)
	if st.exec == nil {
		words = values.SplitShell(st.text)
		if len(words) > 0 && words[0] == "exec" {
			words = words[1:]
		}
	}
	for i := range words {
		words[i] = expandVars(words[i], e.value)
	}
	if st.op == "ENTRYPOINT" {
		e.recipe.entrypoint, e.recipe.entrySpan = words, st.span
		return
	}
	e.recipe.cmd = words
	if e.recipe.entrySpan.IsZero() {
		e.recipe.entrySpan = st.span
	}
}

// command is the image's command line: ENTRYPOINT and CMD.
func (r *recipe) command() []string { return append(append([]string(nil), r.entrypoint...), r.cmd...) }

// started finds the Go build behind a program that the container starts ("/app", "server"). ok is false where the
// Dockerfile does not lead to one.
func (r *recipe) started(program string) (goBuild, bool) {
	name := path.Base(program)
	wanted := []string{name}
	for _, c := range r.copies {
		dst := path.Base(c.dst)
		src := path.Base(c.src)
		if (dst == name || c.dir) && src != anything && (dst == name || src == name) {
			wanted = append(wanted, src)
		}
	}
	var hits []goBuild
	for _, w := range wanted {
		for _, b := range r.builds {
			if b.base() == w || b.base() != "" && strings.Contains(b.base(), anything) && globName(b.base(), w) {
				hits = append(hits, b)
			}
		}
	}
	if len(hits) == 0 && len(r.builds) == 1 {
		return r.builds[0], true
	}
	if len(hits) == 0 {
		return goBuild{}, false
	}
	for _, h := range hits[1:] {
		if h.dir != hits[0].dir || h.importPath != hits[0].importPath {
			return goBuild{}, false
		}
	}
	return hits[0], true
}

// prebuilt is the name of the file of the context that the container starts (`COPY bin/manager /`), or "".
func (r *recipe) prebuilt(program string) string {
	name := path.Base(program)
	for _, c := range r.copies {
		if c.from != "" {
			continue
		}
		if src := path.Base(c.src); path.Base(c.dst) == name && !c.dir || src == name {
			return src
		}
	}
	return ""
}

func ifElse(c bool, a, b string) string {
	if c {
		return a
	}
	return b
}
