package load

// The declarations of a dependency are needed one by one, and never its function bodies. Most of the cost of reading Go
// is parsing bodies, so files of dependencies are skimmed: a byte-level pass finds the extent of each top-level
// declaration and where a body starts. Only declarations that something asks for are parsed afterwards.

// declKind is the kind of a top-level declaration.
type declKind uint8

const (
	kindFunc declKind = iota
	kindMethod
	kindType
	kindVar
	kindConst
)

// keyword is what the text of a declaration starts with once it stands alone.
func (k declKind) keyword() string {
	switch k {
	case kindType:
		return "type "
	case kindVar:
		return "var "
	case kindConst:
		return "const "
	}
	return ""
}

// decl is one top-level declaration, or one spec of a group.
type decl struct {
	kind  declKind
	names []string // declared names; of a method its name
	recv  string   // of a method: the name of the receiver's base type
	// start and end delimit the text without function body; for a spec the text after the keyword.
	start, end int
	taken      bool // parsed, or queued for it
}

// importSpec is one import of a file. Name is "" where the file gives none.
type importSpec struct{ name, path string }

// skimmed is the outline of one file.
type skimmed struct {
	name    string // of the package
	imports []importSpec
	decls   []*decl
}

// skim outlines a Go file. It accepts whatever it is given: what it cannot make sense of it skips up to the end of the
// line, as the real parser is the judge of what is taken out.
func skim(src []byte) *skimmed {
	s := &skimmer{src: src}
	out := &skimmed{}
	s.next()
	for s.tok != tokEOF {
		switch s.word() {
		case "package":
			s.next()
			out.name = s.word()
			s.toEnd()
		case "import":
			s.imports(out)
		case "func":
			s.function(out)
		case "type":
			s.specs(out, kindType)
		case "var":
			s.specs(out, kindVar)
		case "const":
			s.specs(out, kindConst)
		default:
			s.toEnd()
		}
	}
	return out
}

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

func (s *skimmer) imports(out *skimmed) {
	s.next()
	group := s.punct('(')
	if group {
		s.next()
	}
	for s.tok != tokEOF && !s.punct(')') {
		if s.tok == tokEnd {
			s.next()
			continue
		}
		var im importSpec
		if s.tok == tokWord {
			im.name = s.word()
			s.next()
		} else if s.punct('.') {
			im.name = "."
			s.next()
		}
		if s.tok == tokLit && s.end-s.start >= 2 {
			im.path = string(s.src[s.start+1 : s.end-1])
			out.imports = append(out.imports, im)
		}
		if !group {
			s.toEnd()
			return
		}
		for s.tok != tokEOF && s.tok != tokEnd && !s.punct(')') {
			s.next()
		}
	}
	s.toEnd()
}

// function outlines a function or method declaration; the current token is `func`.
func (s *skimmer) function(out *skimmed) {
	d := &decl{kind: kindFunc, start: s.start}
	s.next()
	if s.punct('(') {
		d.kind = kindMethod
		d.recv = s.receiver()
	}
	d.names = []string{s.word()}
	depth, end := 0, s.end
	// An open brace outside brackets starts the body, unless the word before it makes it a type.
	typeWord := false
	for s.tok != tokEOF {
		if s.tok == tokEnd && depth <= 0 {
			break
		}
		brace := s.punct('{')
		if brace && depth <= 0 && !typeWord {
			s.block()
			s.next()
			s.toEnd()
			break
		}
		switch {
		case brace:
			s.block()
		case s.punct('(') || s.punct('['):
			depth++
		case s.punct(')') || s.punct(']'):
			depth--
		}
		w := s.word()
		typeWord = w == "struct" || w == "interface"
		end = s.end
		s.next()
	}
	if s.tok == tokEnd {
		s.next()
	}
	d.end = end
	if d.names[0] != "" {
		out.decls = append(out.decls, d)
	}
}

// receiver reads "(r *T[K])" and returns T.
func (s *skimmer) receiver() string {
	depth, name, inType := 0, "", false
	for s.tok != tokEOF {
		switch {
		case s.punct('('):
			depth++
		case s.punct('['):
			inType = true // type parameters follow
		case s.punct(')'):
			if depth--; depth == 0 {
				s.next()
				return name
			}
		case s.tok == tokWord && !inType:
			name = s.word() // the last word before the type parameters
		}
		s.next()
	}
	return name
}

// specs outlines a type, var or const declaration; the current token is the keyword.
func (s *skimmer) specs(out *skimmed, kind declKind) {
	s.next()
	if !s.punct('(') {
		d, _ := s.spec(kind)
		if d != nil {
			out.decls = append(out.decls, d)
		}
		return
	}
	open := s.start
	s.next()
	var group []*decl
	whole := false
	for s.tok != tokEOF && !s.punct(')') {
		if s.tok == tokEnd {
			s.next()
			continue
		}
		d, alone := s.spec(kind)
		if d != nil {
			group = append(group, d)
		}
		whole = whole || !alone
	}
	end := s.end
	s.toEnd()
	if kind == kindConst && whole {
		// Implicit repetition or iota: the specs mean something only together.
		all := &decl{kind: kind, start: open, end: end}
		for _, d := range group {
			all.names = append(all.names, d.names...)
		}
		group = []*decl{all}
	}
	out.decls = append(out.decls, group...)
}

// spec outlines one spec. alone is false for a constant without a value or with iota.
func (s *skimmer) spec(kind declKind) (d *decl, alone bool) {
	d = &decl{kind: kind, start: s.start, end: s.start}
	for s.tok == tokWord {
		d.names = append(d.names, s.word())
		d.end = s.end
		s.next()
		if kind == kindType || !s.punct(',') {
			break
		}
		s.next()
	}
	if len(d.names) == 0 {
		s.toEnd()
		return nil, true
	}
	depth, value, iota := 0, false, false
	for s.tok != tokEOF {
		if depth <= 0 && (s.tok == tokEnd || s.punct(')')) {
			break
		}
		switch {
		case s.punct('{'):
			s.block()
		case s.punct('(') || s.punct('['):
			depth++
		case s.punct(')') || s.punct(']'):
			depth--
		case s.punct('='):
			value = true
		case kind == kindConst && s.word() == "iota":
			iota = true
		}
		d.end = s.end
		s.next()
	}
	if s.tok == tokEnd {
		s.next()
	}
	return d, value && !iota
}
