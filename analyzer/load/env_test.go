package load

import (
	"context"
	"testing"
)

// testGoroot is the Go installation of this machine; a test that needs one is skipped where there is none.
func testGoroot(t testing.TB) string {
	t.Helper()
	e := findEnv(context.Background())
	if e.goroot == "" {
		t.Skip("no Go installation with sources found")
	}
	return e.goroot
}
