package endpoint_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/probelint/probelint/analyzer/knowledge"
)

// TestHealthLibraries runs testdata/health/*.txtar, one a library of data/health_libraries.yaml. The lines of `want` are those of
// TestLinks, and what answers is its function and the whole description of TestArchives:
//
//	GET :8080 /readyz: ping 200,503; dep (*database/sql.DB).PingContext gates sequential deadline 2s; budget 2s single constant
//	grpc :9090 "": 200 standard [""]
func TestHealthLibraries(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("testdata", "health", "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatal("no archives", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			want, files := archive(t, name)
			result := analyze(t, files)
			compareServers(t, result, want, func(asked, expected string) {
				e, how := endpointOf(result, strings.Fields(asked))
				got := "none"
				if e != nil {
					got = strings.TrimSpace(ownName(e) + " " + describe(e) + how)
				}
				if got != expected {
					t.Errorf("%s\n got %s\nwant %s", asked, got, expected)
				}
			})
		})
	}
}

// Every health library of the table has an archive of its own in testdata/health, or a reason for none.
func TestEveryHealthLibraryIsHeldToAnArchive(t *testing.T) {
	none := map[string]string{
		"gocraft-health":             "counts and times, no probe library",
		"prometheus-style":           "a convention of paths that programs register themselves",
		"otel-collector-healthcheck": "configured in the collector's YAML, no call registers it",
		"asynq-healthcheckfunc":      "calls back, answers no request",
		"go-zero-devserver":          "opened by a section of the service's configuration file, no call registers it",
		"beego-healthcheck":          "opened by a setting of the configuration, on a port of its own that no call names",
	}
	for _, l := range knowledge.Default().Libraries {
		_, err := os.Stat(filepath.Join("testdata", "health", l.ID+".txtar"))
		switch {
		case err == nil && none[l.ID] != "":
			t.Errorf("%s has an archive and a reason for none", l.ID)
		case err != nil && none[l.ID] == "":
			t.Errorf("no testdata/health/%s.txtar", l.ID)
		}
	}
}
