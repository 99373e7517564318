package startup_test

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	_ "github.com/probelint/probelint/analyzer/vettool"
	_ "github.com/probelint/probelint/internal/cli"
)

// traced is a line that the runtime writes under GODEBUG=inittrace=1.
var traced = regexp.MustCompile(`^init (\S+) @.*, (\d+) bytes, (\d+) allocs$`)

// initialised is what one package allocates before main.
type initialised struct {
	path          string
	bytes, allocs int
}

// TestInitialisation holds what the packages of the two programs allocate before main. Allocations do not depend on the
// machine or its load, and follow the time: 42,700 of them are 13 ms CPU on the reference machine. A new import that needs
// more than what is left is worth a second look; the failure names the packages that weigh most.
func TestInitialisation(t *testing.T) {
	all := trace(t)
	for _, program := range []struct {
		path          string
		bytes, allocs int
	}{
		{"github.com/probelint/probelint/cmd/probelint", 5_500_000, 49_800},
		{"github.com/probelint/probelint/cmd/probevet", 400_000, 3_000},
	} {
		bytes, allocs, heaviest := weigh(all, deps(t, program.path))
		t.Logf("%s: %d bytes, %d allocations", program.path, bytes, allocs)
		if bytes > program.bytes || allocs > program.allocs {
			t.Errorf("%s allocates %d bytes in %d pieces before main; the budget is %d and %d. The heaviest packages:\n%s",
				program.path, bytes, allocs, program.bytes, program.allocs, heaviest)
		}
		if allocs == 0 {
			t.Errorf("no package of %s was traced", program.path)
		}
	}
}

func TestWeighingNamesTheHeaviest(t *testing.T) {
	bytes, allocs, heaviest := weigh([]initialised{{"a", 10, 1}, {"b", 500, 50}, {"other", 9, 9}}, map[string]bool{"a": true, "b": true})
	if bytes != 510 || allocs != 51 || !strings.HasPrefix(heaviest, "  b: 500 bytes, 50 allocations\n  a:") {
		t.Errorf("%d bytes, %d allocations, %q", bytes, allocs, heaviest)
	}
}

// trace runs this test binary, which holds both programs, up to its main.
func trace(t *testing.T) []initialised {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var all []initialised
	for line := range strings.Lines(string(out)) {
		if m := traced.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			bytes, _ := strconv.Atoi(m[2])
			allocs, _ := strconv.Atoi(m[3])
			all = append(all, initialised{m[1], bytes, allocs})
		}
	}
	return all
}

// deps are the packages that a program is linked from.
func deps(t *testing.T, program string) map[string]bool {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	set := map[string]bool{}
	for _, p := range strings.Fields(string(out)) {
		set[p] = true
	}
	return set
}

func weigh(all []initialised, of map[string]bool) (bytes, allocs int, heaviest string) {
	mine := slices.DeleteFunc(slices.Clone(all), func(i initialised) bool { return !of[i.path] })
	slices.SortFunc(mine, func(a, b initialised) int { return cmp.Compare(b.allocs, a.allocs) })
	for n, i := range mine {
		bytes += i.bytes
		allocs += i.allocs
		if n < 8 {
			heaviest += fmt.Sprintf("  %s: %d bytes, %d allocations\n", i.path, i.bytes, i.allocs)
		}
	}
	return bytes, allocs, heaviest
}
