// Package link joins the two sides: the container of a manifest with the Go program that its image is built from, and each
// probe with the server, the route and the handler that answer it. It keeps the evidence for each step, or the reason for
// none. It reads the plain model alone; the Go side is behind Analysis.
package link

import (
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/values"
)

// Analysis is what the Go side knows.
type Analysis interface {
	Programs() []*model.Program
	// Endpoint follows a handler as one request sees it, in one container; nil where it cannot be followed at all.
	Endpoint(*model.Program, *model.Route, model.Request, *model.Container) *model.Endpoint
}

// Bind is an entry of `bindings` in the configuration: the Go package that a container runs.
type Bind struct {
	Workload  string // "Deployment/checkout", or the name alone
	Container string // "" for every container of the workload
	Package   string // import path, or a folder relative to the root ("./cmd/api")
	// Span is where it is written; zero: unknown.
	Span model.Span
}

// Input is what a join is made of.
type Input struct {
	// Root is the absolute root of the run; its base name serves as a name of the repository.
	Root      string
	Workloads []*model.Workload
	// Code is nil where no Go was read.
	Code Analysis
	// Dockerfiles and BuildFiles (skaffold, compose, ko, make, goreleaser, workflows) are relative to Root.
	Dockerfiles, BuildFiles []string
	Bindings                []Bind
	// Read returns a file by its path relative to Root.
	Read func(rel string) ([]byte, error)
}

// Binding is a container with the program that it runs.
type Binding struct {
	Workload  *model.Workload
	Container *model.Container
	Program   *model.Program
	Certainty model.Certainty
	Evidence  []model.Evidence
	// InForce is the container with what its Dockerfile sets.
	InForce *model.Container
}

// Result is what rules about programs need to know of the join.
type Result struct {
	// Bound are the containers whose program is known, in the order of the input.
	Bound []Binding
	// Unread are entries of Bindings that fit a container and name a package that was not read, so that nothing about code is said of
	// the container.
	Unread []Bind
}

// Values are the values in force in one container.
type Values = values.Values

// Resolve turns a value into a constant for one container (package values).
func Resolve(v model.Value, env Values) (value, from string, ok bool) { return values.Resolve(v, env) }

type joiner struct {
	in          Input
	programs    []*program
	perModule   map[string]int // main packages that are no tools, by the folder of the module
	perRepo     map[string]int // the same, by the name of the repository in the module path
	dockerfiles []string
	parsed      map[string]*dockerfile
	recipes     map[recipeKey]*recipe
	builds      *builds
	// ownImages is an image that the tree names as its own, "" where there is none.
	ownImages string
	endpoints map[endpointKey]*model.Endpoint
	unread    []Bind
}

// Join fills Endpoint, Evidence, Certainty, Reason and Miss of each probe, and Contents of each container whose image
// matters.
func Join(in Input) *Result {
	j := newJoiner(in)
	res := &Result{}
	for _, w := range in.Workloads {
		for _, c := range w.Containers {
			ch := j.choose(w, c)
			if len(ch.candidates) > 0 {
				j.tryCandidates(&ch, w, c)
			}
			if ch.program != nil {
				res.Bound = append(res.Bound, Binding{w, c, ch.program.Program, ch.certainty, ch.evidence, ch.container})
			}
			for _, p := range c.Probes {
				j.probe(&ch, w, p)
			}
			c.Contents = j.contents(w, c)
		}
	}
	j.fillAddresses(res)
	res.Unread = j.unread
	return res
}

