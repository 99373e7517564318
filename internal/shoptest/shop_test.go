package shoptest

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probelint/probelint/internal/cli"
)

var update = flag.Bool("update", false, "write the program's output into README.md and docs/compared.md")

// The faults of testdata/shop: rule, level, and the probes that it names. Each is there once, and what follows from one of
// them beside it (an endpoint that asks a dependency can hardly do only one thing wrong).
var faults = []string{
	"cached-aggregate error Deployment/orders readiness",
	"check-budget-exceeds-timeout error Deployment/orders readiness",
	"check-without-deadline error Deployment/storefront readiness",
	"exposure-too-long warning Deployment/orders readiness",
	"liveness-checks-dependency error Deployment/orders liveness",
	"liveness-equals-readiness error Deployment/outbox liveness, Deployment/outbox readiness",
	"liveness-fails-on-overload warning Deployment/outbox liveness",
	"probe-port-unknown error Deployment/notifier liveness",
	"readiness-always-ok warning Deployment/notifier readiness",
	"readiness-shared-dependency warning Deployment/orders readiness",
	"readiness-shared-dependency warning Deployment/storefront readiness",
	"sequential-checks warning Deployment/orders readiness",
	"single-failure-verdict error Deployment/outbox liveness",
	"timeout-exceeds-period warning Deployment/storefront readiness",
}

func TestShopShowsEachFaultOnce(t *testing.T) {
	code, stdout := run(t, "check", "-f", "json", "testdata/shop")
	if code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	if diff := cmp.Diff(faults, findings(t, stdout)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

func TestMendedShopIsSilent(t *testing.T) {
	code, stdout := run(t, "check", "-f", "json", "testdata/shop-fixed")
	if code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	if got := findings(t, stdout); len(got) > 0 {
		t.Errorf("findings: %q", got)
	}
}

// Silence proves something only where the probes were joined with the code.
func TestMendedShopIsJoined(t *testing.T) {
	_, stdout := run(t, "inspect", "-f", "json", "testdata/shop-fixed")
	var out struct {
		Workloads []struct {
			Name       string
			Containers []struct {
				Probes []struct {
					Role     string
					Reason   string
					Endpoint *struct {
						Symbol       string
						Dependencies []struct {
							Kind     string
							Gates    bool
							Mode     string
							Deadline struct{ Seconds float64 }
						}
					}
				}
			}
		}
	}
	decode(t, stdout, &out)
	var probes int
	for _, w := range out.Workloads {
		for _, c := range w.Containers {
			for _, p := range c.Probes {
				probes++
				if p.Endpoint == nil {
					t.Errorf("%s probe of %s: not linked: %s", p.Role, w.Name, p.Reason)
					continue
				}
				if w.Name != "orders" || p.Role != "readiness" {
					if len(p.Endpoint.Dependencies) > 0 {
						t.Errorf("%s probe of %s: %+v, want no dependency", p.Role, w.Name, p.Endpoint.Dependencies)
					}
					continue
				}
				var kinds []string
				for _, d := range p.Endpoint.Dependencies {
					kinds = append(kinds, d.Kind)
					if d.Gates || d.Mode != "parallel" || d.Deadline.Seconds != 1 {
						t.Errorf("orders reports %+v, want parallel, 1 s, and no say in the status", d)
					}
				}
				sort.Strings(kinds)
				if diff := cmp.Diff([]string{"cache", "database"}, kinds); diff != "" {
					t.Errorf("dependencies of the readiness probe of orders (-want +got):\n%s", diff)
				}
			}
		}
	}
	if probes != 12 {
		t.Errorf("%d probes, want 12", probes)
	}
}

// TestREADMEShowsTheOutput keeps the finding in the README what the program prints.
func TestREADMEShowsTheOutput(t *testing.T) {
	_, stdout := run(t, "check", "testdata/shop")
	const first = "error[liveness-checks-dependency]"
	i := strings.Index(stdout, first)
	if i < 0 {
		t.Fatalf("no %s in:\n%s", first, stdout)
	}
	frame, _, _ := strings.Cut(stdout[i:], "\n\n")
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	want := frame + "\n...\n" + lines[len(lines)-1] + "\n"

	keepBlock(t, "README.md", 0, want)
}

// TestComparedShowsTheOutput keeps what docs/compared.md says of this program what it prints.
func TestComparedShowsTheOutput(t *testing.T) {
	code, stdout := run(t, "check", "--no-go", "-f", "concise", "testdata/compared")
	if code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if len(lines) != 9 {
		t.Errorf("%d findings, want one for each Deployment:\n%s", len(lines), stdout)
	}
	page := filepath.Join("docs", "compared.md")
	_, frames := run(t, "check", "--no-go", "-q", "--select", "liveness-equals-readiness,probe-port-unknown", "testdata/compared")
	keepBlock(t, page, 0, strings.TrimSpace(frames)+"\n")
	keepBlock(t, page, 1, strings.ReplaceAll(stdout, "testdata/compared/", ""))
}

// keepBlock compares the n-th block of a page that holds the program's output, from 0, or writes it.
func keepBlock(t *testing.T, page string, n int, want string) {
	t.Helper()
	path := filepath.Join("..", "..", page)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const open, end = "<!-- the program's output: go test ./internal/shoptest -update -->\n```\n", "```\n"
	parts := strings.Split(string(data), open)
	if len(parts) < n+2 {
		t.Fatalf("%s holds no block %d after %q", page, n, open)
	}
	got, after, ok := strings.Cut(parts[n+1], end)
	if !ok {
		t.Fatalf("%s: block %d does not end", page, n)
	}
	if *update {
		parts[n+1] = want + end + after
		if err := os.WriteFile(path, []byte(strings.Join(parts, open)), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s is out of date, run `go test ./internal/shoptest -update` (-program +page):\n%s", page, diff)
	}
}

// run is one run from the root of the repository, with no module at hand and no network, so that it is the same everywhere.
func run(t *testing.T, args ...string) (code int, stdout string) {
	t.Helper()
	t.Setenv("GOMODCACHE", t.TempDir())
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOFLAGS", "-mod=mod")
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code = cli.Main(t.Context(), args, cli.System{
		In: strings.NewReader(""), Out: &out, Err: &errs, Getenv: func(string) string { return "" }, Dir: root,
	})
	if t.Failed() || code > 1 {
		t.Logf("stderr:\n%s", errs.String())
	}
	return code, out.String()
}

// findings returns "rule level probes" of each, sorted.
func findings(t *testing.T, stdout string) []string {
	t.Helper()
	var out struct {
		Findings []struct {
			Rule, Level string
			Probes      []struct{ Workload, Role string }
		}
	}
	decode(t, stdout, &out)
	var got []string
	for _, f := range out.Findings {
		var probes []string
		for _, p := range f.Probes {
			probes = append(probes, p.Workload+" "+p.Role)
		}
		sort.Strings(probes)
		if f.Level != "info" {
			got = append(got, f.Rule+" "+f.Level+" "+strings.Join(probes, ", "))
		}
	}
	sort.Strings(got)
	return got
}

func decode(t *testing.T, stdout string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(stdout), into); err != nil {
		t.Fatalf("reading the output: %v\n%s", err, stdout)
	}
}
