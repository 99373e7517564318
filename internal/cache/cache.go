// Package cache keeps results between runs in files of the user's cache directory. An entry is written whole or not at all,
// carries its own checksum, and is dropped when it does not fit; so runs may share a cache, and a cache that is broken, full or
// read-only costs time and never a result.
package cache

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// magic begins every entry. Its number goes up when the form of entries changes.
const magic = "probelint cache 2\n"

// DefaultLimit is how many bytes a cache holds unless it is told otherwise.
const DefaultLimit = 512 << 20

// Dir is the directory of a cache. The nil Dir holds nothing and keeps nothing.
type Dir struct {
	path  string
	build string
	limit int64
}

// Open names the directory that a cache lies in. Nothing is made before the first entry. build tells programs from one
// another that may judge differently; limit is the size in bytes that Put keeps to.
func Open(path, build string, limit int64) *Dir {
	return &Dir{path: path, build: build, limit: limit}
}

// DefaultPath is the directory of the user's cache: what PROBELINT_CACHE says, else probelint below the system's place for
// caches. "" where the variable says off or there is no such place.
func DefaultPath(getenv func(string) string) string {
	switch v := getenv("PROBELINT_CACHE"); v {
	case "off":
		return ""
	case "":
	default:
		return v
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(base, "probelint")
}

// Build tells this program from others: a released version by its name, any other by the program's file.
func Build() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	if v := info.Main.Version; strings.HasPrefix(v, "v") && !strings.Contains(v, "+dirty") {
		return v + " " + info.GoVersion
	}
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	st, err := os.Stat(self)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s %s %d %d", info.GoVersion, self, st.Size(), st.ModTime().UnixNano())
}

// Key makes the name of an entry of what decides it.
func (d *Dir) Key(parts ...string) string {
	h := sha256.New()
	if d != nil {
		_, _ = fmt.Fprintf(h, "%q", d.build)
	}
	for _, p := range parts {
		_, _ = fmt.Fprintf(h, "%q", p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (d *Dir) file(key string) string { return filepath.Join(d.path, key[:2], key+".entry") }

// Get reads an entry into the variable that v points to. It is false where there is none that can be used.
func (d *Dir) Get(key string, v any) bool {
	if d == nil || d.path == "" || d.build == "" {
		return false
	}
	name := d.file(key)
	data, err := os.ReadFile(name)
	if err != nil {
		return false
	}
	body, ok := bytes.CutPrefix(data, []byte(magic))
	if ok && len(body) >= sha256.Size {
		sum := sha256.Sum256(body[sha256.Size:])
		ok = bytes.Equal(sum[:], body[:sha256.Size]) && Unmarshal(body[sha256.Size:], v) == nil
	} else {
		ok = false
	}
	if !ok {
		_ = os.Remove(name) // it is of no use to anybody
		return false
	}
	now := time.Now()
	_ = os.Chtimes(name, now, now) // what is used is kept longest
	return true
}

// Put writes an entry, and then makes room where the cache has become too large. An error says why nothing was kept; the
// run goes on without.
func (d *Dir) Put(key string, v any) error {
	if d == nil || d.path == "" || d.build == "" {
		return nil
	}
	body, err := Marshal(v)
	if err != nil {
		return fmt.Errorf("keeping a result: %w", err)
	}
	if int64(len(body)) > d.limit {
		return nil // it would push out all others, and then itself
	}
	sum := sha256.Sum256(body)
	name := d.file(key)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return fmt.Errorf("keeping a result: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(name), "new-*")
	if err != nil {
		return fmt.Errorf("keeping a result: %w", err)
	}
	_, err = f.Write(slices.Concat([]byte(magic), sum[:], body))
	if err = cmp.Or(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("keeping a result: %w", err)
	}
	d.trim()
	return nil
}

type entry struct {
	name string
	size int64
	used time.Time
}

// entries are the files of the cache, the longest unused first. A file of another name is not touched.
func (d *Dir) entries() ([]entry, error) {
	var out []entry
	err := filepath.WalkDir(d.path, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // another run was faster
			}
			return err
		}
		base := e.Name()
		if e.IsDir() || !strings.HasSuffix(base, ".entry") && !strings.HasPrefix(base, "new-") {
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return nil //nolint:nilerr // another run was faster
		}
		if strings.HasPrefix(base, "new-") && time.Since(info.ModTime()) < time.Hour {
			return nil // it may still be written
		}
		out = append(out, entry{name, info.Size(), info.ModTime()})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading the cache %s: %w", d.path, err)
	}
	slices.SortFunc(out, func(a, b entry) int { return cmp.Or(a.used.Compare(b.used), strings.Compare(a.name, b.name)) })
	return out, nil
}

// trim removes what was not used for longest until the cache keeps to its limit.
func (d *Dir) trim() {
	es, err := d.entries()
	if err != nil {
		return
	}
	var size int64
	for _, e := range es {
		size += e.size
	}
	for _, e := range es {
		if size <= d.limit {
			return
		}
		if os.Remove(e.name) == nil {
			size -= e.size
		}
	}
}

// Clean removes every entry, and says how many and how many bytes they took.
func (d *Dir) Clean() (files int, size int64, err error) {
	es, err := d.entries()
	if err != nil {
		return 0, 0, err
	}
	for _, e := range es {
		if err := os.Remove(e.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return files, size, fmt.Errorf("cleaning the cache: %w", err)
		}
		files++
		size += e.size
		_ = os.Remove(filepath.Dir(e.name)) // goes when it is empty
	}
	return files, size, nil
}
