package manifest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	yaml "go.yaml.in/yaml/v3"

	"github.com/probelint/probelint/internal/source"
)

func TestSplit(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"one", "a: 1\n", []string{"a: 1\n"}},
		{"two", "a: 1\n---\nb: 2\n", []string{"a: 1\n", "---\nb: 2\n"}},
		{"leading marker", "---\na: 1\n---\nb: 2", []string{"---\na: 1\n", "---\nb: 2"}},
		{"content on the marker", "--- {a: 1}\n--- {b: 2}\n", []string{"--- {a: 1}\n", "--- {b: 2}\n"}},
		{"comment on the marker", "a: 1\n--- # next\nb: 2\n", []string{"a: 1\n", "--- # next\nb: 2\n"}},
		{"empty documents", "---\n---\n# nothing\n---\na: 1\n---\n", []string{"---\na: 1\n"}},
		{"end marker", "a: 1\n...\nb: 2\n", []string{"a: 1\n...", "\nb: 2\n"}},
		{"directive", "%YAML 1.2\n---\na: 1\n", []string{"%YAML 1.2\n---\na: 1\n"}},
		{"directive of a later document", "a: 1\n...\n%YAML 1.2\n---\nb: 2\n", []string{"a: 1\n...", "\n%YAML 1.2\n---\nb: 2\n"}},
		{"CRLF", "a: 1\r\n---\r\nb: 2\r\n", []string{"a: 1\r\n", "---\r\nb: 2\r\n"}},
		{"lone CR", "a: 1\r---\rb: 2\r", []string{"a: 1\r", "---\rb: 2\r"}},
		{"byte order mark", "\xef\xbb\xbf---\na: 1\n", []string{"---\na: 1\n"}},
		{"no marker", "a: ---\nb: x---\n ---\nc: ----\n", []string{"a: ---\nb: x---\n ---\nc: ----\n"}},
		{"in a block scalar", "a: |\n  x\n---\nb: 2\n", []string{"a: |\n  x\n", "---\nb: 2\n"}},
		{"only comments", "# a\n\n  # b\n", nil},
		{"nothing", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, p := range split([]byte(tt.text)) {
				got = append(got, tt.text[p.start:p.end])
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestGate(t *testing.T) {
	for text, want := range map[string]use{
		"kind: Pod\napiVersion: v1\nspec: {containers: []}":                      usePod,
		`{"kind":"Service","apiVersion":"v1"}`:                                   useJoin,
		"apiVersion: v1\nkind: 'ConfigMap'\n":                                    useConfig,
		"apiVersion: v1\nkind: ServiceList\n":                                    useJoin | useList,
		"apiVersion: v1\nkind: Role\n":                                           0,
		"kind: Pod\ncontainers: []":                                              0,
		"apiVersion: v1\nkind : Ingress":                                         useJoin,
		"apiVersion: v1\nkind: Role\n---\napiVersion: v1\nkind: HTTPRoute":       useJoin,
		"apiVersion: v1\nmankind: Service\nkinds: [Service]":                     useJoin, // a false alarm costs a parse
		"apiVersion: v1\nkind:\n\n  Ingress\n":                                   useJoin,
		"apiVersion: v1\nkind: ServiceAccount\n":                                 0,
		"apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Service}]\n": useJoin | useList,
	} {
		if got := gate([]byte(text)); got != want {
			t.Errorf("gate(%q) = %b, want %b", text, got, want)
		}
	}
}

// parseText parses a text of one document.
func parseText(t testing.TB, text string) (*document, *syntaxError) {
	t.Helper()
	f := source.New("in.yaml", []byte(text))
	docs, err := parse(f, piece{0, len(text)})
	if err != nil {
		return nil, err
	}
	if len(docs) != 1 {
		t.Fatalf("%d documents in %q", len(docs), text)
	}
	return docs[0], nil
}

// plainOf writes a prepared tree as JSON-like text, aliases and merges expanded.
func plainOf(n *yaml.Node) string {
	switch n = deref(n); n.Kind {
	case yaml.MappingNode:
		var parts []string
		for i := 0; i+1 < len(n.Content); i += 2 {
			parts = append(parts, deref(n.Content[i]).Value+": "+plainOf(n.Content[i+1]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case yaml.SequenceNode:
		var parts []string
		for _, c := range n.Content {
			parts = append(parts, plainOf(c))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return n.Value
}

func TestPrepare(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"plain", "a: 1\nb: [x, y]", "{a: 1, b: [x, y]}"},
		{"the last key wins", "a: 1\nb: 2\na: 3", "{b: 2, a: 3}"},
		{"many keys", strings.Repeat("k: 0\n", 40) + "k: 1", "{k: 1}"},
		{"alias", "a: &x {p: 1}\nb: *x", "{a: {p: 1}, b: {p: 1}}"},
		{"merge", "a: &x {p: 1, q: 2}\nb: {<<: *x, q: 3}", "{a: {p: 1, q: 2}, b: {q: 3, p: 1}}"},
		{"merge of several", "a: &x {p: 1}\nb: &y {p: 2, q: 3}\nc: {<<: [*x, *y]}", "{a: {p: 1}, b: {p: 2, q: 3}, c: {p: 1, q: 3}}"},
		{"merge of a merge", "a: &x {p: 1}\nb: &y {<<: *x, q: 2}\nc: {<<: *y}", "{a: {p: 1}, b: {q: 2, p: 1}, c: {q: 2, p: 1}}"},
		{"merge of a mapping", "a: {<<: {p: 1}, q: 2}", "{a: {q: 2, p: 1}}"},
		{"merge of text", "a: {<<: x, q: 2}", "{a: {q: 2}}"},
		{"quoted merge key", `a: {"<<": x, q: 2}`, "{a: {<<: x, q: 2}}"},
		{"JSON with a surrogate pair", `{"a": "\ud83d\ude00", "b": [true, null, 1.5, "\/"]}`, "{a: 😀, b: [true, null, 1.5, /]}"},
		{"JSON with tabs", "{\n\t\"a\": 1,\n\t\"b\": [\n\t\t2\n\t]\n}", "{a: 1, b: [2]}"},
		{"JSON twice", `{"a": 1, "a": 2}`, "{a: 2}"},
		{"anchored key", "&k a: 1\n*k : 2", "{a: 2}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := parseText(t, tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := plainOf(d.root); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestSyntaxErrors(t *testing.T) {
	bomb := "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
	for i, c := range "bcdefgh" {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.Repeat(fmt.Sprintf("*%c, ", "abcdefgh"[i]), 10))
	}
	tests := []struct {
		name, text   string
		line, column int
		msg          string
	}{
		{"alias bomb", bomb, 7, 4, "aliases expand to more than 2000000 values"},
		{"cycle", "a: &x [1, *x]", 1, 11, "alias `x` stands inside its own anchor"},
		{"unknown anchor", "a: 1\nb: *x", 2, 6, "unknown anchor 'x' referenced"},
		{"deep", strings.Repeat("[", 1500) + strings.Repeat("]", 1500), 1, 1001, "nested more than 1000 levels deep"},
		{"very deep", strings.Repeat("[", 20000), 1, 10001, "exceeded max depth of 10000"},
		{"deep JSON", `{"a":` + strings.Repeat("[", 1500) + strings.Repeat("]", 1500) + "}", 1, 1005, "nested more than 1000 levels deep"},
		{"deep alias", "a: &a " + strings.Repeat("[", 600) + strings.Repeat("]", 600) + "\nb: " + strings.Repeat("[", 600) + "*a" + strings.Repeat("]", 600), 2, 604, "nested more than 1000 levels deep"},
		{"tab", "a:\n\tb: 1\n", 2, 1, "found character that cannot start any token"},
		{"bad indentation", "a:\n    b: 1\n  c: 2\n", 3, 3, "did not find expected key"},
		{"not UTF-8", "a: 1\nb: \xe9t\xe9\n", 2, 4, "byte 0xe9 is no UTF-8"},
		{"control character", "a: 1\nb: x\x01\n", 2, 5, "control characters are not allowed"},
		{"two values", "a: b: c\n", 1, 5, "mapping values are not allowed in this context"},
		{"text behind a flow mapping", "a: {b}c\n", 1, 7, "did not find expected key"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := source.New("in.yaml", []byte(tt.text))
			_, err := parse(f, piece{0, len(tt.text)})
			if err == nil {
				t.Fatal("parses")
			}
			line, column := f.Position(err.off)
			if err.msg != tt.msg || line != tt.line || column != tt.column {
				t.Errorf("got %d:%d %s, want %d:%d %s", line, column, err.msg, tt.line, tt.column, tt.msg)
			}
		})
	}
}

// One broken document does not lose the others, and lines are those of the file.
func TestBrokenDocument(t *testing.T) {
	pod := func(name string) string { return strings.ReplaceAll(podYAML, "x", name) }
	r, set := readText(t, "# head\n"+pod("one")+"---\n"+strings.Replace(podYAML, "spec: {", "spec: {[", 1)+"---\n"+pod("three")+"---\nnull\n---\n"+pod("four"))
	equal(t, "workloads", ids(r), []string{"Pod/one", "Pod/three", "Pod/four"})
	equal(t, "lines", []int{r.Workloads[0].Line, r.Workloads[1].Line, r.Workloads[2].Line}, []int{2, 12, 19})
	got := describeFindings(t, r, set)
	if len(got) != 1 || !strings.HasPrefix(got[0], "error in.yaml:10:") {
		t.Errorf("findings: %q", got)
	}
	equal(t, "note", r.Findings[0].Notes, []string{"document 2 of 5 was not checked, the others were"})
}

func TestEncodings(t *testing.T) {
	lf := withProbe("livenessProbe:\n  httpGet: {path: /é, port: http}\n  periodSeconds: 5\n")
	for name, text := range map[string]string{
		"LF": lf, "CRLF": strings.ReplaceAll(lf, "\n", "\r\n"), "CR": strings.ReplaceAll(lf, "\n", "\r"),
		"byte order mark": "\xef\xbb\xbf" + lf, "line separator in a comment": strings.Replace(lf, "kind:", "# a\u2028# b\u0085# c\nkind:", 1),
		"UTF-16": utf16LE(lf),
	} {
		t.Run(name, func(t *testing.T) {
			r, set := readText(t, text)
			p := only(t, r).Containers[0].Probes[0]
			f, err := set.Get("in.yaml")
			if err != nil {
				t.Fatal(err)
			}
			for path, want := range map[string]string{"httpGet.path": "/é", "httpGet.port": "http", "periodSeconds": "5"} {
				at := p.Fields[path].Value
				if got := string(f.Data[at.Start:at.End]); got != want {
					t.Errorf("%s is %q", path, got)
				}
			}
			line := 12
			if strings.Contains(name, "separator") {
				line = 13
			}
			if p.Line != line {
				t.Errorf("line %d, want %d", p.Line, line)
			}
		})
	}
}

func utf16LE(s string) string {
	b := []byte{0xff, 0xfe}
	for _, r := range s {
		b = append(b, byte(r), byte(r>>8)) // the test has no character beyond U+FFFF
	}
	return string(b)
}

func parseText2(text string) (*document, *syntaxError) {
	f := source.New("in.yaml", []byte(text))
	docs, err := parse(f, piece{0, len(text)})
	if err != nil {
		return nil, err
	}
	return docs[0], nil
}
