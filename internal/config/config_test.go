package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// samples are texts of files; the key says what they are about. Those that begin with "decoder: " are refused by the decoder
// alone, for what a schema cannot say; those that begin with "schema: " by the schema alone.
var samples = map[string]string{
	"the least":                     "version: 1\n",
	"schema: keys without lines":    "version: 1\nrules:\n  # none yet\nexclude:\n",
	"all of it":                     full,
	"no version":                    "profile: strict\n",
	"another version":               "version: 2\n",
	"no keys":                       "- a\n",
	"unknown key":                   "version: 1\nruels: {}\n",
	"unknown profile":               "version: 1\nprofile: strct\n",
	"unknown level":                 "version: 1\nrules: {no-drain-delay: loud}\n",
	"unknown budget":                "version: 1\nbudgets: {readyness-exposure: 45s}\n",
	"no unit":                       "version: 1\nbudgets: {readiness-exposure: 45}\n",
	"negative":                      "version: 1\nbudgets: {readiness-exposure: -45s}\n",
	"no number":                     "version: 1\nbudgets: {fleet-calls-per-second: many}\n",
	"a list for a map":              "version: 1\nrules: [no-drain-delay]\n",
	"a map for a list":              "version: 1\nexclude: {a: b}\n",
	"a value for a list":            "version: 1\nexclude: vendor\n",
	"a list for a value":            "version: 1\nprofile: [strict]\n",
	"a binding without package":     "version: 1\nbindings: [{workload: Deployment/a}]\n",
	"critical without reason":       "version: 1\ncritical: [{call: DB.Ping}]\n",
	"empty call":                    "version: 1\ncritical: [{call: \"\", reason: x}]\n",
	"decoder: broken glob":          "version: 1\nexclude: [\"a[\"]\n",
	"decoder: no place":             "version: 1\noverrides: [{rules: {no-drain-delay: off}}]\n",
	"decoder: no change":            "version: 1\noverrides: [{paths: [a]}]\n",
	"decoder: a policy that is not": "version: 1\npolicies: [./nowhere]\n",
}

const full = `version: 1
profile: strict
rules: {no-drain-delay: info, exec-probe-cost: off}
budgets: {readiness-exposure: 45s, liveness-exposure: 2m, verdict-max-age: 1.5s, fleet-calls-per-second: 20.5}
bindings: [{workload: Deployment/checkout, container: api, package: ./cmd/api}]
critical: [{call: "(*database/sql.DB).PingContext", in: ./internal/health, reason: "orders are the product"}]
exclude: ["vendor/**"]
overrides: [{paths: ["test/**"], rules: {readiness-always-ok: off}}, {workloads: [Deployment/cart], budgets: {verdict-max-age: 0s}}]
`

func TestParse(t *testing.T) {
	c, err := Parse("/repo/.probelint.yaml", FileName, []byte(full))
	if err != nil {
		t.Fatal(err)
	}
	f := func(v float64) *float64 { return &v }
	want := &Config{
		Profile: "strict", Rules: map[string]lint.Level{"no-drain-delay": lint.Info, "exec-probe-cost": lint.Off},
		Budgets: Budgets{f(45), f(120), f(1.5), f(20.5)}, Exclude: []string{"vendor/**"},
		Overrides: []Override{
			{Paths: []string{"test/**"}, Rules: map[string]lint.Level{"readiness-always-ok": lint.Off}},
			{Workloads: []string{"Deployment/cart"}, Budgets: Budgets{VerdictMaxAge: f(0)}},
		},
		Bindings: []Binding{{"Deployment/checkout", "api", "./cmd/api", c.Bindings[0].Span}},
		Critical: []Critical{{"(*database/sql.DB).PingContext", "./internal/health", "orders are the product", c.Critical[0].Span}},
		File:     "/repo/.probelint.yaml", Shown: FileName, Dir: "/repo", src: c.src, at: c.at,
	}
	if diff := cmp.Diff(want, c, cmp.AllowUnexported(Config{}), cmp.Comparer(func(a, b map[string]model.Span) bool { return len(a) == len(b) }), cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".src" }, cmp.Ignore())); diff != "" {
		t.Error(diff)
	}
	if got := c.At("budgets.verdict-max-age"); got != ".probelint.yaml:4" {
		t.Errorf("place %q", got)
	}
	if c.Critical[0].Span.Line != 6 {
		t.Errorf("critical at %+v", c.Critical[0].Span)
	}
	s := lint.DefaultSettings("default")
	c.Budgets.Apply(s)
	if s.LivenessExposure != 120 || s.FleetCallsPerSecond != 20.5 {
		t.Errorf("settings %+v", s)
	}
}

