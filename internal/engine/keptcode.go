package engine

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/probelint/probelint/analyzer/load"
	"github.com/probelint/probelint/internal/cache"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// goEntry is what the cache keeps of the Go side of one tree.
type goEntry struct {
	Stamp    string
	Inputs   load.Inputs
	Packages []Package
	Limits   []model.Limit
	Findings []lint.Finding
	Marked   []string
	Programs []byte // []*model.Program before anything was linked
	// Answers are endpoints by what was asked and all that the program was asked before: to interpret a request can run
	// work of the start-up that the next request then finds done.
	Answers map[string][]byte
}

// tick is the grain of file times: what changed while the code was read is not kept.
const tick = 10 * time.Millisecond

// maxAnswers bounds the endpoints that are kept of one tree; beyond it those of the last run are.
const maxAnswers = 4096

// keptCode is an analysis that answers from the cache as long as it can, and reads the Go code when it cannot.
type keptCode struct {
	dir   *cache.Dir
	key   string
	entry goEntry
	load  func() (*goSide, error)
	stamp func(load.Inputs) (string, time.Time)

	mu       sync.Mutex
	programs []*model.Program
	asked    map[*model.Program]*asked
	used     map[string][]byte
	fresh    bool     // something is new
	real     analysis // nil: not read in this run
	lost     bool     // the code could not be read after all
}

// asked is what one program was asked in this run.
type asked struct {
	chain string
	calls []call
	real  *model.Program // of the analysis that read the code; it was asked all calls
}

type call struct {
	route     *model.Route
	request   model.Request
	container *model.Container
}

// cachedGo is loadGo with the cache of the run.
func cachedGo(ctx context.Context, set *source.Set, dirs []string, o *Options) (*goSide, *keptCode, error) {
	env := load.Environment(ctx)
	knows, err := cache.Marshal(o.Knowledge)
	if err != nil {
		return nil, nil, err
	}
	k := &keptCode{
		dir: o.Cache, asked: map[*model.Program]*asked{}, used: map[string][]byte{},
		key:  o.Cache.Key("go", set.Root, fmt.Sprintf("%q %v %q", dirs, o.Offline, o.facts), string(knows)),
		load: sync.OnceValues(func() (*goSide, error) { return loadGo(ctx, set, dirs, o) }),
		stamp: func(in load.Inputs) (string, time.Time) {
			return stampOf(env, dirs, in, slices.Contains(o.facts, lint.FactTests))
		},
	}
	if o.Cache.Get(k.key, &k.entry) && cache.Unmarshal(k.entry.Programs, &k.programs) == nil {
		if stamp, _ := k.stamp(k.entry.Inputs); stamp == k.entry.Stamp {
			return k.side(), k, nil
		}
	}
	began := time.Now().Add(-tick)
	side, err := k.load()
	if err != nil {
		return nil, nil, err
	}
	programs, err := cache.Marshal(side.code.Programs())
	stamp, newest := k.stamp(side.inputs)
	if err != nil || ctx.Err() != nil || !newest.Before(began) || !plainDirs(set, side.packages) {
		return side, nil, nil //nolint:nilerr // what cannot be kept is not kept
	}
	k.entry = goEntry{
		Stamp: stamp, Inputs: side.inputs, Packages: side.packages, Limits: side.limits, Findings: side.findings, Marked: side.marked,
		Programs: programs, Answers: map[string][]byte{},
	}
	k.real, k.programs, k.fresh = side.code, side.code.Programs(), true
	return k.side(), k, nil
}

// again is the same for another run, which asks its questions anew; nil where the code has to be read anew.
func (k *keptCode) again() *keptCode {
	k.mu.Lock()
	defer k.mu.Unlock()
	next := &keptCode{
		dir: k.dir, key: k.key, entry: k.entry, load: k.load, stamp: k.stamp, real: k.real, fresh: k.fresh,
		asked: map[*model.Program]*asked{}, used: map[string][]byte{},
	}
	next.keepUsed(k.used)
	if k.lost || cache.Unmarshal(k.entry.Programs, &next.programs) != nil {
		return nil
	}
	return next
}

