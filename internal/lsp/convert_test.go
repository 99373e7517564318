package lsp

import (
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"go.lsp.dev/protocol"
	"pgregory.net/rapid"
)

func TestPositions(t *testing.T) {
	text := "a\n😀é: x\r\nend"
	for off, want := range map[int]protocol.Position{
		0: {}, 1: {Character: 1}, 2: {Line: 1}, 6: {Line: 1, Character: 2}, 8: {Line: 1, Character: 3}, 13: {Line: 2}, 16: {Line: 2, Character: 3}, 99: {Line: 2, Character: 3},
	} {
		if got := position(text, off); got != want {
			t.Errorf("position of byte %d: %+v, want %+v", off, got, want)
		}
	}
}

func TestPositionsThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("ab:é😀 \n")), 0, 40, -1).Draw(t, "text")
		off := rapid.IntRange(0, len(text)).Draw(t, "offset")
		for off < len(text) && !utf8.RuneStart(text[off]) {
			off--
		}
		p := position(text, off)
		if back := offset(text, p); back != off {
			t.Fatalf("byte %d is %+v is byte %d", off, p, back)
		}
		if w := len(utf16.Encode([]rune(text))); width(text) != w {
			t.Fatalf("width %d, want %d", width(text), w)
		}
	})
}
