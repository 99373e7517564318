package manifest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const deployYAML = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\nspec: {template: {spec: {containers: [{name: c, image: b}]}}}\n"

// Of equal keys the last one holds. Where that decides which pod template there is, it is said.
func TestKeysWrittenTwice(t *testing.T) {
	for _, c := range []struct {
		name, text string
		findings   []string
		invalid    []string
	}{
		{name: "plain", text: deployYAML},
		{
			name: "spec without a template", text: deployYAML + "spec: {replicas: 3}\n",
			findings: []string{"error in.yaml:4:1 `spec` of `x` is written twice, and the last one holds no pod template"},
		},
		{
			name: "null spec", text: deployYAML + "spec:\n",
			findings: []string{"error in.yaml:4:1 `spec` of `x` is written twice, and the last one holds no pod template"},
		},
		{
			name:     "template",
			text:     "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\nspec:\n  template: {spec: {containers: [{name: c, image: b}]}}\n  template: {}\n",
			findings: []string{"error in.yaml:5:3 `spec.template` of `x` is written twice, and the last one holds no pod template"},
		},
		{
			name:     "pod spec of a kind that is not known",
			text:     "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: x}\nspec: {containers: [{name: c, image: b}]}\nspec: {}\n",
			findings: []string{"error in.yaml:4:1 `spec` of `x` is written twice, and the last one holds no pod template"},
		},
		{
			name: "JSON", text: `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"},"spec":{"containers":[{"name":"c","image":"b"}]},"spec":{}}`,
			findings: []string{"error in.yaml:1:57 `spec` of `x` is written twice, and the last one holds no pod template"},
		},
		{name: "the last has the template", text: deployYAML[:strings.Index(deployYAML, "spec:")] + "spec: {replicas: 2}\n" + deployYAML[strings.Index(deployYAML, "spec:"):], invalid: []string{"spec is written twice"}},
		{name: "kind", text: "kind: StatefulSet\n" + deployYAML, invalid: []string{"kind is written twice"}},
		{name: "an object of another kind", text: "apiVersion: v1\nkind: Service\nmetadata: {name: x}\nspec: {}\nspec: {}\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, set := readText(t, c.text)
			equal(t, "findings", describeFindings(t, r, set), c.findings)
			var invalid []string
			for _, w := range r.Workloads {
				for _, i := range w.Invalid {
					invalid = append(invalid, i.Path+" "+i.Title)
				}
			}
			equal(t, "invalid", invalid, c.invalid)
			if len(c.findings) > 0 && (r.Files[0].Status != StatusUnreadable || !strings.Contains(r.Files[0].Why, "written twice")) {
				t.Errorf("file: %+v", r.Files[0])
			}
		})
	}
}

// A byte order mark begins a document wherever files were put together.
func TestByteOrderMarkInTheMiddle(t *testing.T) {
	const bom = "\ufeff"
	named := func(n string) string { return strings.Replace(podYAML, "name: x", "name: "+n, 1) }
	for name, text := range map[string]string{
		"after the marker":         bom + named("a") + "---\n" + bom + named("b"),
		"before the marker":        named("a") + bom + "---\n" + named("b"),
		"behind a comment":         named("a") + "---\n# second\n\n" + bom + named("b"),
		"twice":                    named("a") + "---\r\n" + bom + bom + named("b"),
		"an empty document before": named("a") + "---\n" + bom + "---\n" + bom + named("b"),
	} {
		r, set := readText(t, text)
		equal(t, name, ids(r), []string{"Pod/a", "Pod/b"})
		equal(t, name, describeFindings(t, r, set), []string(nil))
		if w := r.Workloads[1]; w.Line != strings.Count(text[:strings.Index(text, "name: b")], "\n")-1 {
			t.Errorf("%s: line %d", name, w.Line)
		}
	}
}

// A zero byte is a control character like another; without a manifest around it the file is no text at all.
func TestZeroByte(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"nul.yaml": podYAML + "# \x00\n", "bell.yaml": podYAML + "# \x07\n", "data.yaml": "\x7fELF\x00\x00", "data.json": "\x00"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, set := readDir(t, dir)
	equal(t, "findings", describeFindings(t, r, set), []string{
		"error bell.yaml:5:3 `bell.yaml` does not parse as YAML: control characters are not allowed",
		"info data.json:1:1 `data.json` cannot be read: binary data",
		"info data.yaml:1:1 `data.yaml` cannot be read: binary data",
		"error nul.yaml:5:3 `nul.yaml` does not parse as YAML: control characters are not allowed",
	})
	r, set = readDir(t, dir, "data.yaml")
	equal(t, "named", describeFindings(t, r, set), []string{"error data.yaml:1:1 `data.yaml` cannot be read: binary data"})
}

// What a file that is too large could hold decides how loud it is, not its format.
func TestTooLargeInEachFormat(t *testing.T) {
	dir := t.TempDir()
	blanks := strings.Repeat(" ", 2000)
	for name, text := range map[string]string{
		"pod.yaml": podYAML + blanks, "pod.json": `{"apiVersion":"v1","kind":"Pod","spec":{"containers":[]}}` + blanks,
		"kind.yaml": "kind: Deployment" + blanks, "kind.json": `{"kind":"Deployment"}` + blanks,
		"data.yaml": "a: 1" + blanks, "data.json": "[1]" + blanks,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, _ := readWith(t, dir, Options{MaxBytes: 1000})
	var got []string
	for _, f := range r.Findings {
		got = append(got, f.Level.String()+" "+f.Primary.Span.File)
	}
	equal(t, "findings", got, []string{"info data.json", "info data.yaml", "warning kind.json", "warning kind.yaml", "error pod.json", "error pod.yaml"})
}
