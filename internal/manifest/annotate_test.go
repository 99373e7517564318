package manifest

import (
	"testing"

	"github.com/probelint/probelint/internal/source"
)

func TestAnnotate(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"block":         {"kind: A\nmetadata:\n  name: a\nspec: {}\n", "kind: A\nmetadata:\n  annotations: {\"k\": \"v\"}\n  name: a\nspec: {}\n"},
		"there":         {"kind: A\nmetadata:\n    name: a\n    annotations:\n      x: y\n", "kind: A\nmetadata:\n    name: a\n    annotations:\n      \"k\": \"v\"\n      x: y\n"},
		"null":          {"metadata:\n  annotations: # none\n  name: a\n", "metadata:\n  annotations: {\"k\": \"v\"} # none\n  name: a\n"},
		"flow":          {"metadata: {name: a}\n", "metadata: {annotations: {\"k\": \"v\"}, name: a}\n"},
		"flow, there":   {"metadata: {annotations: {x: y}, name: a}\n", "metadata: {annotations: {\"k\": \"v\", x: y}, name: a}\n"},
		"flow, empty":   {"metadata:\n  annotations: {}\n  name: a\n", "metadata:\n  annotations: {\"k\": \"v\"}\n  name: a\n"},
		"documents":     {"metadata: {name: a}\n---\nmetadata:\n  name: b\n", "metadata: {annotations: {\"k\": \"v\"}, name: a}\n---\nmetadata:\n  annotations: {\"k\": \"v\"}\n  name: b\n"},
		"carriage":      {"metadata:\r\n  name: a\r\n", "metadata:\r\n  annotations: {\"k\": \"v\"}\n  name: a\r\n"},
		"schema":        {"kind: CustomResourceDefinition\nmetadata:\n  name: a\n", "kind: CustomResourceDefinition\nmetadata:\n  name: a\n"},
		"commented":     {"metadata:\n  # the name\n  name: a\n", "metadata:\n  # the name\n  annotations: {\"k\": \"v\"}\n  name: a\n"},
		"list":          {"kind: List\nmetadata: {}\nitems: []\n", ""},
		"json":          {`{"metadata": {"name": "a"}}`, ""},
		"anchor":        {"metadata: &m\n  name: a\ncopy: *m\n", ""},
		"merged":        {"metadata:\n  <<: {name: a}\n", ""},
		"without":       {"kind: A\n", ""},
		"broken":        {"metadata: [\n", ""},
		"null metadata": {"metadata:\n", ""},
		"text":          {"metadata:\n  annotations: text\n  name: a\n", ""},
	} {
		got, ok := Annotate(source.New("a.yaml", []byte(c.in)), "k", "v")
		if ok != (c.want != "") || string(got) != c.want {
			t.Errorf("%s: %t, %q, want %q", name, ok, got, c.want)
		}
		if !ok {
			continue
		}
		trees, err := ParseTrees(source.New("a.yaml", got))
		if err != nil || len(trees) == 0 {
			t.Errorf("%s: %v", name, err)
		} else if name != "schema" && text(trees[0].Root(), "metadata", "annotations", "k") != "v" {
			t.Errorf("%s: no annotation in %q", name, got)
		}
	}
}
