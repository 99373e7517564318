package vet

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// SealVersion is part of every seal: raised when what a seal covers changes.
const SealVersion = 1

// Seal is the checksum of what a package consists of: its files, and the seals of what it imports.
type Seal [sha256.Size]byte

func (s Seal) String() string { return hex.EncodeToString(s[:8]) }

// Import is an imported package with its seal.
type Import struct {
	Path string
	Seal Seal
}

// NewSeal computes the seal of a package. files are names; their base names and contents count, not where they lie, so that
// a seal is the same on every machine. The order of files and imports does not matter.
func NewSeal(importPath string, files []string, imports []Import, read func(name string) ([]byte, error)) (Seal, error) {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "probelint seal %d\n%q\n", SealVersion, importPath)
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b string) int { return strings.Compare(filepath.Base(a), filepath.Base(b)) })
	for _, name := range files {
		data, err := read(name)
		if err != nil {
			return Seal{}, fmt.Errorf("sealing %s: %w", importPath, err)
		}
		_, _ = fmt.Fprintf(h, "file %q %d\n", filepath.Base(name), len(data))
		_, _ = h.Write(data)
	}
	imports = slices.Clone(imports)
	slices.SortFunc(imports, func(a, b Import) int { return strings.Compare(a.Path, b.Path) })
	for _, im := range imports {
		_, _ = fmt.Fprintf(h, "import %q %x\n", im.Path, im.Seal)
	}
	return Seal(h.Sum(nil)), nil
}

// ReadSeal reads a seal that WriteTo wrote; ok is false for anything else, such as an empty file.
func ReadSeal(data []byte) (s Seal, ok bool) {
	rest, found := strings.CutPrefix(string(data), sealHeader)
	if !found || len(rest) != len(s) {
		return s, false
	}
	copy(s[:], rest)
	return s, true
}

const sealHeader = "probelint seal\n"

// WriteTo writes the seal as a fact file.
func (s Seal) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(append([]byte(sealHeader), s[:]...))
	return int64(n), err
}

// FirstParty reports whether a package directory holds code of the user's own: not a module of the module cache, not a
// vendored one, not one that Bazel fetched. It works in every driver; analysis.Pass.Module is nil in some of them, and a
// local replacement carries a version.
func FirstParty(dir string) bool {
	d := filepath.ToSlash(dir) + "/"
	for _, part := range []string{"/pkg/mod/", "/vendor/", "/external/"} {
		if strings.Contains(d, part) {
			return false
		}
	}
	// A module cache elsewhere: its directories are named module@version.
	return !strings.HasPrefix(d, "external/") && !strings.Contains(d, "@v")
}
