package summary

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

func (it *Interp) modelProcess(s *site) (Value, bool) {
	pos, _ := sitePos(s)
	switch s.path + "." + s.name {
	case "os.Getenv":
		return it.env(s.arg(0), s.result, pos, nil), true
	case "os.LookupEnv":
		v := it.env(s.arg(0), s.result, pos, nil)
		return Value{Tuple: []Value{v, unknown(types.Typ[types.Bool], nil)}}, true
	case "os.Environ":
		v := unknown(s.result, nil)
		v.Text = Label{{it.secret("os.Environ()"), 0}}
		return v, true
	case "os.Exit", "runtime.Goexit", "log.Fatal", "log.Fatalf", "log.Fatalln", "log.Panic", "log.Panicf", "log.Panicln":
		if !it.endsWell(s) {
			it.abort()
		}
		return Value{}, true
	case "os/signal.Notify":
		for _, t := range s.arg(0).Terms {
			if o, ok := t.(*Object); ok {
				o.Signal = true
			}
		}
		return Value{}, true
	case "os/signal.NotifyContext":
		o := it.object(Context, s.result, pos)
		c := *it.ctxOf(s.arg(0))
		c.Signal = true
		o.Ctx = &c
		v := termValue(o, nil)
		return Value{Tuple: []Value{v, it.lib("context", "cancel", nil, nil, pos)}}, true
	}
	if s.path == "log" {
		return unknown(s.result, nil), true
	}
	return Value{}, false
}

// abort ends the process or the goroutine here.
func (it *Interp) abort() {
	it.exited = true
	if it.resp != nil {
		it.resp.Aborts = append(it.resp.Aborts, it.pc())
	}
}

// env is an environment variable whose value the container decides.
func (it *Interp) env(name Value, t types.Type, pos token.Pos, def *Scalar) Value {
	n, ok := name.str()
	if !ok {
		return unknown(types.Typ[types.String], nil)
	}
	if tup, ok := t.(*types.Tuple); ok && tup.Len() > 0 {
		t = tup.At(0).Type()
	}
	return Value{Scalars: []Scalar{{Sym: &Sym{Op: opEnv, Name: n, Def: def, Pos: pos}, Pos: pos}}, Type: t}
}

// modelFlag knows flag.String("name", default, usage) and flag.StringVar(&p, "name", default, usage), of flag and pflag.
func (it *Interp) modelFlag(s *site) (Value, bool) {
	pos, _ := sitePos(s)
	base := strings.TrimSuffix(s.name, "P")
	varForm := strings.HasSuffix(base, "Var")
	kind := strings.TrimSuffix(base, "Var")
	if !varForm && len(s.args) == 1 { // fs.GetString("name")
		return it.flagOf(s)
	}
	switch kind {
	case "String", "Duration", "Int", "Int64", "Uint", "Uint16", "Int32", "Float64", "Bool", "StringSlice", "StringArray":
	default:
		return Value{}, false
	}
	i := 0
	if varForm {
		i = 1
	}
	d := i + 1
	if strings.HasSuffix(s.name, "P") {
		d++
	}
	name, ok := s.arg(i).str()
	if !ok {
		return Value{}, false
	}
	v := Value{Open: true}
	if def, ok := asDefault(s.arg(d)); ok {
		y := &Sym{Op: opFlag, Name: name, Def: def, Pos: pos}
		sc := Scalar{Sym: y, Pos: pos}
		it.eng.noteFlag(name, sc)
		switch kind {
		case "Duration":
			sc = Scalar{Sym: &Sym{Op: opDuration, Args: []Scalar{sc}, Pos: pos}, Pos: pos}
		case "String":
		default:
			sc = Scalar{Sym: &Sym{Op: opInt, Args: []Scalar{sc}, Pos: pos}, Pos: pos}
		}
		switch kind {
		case "StringSlice", "StringArray":
			v = Value{Open: true}
		case "Bool":
			v = Value{Scalars: []Scalar{{Sym: &Sym{Op: opBool, Args: sc.Sym.Args, Pos: pos}, Pos: pos}}}
		default:
			v = Value{Scalars: []Scalar{sc}}
		}
	}
	if varForm {
		for _, t := range s.arg(0).Terms {
			if p, ok := t.(*Pointer); ok {
				v.Type = p.Cell.Type
				it.set(p.Cell, v)
			}
		}
		return Value{}, true
	}
	c := &Cell{Name: name, Pos: pos}
	it.set(c, v)
	return termValue(&Pointer{c}, s.result), true
}

