package lint

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// The lengths of STYLE.md section 9 in code points.
const (
	TitleLength = 90
	LabelLength = 60
)

// Title formats a title and keeps it within TitleLength by shortening its longest name; every verb is %s.
func Title(format string, names ...string) string { return fit(TitleLength, format, names) }

// Text formats a label and keeps it within LabelLength likewise.
func Text(format string, names ...string) string { return fit(LabelLength, format, names) }

// FirstFit is the first text that is no longer than LabelLength, or else the last, cut. Wordy first, terse last.
func FirstFit(texts ...string) string { return first(LabelLength, texts) }

// FirstTitle is the same for titles.
func FirstTitle(texts ...string) string { return first(TitleLength, texts) }

func first(limit int, texts []string) string {
	for _, t := range texts {
		if utf8.RuneCountInString(t) <= limit {
			return t
		}
	}
	return clip(texts[len(texts)-1], limit)
}

func fit(limit int, format string, names []string) string {
	names = append([]string(nil), names...)
	for {
		args := make([]any, len(names))
		longest := -1
		for i, n := range names {
			args[i] = n
			if longest < 0 || utf8.RuneCountInString(n) > utf8.RuneCountInString(names[longest]) {
				longest = i
			}
		}
		s := fmt.Sprintf(format, args...)
		over := utf8.RuneCountInString(s) - limit
		if over <= 0 {
			return s
		}
		if longest < 0 {
			return clip(s, limit)
		}
		n := utf8.RuneCountInString(names[longest])
		short := clip(names[longest], max(4, n-over))
		if utf8.RuneCountInString(short) >= n {
			return clip(s, limit)
		}
		names[longest] = short
	}
}

// clip cuts to n code points and marks the cut; a closing backtick is kept.
func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	if strings.HasSuffix(s, "`") && strings.Count(string(r[:n-2]), "`")%2 == 1 {
		return string(r[:n-2]) + "…`"
	}
	return string(r[:n-1]) + "…"
}

// Quote puts a name in backticks.
func Quote(s string) string { return "`" + s + "`" }

// And joins names as in a sentence: "a", "a and b", "a, b and c".
func And(names []string) string { return joinLast(names, " and ") }

// Or joins names likewise with "or".
func Or(names []string) string { return joinLast(names, " or ") }

func joinLast(names []string, last string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + last + names[len(names)-1]
}

// Count is a number with its noun: "1 call", "3 calls".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// ShortCall is how a call is named in text: "(*database/sql.DB).PingContext" is `DB.PingContext`, "net/http.Get" is
// `http.Get`. The major version and a leading "go-" of an import path are no part of a package's name.
func ShortCall(symbol string) string {
	s := strings.TrimSpace(symbol)
	if strings.HasPrefix(s, "(") {
		if end := strings.Index(s, ")"); end > 0 {
			recv, method := strings.TrimLeft(s[1:end], "*"), s[end+1:]
			return recv[lastAfter(recv, "./"):] + method
		}
	}
	slash := strings.LastIndex(s, "/")
	if slash < 0 {
		return s
	}
	pkg, rest, ok := strings.Cut(s[slash+1:], ".")
	if !ok {
		return s[slash+1:]
	}
	if isVersion(pkg) {
		before := s[:slash]
		pkg = before[strings.LastIndex(before, "/")+1:]
	}
	return strings.TrimPrefix(pkg, "go-") + "." + rest
}

func lastAfter(s, chars string) int { return strings.LastIndexAny(s, chars) + 1 }

func isVersion(s string) bool {
	if len(s) < 2 || s[0] != 'v' {
		return false
	}
	return strings.Trim(s[1:], "0123456789") == ""
}
