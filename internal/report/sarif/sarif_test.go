package sarif_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/report"
	"github.com/probelint/probelint/internal/report/reporttest"
	"github.com/probelint/probelint/internal/report/sarif"
	"github.com/probelint/probelint/internal/source"
)

func write(t testing.TB, in *report.Input) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := sarif.Write(&b, in, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// document is what the tests read back.
type document struct {
	Runs []struct {
		Tool struct {
			Driver struct {
				Rules []struct{ ID string }
			}
		}
		Invocations []struct {
			ToolExecutionNotifications []struct{ Message struct{ Text string } }
		}
		Results []struct {
			RuleID              string
			RuleIndex           int
			Message             struct{ Text string }
			Locations           []location
			RelatedLocations    []location
			CodeFlows           []struct{ ThreadFlows []struct{ Locations []any } }
			PartialFingerprints map[string]string
			Fixes               []any
			Suppressions        []struct{ Kind, Justification string }
		}
	}
}

type location struct {
	ID               int
	PhysicalLocation struct {
		ArtifactLocation struct{ URI, URIBaseID string }
		Region           struct{ StartLine, StartColumn, EndLine, EndColumn int }
	}
}

func read(t testing.TB, data []byte) document {
	t.Helper()
	var d document
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestGolden(t *testing.T) {
	reporttest.Golden(t, "all.sarif", write(t, reporttest.Input()))
}

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	f, err := os.Open("testdata/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	doc, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.AddResource("sarif.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAgainstTheOASISSchema(t *testing.T) {
	s := schema(t)
	valid := func(data []byte) error {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		return s.Validate(doc)
	}
	for name, in := range map[string]*report.Input{
		"all": reporttest.Input(), "none": reporttest.Few(), "empty": {}, "catalogue": withRules(reporttest.Input()),
	} {
		if err := valid(write(t, in)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	broken := bytes.Replace(write(t, reporttest.Input()), []byte(`"startLine": `), []byte(`"startLine": -`), 1)
	if err := valid(broken); err == nil {
		t.Error("the schema takes a negative line: it checks nothing")
	}
}

func withRules(in *report.Input) *report.Input {
	in.Version = "v1.2.3"
	in.Rules = []*lint.Rule{
		{Name: "liveness-checks-dependency", Level: lint.Error, Sees: []lint.Sees{lint.Link}, Doc: "# liveness-checks-dependency\n\n## What it reports\n\n" + strings.Repeat("long ", 300) + "\n"},
		{Name: "fixable", Level: lint.Info, Nursery: true, Sees: []lint.Sees{lint.Manifest, lint.Go}, Doc: "# fixable\n\nA summary.\n"},
	}
	return in
}

// What GitHub requires beyond the schema: a location, no empty text, lengths, one line a region, a link for each related
// location, an index that names the rule.
func TestWhatGitHubRequires(t *testing.T) {
	in := withRules(reporttest.Input())
	data := write(t, in)
	if m := regexp.MustCompile(`"(text|markdown|uri)": ""`).Find(data); m != nil {
		// An edit may delete: then the inserted text is empty for good.
		t.Errorf("an empty value: %s", m)
	}
	run := read(t, data).Runs[0]
	if len(run.Results) != len(in.Findings) {
		t.Fatalf("%d results for %d findings", len(run.Results), len(in.Findings))
	}
	for i, r := range run.Results {
		f := in.Findings[i]
		if len(r.Locations) != 1 || r.Locations[0].PhysicalLocation.ArtifactLocation.URI == "" {
			t.Errorf("%s: no location", r.RuleID)
			continue
		}
		at := r.Locations[0].PhysicalLocation.Region
		if at.StartLine < 1 || at.StartColumn < 1 || at.EndLine != at.StartLine || at.EndColumn < at.StartColumn {
			t.Errorf("%s: region %+v", r.RuleID, at)
		}
		if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("%s: index of %s", r.RuleID, run.Tool.Driver.Rules[r.RuleIndex].ID)
		}
		for _, l := range r.RelatedLocations {
			if l.ID < 1 || !strings.Contains(r.Message.Text, "]("+strconv.Itoa(l.ID)+")") {
				t.Errorf("%s: related location %d is not linked from %q", r.RuleID, l.ID, r.Message.Text)
			}
		}
		if first, _, _ := strings.Cut(r.Message.Text, "\n"); first != report.Printable(f.Title)+"." {
			t.Errorf("%s: the message begins with %q", r.RuleID, first)
		}
		if r.PartialFingerprints["probelint/v1"] != f.Fingerprint {
			t.Errorf("%s: fingerprints %v", r.RuleID, r.PartialFingerprints)
		}
		if (len(r.Suppressions) > 0) != (f.Suppressed != nil) || len(r.Fixes) != len(f.Fixes) {
			t.Errorf("%s: %d suppressions, %d fixes", r.RuleID, len(r.Suppressions), len(r.Fixes))
		}
		if two := f.Rule == "liveness-checks-dependency"; two != (len(r.CodeFlows) == 1) || two && len(r.CodeFlows[0].ThreadFlows[0].Locations) != 4 {
			t.Errorf("%s: code flows %v", r.RuleID, r.CodeFlows)
		}
	}
}

// A finding about the whole input stands in a file of it.
func TestNoPlaceFallsBack(t *testing.T) {
	in := reporttest.Few("no-place")
	uri := func() string {
		return read(t, write(t, in)).Runs[0].Results[0].Locations[0].PhysicalLocation.ArtifactLocation.URI
	}
	if got := uri(); got != ".probelint.yaml" {
		t.Errorf("with nothing at hand: %s", got)
	}
	in.Workloads = []*model.Workload{{File: "deploy/a.yaml"}}
	if got := uri(); got != "deploy/a.yaml" {
		t.Errorf("with a manifest: %s", got)
	}
	in.Set.Add(source.New("go.mod", []byte("module x\n")))
	if got := uri(); got != "go.mod" {
		t.Errorf("with a module: %s", got)
	}
	in.Findings[0].Probes = []lint.ProbeRef{{File: "deploy/checkout.yaml", Line: 21}}
	if got := uri(); got != "deploy/checkout.yaml" {
		t.Errorf("with a probe: %s", got)
	}
}

func TestPathsAreURIs(t *testing.T) {
	for path, want := range map[string]string{
		"a b/c%d#e?.yaml": "a%20b/c%25d%23e%3F.yaml", "./x.yaml": "x.yaml", "/abs/x y.yaml": "file:///abs/x%20y.yaml",
		"C:/x.yaml": "file:///C:/x.yaml", "ü.yaml": "%C3%BC.yaml",
	} {
		in := &report.Input{Findings: []lint.Finding{{Rule: "r", Level: lint.Error, Title: "t", Primary: lint.Label{Span: model.Span{File: path, Line: 1}}}}}
		a := read(t, write(t, in)).Runs[0].Results[0].Locations[0].PhysicalLocation.ArtifactLocation
		if a.URI != want || (a.URIBaseID == "") != strings.HasPrefix(want, "file:") {
			t.Errorf("%s: %+v, want %s", path, a, want)
		}
	}
}

// Brackets of the input are no links.
func TestMessageLinks(t *testing.T) {
	set := reporttest.Files()
	at := reporttest.At(set, "deploy/checkout.yaml", "/healthz", 0)
	in := &report.Input{Set: set, Findings: []lint.Finding{{
		Rule: "r", Level: lint.Error, Title: "`ports[0](1)` of [x](2)", Primary: lint.Label{Span: at},
		Labels: []lint.Label{{Span: at, Text: `a [b] \c`}}, Notes: []string{"ends with a stop."},
	}}}
	got := read(t, write(t, in)).Runs[0].Results[0].Message.Text
	if want := "`ports[0\\](1)` of [x\\](2).\n- [a \\[b\\] \\\\c](1)\n\nends with a stop."; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestLimits(t *testing.T) {
	var said []string
	in := &report.Input{}
	for i := range 25_010 {
		f := lint.Finding{Rule: "r", Level: lint.Info, Title: "t", Primary: lint.Label{Span: model.Span{File: "a.yaml", Line: 1}}}
		if i >= 25_000 {
			f.Level, f.Rule = lint.Error, "loud"
		}
		in.Findings = append(in.Findings, f)
	}
	labels := lint.Finding{Rule: "loud", Level: lint.Error, Title: "t", Primary: lint.Label{Span: model.Span{File: "a.yaml", Line: 1}}}
	for i := range 1500 {
		labels.Labels = append(labels.Labels, lint.Label{Span: model.Span{File: "b.go", Line: i + 1}, Text: "x"})
	}
	in.Findings = append(in.Findings, labels)
	var b bytes.Buffer
	if err := sarif.Write(&b, in, func(s string) { said = append(said, s) }); err != nil {
		t.Fatal(err)
	}
	run := read(t, b.Bytes()).Runs[0]
	loud := 0
	for _, r := range run.Results {
		if r.RuleID == "loud" {
			loud++
		}
	}
	if len(run.Results) != 25_000 || loud != 11 {
		t.Errorf("%d results, %d of 11 errors", len(run.Results), loud)
	}
	if len(said) != 1 || !strings.Contains(said[0], "25000 of 25011") || len(run.Invocations[0].ToolExecutionNotifications) != 1 {
		t.Errorf("said %q, notified %v", said, run.Invocations)
	}
	last := run.Results[len(run.Results)-1]
	if len(last.RelatedLocations) != 100 || len(last.CodeFlows[0].ThreadFlows[0].Locations) != 1000 {
		t.Errorf("%d related, %d steps", len(last.RelatedLocations), len(last.CodeFlows[0].ThreadFlows[0].Locations))
	}
}

// The hash of a file with one line, as GitHub's action computes it (src/fingerprints.test.ts).
func TestLineHashOfGitHub(t *testing.T) {
	for text, want := range map[string][]string{
		"": {"c129715d7a2bc9a3:1"},
		" hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End\n": {
			"e9496ae3ebfced30:1", "fb7c023a8b9ccb3f:1", "ce8ba1a563dcdaca:1", "e20e36e16fcb0cc8:1", "b3edc88f2938467e:1", "c8e28b0b4002a3a0:1", "c129715d7a2bc9a3:1",
		},
		" hello; \t\nworld!!!\r\n\n\r  \t\tGreetings\r End\r\n": {
			"e9496ae3ebfced30:1", "fb7c023a8b9ccb3f:1", "ce8ba1a563dcdaca:1", "e20e36e16fcb0cc8:1", "b3edc88f2938467e:1", "c8e28b0b4002a3a0:1", "c129715d7a2bc9a3:1",
		},
		strings.Repeat("Lorem ipsum dolor sit amet.\n", 10): {"a7f2ff13bc495cf2:1", "a7f2ff13bc495cf2:2", "a7f2ff13bc495cf2:3"},
	} {
		for i, w := range want {
			if got := hashOf(t, text, i+1); got != w {
				t.Errorf("line %d of %q: %s, want %s", i+1, text, got, w)
			}
		}
	}
}

func hashOf(t interface{ Fatal(...any) }, text string, line int) string {
	set := source.NewSet("/nowhere")
	f := source.New("a.yaml", []byte(text))
	set.Add(f)
	var b bytes.Buffer
	at := f.Offset(line, 1)
	err := sarif.Write(&b, &report.Input{Set: set, Findings: []lint.Finding{{
		Rule: "r", Level: lint.Error, Title: "t", Primary: lint.Label{Span: model.Span{File: "a.yaml", Start: at, End: at, Line: line}},
	}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var d document
	if err := json.Unmarshal(b.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	return d.Runs[0].Results[0].PartialFingerprints["primaryLocationLineHash"]
}

// The rolling hash is the sum that it stands for: each of the next 100 characters times a power of 37.
func TestLineHashIsThePlainSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "key: value", " ", "\t", "\n", "\n", "検", "👩", "- item"}), 0, 60).Draw(t, "parts")
		text := strings.Join(parts, "")
		squeezed := strings.NewReplacer(" ", "", "\t", "").Replace(text)
		lines := strings.SplitAfter(squeezed, "\n")
		line := rapid.IntRange(1, len(lines)).Draw(t, "line")
		count := map[string]int{}
		var want string
		for i := range line {
			units := append(utf16.Encode([]rune(strings.Join(lines[i:], ""))), 65535)
			var sum uint64
			for k := range 100 {
				var u uint64
				if k < len(units) {
					u = uint64(units[k])
				}
				sum = sum*37 + u
			}
			want = strconv.FormatUint(sum, 16)
			count[want]++
		}
		want = fmt.Sprintf("%s:%d", want, count[want])
		if got := hashOf(t, text, line); got != want {
			t.Fatalf("line %d of %q: %s, want %s", line, text, got, want)
		}
	})
}