// keepUsed takes over the answers of a run.
func (k *keptCode) keepUsed(used map[string][]byte) {
	if k.entry.Answers == nil || len(k.entry.Answers)+len(used) > maxAnswers {
		k.entry.Answers = map[string][]byte{}
	}
	for chain, data := range used {
		k.entry.Answers[chain] = data
	}
}

func (k *keptCode) side() *goSide {
	e := &k.entry
	return &goSide{code: k, packages: e.Packages, limits: e.Limits, findings: e.Findings, marked: e.Marked, inputs: e.Inputs}
}

// Programs are those of the analysis.
func (k *keptCode) Programs() []*model.Program { return k.programs }

// Endpoint answers from the cache, or asks the analysis.
func (k *keptCode) Endpoint(p *model.Program, r *model.Route, req model.Request, c *model.Container) *model.Endpoint {
	k.mu.Lock()
	defer k.mu.Unlock()
	a := k.asked[p]
	if a == nil {
		a = &asked{chain: k.dir.Key(p.Package, p.Dir)}
		k.asked[p] = a
	}
	a.chain = k.dir.Key(a.chain, questionOf(r, req, c))
	if data, ok := k.entry.Answers[a.chain]; ok && a.real == nil {
		var e *model.Endpoint
		if cache.Unmarshal(data, &e) == nil {
			k.used[a.chain] = data
			a.calls = append(a.calls, call{r, req, c})
			return e
		}
	}
	if !k.read(p, a) {
		return nil
	}
	e := k.real.Endpoint(a.real, r, req, c)
	if data, err := cache.Marshal(e); err == nil {
		k.used[a.chain], k.fresh = data, true
	}
	return e
}

// read makes the analysis ready to be asked of a program what it was not asked before.
func (k *keptCode) read(p *model.Program, a *asked) bool {
	if a.real != nil {
		return true
	}
	if k.real == nil && !k.lost {
		side, err := k.load()
		if err == nil {
			k.real = side.code
		}
		k.lost = err != nil
	}
	if k.lost {
		return false
	}
	for _, q := range k.real.Programs() {
		if q.Package == p.Package && q.Dir == p.Dir {
			a.real = q
		}
	}
	if a.real == nil {
		return false
	}
	for _, c := range a.calls {
		k.real.Endpoint(a.real, c.route, c.request, c.container)
	}
	a.calls = nil
	return true
}

// questionOf is what decides an answer: the route, the request and what the container sets (summary.ValuesOf).
func questionOf(r *model.Route, req model.Request, c *model.Container) string {
	var s strings.Builder
	_, _ = fmt.Fprintf(&s, "%d %q %q %+q ", r.Key, r.Method, r.Pattern, fmt.Sprintf("%+v", req))
	if c != nil {
		_, _ = fmt.Fprintf(&s, "%q %q", c.Command, c.Args)
		for _, e := range c.Env {
			_, _ = fmt.Fprintf(&s, " %q %q %v", e.Name, e.Value, e.Known)
		}
	}
	return s.String()
}

// save keeps the answers of this run for the next one. What cannot be written is not kept.
func (k *keptCode) save(ctx context.Context) {
	if k == nil || !k.fresh || k.lost || ctx.Err() != nil {
		return
	}
	k.keepUsed(k.used)
	_ = k.dir.Put(k.key, k.entry)
	k.fresh = false
}

// plainDirs reports whether the folders of the packages are what the walk over the tree meets under their own names.
func plainDirs(set *source.Set, packages []Package) bool {
	for _, p := range packages {
		dir := absolute(set.Root, filepath.FromSlash(p.Dir))
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || real != filepath.Clean(dir) {
			return false
		}
		for _, elem := range strings.Split(filepath.ToSlash(p.Dir), "/") {
			if skipped(elem) {
				return false
			}
		}
	}
	return true
}
