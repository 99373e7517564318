package engine

import (
	"bytes"
	"slices"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// move turns the moves of a finding's fixes into edits, and leaves out those that are not certain.
func move(f *found, set *source.Set) {
	if !slices.ContainsFunc(f.Fixes, func(x lint.Fix) bool { return x.Move != nil }) {
		return
	}
	var kept []lint.Fix
	for _, x := range f.Fixes {
		if x.Move != nil {
			edits, ok := moved(set, x.Move)
			if !ok {
				continue
			}
			x.Edits, x.Move = append(slices.Clip(x.Edits), edits...), nil
		}
		kept = append(kept, x)
	}
	f.Fixes = kept
}

// moved are the edits of a move between block mappings of one file, each of whose entries concerned has its lines for itself.
func moved(set *source.Set, m *lint.Move) ([]lint.Edit, bool) {
	file, err := set.Get(m.Entry.Key.File)
	if err != nil || file.Recoded || file.Origin != nil || m.Before.File != m.Entry.Key.File || m.Entry.Value.File != m.Entry.Key.File {
		return nil, false
	}
	from, start, end, ok := ownLine(file, m.Entry.Key)
	before, to, _, ok2 := ownLine(file, m.Before)
	if !ok || !ok2 || m.Entry.Value.End > end || m.Entry.Value.Start < m.Entry.Key.End {
		return nil, false
	}
	text := bytes.TrimSpace(file.Data[start:end])
	if v := file.Data[m.Entry.Value.Start:m.Entry.Value.End]; bytes.ContainsAny(v[:min(1, len(v))], "|>&*!{[") {
		return nil, false
	}
	newline := "\n"
	if bytes.HasSuffix(file.Data[start:end], []byte("\r\n")) {
		newline = "\r\n"
	}
	if !m.Alone.IsZero() {
		_, s, e, ok := ownLine(file, m.Alone)
		if !ok || e != start && len(bytes.TrimSpace(file.Data[e:start])) > 0 || len(rest(file.Data[m.Alone.End:e])) > 0 {
			return nil, false // a comment between them, or something beside the key
		}
		start = s
	}
	line := before + string(text) + newline
	if m.Under != "" {
		line = before + m.Under + ":" + newline + before + step(from) + string(text) + newline
	}
	return []lint.Edit{
		{Span: model.Span{File: file.Path, Start: start, End: end, Line: m.Entry.Key.Line}},
		{Span: model.Span{File: file.Path, Start: to, End: to, Line: m.Before.Line}, Text: line},
	}, true
}

// rest is what stands behind a key on its line, without the colon and a comment.
func rest(b []byte) []byte {
	b = bytes.TrimPrefix(bytes.TrimSpace(b), []byte(":"))
	b, _, _ = bytes.Cut(b, []byte("#"))
	return bytes.TrimSpace(b)
}

// step is one level of indentation: that of the file's own mapping, which lies deeper than its object by it.
func step(entry string) string {
	if n := len(entry); n > 0 && n%2 == 0 { // metadata, annotations, entry: two levels
		return entry[:n/2]
	}
	return "  "
}

// ownLine is the indentation of a key and its line with the line's end; ok is false where something stands before it.
func ownLine(f *source.File, key model.Span) (indent string, start, end int, ok bool) {
	if key.IsZero() || key.End > len(f.Data) {
		return "", 0, 0, false
	}
	start = bytes.LastIndexByte(f.Data[:key.Start], '\n') + 1
	end = len(f.Data)
	if i := bytes.IndexByte(f.Data[key.End:], '\n'); i >= 0 {
		end = key.End + i + 1
	}
	in := f.Data[start:key.Start]
	return string(in), start, end, len(bytes.Trim(in, " ")) == 0
}
