package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
)

const module = "github.com/probelint/probelint"

// pkg is the part of `go list -json` that the direction needs. Imports are those of the package itself, without its tests.
type pkg struct {
	ImportPath string
	Imports    []string
	Standard   bool
}

// layer is one row of the direction: the packages at or below a folder, and what they import of this module. The longest
// matching folder wins.
type layer struct {
	folder string
	// may names the folders, each with all below it, that this one imports besides itself. "*" is all but cmd and cli.
	may []string
	// not names module paths that it does not reach, directly or through others, and why.
	not []barred
}

type barred struct{ prefix, why string }

// heavy is what the Go side stays free of, so that it can become a module of its own and probevet starts in a few
// milliseconds.
var heavy = []barred{
	{"go.yaml.in/yaml", "YAML belongs to the manifest side"},
	{"gopkg.in/yaml", "YAML belongs to the manifest side"},
	{"sigs.k8s.io/", "Kubernetes types belong to the manifest side"},
	{"k8s.io/", "Kubernetes types belong to the manifest side"},
	{"github.com/open-policy-agent", "Rego belongs to policy"},
	{"github.com/spf13/cobra", "flags belong to cli"},
	{"helm.sh/helm", "charts belong to manifest/render"},
}

// direction is docs/architecture.md as a table. A folder that no row covers fails the test, so a new stage gets a place.
var direction = []layer{
	{folder: "internal/model", not: heavy},
	{folder: "internal/source", may: []string{"internal/model"}, not: heavy},
	{folder: "internal/kubelet", may: []string{"internal/model"}, not: heavy},
	{folder: "internal/lint", may: []string{"internal/model", "internal/kubelet"}, not: heavy},
	{folder: "internal/judge", may: []string{"internal/model", "internal/lint"}, not: heavy},
	{folder: "internal/values", may: []string{"internal/model"}, not: heavy},
	{folder: "rules", may: []string{"internal/model", "internal/kubelet", "internal/lint"}, not: heavy},
	{folder: "analyzer/vet", may: []string{
		"internal/model", "internal/kubelet", "internal/lint", "internal/source", "internal/values", "internal/suppress", "internal/judge", "rules", "analyzer",
	}, not: heavy},
	{folder: "analyzer", may: []string{"internal/model", "internal/kubelet", "internal/lint", "internal/source", "internal/values", "rules"}, not: heavy},

	{folder: "internal/manifest", may: []string{"internal/model", "internal/kubelet", "internal/lint", "internal/source"}},
	{folder: "internal/manifest/render", may: []string{"internal/manifest", "internal/model", "internal/lint", "internal/source", "internal/cache"}},
	{folder: "internal/link", may: []string{"internal/model", "internal/kubelet", "internal/lint", "internal/source", "internal/values"}},
	{folder: "internal/execprobe", may: []string{"internal/model", "internal/lint"}},
	{folder: "internal/policy", may: []string{"internal/model", "internal/kubelet", "internal/lint", "internal/source", "policies"}},
	{folder: "internal/policytest", may: []string{"*"}},
	{folder: "policies"},
	{folder: "internal/suppress", may: []string{"internal/model", "internal/lint", "internal/source"}},
	{folder: "internal/baseline", may: []string{"internal/model", "internal/lint", "internal/source"}},
	{folder: "internal/edit", may: []string{"internal/model", "internal/lint", "internal/source"}},
	{folder: "internal/config", may: []string{"internal/model", "internal/lint", "internal/source"}},
	{folder: "internal/report", may: []string{"internal/model", "internal/kubelet", "internal/lint", "internal/source"}},

	{folder: "internal/engine", may: []string{
		"internal/model", "internal/kubelet", "internal/lint", "internal/source", "internal/manifest", "internal/link",
		"internal/policy", "internal/suppress", "internal/judge", "internal/baseline", "internal/config", "internal/values", "internal/execprobe", "internal/cache", "analyzer", "rules",
	}},
	{folder: "internal/linttest", may: []string{"*"}},
	{folder: "internal/ruletest", may: []string{"internal/model", "internal/lint"}},
	{folder: "internal/archtest"},
	{folder: "internal/startup", not: heavy},
	{folder: "internal/pace", not: heavy},
	{folder: "internal/bench"},
	{folder: "internal/cache", not: heavy},
	{folder: "internal/shoptest"},
	{folder: "internal/lsp", may: []string{"*"}},
	{folder: "internal/cli", may: []string{"*"}},
	{folder: "cmd/probelint", may: []string{"internal/cli", "internal/pace"}},
	{folder: "cmd/probevet", may: []string{"analyzer", "rules", "internal/model", "internal/lint"}, not: heavy},
}

func TestImportsGoOneWay(t *testing.T) {
	for _, fault := range violations(direction, list(t)) {
		t.Error(fault)
	}
}

