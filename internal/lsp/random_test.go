package lsp_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/probelint/probelint/internal/engine"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/rules"
)

// However a buffer was edited, in the end the editor shows what a run over the same text finds, and nothing else.
// PROBELINT_EDITS is the number of edits (default 60).
func TestRandomEditsLeaveNothingStale(t *testing.T) {
	n := 60
	if s := os.Getenv("PROBELINT_EDITS"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	e := open(t, shop)
	rnd := rand.New(rand.NewPCG(1, 2))
	files := []string{orders, checks, "deploy/notifier.yaml", "cmd/notifier/main.go"}
	text := map[string]string{}
	for _, f := range files {
		text[f] = e.read(f)
		e.open(f, text[f])
	}
	for i := range n {
		f := files[rnd.IntN(len(files))]
		text[f] = mutate(rnd, text[f], e.read(f))
		e.change(f, int32(i+2), text[f])
		if i%20 == 19 {
			settle(t, e, files, text)
		}
	}
	settle(t, e, files, text)
}

// mutate changes a text as a hand would: a line away, twice, or torn; a character in; now and then all back.
func mutate(rnd *rand.Rand, text, original string) string {
	lines := strings.Split(text, "\n")
	i := rnd.IntN(len(lines))
	switch rnd.IntN(6) {
	case 0:
		return strings.Join(slices.Delete(lines, i, i+1), "\n")
	case 1:
		return strings.Join(slices.Insert(lines, i, lines[i]), "\n")
	case 2:
		lines[i] = lines[i][:rnd.IntN(len(lines[i])+1)]
		return strings.Join(lines, "\n")
	case 3:
		at := rnd.IntN(len(text) + 1)
		return text[:at] + string([]rune("😀é: {}\"#-")[rnd.IntN(9)]) + text[at:]
	case 4:
		return strings.ReplaceAll(text, "\n", "\r\n")[:len(text)]
	}
	return original
}

// settle waits until the editor shows what a run of its own finds.
func settle(t *testing.T, e *editor, files []string, text map[string]string) {
	t.Helper()
	overlay := map[string][]byte{}
	for f, s := range text {
		overlay[f] = []byte(s)
	}
	r, err := engine.Run(context.Background(), engine.Options{
		Root: e.root, WorkingDir: e.root, Paths: []string{e.root}, Rules: rules.All(), Settings: lint.DefaultSettings("default"), Offline: true, Overlay: overlay,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{}
	for _, f := range r.Findings {
		for _, l := range append([]lint.Label{f.Primary}, f.Labels...) {
			if l.Span == f.Primary.Span || l.Strong && l.Span.File != f.Primary.Span.File {
				want[l.Span.File] = append(want[l.Span.File], f.Rule)
			}
		}
	}
	for _, f := range files {
		slices.Sort(want[f])
		e.await(fmt.Sprintf("%s with %q", filepath.Base(f), want[f]), f, func(ds []protocol.Diagnostic) bool {
			return words(ds) == strings.Join(want[f], " ")
		})
	}
}
