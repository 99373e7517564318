// Package want reads the comments in manifests and code that want findings, and compares them with what was found. It is
// apart from linttest so that `probelint policy test` has it without Go's testing.
package want

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/probelint/probelint/internal/lint"
)

// Want is what one comment asks for.
type Want struct {
	file  string
	line  int
	level lint.Level // of a finding; Off for a label
	text  *regexp.Regexp
	met   bool
}

func (w Want) String() string {
	if w.level == lint.Off {
		return fmt.Sprintf("%s:%d: want-label %q", w.file, w.line, w.text)
	}
	return fmt.Sprintf("%s:%d: want %s %q", w.file, w.line, w.level, w.text)
}

var (
	comment = regexp.MustCompile(`(?:#|//)\s*(want(?:-label)?\s.*)$`)
	direct  = regexp.MustCompile(`^want(-label)? (\S+):(\d+) (.*)$`)
)

// Parse reads the comments of the files, and those of the archive itself.
func Parse(a *txtar.Archive) ([]*Want, error) {
	var out []*Want
	for _, f := range a.Files {
		for i, line := range strings.Split(string(f.Data), "\n") {
			m := comment.FindStringSubmatch(strings.TrimRight(line, "\r"))
			if m == nil {
				continue
			}
			ws, err := parseWant(f.Name, i+1, m[1])
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", f.Name, i+1, err)
			}
			out = append(out, ws...)
		}
	}
	for _, line := range strings.Split(string(a.Comment), "\n") {
		m := direct.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		n, err := strconv.Atoi(m[3])
		if err != nil {
			return nil, err
		}
		ws, err := parseWant(m[2], n, "want"+m[1]+" "+m[4])
		if err != nil {
			return nil, fmt.Errorf("comment of the archive: %w", err)
		}
		out = append(out, ws...)
	}
	return out, nil
}

// parseWant reads `want LEVEL "regexp" LEVEL "regexp" want-label "regexp"`.
func parseWant(file string, line int, s string) ([]*Want, error) {
	var out []*Want
	label := false
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		word, rest, _ := strings.Cut(s, " ")
		switch word {
		case "want", "want-label":
			label, s = word == "want-label", rest
			continue
		case "#", "//":
			s = rest
			continue
		}
		w := &Want{file: file, line: line}
		if !label {
			level, ok := lint.ParseLevel(word)
			if !ok || level == lint.Off {
				return nil, fmt.Errorf("want: %q is no level", word)
			}
			w.level, s = level, strings.TrimSpace(rest)
		}
		quoted, err := strconv.QuotedPrefix(s)
		if err != nil {
			return nil, fmt.Errorf("want: no quoted regular expression at %q", s)
		}
		text, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, err
		}
		if w.text, err = regexp.Compile(text); err != nil {
			return nil, fmt.Errorf("want: %w", err)
		}
		s = s[len(quoted):]
		out = append(out, w)
	}
	return out, nil
}
