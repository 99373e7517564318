package engine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/probelint/probelint/internal/manifest"
	"github.com/probelint/probelint/internal/source"
)

// Keep holds the Go side of a run for the next run on the same tree, which takes it over as long as no Go file and no
// module file has changed. It is for processes that run again and again, such as a language server. The zero value is
// empty. Runs that share one wait for each other.
type Keep struct {
	mu    sync.Mutex
	stamp string
	side  *goSide
	kept  *keptCode // where the side came from the cache

	ending sync.Mutex
	end    context.CancelFunc // of what is being read
	closed bool
	// manifests are what charts and kustomizations were rendered to.
	manifests manifest.Keep
}

// rendered is the part that the manifest side keeps.
func (k *Keep) rendered() *manifest.Keep {
	if k == nil {
		return nil
	}
	return &k.manifests
}

// load returns the kept Go side where it is still true, and otherwise takes it from the cache or reads it. What no buffer changes
// is read to its end although the run is given up: the next run needs it.
func (k *Keep) load(ctx context.Context, set *source.Set, dirs []string, o *Options) (*goSide, *keptCode, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.side != nil && k.stamp == k.side.stamp(set, dirs, o) {
		if k.kept == nil {
			return k.side, nil, nil
		}
		if next := k.kept.again(); next != nil {
			k.kept = next
			return next.side(), next, nil
		}
	}
	k.side, k.kept, k.stamp = nil, nil, ""
	var err error
	switch {
	case overlaysGo(set, o):
		k.side, err = loadGo(ctx, set, dirs, o)
	case o.Cache != nil:
		k.side, k.kept, err = cachedGo(k.lasting(ctx), set, dirs, o)
	default:
		k.side, err = loadGo(k.lasting(ctx), set, dirs, o)
	}
	if err != nil {
		k.side, k.kept = nil, nil
		return nil, nil, err
	}
	k.stamp = k.side.stamp(set, dirs, o)
	return k.side, k.kept, nil
}

// lasting is a context that lasts until Close.
func (k *Keep) lasting(ctx context.Context) context.Context {
	ctx, end := context.WithCancel(context.WithoutCancel(ctx))
	k.ending.Lock()
	defer k.ending.Unlock()
	if k.end != nil {
		k.end() // of a state of the code that is gone
	}
	k.end = end
	if k.closed {
		end()
	}
	return ctx
}

// Warm reads the code behind a Go side that came from the cache, so that the first question without an answer there does not wait
// for it.
func (k *Keep) Warm() {
	k.mu.Lock()
	kept := k.kept
	k.mu.Unlock()
	if kept != nil {
		_, _ = kept.load() // whoever asks is told of the error
	}
}

// Close gives up what is being read.
func (k *Keep) Close() {
	k.ending.Lock()
	defer k.ending.Unlock()
	if k.closed = true; k.end != nil {
		k.end()
	}
}

// overlaysGo reports whether a buffer holds another text of a file of the Go side than the disk does.
func overlaysGo(set *source.Set, o *Options) bool {
	for rel, data := range o.Overlay {
		if !goFile(path.Base(rel)) {
			continue
		}
		if saved, err := os.ReadFile(absolute(set.Root, filepath.FromSlash(rel))); err != nil || !bytes.Equal(saved, data) {
			return true
		}
	}
	return false
}

// stamp tells one state of the Go side from another: names, sizes and times of the Go and module files at or below the
// folders read, and the text of those that are overlaid.
func (side *goSide) stamp(set *source.Set, dirs []string, o *Options) string {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%q %q\n", dirs, o.facts)
	if added, err := json.Marshal(o.Knowledge); err == nil {
		_, _ = h.Write(added)
	}
	all := slices.Clone(dirs)
	for _, p := range side.packages {
		all = append(all, absolute(set.Root, filepath.FromSlash(p.Dir)))
	}
	slices.Sort(all)
	seen := map[string]bool{}
	for _, dir := range all {
		_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				_, _ = fmt.Fprintf(h, "%q %v\n", name, err)
				return nil
			case d.IsDir():
				if seen[name] || name != dir && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules") {
					return fs.SkipDir
				}
				seen[name] = true
				return nil
			case !goFile(d.Name()):
				return nil
			}
			if data, over := o.Overlay[set.Rel(name)]; over {
				_, _ = fmt.Fprintf(h, "%q %x\n", name, sha256.Sum256(data))
			} else if info, err := d.Info(); err == nil {
				_, _ = fmt.Fprintf(h, "%q %d %d\n", name, info.Size(), info.ModTime().UnixNano())
			}
			return nil
		})
	}
	return hex.EncodeToString(h.Sum(nil))
}

func goFile(name string) bool {
	return strings.HasSuffix(name, ".go") || name == "go.mod" || name == "go.work" || name == "go.sum" || name == "modules.txt"
}
