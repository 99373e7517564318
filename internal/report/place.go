package report

import (
	"path"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// Site is a place that a format can always print: a file and where in it.
type Site struct {
	File string
	Place
}

// SiteOf is where a finding is shown by formats that refuse a result without a place: its primary span, else the first span
// of its labels, else the key of its first probe, else line 1 of a file that stands for the whole input. One result
// without a place makes GitHub reject a whole upload (codeql-action #1738).
func SiteOf(in *Input, f lint.Finding) Site {
	for _, l := range append([]lint.Label{f.Primary}, f.Labels...) {
		if !l.Span.IsZero() {
			return Site{l.Span.File, PlaceOf(in.Set, l.Span)}
		}
	}
	for _, p := range f.Probes {
		if p.File != "" {
			return Site{p.File, PlaceOf(in.Set, model.Span{File: p.File, Start: offsetOfLine(in.Set, p.File, p.Line), End: -1, Line: p.Line})}
		}
	}
	return Site{standIn(in), Place{1, 1, 1, 1}}
}

func offsetOfLine(set *source.Set, file string, line int) int {
	if f := fileOf(set, file); f != nil {
		return f.Offset(line, 1)
	}
	return 0
}

// standIn is a file of the input for what is about all of it: the configuration, the module, the first manifest, and
// otherwise the name that the configuration would have.
func standIn(in *Input) string {
	const config = ".probelint.yaml"
	for _, name := range []string{config, "go.mod"} {
		if fileOf(in.Set, name) != nil {
			return name
		}
	}
	if in.First != "" {
		return in.First
	}
	for _, w := range in.Workloads {
		if w.File != "" {
			return w.File
		}
	}
	return config
}

// BytesOf is like PlaceOf with columns in bytes of UTF-8.
func BytesOf(set *source.Set, s model.Span) Place {
	f := fileOf(set, s.File)
	if f == nil {
		return PlaceOf(set, s)
	}
	at := func(off int) (line, column int) {
		off = max(0, min(off, len(f.Data)))
		line = f.LineNumber(off)
		return line, max(0, off-f.Offset(line, 1)) + 1
	}
	var p Place
	p.Line, p.Column = at(s.Start)
	p.EndLine, p.EndColumn = at(max(s.Start, s.End))
	return p
}

// FirstLine cuts a place down to its first line, as the formats want that show a finding only where all its lines changed.
func FirstLine(set *source.Set, file string, p Place) Place {
	if p.EndLine == p.Line {
		return p
	}
	p.EndLine, p.EndColumn = p.Line, p.Column
	if f := fileOf(set, file); f != nil {
		p.EndColumn = max(p.Column, len([]rune(string(f.Line(p.Line))))+1)
	}
	return p
}

// Slashes is a path as formats that are read on another machine want it: no leading "./".
func Slashes(file string) string {
	if strings.HasPrefix(file, "./") {
		return path.Clean(file)
	}
	return file
}

// Told are the labels of a finding that a format tells in words, which can mark one place alone: that of the finding itself,
// and those in other files, each text once.
func Told(f lint.Finding) []lint.Label {
	var out []lint.Label
	told := map[string]bool{}
	for _, l := range append([]lint.Label{f.Primary}, Elsewhere(f)...) {
		if l.Text == "" || l.Span.IsZero() || told[l.Text] {
			continue
		}
		told[l.Text] = true
		out = append(out, l)
	}
	return out
}

// Elsewhere are the labels of a finding in other files than its own place.
func Elsewhere(f lint.Finding) []lint.Label {
	var out []lint.Label
	for _, l := range f.Labels {
		if !l.Span.IsZero() && l.Text != "" && l.Span.File != f.Primary.Span.File {
			out = append(out, l)
		}
	}
	return out
}
