package link

import (
	"path"
	"sort"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/probelint/probelint/internal/model"
)

// build is one image that a build file of the tree makes.
type build struct {
	image      image
	name       string // of the compose service or the stage, where the file has no image
	context    string // relative to the root
	dockerfile string // relative to the root; "" where none is used
	target     string
	args       map[string]string
	// mainDir or importPath is the main package where the tool builds Go by itself (ko).
	mainDir, importPath string
	tool                string // "skaffold", "compose", ...
	span                model.Span
}

// binary is one program that a build file compiles: its file name and the folder of its main package.
type binary struct {
	name, dir, importPath string
	span                  model.Span
}

// builds is what all build files of the tree say.
type builds struct {
	images   []build
	binaries []binary
}

// readBuilds reads the build files. A file that cannot be read or parsed says nothing: these files are evidence, not
// input, and a link without evidence says so.
func readBuilds(files []string, read func(string) ([]byte, error)) *builds {
	b := &builds{}
	files = append([]string(nil), files...)
	sort.Strings(files)
	for _, f := range files {
		data, err := read(f)
		if err != nil {
			continue
		}
		base := strings.ToLower(path.Base(f))
		switch {
		case strings.HasPrefix(base, "skaffold"):
			eachDocument(data, func(n *yaml.Node) { b.skaffold(f, n) })
		case strings.Contains(base, "compose"):
			eachDocument(data, func(n *yaml.Node) { b.compose(f, n) })
		case base == ".ko.yaml" || base == ".ko.yml":
			eachDocument(data, func(n *yaml.Node) { b.ko(f, n) })
		case strings.HasPrefix(strings.TrimPrefix(base, "."), "goreleaser"):
			eachDocument(data, func(n *yaml.Node) { b.goreleaser(f, n) })
		case strings.Contains(f, ".github/workflows/"):
			eachDocument(data, func(n *yaml.Node) { b.workflow(f, n) })
		case strings.Contains(base, "makefile") || strings.HasSuffix(base, ".mk"):
			b.makefile(f, string(data))
		case strings.HasSuffix(base, ".sh"):
			b.script(f, path.Dir(f), "", string(data), 1, nil)
		}
	}
	return b
}

func eachDocument(data []byte, f func(*yaml.Node)) {
	dec := yaml.NewDecoder(strings.NewReader(string(data)))
	for {
		var n yaml.Node
		if dec.Decode(&n) != nil {
			return
		}
		if len(n.Content) > 0 {
			f(n.Content[0])
		}
	}
}

// get follows keys through mappings; nil where a key is missing. Merge keys are followed.
func get(n *yaml.Node, keys ...string) *yaml.Node {
	for _, k := range keys {
		n = deref(n)
		if n == nil || n.Kind != yaml.MappingNode {
			return nil
		}
		var next *yaml.Node
		for i := 0; i+1 < len(n.Content); i += 2 {
			switch {
			case n.Content[i].Value == k:
				next = n.Content[i+1]
			case n.Content[i].Tag == "!!merge" && next == nil:
				next = get(n.Content[i+1], k)
			}
		}
		n = next
	}
	return deref(n)
}

func deref(n *yaml.Node) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

func str(n *yaml.Node, keys ...string) string {
	if n = get(n, keys...); n != nil && n.Kind == yaml.ScalarNode {
		return n.Value
	}
	return ""
}

func items(n *yaml.Node, keys ...string) []*yaml.Node {
	if n = get(n, keys...); n != nil && n.Kind == yaml.SequenceNode {
		return n.Content
	}
	return nil
}

// argsOf reads build arguments, a mapping or a list of NAME=value.
func argsOf(n *yaml.Node) map[string]string {
	m := map[string]string{}
	n = deref(n)
	switch {
	case n == nil:
	case n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			m[n.Content[i].Value] = n.Content[i+1].Value
		}
	case n.Kind == yaml.SequenceNode:
		for _, c := range n.Content {
			if k, v, ok := strings.Cut(c.Value, "="); ok {
				m[k] = v
			}
		}
	}
	return m
}

