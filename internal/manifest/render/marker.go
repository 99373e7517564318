package render

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// A mark is one start character and three digits, all of a private-use plane, which YAML allows and nobody writes.
const (
	markStart  = '\U000F0000'
	markDigit  = '\U000F0100'
	markBase   = 1024
	markLength = 4 * 4 // bytes
	markMost   = markBase * markBase * markBase
)

// markLead are the first two bytes of every character of plane 15 that marks use; a text without them holds no mark.
const markLead = "\xf3\xb0"

func appendMark(b []byte, id int) []byte {
	b = utf8.AppendRune(b, markStart)
	b = utf8.AppendRune(b, rune(markDigit+id/(markBase*markBase)))
	b = utf8.AppendRune(b, rune(markDigit+id/markBase%markBase))
	return utf8.AppendRune(b, rune(markDigit+id%markBase))
}

func markOf(id int) string { return string(appendMark(nil, id)) }

// cutMark reads a mark at the start of s.
func cutMark(s string) (id int, ok bool) {
	if len(s) < markLength || s[:4] != string(markStart) {
		return 0, false
	}
	for i := 4; i < markLength; i += 4 {
		r, _ := utf8.DecodeRuneInString(s[i:])
		if r < markDigit || r >= markDigit+markBase {
			return 0, false
		}
		id = id*markBase + int(r-markDigit)
	}
	return id, true
}

// placed is a mark and the offset in the text without marks before which it stood.
type placed struct{ off, id int }

// unmark takes the marks out of a text.
func unmark(s string) (plain string, marks []placed) {
	if !strings.Contains(s, markLead) {
		return s, nil
	}
	var b strings.Builder
	b.Grow(len(s))
	for {
		i := strings.Index(s, markLead)
		if i < 0 {
			b.WriteString(s)
			return b.String(), marks
		}
		b.WriteString(s[:i])
		s = s[i:]
		if id, ok := cutMark(s); ok {
			marks = append(marks, placed{b.Len(), id})
			s = s[markLength:]
			continue
		}
		b.WriteString(s[:len(markLead)])
		s = s[len(markLead):]
	}
}

func withoutMarks(s string) string {
	plain, _ := unmark(s)
	return plain
}

// before is the index behind the last mark at or before off.
func before(marks []placed, off int) int {
	return sort.Search(len(marks), func(i int) bool { return marks[i].off > off })
}

// indent is the offset of the first character of s that is no white space, or -1.
func indent(s string) int {
	for i, r := range s {
		if r != ' ' && r != '\t' && r != '\n' && r != '\r' {
			return i
		}
	}
	return -1
}