// Each fault is said with its place, its line and the nearest name.
func TestProblems(t *testing.T) {
	for text, want := range map[string]string{
		"version: 1\nruels: {}\n": `.probelint.yaml:2:1: unknown key ` + "`ruels`; did you mean `rules`?" + `
  |
2 | ruels: {}
  | ^^^^^`,
		"version: 1\nbudgets:\n  readyness-exposure: 45s\n": ".probelint.yaml:3:3: unknown key `readyness-exposure` of `budgets`; did you mean `readiness-exposure`?",
		"version: 1\nzzz: 1\n":                              "unknown key `zzz`; there are version, profile, rules, budgets, exclude, overrides, bindings, critical, policies and knowledge",
		"version: 1\nprofile: strct\n":                      ".probelint.yaml:2:10: `profile`: unknown profile \"strct\"; did you mean \"strict\"?",
		"version: 1\nrules: {no-drain-delay: \"loud\"}\n": ".probelint.yaml:2:25: `rules.no-drain-delay`: unknown level \"loud\"; one of off, info, warning or error\n  |\n2 | rules: {no-drain-delay: \"loud\"}\n" +
			"  |                         ^^^^^^",
		"version: 1\nbudgets: {readiness-exposure: 45}\n":   "45 has no unit: write 45s for seconds",
		"version: 1\nbudgets: {readiness-exposure: soon}\n": `"soon" is no duration; one is written 45s or 1m30s`,
		"version: 1\nversion: 1\n":                          ".probelint.yaml:2:1: `version` stands in line 1 already",
		"version: 1\nexclude: [\"[\"]\n":                    "`exclude[0]`: \"[\" is no glob",
		"version: 1\nexclude: vendor\n":                     "`exclude` is \"vendor\", where a list is wanted",
		"version: 1\nprofile: {a: b}\n":                     "`profile` is keys with values, where a single value is wanted",
		"":                                                  ".probelint.yaml:1:1: the file is empty; it begins with `version: 1`",
		"# only this\n":                                     "the file is empty",
		"a: [\n":                                            ": no YAML: ",
		"version: 1\n---\nversion: 1\n":                     "a second document; a configuration is one document",
		"version: 2\n":                                      "version 2 of the configuration is not known; this program reads version 1",
		"rules: {}\n":                                       "`version` is missing; the file begins with `version: 1`",
		"version: 1\nbindings:\n  - workload: a\n":          ".probelint.yaml:3:5: `bindings[0]` has no `package`",
		"version: 1\noverrides:\n  - paths: [a]\n":          "`overrides[0]` changes nothing",
		"version: 1\noverrides:\n  - rules: {a: off}\n":     "`overrides[0]` has neither `paths` nor `workloads`",
		"version: 1\npolicies: [./no]\n":                    ".probelint.yaml:2:12: `policies[0]`: reading ./no: no such file or directory",
		"version: 1\nrules: *a\n":                           "no YAML: unknown anchor 'a' referenced",
		"version: 1\ncritical:\n  - {call: DB.Ping, reason: null}\n":     "`critical[0].reason` is nothing, where a single value is wanted",
		"\xef\xbb\xbfversion: 1\r\nprofle: strict\r\n":                   ".probelint.yaml:2:1: unknown key `profle`",
		"version: 1\nrules:\n\ttabs: off\n":                              ".probelint.yaml:3:1: no YAML: found character that cannot start any token",
		"version: 1\nruels: {}\nexclud: []\n":                            ".probelint.yaml:3:1: unknown key `exclud`; did you mean `exclude`?",
		"version: 1\nrules: {ä: \"ü\"}\n":                                ".probelint.yaml:2:12: ",
		"version: 1\nprofile: " + strings.Repeat("x", 300) + "\n":        "…\n",
		"version: 1\nbudgets: {fleet-calls-per-second: 0}\n":             "0 is no number above 0",
		"version: 1\nbudgets: {readiness-exposure: [45s]}\n":             "is a list, where a single value is wanted",
		"version: 1\noverrides: [{workloads: [\"[\"], rules: {a: off}}]": "names no workload; one is written Deployment/checkout or checkout",
	} {
		_, err := Parse("/repo/.probelint.yaml", FileName, []byte(text))
		if err == nil {
			t.Errorf("%q is taken", text)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%q:\n got %s\nwant %s", text, err, want)
		}
	}
}