func newJoiner(in Input) *joiner {
	if in.Read == nil {
		in.Read = func(string) ([]byte, error) { return nil, errNoReader }
	}
	j := &joiner{in: in, perModule: map[string]int{}, perRepo: map[string]int{}, parsed: map[string]*dockerfile{}, recipes: map[recipeKey]*recipe{}, endpoints: map[endpointKey]*model.Endpoint{}}
	if in.Code != nil {
		for _, p := range in.Code.Programs() {
			j.programs = append(j.programs, newProgram(p))
		}
	}
	sort.SliceStable(j.programs, func(a, b int) bool { return j.programs[a].Package < j.programs[b].Package })
	for _, p := range j.programs {
		if !p.helper {
			j.perModule[p.moduleDir]++
			j.perRepo[p.repo]++
		}
	}
	j.dockerfiles = append(j.dockerfiles, in.Dockerfiles...)
	sort.Strings(j.dockerfiles)
	j.builds = &builds{}
	if len(j.programs) > 0 || len(j.dockerfiles) > 0 {
		j.builds = readBuilds(in.BuildFiles, in.Read)
	}
	j.ownImages = j.findOwnImage()
	return j
}

type linkError string

func (e linkError) Error() string { return string(e) }

const errNoReader = linkError("no files to read")

// findOwnImage looks for an image that the tree names as its own: in a build file, or in a manifest where it bears the
// name of a program, a module or the repository.
func (j *joiner) findOwnImage() string {
	for _, b := range j.builds.images {
		if b.image.name != "" && !b.image.placeholder() {
			return b.image.name
		}
	}
	for _, w := range j.in.Workloads {
		for _, c := range w.Containers {
			if im := parseImage(c.Image); !im.placeholder() && j.endsInOwnName(im) {
				return im.name
			}
		}
	}
	return ""
}

// bindingOf is the program that the configuration binds. bound is true with a nil program where the package it names was
// not read; the evidence then holds the reason.
func (j *joiner) bindingOf(w *model.Workload, c *model.Container) (p *program, e model.Evidence, bound bool) {
	for i := range j.in.Bindings {
		b := &j.in.Bindings[i]
		if b.Workload != w.Ref() && b.Workload != w.Name || b.Container != "" && b.Container != c.Name {
			continue
		}
		for _, p := range j.programs {
			if p.Package == b.Package || p.dir == path.Clean(orDot(b.Package)) {
				return p, evidence("program", &b.Span, "the configuration binds it to %s", b.Package), true
			}
		}
		if j.in.Code != nil && !slices.Contains(j.unread, *b) {
			j.unread = append(j.unread, *b)
		}
		return nil, evidence("program", &b.Span, "not read: the configuration binds it to %s, which is no main package that was read", b.Package), true
	}
	return nil, e, false
}

func (j *joiner) byImportPath(p string) *program {
	for _, q := range j.programs {
		if q.Package == p {
			return q
		}
	}
	return nil
}

// byBuild finds the main package of a folder or import path that may hold `anything`; hints tell among several.
func (j *joiner) byBuild(dir, importPath string, hints ...string) *program {
	var hits []*program
	for _, p := range j.programs {
		switch {
		case importPath != "" && (p.Package == importPath || strings.Contains(importPath, anything) && globName(importPath, p.Package)):
			hits = append(hits, p)
		case importPath == "" && dir != "" && (p.dir == dir || strings.Contains(dir, anything) && globName(dir, p.dir)):
			hits = append(hits, p)
		}
	}
	if len(hits) == 1 && !strings.Contains(dir+importPath, anything) {
		return hits[0]
	}
	for _, h := range hints {
		for _, p := range hits {
			for _, own := range p.own {
				if sameName(own, h) || nearName(h, own, p.repo, p.module) {
					return p
				}
			}
		}
	}
	return nil
}

// byBinary finds the program that a build file compiles into a file of this name, nil where there are several.
func (j *joiner) byBinary(name string) (*program, binary) {
	var found *program
	var entry binary
	if name == "" || name == "." || name == "/" {
		return nil, entry
	}
	for _, b := range j.builds.binaries {
		if b.name != name {
			continue
		}
		p := j.byBuild(b.dir, b.importPath, name)
		if p == nil || p == found {
			continue
		}
		if found != nil {
			return nil, binary{}
		}
		found, entry = p, b
	}
	return found, entry
}