func at(file string, n *yaml.Node) model.Span { return model.Span{File: file, Line: n.Line} }

// skaffold: build.artifacts and those of profiles (skaffold.dev/docs/references/yaml).
func (b *builds) skaffold(f string, n *yaml.Node) {
	list := items(n, "build", "artifacts")
	for _, p := range items(n, "profiles") {
		list = append(list, items(p, "build", "artifacts")...)
	}
	for _, a := range list {
		dir := under(path.Dir(f), orDot(str(a, "context")))
		one := build{image: parseImage(str(a, "image")), context: dir, tool: "skaffold", span: at(f, a)}
		switch {
		case get(a, "ko") != nil:
			one.mainDir = under(under(dir, str(a, "ko", "dir")), orDot(str(a, "ko", "main")))
		case get(a, "buildpacks") != nil || get(a, "jib") != nil || get(a, "bazel") != nil:
		case get(a, "custom") != nil:
			if d := str(a, "custom", "dependencies", "dockerfile", "path"); d != "" {
				one.dockerfile = under(dir, d)
			}
		default:
			one.dockerfile = under(dir, ifElse(str(a, "docker", "dockerfile") != "", str(a, "docker", "dockerfile"), "Dockerfile"))
			one.target = str(a, "docker", "target")
			one.args = argsOf(get(a, "docker", "buildArgs"))
		}
		b.images = append(b.images, one)
	}
}

// compose: services with a build (github.com/compose-spec/compose-spec, build.md).
func (b *builds) compose(f string, n *yaml.Node) {
	services := get(n, "services")
	if services == nil || services.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(services.Content); i += 2 {
		key, s := services.Content[i], services.Content[i+1]
		bn := get(s, "build")
		if bn == nil {
			continue
		}
		one := build{name: key.Value, tool: "compose", span: at(f, key)}
		if im := str(s, "image"); im != "" {
			one.image = parseImage(expandVars(im, func(string) (string, bool) { return "", false }))
		}
		ctx, file := bn.Value, ""
		if bn.Kind == yaml.MappingNode {
			ctx, file = str(bn, "context"), str(bn, "dockerfile")
			one.target, one.args = str(bn, "target"), argsOf(get(bn, "args"))
		}
		one.context = under(path.Dir(f), orDot(ctx))
		one.dockerfile = under(one.context, ifElse(file != "", file, "Dockerfile"))
		b.images = append(b.images, one)
	}
}

// ko: builds give the id, the folder and the main package (ko.build/configuration).
func (b *builds) ko(f string, n *yaml.Node) {
	for _, x := range items(n, "builds") {
		dir := under(under(path.Dir(f), str(x, "dir")), orDot(str(x, "main")))
		dir = strings.TrimSuffix(dir, "/main.go")
		b.binaries = append(b.binaries, binary{name: ifElse(str(x, "id") != "", str(x, "id"), path.Base(dir)), dir: dir, span: at(f, x)})
	}
}

