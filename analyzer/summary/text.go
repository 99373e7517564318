package summary

import (
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

func (it *Interp) modelErrors(s *site) (Value, bool) {
	pos, _ := sitePos(s)
	switch s.name {
	case "New":
		o := it.object(GoError, s.result, pos)
		v := termValue(o, s.result)
		v.Text = s.arg(0).Text
		return v, true
	case "Errorf":
		return it.wrapError(s), true
	case "Wrap", "Wrapf", "WithMessage", "WithStack":
		v := s.arg(0)
		v.Terms = nil
		v.Open = true
		v.Type = s.result
		return v, true
	case "Join":
		var v Value
		for i, a := range it.spreadArgs(s, 0) {
			if i == 0 {
				v = a
			} else {
				v = join(v, a)
			}
		}
		v.Type = s.result
		v.Terms, v.Open = nil, v.Nil != mayNil
		return v, true
	case "Is", "As", "AsType":
		return Value{Open: true, L: s.arg(0).L.blur(), Type: s.result}, true
	case "Unwrap", "Cause":
		v := s.arg(0)
		v.Open = true
		return v, true
	}
	return Value{}, false
}

// spreadArgs are the arguments from i on with a spread list opened.
func (it *Interp) spreadArgs(s *site, i int) []Value {
	if i >= len(s.args) {
		return nil
	}
	args := s.args[i:]
	if !s.spread {
		return args
	}
	last := args[len(args)-1]
	out := append([]Value(nil), args[:len(args)-1]...)
	for _, t := range last.Terms {
		if o, ok := t.(*Object); ok && o.Items != nil {
			for _, c := range o.Items.List {
				out = append(out, it.get(c))
			}
			if o.Items.Any != nil {
				out = append(out, it.get(o.Items.Any))
			}
		}
	}
	return out
}

// wrapError is fmt.Errorf: an error that is always there, with the text of its arguments.
func (it *Interp) wrapError(s *site) Value {
	pos, _ := sitePos(s)
	o := it.object(GoError, s.result, pos)
	v := termValue(o, s.result)
	for _, a := range it.spreadArgs(s, 1) {
		v.Text = v.Text.union(a.Text)
		v.L = v.L.union(a.L.blur())
	}
	return v
}

func (it *Interp) modelText(s *site) (Value, bool) {
	pos, _ := sitePos(s)
	switch s.path + "." + s.name {
	case "fmt.Errorf":
		return it.wrapError(s), true
	case "fmt.Sprintf", "fmt.Sprint", "fmt.Sprintln":
		return it.sprint(s), true
	case "fmt.Fprintf", "fmt.Fprintln", "fmt.Fprint":
		if it.writesTo(s.arg(0)) {
			it.writeBody(it.textArgs(s, 1), s)
			return it.writeOutcome(s), true
		}
		return unknown(s.result, nil), true
	case "fmt.Println", "fmt.Printf", "fmt.Print":
		return unknown(s.result, nil), true
	case "strconv.Atoi", "strconv.ParseInt", "strconv.ParseFloat", "strconv.ParseUint":
		return Value{Tuple: []Value{it.converted(s.arg(0), opInt, s.result), unknown(nil, nil)}}, true
	case "strconv.ParseBool":
		return Value{Tuple: []Value{it.converted(s.arg(0), opBool, s.result), unknown(nil, nil)}}, true
	case "strconv.Itoa", "strconv.FormatInt":
		return it.converted(s.arg(0), opText, s.result), true
	case "path.Join":
		return it.joinPath(s), true
	case "strings.HasPrefix", "strings.HasSuffix", "strings.Contains", "strings.EqualFold", "strings.TrimPrefix", "strings.TrimSuffix",
		"strings.TrimSpace", "strings.ToLower", "strings.ToUpper", "strings.Trim", "strings.TrimLeft", "strings.TrimRight":
		return it.foldText(s, pos), true
	case "strings.Join":
		v := unknown(s.result, nil)
		for _, a := range it.spreadArgsOf(s.arg(0)) {
			v.Text = v.Text.union(a.Text)
			v.L = v.L.union(a.L.blur())
		}
		return v, true
	}
	if s.recvT != "" && it.writesTo(s.arg(0)) {
		it.writeBody(Value{}, s)
	}
	return Value{}, false
}

func (it *Interp) spreadArgsOf(v Value) []Value {
	return it.spreadArgs(&site{args: []Value{v}, spread: true}, 0)
}

// sprint keeps a constant format of known scalars, which is how paths and addresses are made.
func (it *Interp) sprint(s *site) Value {
	out := unknown(types.Typ[types.String], nil)
	args := it.spreadArgs(s, 0)
	for _, a := range args {
		out.Text = out.Text.union(a.Text)
		out.L = out.L.union(a.L.blur())
	}
	pos, _ := sitePos(s)
	if s.name == "Sprint" && len(args) == 1 && len(args[0].Scalars) > 0 && !args[0].Open {
		v := it.converted(args[0], opText, types.Typ[types.String])
		v.L, v.Text = out.L, out.Text
		return v
	}
	if s.name != "Sprintf" || len(args) == 0 {
		return out
	}
	format, ok := args[0].str()
	if !ok {
		return out
	}
	var parts [][]Scalar
	text := func(t string) {
		if t != "" {
			parts = append(parts, []Scalar{{C: constant.MakeString(t), Pos: pos}})
		}
	}
	next, start, open := 1, 0, false
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 >= len(format) {
			continue
		}
		text(format[start:i])
		switch format[i+1] {
		case '%':
			text("%")
		case 's', 'd', 'v':
			if next >= len(args) || len(args[next].Scalars) == 0 {
				return out
			}
			open = open || args[next].Open
			parts = append(parts, args[next].Scalars)
			next++
		default:
			return out
		}
		i++
		start = i + 1
	}
	text(format[start:])
	v := Value{Type: types.Typ[types.String], L: out.L, Text: out.Text, Open: open}
	v.Scalars = concatAll(parts, pos)
	if len(v.Scalars) == 0 {
		return out
	}
	return v
}

