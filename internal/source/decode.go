package source

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// Decode makes a File from the bytes of a file on disk. UTF-16, with a byte order mark or recognisable by the zero byte of
// its first character (YAML 1.2, section 5.2), becomes UTF-8 and the file is marked Recoded. Anything else is kept as it is.
func Decode(path string, raw []byte) *File {
	order, skip := utf16Order(raw)
	if order == nil {
		return New(path, raw)
	}
	body := raw[skip:]
	units := make([]uint16, 0, len(body)/2)
	for i := 0; i+1 < len(body); i += 2 {
		units = append(units, order.Uint16(body[i:]))
	}
	out := make([]byte, 0, len(units)+len(units)/8)
	for _, r := range utf16.Decode(units) {
		out = utf8.AppendRune(out, r)
	}
	f := New(path, out)
	f.Recoded = true
	return f
}

// utf16Order recognises UTF-16 and returns its byte order and the length of its mark, or nil. Without a mark the first two
// characters have to be ASCII, so that a binary file with a zero byte is not taken for text.
func utf16Order(raw []byte) (binary.ByteOrder, int) {
	switch {
	case len(raw) >= 4 && (bytes.HasPrefix(raw, []byte("\xff\xfe\x00\x00")) || bytes.HasPrefix(raw, []byte("\x00\x00\xfe\xff"))):
		return nil, 0 // UTF-32, which nobody writes: read as binary
	case bytes.HasPrefix(raw, []byte("\xff\xfe")):
		return binary.LittleEndian, 2
	case bytes.HasPrefix(raw, []byte("\xfe\xff")):
		return binary.BigEndian, 2
	case len(raw) < 4:
		return nil, 0
	case text(raw[0]) && raw[1] == 0 && text(raw[2]) && raw[3] == 0:
		return binary.LittleEndian, 0
	case raw[0] == 0 && text(raw[1]) && raw[2] == 0 && text(raw[3]):
		return binary.BigEndian, 0
	}
	return nil, 0
}

func text(c byte) bool { return c == '\t' || c == '\n' || c == '\r' || c >= ' ' && c < 0x7f }

// Binary reports whether a file holds no text: a zero byte in its first 8 KiB, the test that git uses.
func (f *File) Binary() bool {
	return bytes.IndexByte(f.Data[:min(len(f.Data), 8192)], 0) >= 0
}
