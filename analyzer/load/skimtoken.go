package load

// token classes of the skimmer.
type tokClass uint8

const (
	tokEOF   tokClass = iota
	tokEnd            // a semicolon, written or implied by a line end
	tokWord           // identifier or keyword
	tokLit            // string, rune or number
	tokPunct          // one byte of anything else
)

type skimmer struct {
	src        []byte
	pos        int // after the current token
	tok        tokClass
	start, end int  // of the current token
	ends       bool // a line end after the current token ends the statement
}

func (s *skimmer) word() string {
	if s.tok == tokWord {
		return string(s.src[s.start:s.end])
	}
	return ""
}

func (s *skimmer) punct(c byte) bool { return s.tok == tokPunct && s.src[s.start] == c }

// byteClass tells the bytes that matter inside a function body from those that do not.
var byteClass = [256]bool{'{': true, '}': true, '"': true, '`': true, '\'': true, '/': true}

var wordByte = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
	}
	return
}()

// next advances to the next token.
func (s *skimmer) next() {
	src := s.src
	for s.pos < len(src) {
		switch c := src[s.pos]; {
		case c == '\n':
			if s.ends {
				s.set(tokEnd, s.pos, s.pos+1, false)
				return
			}
			s.pos++
		case c == ' ' || c == '\t' || c == '\r':
			s.pos++
		case c == '/' && s.pos+1 < len(src) && src[s.pos+1] == '/':
			s.pos = lineEnd(src, s.pos)
		case c == '/' && s.pos+1 < len(src) && src[s.pos+1] == '*':
			from := s.pos
			s.pos = commentEnd(src, from)
			if s.ends && hasNewline(src[from:s.pos]) {
				s.set(tokEnd, s.pos, s.pos, false)
				return
			}
		case c == ';':
			s.set(tokEnd, s.pos, s.pos+1, false)
			return
		case wordByte[c] && (c < '0' || c > '9'):
			end := s.pos + 1
			for end < len(src) && wordByte[src[end]] {
				end++
			}
			s.set(tokWord, s.pos, end, true)
			return
		case c >= '0' && c <= '9':
			end := s.pos + 1
			for end < len(src) && (wordByte[src[end]] || src[end] == '.' || (src[end] == '+' || src[end] == '-') && isExponent(src, s.pos, end)) {
				end++
			}
			s.set(tokLit, s.pos, end, true)
			return
		case c == '"' || c == '\'' || c == '`':
			s.set(tokLit, s.pos, quoteEnd(src, s.pos), true)
			return
		default:
			ends := c == ')' || c == ']' || c == '}'
			s.set(tokPunct, s.pos, s.pos+1, ends)
			return
		}
	}
	if s.ends {
		s.set(tokEnd, len(src), len(src), false)
		return
	}
	s.set(tokEOF, len(src), len(src), false)
}

func (s *skimmer) set(t tokClass, start, end int, ends bool) {
	s.tok, s.start, s.end, s.pos, s.ends = t, start, end, end, ends
}

// isExponent reports whether the sign at i belongs to a number that starts at from ("1e-9", "0x1p+3").
func isExponent(src []byte, from, i int) bool {
	hex := i-from > 1 && src[from] == '0' && src[from+1]|0x20 == 'x'
	c := src[i-1] | 0x20
	return hex && c == 'p' || !hex && c == 'e'
}

func lineEnd(src []byte, i int) int {
	for i < len(src) && src[i] != '\n' {
		i++
	}
	return i
}

func commentEnd(src []byte, i int) int {
	for i += 2; i+1 < len(src); i++ {
		if src[i] == '*' && src[i+1] == '/' {
			return i + 2
		}
	}
	return len(src)
}

func hasNewline(b []byte) bool {
	for _, c := range b {
		if c == '\n' {
			return true
		}
	}
	return false
}

// quoteEnd is the offset behind the string or rune literal that starts at i. A literal that does not end on its line ends
// with the line.
func quoteEnd(src []byte, i int) int {
	q := src[i]
	for i++; i < len(src); i++ {
		switch c := src[i]; {
		case c == q:
			return i + 1
		case q == '`':
		case c == '\\':
			i++
		case c == '\n':
			return i
		}
	}
	return len(src)
}

// block skips from the opening brace at the current token to behind its partner, and leaves the closing brace as the
// current token.
func (s *skimmer) block() {
	src, depth := s.src, 0
	for i := s.start; i < len(src); {
		c := src[i]
		if !byteClass[c] {
			i++
			continue
		}
		switch c {
		case '{':
			depth++
			i++
		case '}':
			depth--
			i++
			if depth == 0 {
				s.set(tokPunct, i-1, i, true)
				return
			}
		case '"', '\'', '`':
			i = quoteEnd(src, i)
		default:
			switch {
			case i+1 < len(src) && src[i+1] == '/':
				i = lineEnd(src, i)
			case i+1 < len(src) && src[i+1] == '*':
				i = commentEnd(src, i)
			default:
				i++
			}
		}
	}
	s.set(tokEOF, len(src), len(src), false)
}

// toEnd skips to behind the next end of statement outside brackets and returns the offset where it ends.
func (s *skimmer) toEnd() int {
	depth, end := 0, s.start
	for s.tok != tokEOF {
		switch {
		case s.tok == tokEnd && depth <= 0:
			s.next()
			return end
		case s.punct('{'):
			s.block()
		case s.punct('(') || s.punct('['):
			depth++
		case s.punct(')') || s.punct(']'):
			depth--
		}
		end = s.end
		s.next()
	}
	return end
}
