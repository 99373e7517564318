package manifest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/probelint/probelint/internal/source"
)

const podYAML = "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {containers: [{name: c, image: b}]}\n"

func symlink(t *testing.T, dir, to, from string) {
	t.Helper()
	if err := os.Symlink(filepath.FromSlash(to), filepath.Join(dir, filepath.FromSlash(from))); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
}

func TestDiscover(t *testing.T) {
	dir := layOut(t, `
-- go.mod --
module x
-- main.go --
package main
-- cmd/tool/go.mod --
module y
-- cmd/tool/testdata/go.mod --
module z
-- cmd/tool/testdata/a.go --
package a
-- Dockerfile --
FROM scratch
-- build/api.Dockerfile --
FROM scratch
-- build/Dockerfile.dev --
FROM scratch
-- build/Dockerfile.md --
text
-- build/Containerfile --
FROM scratch
-- Makefile --
all:
-- skaffold.yaml --
build: {}
-- docker-compose.override.yml --
services: {}
-- .goreleaser.yaml --
builds: []
-- .ko.yaml --
builds: []
-- README.md --
text
-- deploy/pod.yaml --
`+podYAML+`-- deploy/pod.json --
{"apiVersion":"v1","kind":"Pod","metadata":{"name":"j"},"spec":{"containers":[{"name":"c","image":"b"}]}}
-- deploy/empty.yaml --
-- deploy/comments.yaml --
# kind: Pod, apiVersion: v1, containers
-- deploy/other.yaml --
a: 1
-- deploy/kustomization.yaml --
resources: [pod.yaml]
-- vendor/x/pod.yaml --
`+podYAML+`-- node_modules/x/pod.yaml --
`+podYAML+`-- left/pod.yaml --
`+podYAML)
	if err := os.WriteFile(filepath.Join(dir, "deploy", "binary.yaml"), []byte("kind: Pod\x00\x01"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, set := readWith(t, dir, Options{Exclude: func(rel string) bool { return rel == "left" }})
	equal(t, "files", describeFiles(r), []string{
		"skipped .goreleaser.yaml 0 no apiVersion and kind",
		"skipped .ko.yaml 0 no apiVersion and kind",
		"unreadable deploy/binary.yaml 0 binary data",
		"skipped deploy/comments.yaml 0 only comments",
		"skipped deploy/empty.yaml 0 empty",
		"skipped deploy/kustomization.yaml 0 no apiVersion and kind",
		"skipped deploy/other.yaml 0 no apiVersion and kind",
		"read deploy/pod.json 1 ",
		"read deploy/pod.yaml 1 ",
		"skipped docker-compose.override.yml 0 no apiVersion and kind",
		"skipped left 0 excluded",
		"skipped node_modules 0 directories named node_modules are not read",
		"skipped skaffold.yaml 0 no apiVersion and kind",
		"skipped vendor 0 directories named vendor are not read",
	})
	equal(t, "findings", describeFindings(t, r, set), []string{
		"info deploy/binary.yaml:1:1 `deploy/binary.yaml` cannot be read: binary data",
		"info deploy/empty.yaml:1:1 `deploy/empty.yaml` is empty",
	})
	equal(t, "workloads", ids(r), []string{"Pod/j", "Pod/x"})
	equal(t, "modules", r.GoMods, []string{".", "cmd/tool"})
	equal(t, "Go files", r.GoFiles, 1)
	equal(t, "Dockerfiles", r.Dockerfiles, []string{"Dockerfile", "build/Containerfile", "build/Dockerfile.dev", "build/api.Dockerfile"})
	equal(t, "build files", r.BuildFiles, []string{".goreleaser.yaml", ".ko.yaml", "Makefile", "docker-compose.override.yml", "skaffold.yaml"})
	equal(t, "kustomizations", r.Kustomizations, []string{"deploy"})
}

func TestNamedFiles(t *testing.T) {
	dir := layOut(t, "-- go.mod --\nmodule x\n-- d/pod.txt --\n"+podYAML+"-- d/main.go --\npackage main\n-- d/sub/pod.yaml --\n"+podYAML+"-- d/broken.yaml --\na: [1\n-- d/empty.yaml --\n-- d/vendor/pod.yaml --\n"+podYAML)
	r, set := readDir(t, dir, "d/pod.txt", "d/main.go", "d/broken.yaml", "d/empty.yaml", "d/none.yaml", "d/vendor", "d/pod.txt")
	equal(t, "files", describeFiles(r), []string{
		"unreadable d/broken.yaml 0 line 1, column 5: did not find expected ',' or ']'",
		"skipped d/empty.yaml 0 empty",
		"unreadable d/none.yaml 0 no such file or directory",
		"read d/pod.txt 1 ",
		"read d/vendor/pod.yaml 1 ",
	})
	equal(t, "findings", describeFindings(t, r, set), []string{
		"error d/broken.yaml:1:5 `broken.yaml` does not parse as YAML: did not find expected ',' or ']'",
		"warning d/empty.yaml:1:1 `d/empty.yaml` is empty",
		"error d/none.yaml:1:1 `d/none.yaml` cannot be read: no such file or directory",
	})
	equal(t, "modules above the workload", r.GoMods, []string{"."})
	equal(t, "Go files", r.GoFiles, 1)
}

func TestStdin(t *testing.T) {
	r, set := readWith(t, t.TempDir(), Options{Stdin: strings.NewReader(podYAML + "---\n{a: [\n")}, "-")
	equal(t, "files", describeFiles(r), []string{"read <stdin> 1 line 6, column 1: did not find expected node content"})
	equal(t, "workloads", ids(r), []string{"Pod/x"})
	equal(t, "file", only(t, r).File, StdinPath)
	if f, err := set.Get(StdinPath); err != nil || len(f.Data) == 0 {
		t.Errorf("standard input is not in the set: %v", err)
	}
	r, set = readWith(t, t.TempDir(), Options{}, "-")
	equal(t, "no standard input", describeFindings(t, r, set), []string{"error <stdin>:1:1 `<stdin>` cannot be read: no standard input"})
}

func TestSymlinks(t *testing.T) {
	dir := layOut(t, "-- base/pod.yaml --\n"+podYAML+"-- app/own.yaml --\n"+strings.ReplaceAll(podYAML, "x", "own")+"-- vendor/v.yaml --\n"+strings.ReplaceAll(podYAML, "x", "v"))
	outside := layOut(t, "-- out.yaml --\n"+strings.ReplaceAll(podYAML, "x", "out"))
	symlink(t, dir, "../base", "app/base")            // inside, found by the walk too
	symlink(t, dir, "..", "app/loop")                 // a loop
	symlink(t, dir, "../base/pod.yaml", "app/p.yaml") // a second name
	symlink(t, dir, "nowhere.yaml", "app/gone.yaml")  // dangling
	symlink(t, dir, "self.yaml", "app/self.yaml")     // a link to itself
	symlink(t, dir, outside, "app/outside")           // leads out
	symlink(t, dir, "../vendor/v.yaml", "app/v.yaml") // a file that the walk does not reach
	symlink(t, dir, filepath.Join(outside, "out.yaml"), "app/out.yaml")
	r, set := readDir(t, dir)
	equal(t, "files", describeFiles(r), []string{
		"skipped app/base 0 a symbolic link to base, which is read there",
		"unreadable app/gone.yaml 0 a symbolic link to `nowhere.yaml`, which does not exist",
		"skipped app/loop 0 a symbolic link to ., which is read there",
		"read app/out.yaml 1 ",
		"skipped app/outside 0 a symbolic link that leads out of the root",
		"read app/own.yaml 1 ",
		"skipped app/p.yaml 0 a symbolic link to base/pod.yaml, which is read there",
		"unreadable app/self.yaml 0 a symbolic link that leads back to itself",
		"read app/v.yaml 1 ",
		"read base/pod.yaml 1 ",
		"skipped vendor 0 directories named vendor are not read",
	})
	for _, f := range r.Findings {
		if f.Level.String() != "info" {
			t.Errorf("a dangling link is no error: %s", f.Title)
		}
	}
	equal(t, "findings", len(describeFindings(t, r, set)), 2)

	// Only part of the tree is walked: links lead to the rest of it.
	r, _ = readDir(t, dir, "app")
	var got []string
	for _, w := range r.Workloads {
		got = append(got, w.File)
	}
	// app/base and app/p.yaml lead out of the walked part but not out of the root; app/loop leads to the root.
	equal(t, "workloads of a part", len(got), 4)
}

func TestTooLarge(t *testing.T) {
	filler := strings.Repeat("# filler\n", 100)
	dir := layOut(t, "-- pod.yaml --\n"+podYAML+filler+"-- data.json --\n["+strings.Repeat("1,", 500)+"1]\n-- named.txt --\n"+filler)
	r, set := readWith(t, dir, Options{MaxBytes: 200})
	equal(t, "walk", describeFindings(t, r, set), []string{
		"info data.json:1:1 `data.json` cannot be read: too large: 1.0 KiB, and the limit is 0.2 KiB",
		"error pod.yaml:1:1 `pod.yaml` cannot be read: too large: 1.0 KiB, and the limit is 0.2 KiB",
	})
	r, set = readWith(t, dir, Options{MaxBytes: 200}, "named.txt")
	equal(t, "named", describeFindings(t, r, set), []string{"error named.txt:1:1 `named.txt` cannot be read: too large: 0.9 KiB, and the limit is 0.2 KiB"})
	r, set = readWith(t, dir, Options{MaxBytes: 200, Stdin: strings.NewReader(filler)}, "-")
	equal(t, "stdin", describeFindings(t, r, set), []string{"error <stdin>:1:1 `<stdin>` cannot be read: too large: the limit is 0.2 KiB"})
}

func TestPermissions(t *testing.T) {
	dir := layOut(t, "-- a.yaml --\n"+podYAML+"-- shut/b.yaml --\n"+podYAML+"-- c.yaml --\n"+podYAML)
	for _, name := range []string{"shut", "c.yaml"} {
		name = filepath.Join(dir, name)
		if err := os.Chmod(name, 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(name, 0o700) })
	}
	if _, err := os.ReadDir(filepath.Join(dir, "shut")); err == nil {
		t.Skip("this user may read everything")
	}
	r, set := readDir(t, dir)
	equal(t, "findings", describeFindings(t, r, set), []string{
		"error c.yaml:1:1 `c.yaml` cannot be read: permission denied",
		"error shut:1:1 `shut` cannot be read: permission denied",
	})
	equal(t, "workloads", len(r.Workloads), 1)
}

func TestCharts(t *testing.T) {
	template := "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Release.Name }}\nspec: {containers: [{name: c, image: b}]}\n"
	dir := layOut(t, "-- c/Chart.yaml --\nname: c\nversion: 1.0.0\n-- c/values.yaml --\nimage: x\n-- c/templates/a.yaml --\n"+template+
		"-- c/templates/sub/b.yaml --\n{{- if .Values.b }}\n"+template+"{{- end }}\n-- c/templates/plain.yaml --\n"+podYAML+
		"-- c/crds/pod.yaml --\n"+strings.ReplaceAll(podYAML, "x", "crd")+"-- loose.yaml --\n"+template)
	r, set := readDir(t, dir)
	equal(t, "findings", describeFindings(t, r, set), []string{
		"info c/templates/a.yaml:1:1 chart `c` was not rendered",
		"info loose.yaml:4:9 `loose.yaml` is a template and was not rendered",
	})
	equal(t, "charts", r.Charts, []string{"c"})
	equal(t, "limits", len(r.Limits), 2) // the chart, and loose.yaml
	equal(t, "workloads", ids(r), []string{"Pod/crd", "Pod/x"})
	r, set = readDir(t, dir, "c/templates/sub/b.yaml")
	equal(t, "a template by name", describeFindings(t, r, set), []string{"info c/templates/sub/b.yaml:1:1 chart `c` was not rendered"})
}

func TestCancel(t *testing.T) {
	dir := writeDeployments(t, 20)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Read(ctx, source.NewSet(dir), Options{Paths: []string{dir}}); err == nil {
		t.Error("a cancelled run reads on")
	}
}
