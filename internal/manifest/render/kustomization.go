package render

import (
	"crypto/sha256"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/types"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/probelint/probelint/internal/manifest"
	"github.com/probelint/probelint/internal/source"
)

// kustomization is one kustomization file and what of it can be rendered.
type kustomization struct {
	dir  string // relative to the root
	file *source.File
	k    types.Kustomization
	err  error // it does not parse, or is no kustomization of kustomize's
	// foreign: an object of another program in a file of this name.
	foreign bool

	bases      []string // directories of other kustomizations, relative to the root
	components []string
	files      []string // resource files
	others     []string // what else it names: patches, sources of generators, plugins
	patches    []patch
	// remote, missing and plugins are what was left out.
	remote, missing, plugins []string
}

// patch is one patch of a kustomization, as its documents.
type patch struct {
	trees  []*manifest.Tree
	target *types.Selector
}

// remoteRef recognises what kustomize would fetch: URLs, and the ways to name a git repository without a scheme.
var remoteRef = regexp.MustCompile(`://|^git::|^[^/\s]+@[^/\s]+[:/]|(?i:^(?:www\.)?(?:github|gitlab|bitbucket)\.[a-z]+[:/])|\?(?:ref|version|timeout|submodules)=|_git/|\.git(?:/|$|\?)`)

// kustomizations reads and keeps the kustomizations of a run.
type kustomizations struct {
	set  *source.Set
	jail *jail
	all  map[string]*kustomization
	// trees are the parsed bases and patches.
	trees map[*source.File][]*manifest.Tree
	// resources are the files that the build at hand marks (mark), marked their texts, nil for one that cannot be.
	resources map[string]bool
	marked    map[string][]byte
}

// parse reads the documents of a base or a patch, once.
func (ks *kustomizations) parse(f *source.File) []*manifest.Tree {
	trees, ok := ks.trees[f]
	if !ok {
		trees, _ = manifest.ParseTrees(f)
		ks.trees[f] = trees
	}
	return trees
}

func newKustomizations(set *source.Set, overlay map[string][]byte, most int64) *kustomizations {
	root, err := filepath.EvalSymlinks(set.Root)
	if err != nil {
		root = set.Root
	}
	ks := &kustomizations{set: set, all: map[string]*kustomization{}, trees: map[*source.File][]*manifest.Tree{}, marked: map[string][]byte{}}
	ks.jail = &jail{root: root, overlay: overlay, most: most, read: map[string]bool{}, mark: ks.mark}
	ks.jail.state = func(dir string) string { return ks.of(ks.rel(dir)).state() }
	ks.jail.clean = func(dir string, raw []byte) ([]byte, error) {
		k := ks.of(ks.rel(dir))
		if k == nil || k.err != nil {
			return raw, nil // kustomize says what is wrong
		}
		if ks.jail.tracked {
			tracked := k.k
			tracked.BuildMetadata = append(slices.Clone(k.k.BuildMetadata), types.OriginAnnotations) // an overlay's wins over its bases'
			return sigsyaml.Marshal(tracked)
		}
		return sigsyaml.Marshal(k.k)
	}
	return ks
}

// state tells one reading of a kustomization from another.
func (k *kustomization) state() string {
	if k == nil {
		return "none"
	}
	return fmt.Sprintf("%x %q %q %q %v", sha256.Sum256(k.file.Data), k.remote, k.missing, k.plugins, k.err)
}

// rel is a real path relative to the root.
func (ks *kustomizations) rel(real string) string {
	r, err := filepath.Rel(ks.jail.root, real)
	if err != nil {
		return filepath.ToSlash(real)
	}
	return filepath.ToSlash(r)
}

func (ks *kustomizations) abs(rel string) string {
	return filepath.Join(ks.jail.root, filepath.FromSlash(rel))
}

// of reads the kustomization in a directory, nil where there is none.
func (ks *kustomizations) of(dir string) *kustomization {
	if k, ok := ks.all[dir]; ok {
		return k
	}
	var k *kustomization
	for _, name := range []string{"kustomization.yaml", "kustomization.yml", "Kustomization"} {
		rel := path.Join(dir, name)
		if _, err := ks.jail.real(ks.abs(rel)); err != nil {
			continue
		}
		f, err := ks.set.Get(rel)
		if err != nil {
			continue
		}
		k = &kustomization{dir: dir, file: f}
		k.read(ks)
		break
	}
	ks.all[dir] = k
	return k
}

func (k *kustomization) read(ks *kustomizations) {
	var head struct {
		APIVersion string `json:"apiVersion"`
	}
	if sigsyaml.Unmarshal(k.file.Data, &head) == nil && head.APIVersion != "" && !strings.HasPrefix(head.APIVersion, "kustomize.config.k8s.io/") {
		k.foreign = true
		return
	}
	if k.err = k.k.Unmarshal(k.file.Data); k.err != nil {
		return
	}
	k.k.FixKustomization()
	var bases []string
	k.k.Resources = slices.DeleteFunc(k.k.Resources, func(s string) bool {
		at, ok := k.local(ks, s, "resources")
		switch {
		case !ok:
			return true
		case ks.jail.IsDir(ks.abs(at)):
			bases = append(bases, at)
		default:
			k.files = append(k.files, at)
		}
		return false
	})
	k.bases = bases
	k.k.Components = slices.DeleteFunc(k.k.Components, func(s string) bool {
		at, ok := k.local(ks, s, "components")
		if ok {
			k.components = append(k.components, at)
		}
		return !ok
	})
	for _, list := range []*[]string{&k.k.Crds, &k.k.Configurations} {
		*list = slices.DeleteFunc(*list, func(s string) bool { _, ok := k.local(ks, s, ""); return !ok })
	}
	if p, ok := k.k.OpenAPI["path"]; ok {
		if _, ok := k.local(ks, p, ""); !ok {
			k.k.OpenAPI = nil
		}
	}
	k.generators(ks)
	k.plugged(ks)
	k.readPatches(ks)
	k.k.Replacements = slices.DeleteFunc(k.k.Replacements, func(r types.ReplacementField) bool {
		if r.Path == "" {
			return false
		}
		_, ok := k.local(ks, r.Path, "replacements")
		return !ok
	})
}

