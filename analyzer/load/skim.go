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
