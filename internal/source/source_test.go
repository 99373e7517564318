package source

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"
)

func TestPositions(t *testing.T) {
	tests := []struct {
		name, data  string
		off         int
		line, col   int
		text        string
		offsetFails bool // the offset lies inside a line end: Offset gives the end of the line
	}{
		{"empty", "", 0, 1, 1, "", false},
		{"first", "ab\ncd", 0, 1, 1, "ab", false},
		{"second line", "ab\ncd", 4, 2, 2, "cd", false},
		{"CRLF", "ab\r\ncd", 4, 2, 1, "cd", false},
		{"lone CR", "ab\rcd", 3, 2, 1, "cd", false},
		{"code points", "é: x", 3, 1, 3, "é: x", false},
		{"byte order mark", "\xef\xbb\xbfab\ncd", 4, 1, 2, "ab", false},
		{"byte order mark itself", "\xef\xbb\xbfab", 0, 1, 1, "ab", true},
		{"beyond the end", "ab", 99, 1, 3, "ab", true},
		{"end of last line", "ab\n", 3, 2, 1, "", false},
		{"invalid UTF-8 counts a column a byte", "\xff\xfex", 2, 1, 3, "\xff\xfex", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := New("x", []byte(tt.data))
			line, col := f.Position(tt.off)
			if line != tt.line || col != tt.col {
				t.Errorf("Position(%d) = %d:%d, want %d:%d", tt.off, line, col, tt.line, tt.col)
			}
			if got := string(f.Line(line)); got != tt.text {
				t.Errorf("Line(%d) = %q, want %q", line, got, tt.text)
			}
			if got := f.Offset(line, col); !tt.offsetFails && got != tt.off {
				t.Errorf("Offset(%d,%d) = %d, want %d", line, col, got, tt.off)
			}
		})
	}
}

// Long lines go through remembered offsets; both ways have to agree with counting from the start.
func TestLongLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.StringMatching(`[aé漢😀 ]{1,9}`).Draw(t, "piece")
		line := strings.Repeat(piece, rapid.IntRange(1, 3000).Draw(t, "times"))
		prefix := rapid.SampledFrom([]string{"", "\xef\xbb\xbf", "x\n", "é\r\n"}).Draw(t, "prefix")
		f := New("x", []byte(prefix+line+"\nend"))
		runes := []rune(line)
		col := rapid.IntRange(1, len(runes)+1).Draw(t, "column")
		n := 1 + strings.Count(prefix, "\n")
		want := len(prefix) + len(string(runes[:col-1]))
		if got := f.Offset(n, col); got != want {
			t.Fatalf("Offset(%d,%d) = %d, want %d", n, col, got, want)
		}
		if l, c := f.Position(want); l != n || c != col {
			t.Fatalf("Position(%d) = %d:%d, want %d:%d", want, l, c, n, col)
		}
	})
}

func TestDecode(t *testing.T) {
	const text = "kind: Pod\nname: é😀\n"
	encode := func(order binary.ByteOrder, mark bool) []byte {
		units := utf16.Encode([]rune(text))
		if mark {
			units = append([]uint16{0xfeff}, units...)
		}
		var b []byte
		for _, u := range units {
			b = append(b, 0, 0)
			order.PutUint16(b[len(b)-2:], u)
		}
		return b
	}
	for name, raw := range map[string][]byte{
		"LE with mark": encode(binary.LittleEndian, true), "BE with mark": encode(binary.BigEndian, true),
		"LE": encode(binary.LittleEndian, false), "BE": encode(binary.BigEndian, false),
	} {
		f := Decode("x", raw)
		if string(f.Data) != text || !f.Recoded || f.Binary() {
			t.Errorf("%s: got %q, recoded %v, binary %v", name, f.Data, f.Recoded, f.Binary())
		}
	}
	for name, raw := range map[string]string{"plain": text, "binary": "\x7fELF\x00\x00\x01", "short": "a\x00", "UTF-32": "\xff\xfe\x00\x00a\x00\x00\x00"} {
		if f := Decode("x", []byte(raw)); f.Recoded || !bytes.Equal(f.Data, []byte(raw)) {
			t.Errorf("%s was recoded to %q", name, f.Data)
		}
	}
	if !Decode("x", []byte("\x7fELF\x00\x00\x01")).Binary() {
		t.Error("a zero byte is not binary")
	}
}

func TestSet(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte("a\nb\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := NewSet(dir)
	f, err := s.Get("a.yaml")
	if err != nil || f.Lines() != 3 {
		t.Fatalf("Get: %v, %v", f, err)
	}
	if g, _ := s.Get("a.yaml"); g != f {
		t.Error("a file is read twice")
	}
	if _, err := s.Get("none.yaml"); err == nil || !strings.Contains(err.Error(), "reading none.yaml") {
		t.Errorf("error of an absent file: %v", err)
	}
	if got := s.Rel(filepath.Join(dir, "x", "y")); got != "x/y" {
		t.Errorf("Rel = %q", got)
	}
	if got := s.Rel(filepath.Dir(dir)); filepath.IsAbs(dir) && !filepath.IsAbs(filepath.FromSlash(got)) {
		t.Errorf("Rel of a directory outside = %q", got)
	}
	sub := filepath.Join(dir, "r", "s")
	if err := os.MkdirAll(filepath.Join(dir, "r", ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := FindRoot(sub, "/wd"); got != filepath.Join(dir, "r") {
		t.Errorf("FindRoot = %q", got)
	}
}