// The made-up graphs prove that the test above can fail.
func TestForbiddenImportIsDetected(t *testing.T) {
	const m = module + "/"
	ok := []pkg{
		{ImportPath: m + "internal/model", Imports: []string{"time"}},
		{ImportPath: m + "rules", Imports: []string{m + "rules/a", m + "internal/lint"}},
		{ImportPath: m + "rules/a", Imports: []string{m + "internal/kubelet", m + "internal/lint"}},
		{ImportPath: m + "internal/manifest", Imports: []string{m + "internal/source", "go.yaml.in/yaml/v3"}},
		{ImportPath: m + "internal/cli", Imports: []string{m + "internal/engine", "github.com/spf13/cobra"}},
		{ImportPath: "go.yaml.in/yaml/v3"},
		{ImportPath: "time", Standard: true},
	}
	tests := map[string]struct {
		extra []pkg
		want  string // a part of the only message; "" for none
	}{
		"nothing forbidden": {},
		"model imports a stage": {
			[]pkg{{ImportPath: m + "internal/model/x", Imports: []string{m + "internal/link"}}},
			"internal/model/x imports internal/link: internal/model imports nothing else of this module",
		},
		"a rule imports the engine": {
			[]pkg{{ImportPath: m + "rules/b", Imports: []string{m + "internal/engine"}}},
			"rules/b imports internal/engine: rules imports only",
		},
		"the engine imports cli": {
			[]pkg{{ImportPath: m + "internal/engine", Imports: []string{m + "internal/cli"}}},
			"internal/engine imports internal/cli",
		},
		"lsp imports cli, although it sees all else": {
			[]pkg{{ImportPath: m + "internal/lsp", Imports: []string{m + "internal/cli"}}},
			"internal/lsp imports internal/cli",
		},
		"main goes past cli": {
			[]pkg{{ImportPath: m + "cmd/probelint", Imports: []string{m + "internal/engine"}}},
			"cmd/probelint imports internal/engine: cmd/probelint imports only internal/cli",
		},
		"the analyzer reads YAML": {
			[]pkg{{ImportPath: m + "analyzer/load", Imports: []string{"go.yaml.in/yaml/v3"}}},
			"analyzer/load reaches go.yaml.in/yaml/v3: YAML belongs to the manifest side (path: analyzer/load -> go.yaml.in/yaml/v3)",
		},
		"the analyzer reaches YAML through another module": {
			[]pkg{
				{ImportPath: m + "analyzer/load", Imports: []string{"example.com/helper"}},
				{ImportPath: "example.com/helper", Imports: []string{"go.yaml.in/yaml/v3"}},
			},
			"(path: analyzer/load -> example.com/helper -> go.yaml.in/yaml/v3)",
		},
		"a folder without a place": {
			[]pkg{{ImportPath: m + "internal/misc"}},
			"internal/misc has no place in the table of directions",
		},
		"a name that only begins alike": {
			[]pkg{{ImportPath: m + "internal/modelling"}},
			"internal/modelling has no place",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := violations(direction, append(slices.Clone(ok), tt.extra...))
			if tt.want == "" {
				if len(got) != 0 {
					t.Fatalf("got %q, want none", got)
				}
				return
			}
			if len(got) != 1 || !strings.Contains(got[0], tt.want) {
				t.Fatalf("got %q, want one that contains %q", got, tt.want)
			}
		})
	}
}

// violations returns a message for each import that the table forbids, sorted.
func violations(table []layer, pkgs []pkg) []string {
	byPath := make(map[string]pkg, len(pkgs))
	for _, p := range pkgs {
		byPath[p.ImportPath] = p
	}
	var out []string
	for _, p := range pkgs {
		from, ours := strings.CutPrefix(p.ImportPath, module+"/")
		if !ours || p.Standard {
			continue
		}
		l, ok := layerOf(table, from)
		if !ok {
			out = append(out, from+" has no place in the table of directions (internal/archtest, docs/architecture.md)")
			continue
		}
		for _, imp := range p.Imports {
			to, ours := strings.CutPrefix(imp, module+"/")
			if !ours || l.allows(to) {
				continue
			}
			only := "nothing else of this module"
			if len(l.may) > 0 {
				only = "only " + strings.Join(l.may, ", ") + " of this module"
			}
			out = append(out, fmt.Sprintf("%s imports %s: %s imports %s", from, to, l.folder, only))
		}
		for _, b := range l.not {
			if path := reach(byPath, p.ImportPath, b.prefix); path != nil {
				out = append(out, fmt.Sprintf("%s reaches %s: %s (path: %s)", from, path[len(path)-1], b.why, shorten(path)))
			}
		}
	}
	sort.Strings(out)
	return out
}

func (l layer) allows(to string) bool {
	if below(to, l.folder) {
		return true
	}
	for _, may := range l.may {
		if may == "*" && !below(to, "cmd") && !below(to, "internal/cli") || below(to, may) {
			return true
		}
	}
	return false
}

func layerOf(table []layer, path string) (layer, bool) {
	var best layer
	for _, l := range table {
		if below(path, l.folder) && len(l.folder) > len(best.folder) {
			best = l
		}
	}
	return best, best.folder != ""
}

func below(path, folder string) bool { return path == folder || strings.HasPrefix(path, folder+"/") }

// reach returns the shortest chain of imports from a package to one with the prefix, or nil.
func reach(byPath map[string]pkg, from, prefix string) []string {
	parent := map[string]string{from: ""}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if strings.HasPrefix(at, prefix) {
			var path []string
			for ; at != ""; at = parent[at] {
				path = append(path, at)
			}
			slices.Reverse(path)
			return path
		}
		for _, imp := range byPath[at].Imports {
			if _, seen := parent[imp]; !seen && !byPath[imp].Standard {
				parent[imp] = at
				queue = append(queue, imp)
			}
		}
	}
	return nil
}

func shorten(path []string) string {
	return strings.ReplaceAll(strings.Join(path, " -> "), module+"/", "")
}

// list returns every package of the module and all that they need.
func list(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=ImportPath,Imports,Standard", "./...")
	cmd.Dir = root(t)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("running %s: %v\n%s", cmd, err, stderr.Bytes())
	}
	var pkgs []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs
		} else if err != nil {
			t.Fatalf("reading the output of %s: %v", cmd, err)
		}
		pkgs = append(pkgs, p)
	}
}

// root is the folder of this module's go.mod.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		t.Fatalf("finding the module: %v", err)
	}
	return dir
}