// local is the place of a reference of a list below the root. What is remote or not there is remembered.
func (k *kustomization) local(ks *kustomizations, ref, list string) (string, bool) {
	if remoteRef.MatchString(ref) {
		k.remote = append(k.remote, ref)
		return "", false
	}
	at := path.Join(k.dir, filepath.ToSlash(ref))
	if path.IsAbs(ref) || at == ".." || strings.HasPrefix(at, "../") {
		k.missing = append(k.missing, ref)
		return "", false
	}
	if _, err := ks.jail.real(ks.abs(at)); err != nil {
		k.missing = append(k.missing, ref)
		return "", false
	}
	if list != "resources" && list != "components" {
		k.others = append(k.others, at)
	}
	return at, true
}

// generators drops the files of ConfigMaps and Secrets that are not there: most hold secrets and are kept elsewhere.
func (k *kustomization) generators(ks *kustomizations) {
	there := func(list []string) []string {
		return slices.DeleteFunc(list, func(s string) bool {
			if _, file, ok := strings.Cut(s, "="); ok {
				s = file
			}
			_, ok := k.local(ks, s, "")
			return !ok
		})
	}
	for i := range k.k.ConfigMapGenerator {
		g := &k.k.ConfigMapGenerator[i]
		g.FileSources, g.EnvSources = there(g.FileSources), there(g.EnvSources)
	}
	for i := range k.k.SecretGenerator {
		g := &k.k.SecretGenerator[i]
		g.FileSources, g.EnvSources = there(g.FileSources), there(g.EnvSources)
	}
}

var configVersion = regexp.MustCompile(`(?m)^apiVersion:[ \t]*["']?([^"'\s#]*)`)

// plugged drops charts and plugins, which need other programs. Transformers that kustomize brings stay.
func (k *kustomization) plugged(ks *kustomizations) {
	for _, c := range k.k.HelmCharts {
		k.plugins = append(k.plugins, "the chart "+c.Name)
	}
	k.k.HelmCharts, k.k.HelmGlobals = nil, nil
	for _, list := range []*[]string{&k.k.Generators, &k.k.Transformers, &k.k.Validators} {
		*list = slices.DeleteFunc(*list, func(s string) bool {
			text, name := s, "a plugin"
			if !strings.Contains(s, "\n") {
				at, ok := k.local(ks, s, "")
				if !ok {
					return true
				}
				_, raw, err := ks.jail.text(ks.abs(at))
				if err != nil || ks.jail.IsDir(ks.abs(at)) {
					k.plugins = append(k.plugins, "the plugins in "+s)
					return true
				}
				text, name = string(raw), "the plugin in "+s
			}
			own := configVersion.FindAllStringSubmatch(text, -1)
			if len(own) == 0 || slices.ContainsFunc(own, func(m []string) bool { return m[1] != "builtin" }) || remoteRef.MatchString(text) || strings.Contains(text, "Helm") {
				k.plugins = append(k.plugins, name)
				return true
			}
			return false
		})
	}
}

// readPatches collects the patches in the order in which kustomize applies them.
func (k *kustomization) readPatches(ks *kustomizations) {
	//nolint:staticcheck // deprecated, and still what many kustomizations are written with
	k.k.PatchesStrategicMerge = slices.DeleteFunc(k.k.PatchesStrategicMerge, func(p types.PatchStrategicMerge) bool {
		if strings.Contains(string(p), "\n") {
			k.inline(string(p), nil)
			return false
		}
		at, ok := k.local(ks, string(p), "")
		if ok {
			k.patchFile(ks, at, nil)
		}
		return !ok
	})
	one := func(p types.Patch) bool {
		if p.Path == "" {
			k.inline(p.Patch, p.Target)
			return false
		}
		at, ok := k.local(ks, p.Path, "")
		if ok {
			k.patchFile(ks, at, p.Target)
		}
		return !ok
	}
	k.k.Patches = slices.DeleteFunc(k.k.Patches, one)
	k.k.PatchesJson6902 = slices.DeleteFunc(k.k.PatchesJson6902, one) //nolint:staticcheck // see above
}

func (k *kustomization) patchFile(ks *kustomizations, at string, target *types.Selector) {
	f, err := ks.set.Get(at)
	if err != nil {
		return
	}
	k.patches = append(k.patches, patch{ks.parse(f), target})
}

// inline reads a patch that stands in the kustomization file itself.
func (k *kustomization) inline(text string, target *types.Selector) {
	f := source.New(k.file.Path, []byte(text))
	f.Origin = inlineOrigin(k.file, text)
	trees, _ := manifest.ParseTrees(f)
	k.patches = append(k.patches, patch{trees, target})
}
