package vettool

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
)

// printVersion prints the line by which the go command tells one tool from another in the key of its cache
// (cmd/go/internal/work, toolID): a release by its version, any other build by the checksum of its file.
func (t *tool) printVersion() int {
	if info, ok := debug.ReadBuildInfo(); ok && released(info.Main.Version) {
		_, _ = fmt.Fprintf(t.stdout, "%s version %s\n", t.name, info.Main.Version)
		return exitDone
	}
	sum, err := checksum()
	if err != nil {
		return t.failed(fmt.Errorf("computing the build id: %w", err))
	}
	_, _ = fmt.Fprintf(t.stdout, "%s version devel buildID=%x\n", t.name, sum)
	return exitDone
}

// released reports whether a version names one build: a local change or a missing version does not.
func released(v string) bool {
	return strings.HasPrefix(v, "v") && !strings.Contains(v, "+")
}

func checksum() ([]byte, error) {
	name, err := os.Executable()
	if err != nil {
		return nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return nil, err
	}
	return h.Sum(nil), nil
}