// maxTexts bounds the texts that come from parts of which each may be one of several.
const maxTexts = 8

// concatAll are the texts that parts with alternatives make, nil where there are too many.
func concatAll(parts [][]Scalar, pos token.Pos) []Scalar {
	rows := [][]Scalar{nil}
	for _, alts := range parts {
		var next [][]Scalar
		for _, r := range rows {
			for _, a := range alts {
				next = append(next, append(r[:len(r):len(r)], a))
			}
		}
		if len(next) > maxTexts {
			return nil
		}
		rows = next
	}
	var out []Scalar
	for _, r := range rows {
		out = addScalar(out, concat(r, pos))
	}
	return out
}

func concat(parts []Scalar, pos token.Pos) Scalar {
	all := ""
	for _, p := range parts {
		if p.C == nil {
			return Scalar{Sym: &Sym{Op: opConcat, Args: parts, Pos: pos}, Pos: pos}
		}
		if p.C.Kind() == constant.String {
			all += constant.StringVal(p.C)
		} else {
			all += p.C.ExactString()
		}
	}
	return Scalar{C: constant.MakeString(all), Pos: pos}
}

// converted maps the scalars of a value through a conversion between text and number.
func (it *Interp) converted(v Value, op symOp, t types.Type) Value {
	if tup, ok := t.(*types.Tuple); ok && tup.Len() > 0 {
		t = tup.At(0).Type()
	}
	out := Value{Type: t, Open: v.Open, L: v.L.blur()}
	for _, s := range v.Scalars {
		if s.C != nil {
			if c, ok := convertScalar(op, s.C); ok {
				out.Scalars = addScalar(out.Scalars, Scalar{C: c, L: s.L, Pos: s.Pos})
				continue
			}
			out.Open = true
			continue
		}
		out.Scalars = addScalar(out.Scalars, Scalar{Sym: &Sym{Op: op, Args: []Scalar{s}, Pos: s.Pos}, L: s.L, Pos: s.Pos})
	}
	if len(v.Scalars) == 0 {
		out.Open = true
	}
	return out
}

