package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/tools/txtar"
)

var fence = regexp.MustCompile("(?s)```([^\n]*)\n(.*?)```\n")

// TestTutorial runs docs/policies.md as it stands there: its commands in a copy of the example, its files, its output.
func TestTutorial(t *testing.T) {
	doc, err := os.ReadFile("../../docs/policies.md")
	if err != nil {
		t.Fatal(err)
	}
	tutorial, _, _ := strings.Cut(string(doc), "## Examples to copy")
	script, files, commands := strings.Builder{}, []txtar.File{}, 0
	started := false
	for i, m := range fence.FindAllStringSubmatch(tutorial, -1) {
		info, text := strings.Fields(m[1]), m[2]
		name, exit := "", "0"
		for _, x := range info[1:] {
			if v, ok := strings.CutPrefix(x, "file="); ok {
				name = v
			}
			if v, ok := strings.CutPrefix(x, "exit="); ok {
				exit = v
			}
		}
		held := fmt.Sprintf("block%d.txt", i)
		switch {
		case name != "":
			files = append(files, txtar.File{Name: held, Data: escape(text)})
			fmt.Fprintf(&script, "unquote %s\ncp %s shop/%s\n", held, held, name)
		case info[0] == "sh" && !started: // builds the program and copies the example
			started = true
			script.WriteString("cd shop\ncd ..\n")
		case info[0] == "sh":
			for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
				if strings.HasPrefix(line, "rm ") {
					fmt.Fprintf(&script, "rm shop/%s\n", strings.TrimPrefix(line, "rm "))
					continue
				}
				fmt.Fprintf(&script, "cd shop\nexits %s %s\ncd ..\n", exit, line)
				commands++
			}
		case info[0] == "text":
			files = append(files, txtar.File{Name: held, Data: escape(text)})
			fmt.Fprintf(&script, "unquote %s\ncmp stdout %s\n", held, held)
		}
	}
	if commands < 7 {
		t.Fatalf("%d commands in the tutorial", commands)
	}
	dir := t.TempDir()
	archive := txtar.Format(&txtar.Archive{Comment: []byte(script.String()), Files: files})
	if err := os.WriteFile(filepath.Join(dir, "tutorial.txtar"), archive, 0o644); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: dir, RequireExplicitExec: true, Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		Setup: func(e *testscript.Env) error {
			e.Setenv("NO_COLOR", "1")
			return os.CopyFS(filepath.Join(e.WorkDir, "shop"), os.DirFS("../../testdata/shop"))
		},
	})
}

// escape quotes a text that can hold the markers of an archive, as testscript's unquote takes it.
func escape(text string) []byte {
	return []byte(">" + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n>") + "\n")
}
