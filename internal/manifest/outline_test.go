package manifest

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/probelint/probelint/internal/source"
)

// What the indentation shows of a plain file is what the parser sees of it.
func TestIndentationShowsTheSame(t *testing.T) {
	const text = `# head
apiVersion: v1
kind: Pod
metadata:
  name: x # a comment
  annotations:
    text: |
      # no comment
      key: value
    "quoted # text": 'it # too'
spec:
  containers:
  - name: a
    image: b

    # between
    args: [a, "b # c"]
  - livenessProbe:
      httpGet: {path: /, port: 80}
    name: c
  volumes:
    - name: v
`
	f := source.New("a.yaml", []byte(text))
	tree := OutlineOf(f)
	indented := &Outline{}
	for _, p := range split(f.Data) {
		indented.indented(f.Data, p)
	}
	words := func(o *Outline) map[string]bool {
		out := map[string]bool{}
		for _, n := range o.Nodes {
			out[strings.TrimSpace(text[n.Start:n.End])] = true
		}
		return out
	}
	want, got := words(tree), words(indented)
	for n := range got {
		if !want[n] {
			t.Errorf("the parser knows no node\n%s", n)
		}
	}
	for n := range want { // of flow collections the indentation shows nothing
		if !got[n] && strings.Contains(n, "\n") {
			t.Errorf("the indentation does not show\n%s", n)
		}
	}
	for _, o := range []*Outline{tree, indented} {
		for _, word := range []string{"# no comment", "# text", "# too", "# c\""} {
			at := strings.Index(text, word)
			if !inText(o, at) {
				t.Errorf("%q is taken for a comment", word)
			}
		}
		for _, word := range []string{"# head", "# a comment", "# between"} {
			if inText(o, strings.Index(text, word)) {
				t.Errorf("%q is taken for text", word)
			}
		}
	}
}

func inText(o *Outline, at int) bool {
	for _, r := range o.Text {
		if at >= r.Start && at < r.End {
			return true
		}
	}
	return false
}

// Whatever the bytes are, ranges lie inside the file.
func TestOutlineStaysInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.SampledFrom([]string{
			"a: ", "- ", "\n", "  ", "|\n", "{{ x }}", "# c", "---\n", "\"", "'", "{", "}", "[", "]", "ä", "\r\n", "&a ", "*a", "<<: ", ",", ": ", "\t", "...\n", "\ufeff",
		})).Draw(t, "parts")
		text := strings.Join(parts, "")
		o := OutlineOf(source.New("a.yaml", []byte(text)))
		for _, rs := range [][]Range{o.Documents, o.Roots, o.Nodes, o.Text} {
			for _, r := range rs {
				if r.Start < 0 || r.Start > r.End || r.End > len(text) {
					t.Fatalf("%v in %d bytes of %q", r, len(text), text)
				}
			}
		}
	})
}
