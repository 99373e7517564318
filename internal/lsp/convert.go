package lsp

import (
	"path/filepath"
	"strings"
	"unicode/utf8"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/probelint/probelint/internal/engine"
	"github.com/probelint/probelint/internal/model"
)

// fileURI is the URI of a file of a result.
func fileURI(r *engine.Result, file string) uri.URI {
	name := filepath.FromSlash(file)
	if !filepath.IsAbs(name) {
		name = filepath.Join(r.Set.Root, name)
	}
	return uri.File(name)
}

// location is a span in the terms of the client; ok is false where the file is gone.
func location(r *engine.Result, s model.Span) (protocol.Location, bool) {
	if s.IsZero() {
		return protocol.Location{}, false
	}
	f, err := r.Set.Get(s.File)
	if err != nil {
		return protocol.Location{}, false
	}
	text := string(f.Data)
	return protocol.Location{URI: fileURI(r, s.File), Range: protocol.Range{Start: position(text, s.Start), End: position(text, s.End)}}, true
}

// position is a byte offset as line and UTF-16 column, both from 0, as LSP counts by default.
func position(text string, off int) protocol.Position {
	off = max(0, min(off, len(text)))
	line := strings.Count(text[:off], "\n")
	begin := strings.LastIndexByte(text[:off], '\n') + 1
	if strings.HasPrefix(text, "\ufeff") && begin == 0 && off >= 3 {
		begin = 3 // editors keep the byte order mark to themselves
	}
	return protocol.Position{Line: uint32(line), Character: uint32(width(text[begin:off]))}
}

// width is the length of a text in UTF-16 units.
func width(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}

// offset is the inverse of position. A place beyond the line or the text is its end.
func offset(text string, p protocol.Position) int {
	off := 0
	for range p.Line {
		i := strings.IndexByte(text[off:], '\n')
		if i < 0 {
			return len(text)
		}
		off += i + 1
	}
	for units := uint32(0); units < p.Character && off < len(text); {
		r, size := utf8.DecodeRuneInString(text[off:])
		if r == '\n' || r == '\r' && strings.HasPrefix(text[off:], "\r\n") {
			break
		}
		units++
		if r > 0xffff {
			units++
		}
		off += size
	}
	return off
}
