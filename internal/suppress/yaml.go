package suppress

import (
	"bytes"
	"slices"
	"strings"

	"github.com/probelint/probelint/internal/source"
)

// Outline is the structure of a YAML file, as far as comments need it.
type Outline struct {
	// Documents are the documents, Roots their values; Nodes are entries and items, outer ones before those that they hold; Text is
	// where a # begins no comment.
	Documents, Roots, Nodes, Text []Range
}

// markers are the offsets of Marker in a text.
func markers(data []byte) []int {
	var out []int
	for i := 0; ; i += len(Marker) {
		n := bytes.Index(data[i:], []byte(Marker))
		if n < 0 {
			return out
		}
		i += n
		out = append(out, i)
	}
}

// yamlComments reads the directives of a YAML file, those in the comments of templates among them.
func yamlComments(f *source.File, o Outline) []*entry {
	var out []*entry
	for _, at := range markers(f.Data) {
		mark, end, ok := commentAround(f.Data, at)
		if !ok || f.Data[mark] == '#' && slices.ContainsFunc(o.Text, func(r Range) bool { return mark >= r.Start && mark < r.End }) {
			continue
		}
		text := string(f.Data[at:end])
		markEnd := end
		if f.Data[mark] == '{' {
			markEnd = at + strings.Index(string(f.Data[at:]), "}}") + len("}}")
		}
		e := comment(f, text, at)
		remove, own := removal(f.Data, mark, markEnd)
		e.remove = []Range{remove}
		e.scope, e.none = o.scope(f.Data, mark, markEnd, own, e.word)
		out = append(out, e)
	}
	return out
}

// commentAround finds the comment that a directive at begins: `# probelint:…` or `{{/* probelint:… */}}`. mark is where the
// comment begins, end where the directive's text ends.
func commentAround(data []byte, at int) (mark, end int, ok bool) {
	start, lineEnd, _ := lineBounds(data, at)
	before := strings.TrimRight(string(data[start:at]), " \t")
	switch {
	case strings.HasSuffix(before, "#"):
		mark = start + len(before) - 1
		for mark > start && data[mark-1] == '#' {
			mark--
		}
		if mark > start && data[mark-1] != ' ' && data[mark-1] != '\t' && !bytes.HasSuffix(data[:mark], []byte("\xef\xbb\xbf")) {
			return 0, 0, false
		}
		return mark, lineEnd, true
	case strings.HasSuffix(before, "/*"):
		action := strings.TrimRight(strings.TrimSuffix(before, "/*"), " \t")
		action = strings.TrimSuffix(action, "-")
		closing := strings.Index(string(data[at:lineEnd]), "*/")
		if !strings.HasSuffix(action, "{{") || closing < 0 || !strings.Contains(string(data[at+closing:lineEnd]), "}}") {
			return 0, 0, false
		}
		return start + len(action) - 2, at + closing, true
	}
	return 0, 0, false
}

// scope is the node that a comment stands for: the one below it where it has a line of its own, or else the one that begins on
// its line, or the smallest that ends there. Above the first key of a document that is the document.
func (o Outline) scope(data []byte, mark, end int, own bool, word string) (Range, string) {
	if word == "ignore-file" {
		for _, d := range o.Documents {
			if mark >= d.Start && mark < d.End || d.Start <= mark && d.End == len(data) {
				for _, t := range o.Text {
					if t.Start >= d.Start && t.Start < mark && t.End <= d.End {
						return Range{}, "`ignore-file` stands above the first key of a document"
					}
				}
				return d, ""
			}
		}
		return Range{}, "no document begins behind it"
	}
	if own {
		best, found := Range{}, false
		for _, n := range slices.Concat(o.Roots, o.Nodes) {
			if n.Start >= end && (!found || n.Start < best.Start) {
				best, found = n, true
			}
		}
		if !found {
			return Range{}, "nothing stands below it"
		}
		return best, ""
	}
	start, _, _ := lineBounds(data, mark)
	best := -1
	for i, n := range o.Nodes {
		if n.Start >= start && n.Start < mark && (best < 0 || n.Start < o.Nodes[best].Start) {
			best = i
		}
	}
	if best >= 0 {
		return o.Nodes[best], ""
	}
	last := mark
	for last > start && (data[last-1] == ' ' || data[last-1] == '\t') {
		last--
	}
	for i, n := range o.Nodes {
		if n.Start < last && n.End >= last && (best < 0 || n.End-n.Start <= o.Nodes[best].End-o.Nodes[best].Start) {
			best = i
		}
	}
	if best < 0 {
		return Range{}, "no value stands on its line"
	}
	return o.Nodes[best], ""
}

// dockerComments reads the directives of a Dockerfile. The scope is the instruction below, with the lines that continue it.
func dockerComments(f *source.File) []*entry {
	var out []*entry
	for _, at := range markers(f.Data) {
		mark, end, ok := commentAround(f.Data, at)
		if !ok || f.Data[mark] != '#' {
			continue
		}
		remove, own := removal(f.Data, mark, end)
		if !own { // no comment in a Dockerfile
			continue
		}
		e := comment(f, string(f.Data[at:end]), at)
		e.remove = []Range{remove}
		if e.word == "ignore-file" {
			e.scope = Range{0, len(f.Data)}
		} else {
			e.scope, e.none = instruction(f.Data, remove.End)
		}
		out = append(out, e)
	}
	return out
}

func instruction(data []byte, from int) (Range, string) {
	start := -1
	for at := from; at < len(data); {
		_, end, next := lineBounds(data, at)
		line := strings.TrimSpace(string(data[at:end]))
		at = next
		if line == "" || line[0] == '#' {
			continue
		}
		if start < 0 {
			start = at - (next - end) - len(line)
		}
		if !strings.HasSuffix(line, `\`) {
			return Range{start, end}, ""
		}
	}
	if start >= 0 {
		return Range{start, len(data)}, ""
	}
	return Range{}, "nothing stands below it"
}
