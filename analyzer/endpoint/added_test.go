package endpoint_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/probelint/probelint/analyzer/endpoint"
	"github.com/probelint/probelint/analyzer/knowledge"
	"github.com/probelint/probelint/internal/config"
)

// A router and a health library that are in no table, and whose modules are not there, are followed once a knowledge file says
// what their calls do; without it nothing is claimed of them.
func TestAddedRouterAndHealthLibrary(t *testing.T) {
	for _, name := range []string{"router", "health"} {
		t.Run(name, func(t *testing.T) {
			a, err := txtar.ParseFile(filepath.Join("testdata", "added", name+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			var want, without string
			var extra knowledge.Extra
			var files []txtar.File
			for _, f := range a.Files {
				switch f.Name {
				case "want":
					want = string(f.Data)
				case "without":
					without = string(f.Data)
				case "probelint-knowledge.yaml":
					file := filepath.Join(t.TempDir(), f.Name)
					if err := os.WriteFile(file, f.Data, 0o600); err != nil {
						t.Fatal(err)
					}
					if err := config.ReadInto(file, f.Name, &extra); err != nil {
						t.Fatal(err)
					}
				default:
					files = append(files, f)
				}
			}
			tables, errs := extra.Tables()
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			code := loadFiles(t, files)
			for _, x := range []struct {
				base *knowledge.Base
				want string
			}{{knowledge.Default().With(tables), want}, {knowledge.Default(), without}} {
				result := endpoint.AnalyzeWith(context.Background(), code, x.base)
				compareServers(t, result, x.want, func(asked, expected string) {
					e, how := endpointOf(result, strings.Fields(asked))
					got := "none"
					if e != nil {
						got = strings.TrimSpace(ownName(e) + " " + describe(e) + how)
					}
					if got != expected {
						t.Errorf("%s\n got %s\nwant %s", asked, got, expected)
					}
				})
			}
		})
	}
}
