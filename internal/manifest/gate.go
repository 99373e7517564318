package manifest

import (
	"bytes"
	"sort"
	"unicode/utf8"
)

// use says what a piece of text can hold, judged by a few words in it and before any parsing. Most YAML of a repository
// holds nothing of use, and parsing it would cost more than everything else together.
type use uint8

const (
	// usePod: a pod template, in an object that names its kind.
	usePod use = 1 << iota
	// useJoin: an object that is joined to workloads.
	useJoin
	// useConfig: a ConfigMap, which is parsed only when a container takes values from it.
	useConfig
	// useList: a list of objects.
	useList
)

// joinKinds are the kinds that join reads.
var joinKinds = map[string]use{
	"Service": useJoin, "HorizontalPodAutoscaler": useJoin, "PodDisruptionBudget": useJoin, "Ingress": useJoin,
	"HTTPRoute": useJoin, "GRPCRoute": useJoin, "TLSRoute": useJoin, "TCPRoute": useJoin, "Route": useJoin,
	"IngressRoute": useJoin, "HTTPProxy": useJoin, "ScaledObject": useJoin, "PeerAuthentication": useJoin,
	"BackendConfig": useJoin, "HealthCheckPolicy": useJoin,
	"ConfigMap": useConfig,
}

// gate says what a text can hold; 0 is nothing of use.
func gate(data []byte) use {
	if !bytes.Contains(data, []byte("kind")) || !bytes.Contains(data, []byte("apiVersion")) {
		return 0
	}
	var u use
	if bytes.Contains(data, []byte("containers")) {
		u |= usePod
	}
	for rest := data; ; {
		i := bytes.Index(rest, []byte("kind"))
		if i < 0 {
			return u
		}
		rest = rest[i+len("kind"):]
		if word := kindAfter(rest); word != nil {
			u |= joinKinds[string(word)]
			if bytes.HasSuffix(word, []byte("List")) {
				u |= useList
				for k, v := range joinKinds {
					if len(word) == len(k)+len("List") && string(word[:len(k)]) == k {
						u |= v
					}
				}
			}
		}
	}
}

// kindAfter returns the word after `kind` in `kind: Word`, `kind: "Word"` and `"kind":"Word"`, or nil.
func kindAfter(b []byte) []byte {
	b = bytes.TrimLeft(b[:min(len(b), 64)], `"'`)
	b = bytes.TrimLeft(b, " \t")
	if len(b) == 0 || b[0] != ':' {
		return nil
	}
	b = bytes.TrimLeft(b[1:], " \t\r\n\"'")
	n := 0
	for n < len(b) && (b[n]|0x20 >= 'a' && b[n]|0x20 <= 'z' || b[n] >= '0' && b[n] <= '9') {
		n++
	}
	return b[:n]
}

// isSchema recognises a CustomResourceDefinition by its line. Such documents are long, many hold the schema of a pod
// template, and none is a workload.
func isSchema(data []byte) bool {
	const line = "kind: CustomResourceDefinition"
	for rest := data; ; {
		i := bytes.Index(rest, []byte(line))
		if i < 0 {
			return false
		}
		after := rest[i+len(line):]
		if (i == 0 || rest[i-1] == '\n' || rest[i-1] == '\r') && (len(after) == 0 || bytes.IndexByte([]byte(" \t\r\n"), after[0]) >= 0) {
			return true
		}
		rest = after
	}
}

// isTemplate recognises the marks of text templates: Helm and Go, Jinja, ERB.
func isTemplate(data []byte) bool {
	return bytes.Contains(data, []byte("{{")) || bytes.Contains(data, []byte("{%")) || bytes.Contains(data, []byte("<%"))
}

// piece is the text of one document of a file.
type piece struct {
	start, end int // byte offsets
}

// split cuts a file at its document markers. A marker at the start of a line ends a document whatever it is in, also in the
// middle of a block scalar or of something broken, so that each piece can be parsed on its own. Directives stay with the
// document that they belong to. Pieces without content (blank, comments, a marker alone) are left out.
func split(data []byte) []piece {
	var out []piece
	start := 0
	if bytes.HasPrefix(data, byteOrderMark) {
		start = len(byteOrderMark)
	}
	begin := start
	cut := func(end int) {
		text := data[begin:end]
		if kind := contentOf(text); kind == noContent {
			begin = end
		} else if kind == someContent {
			out = append(out, piece{afterMark(data, begin, end), end})
			begin = end
		} // directives alone: go on
	}
	for _, j := range markers(data, start) {
		if data[j] == '.' { // ends the document and belongs to it
			cut(j + 3)
			continue
		}
		for bytes.HasSuffix(data[:j], byteOrderMark) {
			j -= len(byteOrderMark)
		}
		if j > begin {
			cut(j)
		}
	}
	if begin < len(data) {
		if contentOf(data[begin:]) != noContent {
			out = append(out, piece{afterMark(data, begin, len(data)), len(data)})
		}
	}
	return out
}

// byteOrderMark begins files that some editors write, and so a document in the middle of files put together.
var byteOrderMark = []byte("\xef\xbb\xbf")

// afterMark is where the text of a document begins: after the byte order mark behind its marker, comments and blank lines,
// or at begin where there is none.
func afterMark(data []byte, begin, end int) int {
	for at := begin; at < end; {
		if bytes.HasPrefix(data[at:end], byteOrderMark) {
			return afterMark(data, at+len(byteOrderMark), end)
		}
		n := bytes.IndexAny(data[at:end], "\n\r")
		if n < 0 || contentOf(data[at:at+n]) == someContent {
			return begin
		}
		at += n + 1
	}
	return begin
}

// markers are the offsets of each `---` and `...` that stands alone at the start of a line, in order.
func markers(data []byte, first int) []int {
	var out []int
	for _, marker := range []string{"---", "..."} {
		for i := first; i < len(data); {
			j := bytes.Index(data[i:], []byte(marker))
			if j < 0 {
				break
			}
			at := i + j
			lineStart := at == first || data[at-1] == '\n' || data[at-1] == '\r' || bytes.HasSuffix(data[:at], byteOrderMark)
			alone := at+3 == len(data) || bytes.IndexByte([]byte(" \t\r\n"), data[at+3]) >= 0
			if lineStart && alone {
				out = append(out, at)
			}
			i = at + 1
		}
	}
	sort.Ints(out)
	return out
}

type content uint8

const (
	noContent content = iota
	onlyDirectives
	someContent
)

// contentOf says whether a piece holds anything but markers, blanks and comments.
func contentOf(text []byte) content {
	found := noContent
	for len(text) > 0 {
		n := bytes.IndexAny(text, "\n\r")
		line := text
		if n < 0 {
			text = nil
		} else {
			line, text = text[:n], text[n+1:]
		}
		for _, marker := range []string{"---", "..."} {
			if rest, ok := bytes.CutPrefix(line, []byte(marker)); ok && (len(rest) == 0 || rest[0] == ' ' || rest[0] == '\t') {
				line = rest
			}
		}
		line = bytes.TrimLeft(line, " \t")
		switch {
		case len(line) == 0 || line[0] == '#':
		case line[0] == '%' && found != someContent:
			found = onlyDirectives
		default:
			return someContent
		}
	}
	return found
}

// badUTF8 is the offset of the first byte that is no UTF-8, or -1.
func badUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
	return -1
}

// gateObject reports whether a text names a kind and a version, so that it is an object of some kind.
func gateObject(text []byte) bool {
	return bytes.Contains(text, []byte("kind")) && bytes.Contains(text, []byte("apiVersion"))
}
