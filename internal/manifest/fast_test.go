package manifest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	yaml "go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
)

// general parses with the general parser alone.
func general(text []byte) (*yaml.Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var n, more yaml.Node
	if err := dec.Decode(&n); err != nil {
		return nil, err
	}
	if err := dec.Decode(&more); err == nil {
		return nil, fmt.Errorf("two documents")
	} else if err.Error() != "EOF" {
		return nil, err
	}
	return n.Content[0], nil
}

// sameTree compares all that the reader uses of two trees. The place of a value that is not written means nothing.
func sameTree(a, b *yaml.Node) error {
	unwritten := a.Kind == yaml.ScalarNode && a.Tag == "!!null" && a.Value == ""
	if a.Kind != b.Kind || a.Tag != b.Tag || a.Value != b.Value || a.Style != b.Style || len(a.Content) != len(b.Content) ||
		!unwritten && (a.Line != b.Line || a.Column != b.Column) || a.Anchor != b.Anchor {
		return fmt.Errorf("%d:%d %v %s %q style %d with %d, and %d:%d %v %s %q style %d with %d",
			a.Line, a.Column, a.Kind, a.Tag, a.Value, a.Style, len(a.Content), b.Line, b.Column, b.Kind, b.Tag, b.Value, b.Style, len(b.Content))
	}
	for i := range a.Content {
		if err := sameTree(a.Content[i], b.Content[i]); err != nil {
			return err
		}
	}
	return nil
}

// checkFast holds the fast parser against the general one and reports whether it did not give up.
func checkFast(text []byte) (fast bool, err error) {
	got, ok := parseFast(nil, text)
	if !ok {
		return false, nil
	}
	want, err := general(text)
	if err != nil {
		return true, fmt.Errorf("the general parser refuses it: %w", err)
	}
	return true, sameTree(got, want)
}

func TestFastParser(t *testing.T) {
	for text, want := range map[string]bool{
		fmt.Sprintf(strings.Split(benchDeployment, "---\n")[0], 1, 1, 1): true,
		podYAML: true, "---\n" + podYAML: true, "--- # c\n" + podYAML: true, "# c\n\na: 1 # d\n": true,
		"a:\n- b\n- c: 1\n  d: 2\ne:\n": true, "a:\n  - - 1\n    - 2\n  -\n    b: 1\n": true, "a:\n  -\n  - b\n": true,
		"- a\n- b: c\n": true, "a: 'it''s'\nb: \"x # y\"\n\"q\": 1\n": true, "a: x#y\nb: -1\nc: -x\nd: a:b\n": true,
		"a: {b: [1, x/y:2, 'c'], d: {}}\ne: []\n": true, "a: é # ü\nß: 1\n": false, "ä: 1": false, "a: ü\nb: {c: 'é', d: 1}\n": true,
		"a: true\nb: null\nc: ~\nd: yes\ne: 1.5\nf: 0x1F\ng: 100m\nh: 2024-01-01\ni: .5\n1: x\ntrue: y\n": true,
		"a: |\n  x\n": false, "a: &x 1\n": false, "a: *x\n": false, "a: !!str 1\n": false, "a: x\n  y\n": false, "a: \"x\n  y\"\n": false,
		"a: b: c\n": false, "a:\n\tb: 1\n": false, "a: 1\r\nb: 2\r\n": false, "a: [1,\n 2]\n": false, "? a\n: b\n": false, "a\n": false,
		"a: 1\n b: 2\n": false, "a:\n  b: 1\n c: 2\n": false, "a: 1\n- b\n": false, "- a\nb: 1\n": false, "a: [b]c\n": false, "a: 'b' c\n": false,
		"%YAML 1.1\n---\na: 1\n": false, "a: 1\n...\n": false, "": false, "---\n": false, "a: @b\n": false, "a: x\u2028y\n": false,
		"<<: {a: 1}\n": false, "a: - b\n": false, "a: \"\\n\"\n": false, "a b: 1\n": false, "{a: 1}\n": false, "a:b\n": false, "a: #b\n": true, "a: b #c\n": true,
	} {
		fast, err := checkFast([]byte(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if fast != want {
			t.Errorf("%q: fast is %v", text, fast)
		}
	}
}

// Text that is put together from the pieces of YAML reads alike or is given up.
func TestFastParserOnGeneratedText(t *testing.T) {
	pieces := rapid.SampledFrom([]string{
		"\n", "\n", "\n", "  ", "    ", " ", "- ", "-", "a: ", "b:", "key", ": ", ":", "#", " # c", "'x'", "\"y\"", "'", "\"", "[", "]", "{", "}", ", ", ",",
		"1", "-1", "0.5", "true", "null", "~", "x y", "é", "---", "|", ">", "&a ", "*a", "!t ", "?", "<<", "\\", "$(X)", "a.b/c", "\n  - k: v\n    l: w", "\na:\n- b", ".",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(pieces, 0, 14).Draw(t, "pieces"), "")
		if _, err := checkFast([]byte(text)); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	})
}

func FuzzFastParser(f *testing.F) {
	for _, s := range seeds() {
		f.Add([]byte(s))
	}
	f.Add([]byte("a:\n  - b: {c: [1, 'x']} # d\n    e: \"f\"\n  -\n    g: 1.5\nh:\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<14 {
			return
		}
		if _, err := checkFast(text); err != nil {
			t.Fatal(err)
		}
	})
}

// The manifests beside the repository, where they are: the trees are equal, and most need no general parser.
func TestFastParserOnSharedManifests(t *testing.T) {
	names, _ := filepath.Glob(filepath.Join("..", "..", "..", "shared", "*cases", "*.yaml"))
	more, _ := filepath.Glob(filepath.Join("..", "..", "..", "shared", "cases", "*", "*.yaml"))
	names = append(names, more...)
	if len(names) == 0 {
		t.Skip("no shared manifests here")
	}
	all, fast := 0, 0
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range split(data) {
			ok, err := checkFast(data[p.start:p.end])
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			all++
			if ok {
				fast++
			}
		}
	}
	if fast*10 < all*8 {
		t.Errorf("the fast parser read %d of %d documents", fast, all)
	}
}
