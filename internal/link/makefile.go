package link

import (
	"path"
	"strings"

	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/values"
)

// makefile reads variables and the go build, docker build and ko build lines of recipes.
func (b *builds) makefile(f, text string) {
	vars := map[string]string{}
	lines := splitLines(text)
	type recipeLine struct {
		text   string
		number int
		target string
	}
	var recipes []recipeLine
	target := ""
	depth := 0 // of ifeq, ifdef, ...
	for i := 0; i < len(lines); i++ {
		l, number := lines[i].text, lines[i].number
		for strings.HasSuffix(l, "\\") && i+1 < len(lines) {
			i++
			l = strings.TrimSuffix(l, "\\") + " " + strings.TrimSpace(lines[i].text)
		}
		if strings.HasPrefix(l, "\t") {
			recipes = append(recipes, recipeLine{strings.TrimLeft(l, "\t @-+"), number, target})
			continue
		}
		switch word, _, _ := strings.Cut(strings.TrimSpace(l), " "); strings.TrimRight(word, "(") {
		case "ifeq", "ifneq", "ifdef", "ifndef":
			depth++
			continue
		case "endif":
			depth--
			continue
		}
		if name, value, ok := makeVariable(strings.TrimSpace(l)); ok {
			// The last assignment wins, save one that a condition guards: it is not known to hold.
			if _, set := vars[name]; !set || depth <= 0 && !strings.Contains(l, "?=") {
				vars[name] = value
			}
			continue
		}
		if t, _, ok := strings.Cut(l, ":"); ok && !strings.HasPrefix(l, "#") {
			target = strings.TrimSpace(t)
		}
	}
	for _, r := range recipes {
		text := makeExpand(r.text, vars, 0)
		if i := strings.Index(text, "$@"); i >= 0 {
			text = strings.ReplaceAll(text, "$@", makeExpand(r.target, vars, 0))
		}
		b.script(f, path.Dir(f), "make", strings.ReplaceAll(text, "$$", "$"), r.number, nil)
	}
}

func makeVariable(l string) (name, value string, ok bool) {
	for _, op := range []string{":::=", "::=", ":=", "?=", "="} {
		n, v, found := strings.Cut(l, op)
		if !found {
			continue
		}
		n = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(n), "export "))
		if n == "" || strings.ContainsAny(n, " \t:#$(){}") {
			return "", "", false
		}
		if i := strings.Index(v, " #"); i >= 0 {
			v = v[:i]
		}
		return n, strings.TrimSpace(v), true
	}
	return "", "", false
}

// makeExpand replaces $(NAME) and ${NAME}; functions and unknown names become anything. `$$` is kept for the shell.
func makeExpand(s string, vars map[string]string, depth int) string {
	if depth > 8 || !strings.Contains(s, "$") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '$' || i+1 >= len(s) {
			b.WriteByte(s[i])
			continue
		}
		open := s[i+1]
		if open != '(' && open != '{' {
			b.WriteByte('$')
			if open == '$' {
				b.WriteByte('$')
				i++
			}
			continue
		}
		end, level := -1, 0
		closing := byte(')')
		if open == '{' {
			closing = '}'
		}
		for j := i + 1; j < len(s); j++ {
			if s[j] == open {
				level++
			} else if s[j] == closing {
				if level--; level == 0 {
					end = j
					break
				}
			}
		}
		if end < 0 {
			b.WriteString(s[i:])
			break
		}
		name := s[i+2 : end]
		if v, ok := vars[name]; ok {
			b.WriteString(makeExpand(v, vars, depth+1))
		} else {
			b.WriteString(anything)
		}
		i = end
	}
	return b.String()
}

// script reads the lines of a shell script. dir is where it runs, relative to the root.
func (b *builds) script(f, dir, tool, text string, line int, env map[string]string) {
	text = strings.ReplaceAll(text, "\\\n", "  ")
	cwd := dir
	value := func(n string) (string, bool) { v, ok := env[n]; return v, ok }
	for i, l := range strings.Split(text, "\n") {
		span := model.Span{File: f, Line: line + i}
		for _, cmd := range commands(values.SplitShell(l)) {
			for j := range cmd {
				cmd[j] = expandVars(cmd[j], value)
			}
			if len(cmd) >= 2 && cmd[0] == "cd" {
				cwd = under(cwd, cmd[1])
				continue
			}
			for _, g := range goBuilds(cmd) {
				one := binary{span: span}
				if g.importPath {
					one.importPath, one.name = g.pkg, path.Base(g.pkg)
				} else {
					one.dir = under(under(cwd, g.chdir), g.pkg)
					one.name = path.Base(one.dir)
				}
				if g.out != "" && !strings.HasSuffix(g.out, "/") {
					one.name = strings.TrimRight(strings.TrimSuffix(path.Base(g.out), anything), "-_.")
				}
				if one.name != "" && one.name != "." {
					b.binaries = append(b.binaries, one)
				}
			}
			if one, ok := dockerBuild(cmd, cwd); ok {
				one.tool, one.span = ifElse(tool != "", tool, "script"), span
				b.images = append(b.images, one)
			}
		}
		if tool != "" {
			cwd = dir // each line of a recipe has a shell of its own
		}
	}
}

// dockerBuild reads `docker build -t IMAGE -f FILE CONTEXT`, also by podman, buildah, buildx and nerdctl.
func dockerBuild(cmd []string, cwd string) (build, bool) {
	i := 0
	tool := strings.Trim(path.Base(cmd[0]), "@-")
	switch tool {
	case "docker", "podman", "buildah", "nerdctl", "img", anything:
	default:
		return build{}, false
	}
	for i = 1; i < len(cmd) && cmd[i] != "build" && cmd[i] != "bud"; i++ {
		if i > 3 {
			return build{}, false
		}
	}
	if i >= len(cmd) {
		return build{}, false
	}
	one := build{context: cwd, args: map[string]string{}}
	file, ctx, tag := "", "", ""
	for i++; i < len(cmd); i++ {
		w := cmd[i]
		name, value, has := strings.Cut(w, "=")
		if !strings.HasPrefix(w, "-") {
			if w != anything {
				ctx = w
			}
			continue
		}
		next := func() string {
			if has {
				return value
			}
			if i+1 < len(cmd) {
				i++
				return cmd[i]
			}
			return ""
		}
		switch name {
		case "-t", "--tag":
			if v := next(); tag == "" {
				tag = v
			}
		case "-f", "--file":
			file = next()
		case "--target":
			one.target = next()
		case "--build-arg":
			if k, v, ok := strings.Cut(next(), "="); ok && !strings.Contains(v, anything) {
				one.args[k] = v
			}
		case "--platform", "--label", "--cache-from", "--cache-to", "--secret", "--network", "--progress", "-o", "--output", "--ssh", "--builder", "--iidfile", "--build-context":
			next()
		}
	}
	if tag == "" {
		return build{}, false
	}
	one.image = parseImage(tag)
	if ctx != "" && ctx != "-" {
		one.context = under(cwd, ctx)
	}
	one.dockerfile = ifElse(file != "", under(cwd, file), path.Join(one.context, "Dockerfile"))
	return one, true
}
