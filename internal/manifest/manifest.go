// Package manifest finds Kubernetes manifests and reads them into the model: files and directories to documents, documents
// to objects, objects that hold a pod template to workloads, and the objects around them (Services, autoscalers, budgets,
// routes, ConfigMaps) joined to those. It judges nothing but validity: what the API server rejects or drops in a probe
// (SEMANTICS.md K1) is recorded in the model for the rules to report.
//
// The stages, a file or two each: discover (which files), gate and split (which documents are worth parsing), tree
// (parsing, aliases, merges, duplicates), position (exact bytes of keys and values), kinds (which object is a workload),
// decode (node to k8s.io/api type), workload and probe (typed value to model), invalid (K1), objects and join.
package manifest

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"sort"
	"sync"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// DefaultMaxBytes is the size above which a file is not read, in bytes.
const DefaultMaxBytes = 16 << 20

// StdinPath is the path under which standard input appears in findings and in the source set.
const StdinPath = "<stdin>"

// Options say what to read.
type Options struct {
	// Paths are absolute files and directories; "-" is standard input. A file named here is read whatever its name is.
	Paths []string
	// Stdin is read for "-".
	Stdin io.Reader
	// Exclude reports whether a path relative to the root is left out of a walk; nil excludes nothing. It does not apply
	// to Paths themselves.
	Exclude func(rel string) bool
	// MaxBytes is the largest file that is read; 0 means DefaultMaxBytes.
	MaxBytes int64
	// Renderer renders charts and kustomizations; nil: their files are read as they are. Values are absolute paths of values
	// files, with each of which every chart is rendered besides its defaults.
	Renderer Renderer
	Values   []string
	// Overlay is text that stands for that of files on disk, by path relative to the root.
	Overlay map[string][]byte
	// Keep holds what was rendered for the next Read of the same tree; nil: nothing is kept.
	Keep *Keep
}

// Keep is what one Read leaves for the next one in the same process. It holds what was true of the texts that it was made of, and
// whoever takes it compares those first. The zero value is empty. Reads that share one wait for each other.
type Keep struct {
	mu sync.Mutex
	// Renderer is the renderer's own.
	Renderer any
}

// Status says what became of a file.
type Status string

// The statuses. Read: at least one object of it was used. Skipped: it holds nothing of use, and File.Why says why not.
// Unreadable: it could not be opened, decoded or parsed.
const (
	StatusRead       Status = "read"
	StatusSkipped    Status = "skipped"
	StatusUnreadable Status = "unreadable"
)

// File is one file or directory that was considered. Files whose name does not suggest a manifest have no entry.
type File struct {
	Path   string // relative to the root, slash-separated
	Status Status
	// Why is the reason for the status, or of what was left out of a file that was read; empty where nothing was.
	Why string
	// Empty: there is not a byte in it.
	Empty bool
	// Opened: its documents were looked at one by one, whatever they turned out to be.
	Opened bool
	// Workloads is how many workloads the file holds.
	Workloads int
	// Marked: a comment in it speaks to probelint, as far as the bytes tell.
	Marked bool
}

// marker begins each comment that speaks to probelint.
var marker = []byte("probelint:")

// Result is what was read, in an order that depends on the input alone.
type Result struct {
	Workloads []*model.Workload
	Files     []File
	// Findings are all of the rule unreadable-input.
	Findings []lint.Finding
	Limits   []model.Limit
	// Rendered are the texts that charts and kustomizations were rendered to. Their Origin leads to the files on disk.
	Rendered []*source.File
	// GoMods are directories relative to the root that hold a go.mod: those at or below the paths, and the nearest above
	// each file that holds a workload.
	GoMods []string
	// GoFiles is the number of .go files at or below the paths.
	GoFiles int
	// Dockerfiles and BuildFiles (skaffold, compose, ko, make, goreleaser) are relative paths.
	Dockerfiles []string
	BuildFiles  []string
	// Charts and Kustomizations are the directories, relative to the root, of Helm charts and of kustomizations.
	Charts         []string
	Kustomizations []string
}

// reader is the state of one Read.
type reader struct {
	set   *source.Set
	opts  Options
	types *typeTable
}

// Read finds and reads the manifests of the paths. It returns an error only where the context ends: whatever is wrong with
// a file becomes a finding or the reason of a File, and the rest is read.
func Read(ctx context.Context, set *source.Set, o Options) (*Result, error) {
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.Keep != nil {
		o.Keep.mu.Lock()
		defer o.Keep.mu.Unlock()
	}
	r := &reader{set: set, opts: o, types: newTypeTable()}
	d := discover(ctx, r)
	rendered, how := r.render(ctx, d)
	read, err := r.readAll(ctx, d.inputs)
	if err != nil {
		return nil, fmt.Errorf("reading manifests: %w", err)
	}
	res := &Result{
		Files: d.files, Findings: d.findings, GoFiles: d.goFiles, Dockerfiles: sorted(d.dockerfiles),
		BuildFiles: sorted(d.buildFiles), Charts: sorted(d.charts), Kustomizations: sorted(d.kustomizations),
	}
	r.configMaps(read) // first: what does not parse among them is a finding of its file
	var all []*contents
	for _, c := range read {
		res.Files = append(res.Files, c.file)
		res.Findings = append(res.Findings, c.findings...)
		all = append(all, c)
	}
	res.Findings = append(res.Findings, chartFindings(r, read)...)
	res.Limits = append(append(limits(read), unread(res.Findings)...), how.Limits...)
	res.Findings = append(res.Findings, how.Findings...)
	for _, g := range how.Renderings {
		res.Rendered = append(res.Rendered, g.Files...)
	}
	res.Workloads = append(r.join(all, false), rendered...)
	distinct(res.Workloads)
	sort.SliceStable(res.Files, func(i, j int) bool { return res.Files[i].Path < res.Files[j].Path })
	sort.SliceStable(res.Findings, func(i, j int) bool {
		a, b := res.Findings[i].Primary.Span, res.Findings[j].Primary.Span
		if a.File != b.File {
			return a.File < b.File
		}
		return a.Start < b.Start
	})
	res.GoMods = d.modules(res.Workloads)
	return res, nil
}

// readAll reads the inputs side by side and returns their contents in the order of the inputs.
func (r *reader) readAll(ctx context.Context, inputs []input) ([]*contents, error) {
	out := make([]*contents, len(inputs))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), max(len(inputs), 1)) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			a := &arena{}
			for i := range next {
				out[i] = r.readInput(inputs[i], a)
			}
		}()
	}
	err := ctx.Err()
	if err != nil {
		inputs = nil
	}
feed:
	for i := range inputs {
		select {
		case next <- i:
		case <-ctx.Done():
			err = ctx.Err()
			break feed
		}
	}
	close(next)
	wg.Wait()
	return out, err
}

func sorted(s []string) []string {
	sort.Strings(s)
	return s
}