// goreleaser: builds name binaries, dockers and kos name images (goreleaser.com/customization).
func (b *builds) goreleaser(f string, n *yaml.Node) {
	dir := path.Dir(f)
	mains := map[string]string{}
	for _, x := range items(n, "builds") {
		main := strings.TrimSuffix(under(under(dir, str(x, "dir")), orDot(str(x, "main"))), "/main.go")
		if strings.HasSuffix(main, ".go") {
			main = path.Dir(main)
		}
		id := str(x, "id")
		name := ifElse(str(x, "binary") != "", str(x, "binary"), ifElse(id != "", id, str(n, "project_name")))
		mains[id] = main
		if name != "" {
			b.binaries = append(b.binaries, binary{name: name, dir: main, span: at(f, x)})
		}
	}
	only := ""
	if len(mains) == 1 {
		for _, m := range mains {
			only = m
		}
	}
	for _, key := range []string{"dockers", "dockers_v2"} {
		for _, x := range items(n, key) {
			main := only
			if ids := items(x, "ids"); len(ids) == 1 {
				main = mains[ids[0].Value]
			}
			for _, im := range append(items(x, "image_templates"), items(x, "images")...) {
				b.images = append(b.images, build{
					image: parseImage(stripTemplate(im.Value)), context: dir, mainDir: main,
					dockerfile: under(dir, ifElse(str(x, "dockerfile") != "", str(x, "dockerfile"), "Dockerfile")), tool: "goreleaser", span: at(f, im),
				})
			}
		}
	}
	for _, x := range items(n, "kos") {
		main := mains[str(x, "build")]
		if main == "" {
			main = ifElse(str(x, "main") != "", under(under(dir, str(x, "working_dir")), str(x, "main")), only)
		}
		for _, im := range append(items(x, "repositories"), get(x, "repository")) {
			if im != nil && main != "" {
				b.images = append(b.images, build{image: parseImage(stripTemplate(im.Value)), context: dir, mainDir: main, tool: "ko", span: at(f, im)})
			}
		}
	}
}

// workflow: docker/build-push-action and the scripts of GitHub workflows.
func (b *builds) workflow(f string, n *yaml.Node) {
	jobs := get(n, "jobs")
	if jobs == nil || jobs.Kind != yaml.MappingNode {
		return
	}
	for i := 1; i < len(jobs.Content); i += 2 {
		env := argsOf(get(n, "env"))
		for k, v := range argsOf(get(jobs.Content[i], "env")) {
			env[k] = v
		}
		meta := ""
		for _, s := range items(jobs.Content[i], "steps") {
			uses := str(s, "uses")
			switch {
			case strings.HasPrefix(uses, "docker/metadata-action"):
				meta = str(s, "with", "images")
			case strings.HasPrefix(uses, "docker/build-push-action"):
				tags := str(s, "with", "tags")
				if strings.Contains(tags, "outputs.tags") {
					tags = meta
				}
				dir := path.Clean(workflowText(orDot(str(s, "with", "context")), env))
				file := workflowText(str(s, "with", "file"), env)
				for _, t := range strings.FieldsFunc(workflowText(tags, env), func(r rune) bool { return r == '\n' || r == ',' || r == ' ' }) {
					b.images = append(b.images, build{
						image: parseImage(t), context: dir, dockerfile: ifElse(file != "", path.Clean(file), path.Join(dir, "Dockerfile")),
						target: workflowText(str(s, "with", "target"), env), tool: "workflow", span: at(f, s), args: lineArgs(str(s, "with", "build-args")),
					})
				}
			}
			if run := get(s, "run"); run != nil {
				b.script(f, orDot(str(s, "working-directory")), "", workflowText(run.Value, env), run.Line, nil)
			}
		}
	}
}

func lineArgs(s string) map[string]string {
	m := map[string]string{}
	for _, l := range strings.Split(s, "\n") {
		if k, v, ok := strings.Cut(strings.TrimSpace(l), "="); ok {
			m[k] = v
		}
	}
	return m
}

// workflowText replaces ${{ env.NAME }} by its value and other expressions by anything.
func workflowText(s string, env map[string]string) string {
	for {
		i := strings.Index(s, "${{")
		if i < 0 {
			return s
		}
		end := strings.Index(s[i:], "}}")
		if end < 0 {
			return s
		}
		v := anything
		if name, ok := strings.CutPrefix(strings.TrimSpace(s[i+3:i+end]), "env."); ok && env[name] != "" && !strings.Contains(env[name], "${{") {
			v = env[name]
		}
		s = s[:i] + v + s[i+end+2:]
	}
}

// stripTemplate replaces Go template actions by anything.
func stripTemplate(s string) string {
	for {
		i := strings.Index(s, "{{")
		if i < 0 {
			return s
		}
		end := strings.Index(s[i:], "}}")
		if end < 0 {
			return s[:i] + anything
		}
		s = s[:i] + anything + s[i+end+2:]
	}
}

func orDot(s string) string { return ifElse(s == "", ".", s) }
