package load

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
)

// Inputs are places that a load looked at.
type Inputs struct {
	// Dirs are the first-party module and vendor directories: every Go and module file below them counts.
	Dirs []string
	// Files are files and directories that count by being there or not, and, where they are go.mod and go.work files of the
	// tree, by what they say: modules of the module cache, which never change, and those that were looked for in vain.
	Files []string
}

// Environment is what of the machine decides a load: the Go installation, the module cache and the settings.
func Environment(ctx context.Context) string {
	e := findEnv(ctx)
	return fmt.Sprintf("%q %q %q %q %q %q", e.goroot, e.modcache, e.version, e.tags, e.mod, e.work)
}

func (l *loader) inputs(roots []root) Inputs {
	dirs, files := map[string]bool{}, map[string]bool{}
	for _, r := range roots {
		dirs[r.dir] = true
		g := r.graph
		for _, m := range g.firsts {
			dirs[m.dir] = true
		}
		for _, v := range g.vendor {
			dirs[v] = true
		}
		for _, reqs := range []map[string]*module{g.reqs, g.indirect} {
			for _, m := range reqs {
				if m.want != "" {
					files[m.want] = true
				}
			}
		}
		for _, name := range g.looked {
			files[name] = true
		}
	}
	for _, d := range l.used {
		files[d], files[filepath.Join(d, "go.mod")] = true, true
	}
	for d := range dirs {
		for up := d; ; up = filepath.Dir(up) {
			for _, name := range []string{"go.mod", "go.work", filepath.Join("vendor", "modules.txt")} {
				files[filepath.Join(up, name)] = true
			}
			if up == filepath.Dir(up) {
				break
			}
		}
	}
	if filepath.IsAbs(l.env.work) {
		files[l.env.work] = true
	}
	return Inputs{Dirs: slices.Sorted(keys(dirs)), Files: slices.Sorted(keys(files))}
}
