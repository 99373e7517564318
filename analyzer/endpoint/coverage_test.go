package endpoint_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/probelint/probelint/analyzer/knowledge"
)

// Every router and health library of the tables has an archive of its own below testdata/links, or a reason for none.
func TestEveryLibraryIsHeldToAnArchive(t *testing.T) {
	none := map[string]string{
		"grpc-server": "links/grpc.txtar holds it",
	}
	for _, r := range knowledge.Default().Routers {
		name := strings.ReplaceAll(r.ID, "/", "-")
		_, err := os.Stat(filepath.Join("testdata", "links", "router", name+".txtar"))
		switch {
		case err == nil && none[r.ID] != "":
			t.Errorf("%s has an archive and a reason for none", r.ID)
		case err != nil && none[r.ID] == "":
			t.Errorf("no testdata/links/router/%s.txtar", name)
		}
	}
}
