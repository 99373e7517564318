package exechidesstatus

import (
	"strings"
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// The fix puts -f behind the name of curl, and is left out where the text of the manifest is not that of the command.
func TestFix(t *testing.T) {
	for name, c := range map[string]struct {
		yaml    string   // the line of the manifest
		command []string // its words as they are written
		fault   model.ExecFault
		want    string // "": no fix
	}{
		"quoted script":  {`[sh, -c, "curl -s http://a"]`, []string{"sh", "-c", "curl -s http://a"}, model.ExecFault{Argument: 2, End: 4}, `[sh, -c, "curl -f -s http://a"]`},
		"behind timeout": {`[sh, -c, 'timeout 2 /usr/bin/curl a']`, []string{"sh", "-c", "timeout 2 /usr/bin/curl a"}, model.ExecFault{Argument: 2, End: 23}, `[sh, -c, 'timeout 2 /usr/bin/curl -f a']`},
		"escapes":        {`[sh, -c, "curl \"http://a\""]`, []string{"sh", "-c", `curl "http://a"`}, model.ExecFault{Argument: 2, End: 4}, ""},
		"words":          {`[curl, -s, "http://a"]`, []string{"curl", "-s", "http://a"}, model.ExecFault{Program: "curl", End: -1}, `[curl, -f, -s, "http://a"]`},
	} {
		pr := &model.Probe{Kind: model.Exec, Target: model.Target{Command: c.command}, Fields: model.Fields{}}
		at := 0
		for i, w := range strings.Split(strings.Trim(c.yaml, "[]"), ", ") {
			start := strings.Index(c.yaml[at:], w) + at
			at = start + len(w)
			s := model.Span{File: "a.yaml", Start: start, End: at, Line: 1}
			pr.Fields["exec.command["+string(rune('0'+i))+"]"] = model.Field{Key: s, Value: s}
		}
		got := ""
		for _, f := range addFail(pr, c.fault) {
			got = apply(c.yaml, f.Edits)
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func apply(text string, edits []lint.Edit) string {
	for _, e := range edits {
		text = text[:e.Span.Start] + e.Text + text[e.Span.End:]
	}
	return text
}