func TestCheckRules(t *testing.T) {
	c, err := Parse("/repo/.probelint.yaml", FileName, []byte("version: 1\nrules: {b: off}\noverrides: [{paths: [x], rules: {abcdex: off}}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := c.CheckRules([]string{"b", "abcdef"})
	if want := ".probelint.yaml:3:34: unknown rule \"abcdex\"; did you mean \"abcdef\"?"; got == nil || !strings.HasPrefix(got.Error(), want) {
		t.Errorf("got %v", got)
	}
	if err := c.CheckRules([]string{"b", "abcdex"}); err != nil {
		t.Error(err)
	}
	if err := c.RuleError("b", ""); err == nil || !strings.Contains(err.Error(), ":2:9: unknown rule \"b\"; `probelint rules` lists them") {
		t.Errorf("got %v", err)
	}
	if c.RuleError("other", "") != nil || (*Config)(nil).CheckRules(nil) != nil {
		t.Error("a rule that the file does not name")
	}
}

func TestFind(t *testing.T) {
	root := t.TempDir()
	deep := filepath.Join(root, "a", "b")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	expect := func(dir, within, want string) {
		t.Helper()
		got, err := Find(dir, within)
		if err != nil || got != want {
			t.Errorf("from %s in %s: %q, %v; want %q", dir, within, got, err, want)
		}
	}
	write := func(name string) string {
		if err := os.WriteFile(name, []byte("version: 1\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	expect(deep, root, "")
	top := write(filepath.Join(root, FileName))
	expect(deep, root, top)
	expect(deep, filepath.Join(root, "a"), "") // above the root of the repository
	near := write(filepath.Join(root, "a", FileName))
	expect(deep, root, near)
	expect(filepath.Join(root, "a"), deep, near)
	write(filepath.Join(deep, ".probelint.yml"))
	if _, err := Find(deep, root); err == nil || !strings.Contains(err.Error(), "the name is .probelint.yaml") {
		t.Errorf("the other name: %v", err)
	}
}

func TestMatcher(t *testing.T) {
	for _, c := range []struct {
		glob, path string
		want       bool
	}{
		{"vendor", "vendor/x/a.yaml", true},
		{"vendor/", "vendor/x/a.yaml", true},
		{"./vendor", "vendor/a.yaml", true},
		{"vendor", "x/vendor/a.yaml", false},
		{"**/vendor", "x/vendor/a.yaml", true},
		{"*.yaml", "a.yaml", true},
		{"*.yaml", "x/a.yaml", false},
		{"**/*.yaml", "x/a.yaml", true},
		{"x/**", "x/y/a.yaml", true},
		{"../deploy", "../deploy/a.yaml", true},
		{"test/**", "testdata/a.yaml", false},
		{".", "x/a.yaml", true},
	} {
		dir := string(filepath.Separator) + filepath.Join("repo", "sub")
		if got := Matcher(dir, []string{c.glob})(filepath.Join(dir, c.path)); got != c.want {
			t.Errorf("%s on %s: %v, want %v", c.glob, c.path, got, c.want)
		}
	}
}

func TestOverrideFunc(t *testing.T) {
	c := &Config{Dir: "/repo"}
	w := &model.Workload{Kind: "Deployment", Namespace: "prod", Name: "cart-api"}
	for _, x := range []struct {
		o    Override
		w    *model.Workload
		file string
		want bool
	}{
		{Override{Paths: []string{"test/**"}}, w, "/repo/test/a.yaml", true},
		{Override{Paths: []string{"test/**"}}, nil, "/repo/test/a.go", true},
		{Override{Paths: []string{"test/**"}}, w, "/repo/deploy/a.yaml", false},
		{Override{Workloads: []string{"Deployment/cart-*"}}, w, "/repo/a.yaml", true},
		{Override{Workloads: []string{"cart-api"}}, w, "/repo/a.yaml", true},
		{Override{Workloads: []string{"Deployment/prod/*"}}, w, "/repo/a.yaml", true},
		{Override{Workloads: []string{"StatefulSet/*"}}, w, "/repo/a.yaml", false},
		{Override{Workloads: []string{"cart-api"}}, nil, "/repo/a.go", false},
		{Override{Workloads: []string{"cart-api"}, Paths: []string{"test/**"}}, w, "/repo/a.yaml", false},
	} {
		if got := c.Func(x.o)(x.w, x.file); got != x.want {
			t.Errorf("%+v on %s: %v", x.o, x.file, got)
		}
	}
}

// Whatever is written there, the reader says what is wrong and does not fall over.
func TestAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.SampledFrom([]string{
			"version: 1\n", "rules:", "budgets:", "exclude:", " ", "\n", "  ", "- ", "{", "}", "[", "]", "a", ": ", "&x ", "*x", "<<: ", "\"", "'", "|\n", "ä", "off", "45s", "\t", "---\n", "!!int ", "overrides:", "paths:", "? ", ",",
		})).Draw(t, "parts")
		_, err := Parse("/repo/.probelint.yaml", FileName, []byte(strings.Join(parts, "")))
		if err != nil && !strings.HasPrefix(err.Error(), FileName+":") {
			t.Fatalf("no place: %v", err)
		}
	})
}

func TestReadInto(t *testing.T) {
	type item struct {
		Name string `json:"name"`
		Own  bool   `json:"own,omitempty"`
		At   *int   `json:"at,omitempty"`
	}
	var got struct {
		Version int    `json:"version"`
		Items   []item `json:"items,omitempty"`
	}
	name := filepath.Join(t.TempDir(), "k.yaml")
	write := func(text string) {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("version: 1\nitems:\n  - {name: a, own: true, at: 0}\n  - name: b\n")
	if err := ReadInto(name, "k.yaml", &got); err != nil || got.Version != 1 || len(got.Items) != 2 || !got.Items[0].Own || *got.Items[0].At != 0 || got.Items[1].At != nil {
		t.Errorf("%v %+v", err, got)
	}
	for text, want := range map[string]string{
		"version: one\n": "k.yaml:1:10: `version`: \"one\" is no whole number",
		"version: 1\nitems: [{name: a, own: x}]\n": "k.yaml:2:24: `items[0].own`: \"x\" is neither true nor false",
		"version: 1\nitems: [{nam: a}]\n":          "k.yaml:2:10: unknown key `nam` of `items[0]`; did you mean `name`?",
		"version: 1\nitems: [{name: [a]}]\n":       "`items[0].name` is a list, where a single value is wanted",
	} {
		write(text)
		if err := ReadInto(name, "k.yaml", &got); err == nil || !strings.HasPrefix(err.Error(), want) && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := ReadInto(name+"x", "k.yamlx", &got); err == nil || err.Error() != "reading k.yamlx: no such file or directory" {
		t.Errorf("got %v", err)
	}
}

// The example of the documentation is one, but for the files that it names.
func TestDocumentedExample(t *testing.T) {
	data, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), "```yaml\n")
	example, _, _ := strings.Cut(rest, "```")
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "policies"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "probelint-knowledge.yaml"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := Parse(filepath.Join(dir, FileName), FileName, []byte(example))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Overrides) != 2 || len(c.Policies) != 1 || len(c.Knowledge) != 1 || !strings.HasPrefix(example, Modeline+"\n") {
		t.Errorf("got %+v", c)
	}
}
