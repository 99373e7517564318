package manifest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// oddPod is a Pod of some name.
func oddPod(name string) string {
	return "apiVersion: v1\nkind: Pod\nmetadata:\n  name: " + name + "\nspec:\n  containers:\n    - name: c\n      image: b\n      livenessProbe:\n        httpGet: {path: /livez, port: 8080}\n        failureThreshold: 1\n"
}

// Files as odd as the real ones each have a defined answer: what was read of them, or why nothing was.
func TestOddFiles(t *testing.T) {
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 12; i++ {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d,", i-1), 9))
	}
	schema := "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: x}\nspec:\n  versions:\n  - schema:\n      openAPIV3Schema:\n        properties:\n"
	var documents []string
	for i := range 120 {
		documents = append(documents, oddPod(fmt.Sprint("d", i)))
	}
	p := oddPod("p")
	for name, c := range map[string]struct{ text, want string }{
		"UTF-16":               {utf16LE(p), "read: Pod/p"},
		"UTF-16 without a BOM": {strings.TrimPrefix(utf16LE(p), "\xff\xfe"), "read: Pod/p"},
		"UTF-32":               {"\xff\xfe\x00\x00a\x00\x00\x00", "unreadable binary data:"},
		"BOM":                  {"\xef\xbb\xbf" + p, "read: Pod/p"},
		"CRLF":                 {strings.ReplaceAll(p, "\n", "\r\n"), "read: Pod/p"},
		"CR":                   {strings.ReplaceAll(p, "\n", "\r"), "read: Pod/p"},
		"tab as indentation":   {strings.Replace(p, "        httpGet", "\thttpGet", 1), "unreadable line 10, column 1: found character that cannot start any token:"},
		"tab before a value":   {strings.Replace(p, "image: b", "image:\tb\t# x", 1), "read: Pod/p"},
		"Latin-1":              {strings.Replace(p, "image: b", "image: b # \xe9", 1), "unreadable line 8, column 18: byte 0xe9 is no UTF-8:"},
		"NUL":                  {strings.Replace(p, "image: b", "image: b\x00", 1), "unreadable line 8, column 15: control characters are not allowed:"},
		"repeated key":         {p + "        failureThreshold: 3\n", "read: Pod/p"},
		"repeated spec":        {p + "spec: {}\n", "unreadable line 5: `spec` is written twice, and the last one holds no pod template; no pod template:"},
		"anchor":               {strings.Replace(p, "livenessProbe:", "livenessProbe: &p", 1) + "      readinessProbe: *p\n", "read: Pod/p"},
		"merge key":            {"x: &d {failureThreshold: 1}\n" + strings.Replace(p, "failureThreshold: 1", "<<: *d", 1), "read: Pod/p"},
		"120 documents":        {strings.Join(documents, "---\n"), "read: 120 workloads"},
		"null documents":       {"---\n---\nnull\n---\n~\n---\n" + p, "read no apiVersion and kind: Pod/p"},
		"comments":             {"# only\n# comments\n", "skipped no apiVersion and kind:"},
		"empty":                {"", "skipped empty:"},
		"blank":                {"\n\n   \n", "skipped no apiVersion and kind:"},
		"list at the root":     {"- " + strings.ReplaceAll(p, "\n", "\n  "), "read: Pod/p"},
		"placeholders":         {strings.Replace(p, "failureThreshold: 1", "timeoutSeconds: ${T:-5}\n        periodSeconds: $P", 1), "read: Pod/p"},
		"probe of nothing":     {strings.Replace(p, "livenessProbe:", "livenessProbe: {}\n      readinessProbe: null\n      startupProbe:\n      x:", 1), "read: Pod/p"},
		"JSON lines":           {"{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"b\"}]}}\n{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"b\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"b\"}]}}\n", "read: Pod/a Pod/b"},
		"5 MB of schema":       {schema + strings.Repeat("          f:\n            type: object\n            properties: {containers: {type: array}, livenessProbe: {type: object}}\n", 50_000), "skipped a CustomResourceDefinition: its pod template is a schema:"},
		"alias bomb":           {bomb + p, "unreadable line 7, column 5: aliases expand to more than 2000000 values:"},
		"10,000 lists":         {p + "x: " + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + "\n", "unreadable line 12, column 1003: nested more than 1000 levels deep:"},
		"10,000 mappings":      {p + "x: " + strings.Repeat("{a: ", 10_000) + strings.Repeat("}", 10_000) + "\n", "unreadable line 12, column 3997: nested more than 1000 levels deep:"},
		"a line of 3 MB":       {strings.Replace(p, "image: b", "image: b"+strings.Repeat("x", 3_000_000), 1), "read: Pod/p"},
		"tags":                 {strings.Replace(p, "failureThreshold: 1", "failureThreshold: !!int \"1\"", 1), "read: Pod/p"},
		"no name":              {strings.Replace(p, "metadata:\n  name: p\n", "", 1), "read: Pod/"},
		"open quote":           {p + "x: \"abc\n", "unreadable line 12, column 4: found unexpected end of stream:"},
		"merge conflict":       {strings.Replace(p, "failureThreshold: 1", "<<<<<<< HEAD\n        failureThreshold: 1\n=======", 1), "unreadable line 11, column 9: could not find expected ':':"},
		"separators":           {"--- # first\n" + oddPod("a") + "--- \n" + oddPod("b") + "---\r\n" + oddPod("c") + "...\n---\n" + oddPod("d"), "read: Pod/a Pod/b Pod/c Pod/d"},
		"on the separator":     {"--- {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: b}]}}\n", "read: Pod/p"},
		"text in a ConfigMap":  {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  x.yaml: |\n    " + strings.ReplaceAll(p, "\n", "\n    ") + "\n", "read:"},
		"a workflow":           {"on: push\njobs:\n  a:\n    steps:\n    - run: |\n        " + strings.ReplaceAll(p, "\n", "\n        ") + "\n", "skipped no apiVersion and kind:"},
		"compose":              {"services:\n  a: {image: b, healthcheck: {test: [CMD, curl]}}\n", "skipped no apiVersion and kind:"},
		"OpenAPI":              {"openapi: 3.0.0\ncomponents: {schemas: {Probe: {properties: {livenessProbe: {type: object}}}}}\n", "skipped no apiVersion and kind:"},
		"a patch by path":      {"- op: add\n  path: /spec/containers/0/livenessProbe\n  value: {failureThreshold: 1}\n", "skipped no apiVersion and kind:"},
		"no apiVersion":        {strings.TrimPrefix(p, "apiVersion: v1\n"), "skipped no apiVersion beside its kind:"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := layOut(t, "")
			if err := os.WriteFile(filepath.Join(dir, "in.yaml"), []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			r, _ := readDir(t, dir)
			f := r.Files[0]
			got := string(f.Status)
			if f.Why != "" {
				got += " " + f.Why
			}
			got += ":"
			if n := len(r.Workloads); n > 10 {
				got += fmt.Sprintf(" %d workloads", n)
			} else {
				for _, w := range r.Workloads {
					got += " " + w.Ref()
				}
			}
			if got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}
