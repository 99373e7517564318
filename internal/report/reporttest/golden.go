package reporttest

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Golden compares with testdata/NAME of the package under test; `go test -update` rewrites it.
func Golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; `go test -update` writes it", err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s differs; `go test -update` rewrites it (-want +got):\n%s", file, cmp.Diff(string(want), string(got)))
	}
}