func (it *Interp) modelNet(s *site) (Value, bool) {
	pos, _ := sitePos(s)
	switch s.name {
	case "Listen", "ListenTCP":
		if s.recvT == "" || s.recvT == "ListenConfig" {
			addr := s.arg(1)
			if s.recvT == "ListenConfig" {
				addr = s.arg(2)
			}
			v := it.lib("net", "Listener", []Value{addr}, nil, pos)
			it.noteCall(MomentListen, s)
			return Value{Tuple: []Value{v, unknown(nil, nil)}}, true
		}
	case "JoinHostPort":
		h, p := s.arg(0), s.arg(1)
		port := p.Scalars
		if len(port) == 0 || p.Open {
			port = []Scalar{{Sym: &Sym{Op: opUnknown, Pos: pos}, Pos: pos}}
		}
		if len(h.Scalars) > 0 {
			if all := concatAll([][]Scalar{bracketed(h.Scalars), {{C: constant.MakeString(":")}}, port}, pos); len(all) > 0 {
				return Value{Type: s.result, Scalars: all, Open: h.Open, L: h.L.union(p.L)}, true
			}
		}
	}
	return Value{}, false
}

// bracketed puts IPv6 addresses into brackets, as net.JoinHostPort does.
func bracketed(hosts []Scalar) []Scalar {
	out := make([]Scalar, len(hosts))
	for i, h := range hosts {
		if h.C != nil && h.C.Kind() == constant.String && strings.Contains(constant.StringVal(h.C), ":") {
			h.C = constant.MakeString("[" + constant.StringVal(h.C) + "]")
		}
		out[i] = h
	}
	return out
}

// modelGroup is errgroup and its kin: Go starts, Wait joins and returns the error of any.
func (it *Interp) modelGroup(s *site) (Value, bool) {
	switch s.name {
	case "Go", "TryGo":
		var res Value
		it.spawnNode(func() { res = it.callbacks(s) }, s.e)
		for _, o := range it.objectsIn(s.recv) {
			c := it.field(o, "errors", nil, nil)
			it.weakly(func() { it.set(c, res) })
		}
		return unknown(s.result, nil), true
	case "Wait":
		it.noteCall(MomentWait, s)
		it.joinAll(nil)
		var v Value
		for _, o := range it.objectsIn(s.recv) {
			if c, ok := o.Fields["errors"]; ok {
				v = join(v, it.get(c))
			}
		}
		if isZero(v) {
			v = Value{Open: true}
		}
		v.Nil = mayNil | mayNonNil
		v.Type = s.result
		v.Terms, v.Open = nil, true
		return v, true
	case "WithContext":
		ctxT := types.Type(nil)
		if tup, ok := s.result.(*types.Tuple); ok && tup.Len() == 2 && s.recvT == "" {
			ctxT = tup.At(1).Type()
			o := it.object(Context, ctxT, s.e.Pos())
			o.Ctx = it.ctxOf(s.arg(0))
			g := it.object(Plain, tup.At(0).Type(), s.e.Pos())
			return Value{Tuple: []Value{termValue(g, tup.At(0).Type()), termValue(o, ctxT)}}, true
		}
	case "NewWaitGroup", "New":
		g := it.object(Plain, s.result, s.e.Pos())
		return termValue(g, s.result), true
	case "SetLimit":
		return Value{}, true
	}
	return Value{}, false
}

func (it *Interp) builtin(name string, e *ast.CallExpr) Value {
	t := it.typeOf(e)
	if len(e.Args) == 0 && name != "recover" {
		return unknown(t, nil) // code that does not type-check
	}
	switch name {
	case "append":
		return it.appendTo(e)
	case "make":
		o := it.object(List, t, e.Pos())
		o.Items = &Items{Exact: true}
		if isMap(t) {
			o.Items.Keys = []Value{}
		}
		if isChan(t) && len(e.Args) == 1 {
			o.unbuffered = e
		}
		return termValue(o, t)
	case "new":
		if tv, ok := it.info().Types[e.Args[0]]; ok && tv.IsType() {
			v := it.zeroOf(tv.Type, e.Pos())
			if len(v.Terms) > 0 && !isPointerLike(tv.Type) {
				v.Type = t
				return v
			}
			c := &Cell{Name: "new", Pos: e.Pos(), Type: tv.Type}
			return termValue(&Pointer{c}, t)
		}
		v := it.eval(e.Args[0])
		c := &Cell{Name: "new", Pos: e.Pos()}
		it.set(c, v)
		return termValue(&Pointer{c}, t)
	case "len", "cap":
		v := it.eval(e.Args[0])
		for _, x := range v.Terms {
			if o, ok := x.(*Object); ok && o.Items != nil && isChan(o.Type) && it.request {
				it.named(o, e.Args[0])
			}
		}
		return it.lengthOf(v, t)
	case "panic":
		for _, a := range e.Args {
			it.eval(a)
		}
		it.abort()
		return Value{}
	case "copy", "delete", "close", "print", "println", "clear":
		for _, a := range e.Args {
			v := it.eval(a)
			if name == "close" {
				it.passesOn(v)
			}
		}
		return unknown(t, nil)
	case "recover":
		return nilValue(t)
	}
	v := unknown(t, nil)
	for _, a := range e.Args {
		v.L = v.L.union(it.eval(a).L.blur())
	}
	return v
}

