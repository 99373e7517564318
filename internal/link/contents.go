package link

import (
	"path"
	"slices"
	"strings"

	"github.com/probelint/probelint/internal/model"
)

// contents is what is known of the files of a container's image: from the Dockerfile of the tree that builds it, or from
// the reference. nil where nothing is.
func (j *joiner) contents(w *model.Workload, c *model.Container) *model.Image {
	if !j.asksForContents(w, c) {
		return nil
	}
	im := parseImage(c.Image)
	at := c.Fields.Value("image", c.Span)
	if im.ko != "" {
		return j.koImage(c.Image, at)
	}
	if kind, brings := kindOf(c.Image); kind != model.ImageUnknown {
		return &model.Image{Kind: kind, Base: c.Image, Span: at, Certainty: model.Proven, Programs: brings}
	}
	if len(j.dockerfiles) == 0 {
		return nil
	}
	r := j.recipeOf(im, w, c)
	if r == nil || r.recipe.stage == nil {
		return nil
	}
	out := r.recipe.contents()
	out.Certainty = model.Likely
	// Of the only Dockerfile of a tree it is not said that it builds an image of another name.
	named := r.only && (j.endsInOwnName(im) || slices.ContainsFunc(out.Programs, func(p string) bool { return p != anything && sameName(p, im.name) }))
	switch {
	case r.certain || named:
		out.Certainty = model.Proven
	case r.only && !(len(j.dockerfiles) == 1 && j.onlyOwnImage()):
		return nil
	}
	return out
}

// asksForContents: only exec commands and containers without any probe are judged by what the image holds.
func (j *joiner) asksForContents(w *model.Workload, c *model.Container) bool {
	if c.PreStop != nil && c.PreStop.Kind == "exec" {
		return true
	}
	for _, p := range c.Probes {
		if p.Kind == model.Exec {
			return true
		}
	}
	return len(c.Probes) == 0 && len(j.dockerfiles) > 0 && !w.RunsToCompletion() && c.Kind == model.Main
}

// onlyOwnImage reports whether the workloads of the input use one image that is not a known foreign one.
func (j *joiner) onlyOwnImage() bool {
	seen := ""
	for _, w := range j.in.Workloads {
		for _, c := range w.Containers {
			im := parseImage(c.Image)
			if im.foreign() != "" || im.placeholder() {
				continue
			}
			if seen != "" && seen != im.name {
				return false
			}
			seen = im.name
		}
	}
	return seen != ""
}

// koImage is the image that ko builds: the program on cgr.dev/chainguard/static, unless a .ko.yaml names another base.
func (j *joiner) koImage(ref string, at model.Span) *model.Image {
	out := &model.Image{Kind: model.ImageBare, Base: ref, Span: at, Certainty: model.Proven}
	for _, f := range j.in.BuildFiles {
		if b := strings.ToLower(path.Base(f)); b != ".ko.yaml" && b != ".ko.yml" {
			continue
		}
		data, err := j.in.Read(f)
		if err != nil {
			return nil
		}
		for _, l := range strings.Split(string(data), "\n") {
			l = strings.TrimSpace(l)
			if strings.HasPrefix(l, "baseImageOverrides") {
				return nil
			}
			if base, ok := strings.CutPrefix(l, "defaultBaseImage:"); ok {
				base = strings.Trim(strings.TrimSpace(base), `"'`)
				if out.Kind, out.Programs = kindOf(base); out.Kind == model.ImageUnknown {
					return nil
				}
			}
		}
	}
	return out
}

