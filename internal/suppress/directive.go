// Package suppress reads what silences findings: comments in YAML, templates, Dockerfiles and Go, and annotations of workloads.
// The scope of a comment is the YAML node, the Go declaration or statement, or the instruction that it stands at, never a line:
// a line is no unit of a block scalar or of a flow map.
//
// What is wrong with a suppression is a finding of its own: no reason, an unknown rule, a date that has passed, nothing left to
// silence.
package suppress

import (
	"strings"
	"time"

	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// Marker begins every directive. A file without it holds no comment of ours; one with it is looked at.
const Marker = "probelint:"

// Annotation begins the name of the annotation that silences a rule for a workload (kube-linter's shape).
const Annotation = "ignore.probelint.dev/"

// dateLayout is how `until=` is written: a day, the last one on which the suppression holds, in UTC.
const dateLayout = "2006-01-02"

// Range is a range of bytes of a file, End exclusive.
type Range struct{ Start, End int }

func (r Range) holds(off int) bool { return off >= r.Start && off < r.End || off == r.Start }

// name is a rule as a directive names it.
type name struct {
	text string
	at   Range
	used bool
}

// entry is one suppression.
type entry struct {
	file *source.File // nil: an annotation
	span model.Span   // of the directive, without the mark of the comment
	// rules are those named; all stands for any rule (`//nolint:probelint`).
	rules []name
	all   bool
	used  bool // where all
	// reason, and until as written with its date; badUntil: it is no date.
	reason   string
	until    string
	last     time.Time
	badUntil bool
	// word is the directive's name, ignore and ignore-file for those that silence.
	word string
	// scope is what it silences in its file; none says why it silences nothing.
	scope Range
	none  string
	// workload is that of an annotation.
	workload *model.Workload
	// remove deletes the whole suppression; empty where that is no plain edit.
	remove []Range
}

// parse reads a directive from a text that begins with Marker, or with what follows the slash of an annotation. at is the offset
// of the text in its file.
func (e *entry) parse(text string, at int) {
	rest := text
	if r, ok := strings.CutPrefix(text, Marker); ok {
		n := strings.IndexAny(r, " \t")
		if n < 0 {
			n = len(r)
		}
		e.word, rest = r[:n], r[n:]
		at += len(Marker) + n
	}
	head, reason := cutReason(rest)
	e.reason = strings.TrimSpace(reason)
	for i := 0; i < len(head); {
		if strings.IndexByte(" \t,", head[i]) >= 0 {
			i++
			continue
		}
		n := strings.IndexAny(head[i:], " \t,")
		if n < 0 {
			n = len(head) - i
		}
		word := head[i : i+n]
		if date, ok := strings.CutPrefix(word, "until="); ok {
			e.expiry(date)
		} else {
			e.rules = append(e.rules, name{text: word, at: Range{at + i, at + i + n}})
		}
		i += n
	}
}

func (e *entry) expiry(date string) {
	last, err := time.Parse(dateLayout, date)
	e.until, e.last, e.badUntil = date, last, err != nil
}

// cutReason cuts at the two hyphens that stand alone, or at a dash that an editor made of them.
func cutReason(s string) (head, reason string) {
	for _, mark := range []string{"--", "—", "–"} {
		for i := 0; ; {
			n := strings.Index(s[i:], mark)
			if n < 0 {
				break
			}
			i += n
			before := i == 0 || s[i-1] == ' ' || s[i-1] == '\t'
			after := i+len(mark) == len(s) || s[i+len(mark)] == ' ' || s[i+len(mark)] == '\t'
			if before && after {
				return s[:i], s[i+len(mark):]
			}
			i += len(mark)
		}
	}
	return s, ""
}

// silences reports whether the entry is complete: it names a rule, gives a reason, and its day has not passed.
func (e *entry) silences(now time.Time) bool {
	return (e.word == "ignore" || e.word == "ignore-file") && e.reason != "" && e.none == "" && !e.badUntil && !e.expired(now)
}

func (e *entry) expired(now time.Time) bool {
	return e.until != "" && !e.badUntil && !now.IsZero() && !now.Before(e.last.AddDate(0, 0, 1))
}

// fill makes what a comment at [start, end) of a file says, mark included. text begins at textAt.
func comment(f *source.File, text string, textAt int) *entry {
	text = strings.TrimRight(text, " \t\r")
	e := &entry{file: f, span: f.Span(textAt, textAt+len(text))}
	e.parse(text, textAt)
	return e
}

// lineBounds are the start of the line that holds off, the end of its text, and the start of the next line.
func lineBounds(data []byte, off int) (start, end, next int) {
	start, end = off, off
	for start > 0 && data[start-1] != '\n' && data[start-1] != '\r' {
		start--
	}
	for end < len(data) && data[end] != '\n' && data[end] != '\r' {
		end++
	}
	next = end
	if next < len(data) && data[next] == '\r' {
		next++
	}
	if next < len(data) && data[next] == '\n' {
		next++
	}
	return start, end, next
}

// removal is what goes with a comment that begins at mark and ends at end: the whole line where nothing else stands on it, else
// the blanks in front of it too. own says which.
func removal(data []byte, mark, end int) (r Range, own bool) {
	start, lineEnd, next := lineBounds(data, mark)
	if start == 0 && strings.HasPrefix(string(data[:min(3, len(data))]), "\xef\xbb\xbf") {
		start = 3
	}
	before := mark
	for before > start && (data[before-1] == ' ' || data[before-1] == '\t') {
		before--
	}
	after := end
	for after < lineEnd && (data[after] == ' ' || data[after] == '\t') {
		after++
	}
	if before == start && after == lineEnd {
		return Range{start, next}, true
	}
	if after == lineEnd {
		return Range{before, lineEnd}, false
	}
	return Range{mark, end}, false
}
