package edit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// WriteChange writes a changed file below root, an absolute folder. The file is as it was read, or nothing is written; a link is
// followed as long as it stays below root.
func WriteChange(root string, c Change) error {
	name := filepath.FromSlash(c.Path)
	if !filepath.IsAbs(name) {
		name = filepath.Join(root, name)
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return fmt.Errorf("writing %s: %w", c.Path, reason(err))
	}
	if info, err := os.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 || real != filepath.Clean(name) {
		top, err := filepath.EvalSymlinks(root)
		if err != nil {
			return fmt.Errorf("writing %s: %w", c.Path, reason(err))
		}
		if rel, err := filepath.Rel(top, real); err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return fmt.Errorf("writing %s: it is a link that leads out of %s", c.Path, root)
		}
	}
	now, err := os.ReadFile(real)
	if err != nil {
		return fmt.Errorf("writing %s: %w", c.Path, reason(err))
	}
	if string(now) != string(c.Before) {
		return fmt.Errorf("writing %s: it was changed since it was read", c.Path)
	}
	if err := Write(real, c.After); err != nil {
		return fmt.Errorf("writing %s: %w", c.Path, reason(err))
	}
	return nil
}

// Write replaces a file, or makes it, in one step: a reader sees the old bytes or the new ones. The mode stays.
func Write(name string, data []byte) (err error) {
	mode := fs.FileMode(0o644)
	info, err := os.Stat(name)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s is no file", name)
	case err == nil:
		mode = info.Mode().Perm()
		if probe, err := os.OpenFile(name, os.O_WRONLY, 0); err != nil {
			return err // a rename would get around the mode of a file that nobody is to write
		} else if err := probe.Close(); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".probelint-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(data); err != nil {
		return err
	}
	if err = f.Chmod(mode); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// reason is an error of the file system without its operation and path.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
