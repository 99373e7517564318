package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
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

// load returns the kept Go side where it is still true, and otherwise loads it.
func (k *Keep) load(ctx context.Context, set *source.Set, dirs []string, o *Options) (*goSide, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.side != nil && k.stamp == k.side.stamp(set, dirs, o) {
		return k.side, nil
	}
	k.side, k.stamp = nil, ""
	side, err := loadGo(ctx, set, dirs, o)
	if err != nil {
		return nil, err
	}
	k.side, k.stamp = side, side.stamp(set, dirs, o)
	return side, nil
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