func (it *Interp) joinPath(s *site) Value {
	pos, _ := sitePos(s)
	args := it.spreadArgs(s, 0)
	var l Label
	known := len(args) // what stands from here on is constant
	for i := len(args) - 1; i >= 0; i-- {
		if _, ok := args[i].str(); !ok {
			break
		}
		known = i
	}
	text := ""
	for i, a := range args {
		l = l.union(a.L)
		c, ok := a.str()
		if !ok || i < known {
			continue
		}
		if c != "" {
			text = strings.TrimSuffix(text, "/") + "/" + strings.TrimPrefix(c, "/")
		}
	}
	if known == 0 {
		if first, _ := s.arg(0).str(); !strings.HasPrefix(first, "/") {
			text = strings.TrimPrefix(text, "/")
		}
		return constValue(constant.MakeString(cleanPath(text)), s.result, pos)
	}
	if text == "" || len(l) > 0 && it.request {
		return unknown(s.result, l)
	}
	// the end is known
	return Value{Type: s.result, Scalars: []Scalar{concat([]Scalar{{Sym: &Sym{Op: opUnknown, Pos: pos}}, {C: constant.MakeString(cleanPath(text)), Pos: pos}}, pos)}}
}

func cleanPath(p string) string {
	for strings.Contains(p, "//") {
		p = strings.ReplaceAll(p, "//", "/")
	}
	if len(p) > 1 {
		p = strings.TrimSuffix(p, "/")
	}
	return p
}

func (it *Interp) foldText(s *site, pos token.Pos) Value {
	l := s.arg(0).L.blur().union(s.arg(1).L.blur()).union(it.settings(s.arg(0)))
	a, ok := s.arg(0).str()
	b, ok2 := s.arg(1).str()
	if !ok || len(s.args) > 1 && !ok2 {
		switch s.name {
		case "HasPrefix", "HasSuffix", "Contains", "EqualFold":
			if t, ok := it.tested(s.name, s.arg(0), s.arg(1), pos); ok {
				return t
			}
		}
		v := unknown(s.result, l)
		v.Text = s.arg(0).Text
		if v.Type == types.Typ[types.Bool] || strings.HasPrefix(s.name, "Has") || s.name == "Contains" || s.name == "EqualFold" {
			v.Text = nil
		}
		return v
	}
	var c constant.Value
	switch s.name {
	case "HasPrefix":
		c = constant.MakeBool(strings.HasPrefix(a, b))
	case "HasSuffix":
		c = constant.MakeBool(strings.HasSuffix(a, b))
	case "Contains":
		c = constant.MakeBool(strings.Contains(a, b))
	case "EqualFold":
		c = constant.MakeBool(strings.EqualFold(a, b))
	case "TrimPrefix":
		c = constant.MakeString(strings.TrimPrefix(a, b))
	case "TrimSuffix":
		c = constant.MakeString(strings.TrimSuffix(a, b))
	case "TrimSpace":
		c = constant.MakeString(strings.TrimSpace(a))
	case "ToLower":
		c = constant.MakeString(strings.ToLower(a))
	case "ToUpper":
		c = constant.MakeString(strings.ToUpper(a))
	case "Trim":
		c = constant.MakeString(strings.Trim(a, b))
	case "TrimLeft":
		c = constant.MakeString(strings.TrimLeft(a, b))
	case "TrimRight":
		c = constant.MakeString(strings.TrimRight(a, b))
	}
	return constValue(c, s.result, pos).withLabel(l)
}

// textArgs joins the values that are written from argument i on.
func (it *Interp) textArgs(s *site, i int) Value {
	var v Value
	args := it.spreadArgs(s, i)
	if len(args) == 1 {
		v.Scalars = args[0].Scalars // the length of a constant body counts
	}
	for _, a := range args {
		v.Text = v.Text.union(it.deepText(a, 0))
		v.L = v.L.union(a.L.blur())
	}
	return v
}

// deepText is the error text inside a value that is encoded: fields and elements too.
func (it *Interp) deepText(v Value, depth int) Label {
	l := v.Text
	if depth > 4 {
		return l
	}
	l = l.union(it.secretsIn(v))
	for _, t := range v.Terms {
		o, ok := t.(*Object)
		if !ok || o.Kind == GoError && depth == 0 {
			continue
		}
		for _, name := range sortedFields(o.Fields) {
			if name != "" && name[0] >= 'A' && name[0] <= 'Z' || o.Kind == Plain {
				f := it.get(o.Fields[name])
				if hidden(o.Type, name) {
					continue
				}
				l = l.union(it.deepText(f, depth+1)).union(it.secretField(o, name, f))
			}
		}
		if o.Items != nil {
			for _, c := range o.Items.List {
				l = l.union(it.deepText(it.get(c), depth+1))
			}
			if o.Items.Any != nil {
				l = l.union(it.deepText(it.get(o.Items.Any), depth+1))
			}
		}
	}
	return l
}