func (it *Interp) appendTo(e *ast.CallExpr) Value {
	if len(e.Args) == 0 {
		return unknown(it.typeOf(e), nil)
	}
	base := it.eval(e.Args[0])
	o := it.object(List, it.typeOf(e), e.Pos())
	o.Items = &Items{Exact: !base.Open}
	l, text := base.L, base.Text
	seen := map[*Cell]bool{} // alternatives that grew from one list share its elements
	add := func(c *Cell) {
		if len(o.Items.List) >= maxItems {
			it.weakly(func() { it.set(it.anyItem(o, nil), it.get(c)) })
			return
		}
		o.Items.List = append(o.Items.List, c)
	}
	take := func(v Value) {
		if len(v.Terms) > 1 {
			o.Items.Exact = false
		}
		for _, t := range v.Terms {
			if x, ok := t.(*Object); ok && x.Items != nil {
				for _, c := range x.Items.List {
					if !seen[c] {
						seen[c] = true
						add(c)
					}
				}
				if x.Items.Any != nil {
					it.weakly(func() { it.set(it.anyItem(o, nil), it.get(x.Items.Any)) })
				}
			} else {
				o.Items.Exact = false
			}
		}
		if v.Open {
			o.Items.Exact = false
		}
	}
	take(base)
	for i, a := range e.Args[1:] {
		v := it.eval(a)
		l, text = l.union(v.L.blur()), text.union(v.Text)
		if e.Ellipsis.IsValid() && i == len(e.Args)-2 {
			take(v)
			continue
		}
		if !it.strong(bornIn(it, e.Args[0], base)) {
			it.set(it.anyItem(o, v.Type), v)
			continue
		}
		c := &Cell{element: true, Name: "element", Pos: a.Pos(), Type: v.Type}
		if _, ok := typeUnder(v.Type).(*types.Interface); ok {
			c.Type = nil
		}
		it.set(c, v.under(it.frame.pc))
		c.Late = false
		add(c)
	}
	v := termValue(o, it.typeOf(e))
	v.L, v.Text = l, text
	return v
}

// bornIn is the number of the list that is appended to: of the oldest object, or of the variable that is still nil.
func bornIn(it *Interp, e ast.Expr, base Value) int {
	born := 0
	for i, t := range base.Terms {
		if o, ok := t.(*Object); ok && (i == 0 || o.ID < born) {
			born = o.ID
		}
	}
	if id, ok := ast.Unparen(e).(*ast.Ident); ok && len(base.Terms) == 0 {
		if c := it.cellOf(it.info().ObjectOf(id)); c != nil {
			born = c.born
		}
	}
	return born
}

func typeUnder(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	return t.Underlying()
}

// lengthOf is known for a list whose elements are.
func (it *Interp) lengthOf(v Value, t types.Type) Value {
	if s, ok := v.str(); ok {
		return constValue(constant.MakeInt64(int64(len(s))), t, 0).withLabel(v.L)
	}
	l := v.L.blur().union(it.settings(v))
	if len(v.Terms) == 0 && isNilOnly(v) {
		return constValue(constant.MakeInt64(0), t, 0).withLabel(l)
	}
	for _, x := range v.Terms {
		o, ok := x.(*Object)
		if !ok || o.Items == nil {
			return unknown(t, l)
		}
		for _, c := range o.Items.List {
			for _, cause := range it.get(c).L {
				l = l.with(Cause{cause.Src, 0})
			}
		}
		if o.Items.Any != nil {
			c := o.Items.Any
			l = l.union(it.get(c).L.blur())
			if it.request && !it.sentHere(o) {
				l = l.with(Cause{c.source(), 0})
			}
		}
		if isChan(o.Type) && it.request {
			it.anyItem(o, nil).Load = true
			l = l.with(Cause{it.anyItem(o, nil).source(), 0})
		}
	}
	if len(v.Terms) == 1 && !v.Open {
		if o := v.Terms[0].(*Object); o.Items.Exact && o.Items.Any == nil && !isChan(o.Type) && len(l) == 0 {
			return constValue(constant.MakeInt64(int64(len(o.Items.List))), t, 0)
		}
	}
	return unknown(t, l)
}