// kindOf says what an image holds besides the application by its reference, with the programs that the base brings.
// Sources: github.com/GoogleContainerTools/distroless (README, "Debug images"), images.chainguard.dev/directory/image/static.
func kindOf(ref string) (kind string, programs []string) {
	im := parseImage(ref)
	tag := tagOf(ref)
	if strings.Contains(im.raw, anything) && im.name != "static" {
		return model.ImageUnknown, nil
	}
	parts := strings.Split(im.repository, "/")
	distroless := false
	for _, p := range parts[:len(parts)-1] {
		distroless = distroless || p == "distroless"
	}
	switch {
	case ref == "scratch":
		return model.ImageBare, nil
	case strings.Contains(tag, "debug"):
		return model.ImageUnknown, nil
	case distroless:
		switch name, _, _ := strings.Cut(im.name, "-"); name {
		case "static", "base", "cc":
			return model.ImageBare, nil
		case "java", "java11", "java17", "java21", "java25":
			return model.ImageBare, []string{"java"}
		case "nodejs", "nodejs18", "nodejs20", "nodejs22", "nodejs24":
			return model.ImageBare, []string{"node"}
		}
		return model.ImageUnknown, nil // the Python images bring a shell
	case im.registry == "cgr.dev" && len(parts) == 2 && !strings.HasSuffix(tag, "-dev"):
		switch im.name {
		case "static", "glibc-dynamic", "cc-dynamic":
			return model.ImageBare, nil
		}
	case im.registry == "" && (im.repository == "alpine" || im.repository == "debian" || im.repository == "ubuntu"):
		if im.repository == "alpine" {
			return model.ImageAlpine, nil
		}
		return model.ImageDebian, nil
	}
	return model.ImageUnknown, nil
}

func tagOf(ref string) string {
	s, _, _ := strings.Cut(ref, "@")
	if i := strings.LastIndexByte(s, ':'); i > strings.LastIndexByte(s, '/') {
		return s[i+1:]
	}
	return ""
}

// contents reads off the final stage which image it starts from and what it adds.
func (r *recipe) contents() *model.Image {
	chain := r.file.chain(r.stage)
	root := chain[len(chain)-1]
	out := &model.Image{Base: root.base, Dockerfile: r.file.path, Span: root.span(r.file.path)}
	out.Kind, out.Programs = kindOf(root.base)
	for i := len(chain) - 1; i >= 0; i-- {
		for _, st := range chain[i].steps {
			switch st.op {
			case "HEALTHCHECK":
				out.Healthcheck = st.span
				if strings.EqualFold(strings.TrimSpace(st.text), "NONE") {
					out.Healthcheck = model.Span{}
				}
			case "RUN":
				// In an image without a shell nothing runs but what was brought; in one with a package manager anything may
				// be installed.
				out.Programs = append(out.Programs, anything)
			case "ADD":
				if strings.Contains(st.text, ".tar") || strings.Contains(st.text, ".tgz") {
					out.Programs = append(out.Programs, anything)
				}
			}
		}
	}
	for _, c := range r.copies {
		src, dst := path.Base(c.src), path.Base(c.dst)
		out.Programs = append(out.Programs, dst)
		if c.dir {
			out.Programs = append(out.Programs, src)
		}
		// A folder that lands where programs are looked up may hold any.
		if strings.Contains(c.src, anything) || src == "busybox" || programFolder[c.dst] && (programFolder[c.src] || folders[src]) {
			out.Programs = append(out.Programs, anything)
		}
	}
	return out
}

// folders are names that a folder bears rather than a program.
var folders = map[string]bool{
	".": true, "/": true, "rootfs": true, "root": true, "out": true, "output": true, "dist": true, "build": true, "bin": true,
	"sbin": true, "usr": true, "install": true, "staging": true, "layer": true, "fs": true,
}

// programFolder are the folders of the default PATH, and those above.
var programFolder = map[string]bool{
	"/": true, "/bin": true, "/sbin": true, "/usr": true, "/usr/bin": true, "/usr/sbin": true, "/usr/local": true,
	"/usr/local/bin": true, "/usr/local/sbin": true, "/busybox": true,
}

func (s *stage) span(file string) model.Span {
	return model.Span{File: file, Start: s.start, End: s.end, Line: s.line}
}
