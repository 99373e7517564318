package summary

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// model interprets the calls whose meaning the interpreter itself has to know. The second result is false where the call
// is none of them.
func (it *Interp) model(s *site) (Value, bool) {
	switch s.path {
	case "context":
		return it.modelContext(s)
	case "time":
		return it.modelTime(s)
	case "sync":
		return it.modelSync(s)
	case "sync/atomic", "go.uber.org/atomic":
		return it.modelAtomic(s)
	case "errors", "github.com/pkg/errors", "golang.org/x/xerrors":
		return it.modelErrors(s)
	case "fmt", "strings", "strconv", "path", "bytes":
		return it.modelText(s)
	case "os", "os/signal", "runtime", "log", "syscall":
		return it.modelProcess(s)
	case "flag", "github.com/spf13/pflag":
		return it.modelFlag(s)
	case "net/http":
		return it.modelHTTP(s)
	case "net":
		return it.modelNet(s)
	case "net/url":
		return it.modelURL(s)
	case "encoding/json", "io", "html/template", "text/template", "encoding/xml", "gopkg.in/yaml.v3":
		return it.modelEncode(s)
	case "golang.org/x/sync/errgroup", "github.com/sourcegraph/conc", "github.com/sourcegraph/conc/pool":
		return it.modelGroup(s)
	}
	if s.method && s.name == "Error" && len(s.args) == 0 && isStringResult(s.result) {
		return it.errorText(s), true
	}
	if s.method && s.name == "ServeHTTP" && len(s.args) == 2 {
		if v, ok := it.serveHTTP(s); ok {
			return v, true
		}
	}
	if v, ok := it.modelKnownRouter(s); ok {
		return v, true
	}
	return Value{}, false
}

func isStringResult(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return t == nil || ok && b.Kind() == types.String
}

// errorText is err.Error(): the text of whatever the error came from.
func (it *Interp) errorText(s *site) Value {
	v := unknown(types.Typ[types.String], s.recv.L.blur())
	v.Text = it.textOf(s.recv)
	return v
}

// textOf are the sources whose text a value may carry: what it was made of, or, for an error that comes from a dependency's
// call itself, that call.
func (it *Interp) textOf(v Value) Label {
	if len(v.Text) > 0 {
		return v.Text
	}
	return nil
}

func (it *Interp) modelContext(s *site) (Value, bool) {
	ctxT := s.result
	if tup, ok := s.result.(*types.Tuple); ok && tup.Len() > 0 {
		ctxT = tup.At(0).Type()
	}
	pos, end := sitePos(s)
	if s.recvT == "Context" || s.method {
		switch s.name {
		case "Done":
			v := s.recv
			v.Type = s.result
			return v, true
		case "Err":
			return Value{Open: true, Type: s.result, L: Label{{it.eng.inputSource("context"), 1}}}, true
		}
		return unknown(s.result, s.recv.L), true
	}
	make2 := func(c *Ctx) Value {
		o := it.object(Context, ctxT, pos)
		o.Ctx = c
		v := termValue(o, ctxT)
		if _, ok := s.result.(*types.Tuple); ok {
			return Value{Tuple: []Value{v, it.lib("context", "cancel", nil, nil, pos)}}
		}
		return v
	}
	switch s.name {
	case "Background", "TODO":
		return make2(&Ctx{Root: RootBackground}), true
	case "WithTimeout", "WithTimeoutCause":
		return make2(it.ctxOf(s.arg(0)).with(&Deadline{Dur: s.arg(1), Pos: pos, End: end})), true
	case "WithDeadline", "WithDeadlineCause":
		return make2(it.ctxOf(s.arg(0)).with(&Deadline{Dur: it.untilNow(s.arg(1)), Pos: pos, End: end})), true
	case "WithCancel", "WithCancelCause", "WithValue":
		return make2(it.ctxOf(s.arg(0))), true
	case "WithoutCancel":
		return make2(&Ctx{Root: RootBackground}), true
	case "AfterFunc":
		it.opaque(s)
		return unknown(s.result, nil), true
	}
	return Value{}, false
}

func sitePos(s *site) (token.Pos, token.Pos) {
	if s.e == nil {
		return token.NoPos, token.NoPos
	}
	return s.e.Pos(), s.e.End()
}

// untilNow is the duration of time.Now().Add(d).
func (it *Interp) untilNow(v Value) Value {
	for _, t := range v.Terms {
		if o, ok := t.(*Object); ok && o.Lib != nil && o.Lib.Path == "time" && o.Lib.Name == "Add" && len(o.Lib.Args) == 1 {
			return o.Lib.Args[0]
		}
	}
	return unknown(nil, nil)
}

func (c *Ctx) with(d *Deadline) *Ctx {
	n := &Ctx{Root: c.Root, Signal: c.Signal, Deadlines: append(c.Deadlines[:len(c.Deadlines):len(c.Deadlines)], d)}
	if c.Dead {
		n.Root = RootBackground
	}
	return n
}

// ctxOf is what is known of a context value. Of several the least bounded counts.
func (it *Interp) ctxOf(v Value) *Ctx {
	var out *Ctx
	for _, t := range v.Terms {
		o, ok := t.(*Object)
		if !ok {
			continue
		}
		var c *Ctx
		switch {
		case o.Ctx != nil:
			c = o.Ctx
		case o.Kind == WebContext:
			c = it.webContextCtx(o)
		default:
			c = it.embeddedCtx(o)
		}
		if c != nil && (out == nil || len(c.Deadlines) < len(out.Deadlines) || len(c.Deadlines) == 0 && c.Root == RootBackground) {
			out = c
		}
	}
	if out == nil {
		return &Ctx{}
	}
	return out
}

// embeddedCtx is the context inside a struct that embeds one.
func (it *Interp) embeddedCtx(o *Object) *Ctx {
	if c, ok := o.Fields["Context"]; ok {
		for _, t := range it.get(c).Terms {
			if x, ok := t.(*Object); ok && x.Ctx != nil {
				return x.Ctx
			}
		}
	}
	return nil
}

func (it *Interp) callbackContext(p Value) Value {
	o := it.object(Context, p.Type, token.NoPos)
	o.Ctx = &Ctx{}
	if it.req != nil && it.req.ctx != nil {
		o.Ctx = it.req.ctx
	}
	return termValue(o, p.Type)
}

func isContextType(t types.Type) bool {
	p, n := typeName(t)
	return p == "context" && n == "Context"
}

func (it *Interp) lib(path, name string, args []Value, t types.Type, pos token.Pos) Value {
	o := it.object(Library, t, pos)
	o.Lib = &Lib{Path: path, Name: name, Args: args}
	return termValue(o, t)
}

func (it *Interp) modelTime(s *site) (Value, bool) {
	pos, end := sitePos(s)
	if s.recvT == "" {
		switch s.name {
		case "Now":
			return it.lib("time", "now", nil, s.result, pos), true
		case "Since", "Until":
			return it.lib("time", "age", s.args, s.result, pos), true
		case "After", "NewTimer", "NewTicker", "Tick":
			return it.lib("time", s.name, s.args, s.result, pos), true
		case "Sleep":
			d := &Deadline{Dur: s.arg(0), Pos: pos, End: end}
			it.cur.add(&node{kind: nodeLeaf, sleep: d})
			return Value{}, true
		case "AfterFunc":
			it.spawnNode(func() { it.callbacks(s) }, s.e)
			return unknown(s.result, nil), true
		case "ParseDuration":
			return Value{Tuple: []Value{it.converted(s.arg(0), opDuration, s.result), unknown(nil, nil)}}, true
		}
		return Value{}, false
	}
	switch s.recvT + "." + s.name {
	case "Time.Sub":
		if isNow(s.recv) {
			return it.lib("time", "age", s.args, s.result, pos), true
		}
		if isNow(s.arg(0)) {
			return it.lib("time", "age", []Value{s.recv}, s.result, pos), true
		}
	case "Time.Add":
		if isNow(s.recv) {
			return it.lib("time", "Add", s.args, s.result, pos), true
		}
		v := it.lib("time", "later", []Value{s.recv, s.arg(0)}, s.result, pos)
		return v.withLabel(s.recv.L), true
	case "Time.Before", "Time.After":
		if v, ok := it.expiryTest(s); ok {
			return v, true
		}
	case "Duration.Seconds", "Duration.Milliseconds", "Duration.String":
		return unknown(s.result, s.recv.L), true
	}
	return Value{}, false
}

func isNow(v Value) bool { return isLib(v, "time", "now") }

func isLib(v Value, path, name string) bool {
	for _, t := range v.Terms {
		if o, ok := t.(*Object); ok && o.Lib != nil && o.Lib.Path == path && o.Lib.Name == name {
			return true
		}
	}
	return false
}

func libOf(v Value) *Lib {
	for _, t := range v.Terms {
		if o, ok := t.(*Object); ok && o.Lib != nil {
			return o.Lib
		}
	}
	return nil
}

// expiryTest is now.Before(x.expires), now.After(...), x.expires.After(now) and x.checked.Add(ttl).After(now).
func (it *Interp) expiryTest(s *site) (Value, bool) {
	a, b := s.recv, s.arg(0)
	nowFirst := isNow(a)
	if !nowFirst && !isNow(b) {
		return Value{}, false
	}
	other := b
	fresh := s.name == "Before" // now before expiry: still fresh
	if !nowFirst {
		other = a
		fresh = s.name == "After" // expiry after now: still fresh
	}
	limit := unknown(nil, nil)
	of := other
	for _, t := range other.Terms {
		o, ok := t.(*Object)
		if !ok || o.Lib == nil || o.Lib.Path != "time" {
			continue
		}
		switch o.Lib.Name {
		case "Add":
			limit = o.Lib.Args[0]
		case "later":
			limit, of = o.Lib.Args[1], o.Lib.Args[0]
		}
	}
	return it.ageCause(it.lib("time", "age", []Value{of}, nil, s.e.Pos()), limit, fresh, s.e), true
}

func (it *Interp) callbacks(s *site) Value {
	var out Value
	for _, a := range s.args {
		for _, t := range a.Terms {
			if v, ok := it.callback1(t, a); ok {
				out = v
			}
		}
	}
	return out
}

func (it *Interp) modelSync(s *site) (Value, bool) {
	switch s.recvT + "." + s.name {
	case "WaitGroup.Wait":
		it.joinAll(nil)
		return Value{}, true
	case "WaitGroup.Go":
		it.spawnNode(func() { it.callbacks(s) }, s.e)
		return Value{}, true
	case "Once.Do":
		return it.callbacks(s), true
	case ".OnceFunc", ".OnceValue", ".OnceValues":
		return s.arg(0), true
	case "Map.Store":
		o := it.itemsOf(s.recv)
		if o != nil {
			it.setItem(o, s.arg(0), s.arg(1))
		}
		return Value{}, true
	case "Map.Load":
		if o := it.itemsOf(s.recv); o != nil {
			v := it.allItems(o)
			return Value{Tuple: []Value{v, unknown(types.Typ[types.Bool], v.L)}}, true
		}
		return unknown(s.result, s.recv.L), true
	}
	switch s.name {
	case "Lock", "Unlock", "RLock", "RUnlock", "Add", "Done", "TryLock":
		return unknown(s.result, nil), true
	}
	return it.opaque(s), true
}

// itemsOf makes the one object of the receiver a container.
func (it *Interp) itemsOf(v Value) *Object {
	for _, o := range it.objectsIn(v) {
		if o.Items == nil {
			o.Items = &Items{}
		}
		return o
	}
	return nil
}

func (it *Interp) allItems(o *Object) Value {
	var v Value
	for i, c := range o.Items.List {
		if i == 0 {
			v = it.get(c)
		} else {
			v = join(v, it.get(c))
		}
	}
	if o.Items.Any != nil {
		v = join(v, it.get(o.Items.Any))
	}
	if isZero(v) {
		return unknown(nil, nil)
	}
	return v
}

// modelAtomic gives atomic values one cell.
func (it *Interp) modelAtomic(s *site) (Value, bool) {
	var cells []*Cell
	args := s.args
	if s.method {
		for _, o := range it.objectsIn(s.recv) {
			c := it.field(o, "v", nil, it.atomicElem(s, o))
			if c.Pos == token.NoPos {
				c.Pos = o.Pos
			}
			it.eng.tieAtomic(it, s, c)
			cells = append(cells, c)
		}
	} else {
		if len(args) == 0 {
			return it.opaque(s), true
		}
		for _, t := range args[0].Terms {
			if p, ok := t.(*Pointer); ok {
				cells = append(cells, p.Cell)
			}
		}
		args = args[1:]
	}
	if len(cells) == 0 {
		if it.request {
			src := &Source{Kind: State, Name: s.short(), Pos: s.e.Pos()}
			return unknown(s.result, Label{{src, 0}}), true
		}
		return unknown(s.result, nil), true
	}
	name := strings.TrimRight(s.name, "Int32Uint64Pointerptr")
	switch {
	case strings.HasPrefix(s.name, "Load"):
		v := it.get(cells[0])
		for _, c := range cells[1:] {
			v = join(v, it.get(c))
		}
		if v.Type == nil {
			v.Type = s.result
		}
		return v, true
	case strings.HasPrefix(s.name, "Store"), strings.HasPrefix(s.name, "Swap"):
		if len(args) > 0 {
			for _, c := range cells {
				it.set(c, args[len(args)-1].under(it.frame.pc))
			}
		}
	case strings.HasPrefix(s.name, "CompareAndSwap"), strings.HasPrefix(s.name, "Toggle"):
		if len(args) > 1 {
			for _, c := range cells {
				it.weakly(func() { it.set(c, args[1]) })
			}
		}
	default:
		_ = name // Add, Inc, Dec, And, Or: a number that changes
		for _, c := range cells {
			it.set(c, unknown(c.Type, nil))
		}
		v := unknown(s.result, nil)
		if it.request {
			v.L = Label{{cells[0].source(), 0}}
		}
		return v, true
	}
	return unknown(s.result, nil), true
}

func (it *Interp) atomicElem(s *site, o *Object) types.Type {
	n := namedOf(o.Type)
	if n == nil {
		return nil
	}
	switch n.Obj().Name() {
	case "Bool":
		return types.Typ[types.Bool]
	case "Int32", "Uint32", "Int64", "Uint64":
		return types.Typ[types.Int64]
	case "Pointer":
		if ta := n.TypeArgs(); ta != nil && ta.Len() > 0 {
			return types.NewPointer(ta.At(0))
		}
	}
	return nil
}

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
			return unknown(s.result, nil), true
		}
		return unknown(s.result, nil), true
	case "fmt.Println", "fmt.Printf", "fmt.Print":
		return unknown(s.result, nil), true
	case "strconv.Atoi", "strconv.ParseInt", "strconv.ParseFloat", "strconv.ParseUint":
		return Value{Tuple: []Value{it.converted(s.arg(0), opInt, s.result), unknown(nil, nil)}}, true
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
	var parts []Scalar
	text := func(t string) {
		if t != "" {
			parts = append(parts, Scalar{C: constant.MakeString(t), Pos: pos})
		}
	}
	next, start := 1, 0
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 >= len(format) {
			continue
		}
		text(format[start:i])
		switch format[i+1] {
		case '%':
			text("%")
		case 's', 'd', 'v':
			if next >= len(args) || args[next].Open || len(args[next].Scalars) != 1 {
				return out
			}
			parts = append(parts, args[next].Scalars[0])
			next++
		default:
			return out
		}
		i++
		start = i + 1
	}
	text(format[start:])
	v := Value{Type: types.Typ[types.String], L: out.L, Text: out.Text}
	v.Scalars = []Scalar{concat(parts, pos)}
	return v
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
	text := ""
	for i, a := range it.spreadArgs(s, 0) {
		c, ok := a.str()
		if !ok {
			return unknown(s.result, a.L)
		}
		if i > 0 && !strings.HasSuffix(text, "/") {
			text += "/"
		}
		text += strings.TrimPrefix(c, "/")
		if i == 0 {
			text = c
		}
	}
	return constValue(constant.MakeString(cleanPath(text)), s.result, pos)
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
	l := s.arg(0).L.blur().union(s.arg(1).L.blur())
	a, ok := s.arg(0).str()
	b, ok2 := s.arg(1).str()
	if !ok || len(s.args) > 1 && !ok2 {
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
	for _, a := range it.spreadArgs(s, i) {
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
	for _, t := range v.Terms {
		o, ok := t.(*Object)
		if !ok || o.Kind == GoError && depth == 0 {
			continue
		}
		for _, name := range sortedFields(o.Fields) {
			if name != "" && name[0] >= 'A' && name[0] <= 'Z' || o.Kind == Plain {
				l = l.union(it.deepText(it.get(o.Fields[name]), depth+1))
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

func (it *Interp) modelProcess(s *site) (Value, bool) {
	pos, _ := sitePos(s)
	switch s.path + "." + s.name {
	case "os.Getenv":
		return it.env(s.arg(0), s.result, pos, nil), true
	case "os.LookupEnv":
		v := it.env(s.arg(0), s.result, pos, nil)
		return Value{Tuple: []Value{v, unknown(types.Typ[types.Bool], nil)}}, true
	case "os.Exit", "runtime.Goexit", "log.Fatal", "log.Fatalf", "log.Fatalln", "log.Panic", "log.Panicf", "log.Panicln":
		it.abort()
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
	if def := s.arg(d); !def.Open && len(def.Scalars) == 1 {
		y := &Sym{Op: opFlag, Name: name, Def: &def.Scalars[0], Pos: pos}
		sc := Scalar{Sym: y, Pos: pos}
		switch kind {
		case "Duration":
			sc = Scalar{Sym: &Sym{Op: opDuration, Args: []Scalar{sc}, Pos: pos}, Pos: pos}
		case "String":
		default:
			sc = Scalar{Sym: &Sym{Op: opInt, Args: []Scalar{sc}, Pos: pos}, Pos: pos}
		}
		if kind == "Bool" || kind == "StringSlice" || kind == "StringArray" {
			v = Value{Open: true}
		} else {
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
			return Value{Tuple: []Value{v, unknown(nil, nil)}}, true
		}
	case "JoinHostPort":
		h, p := s.arg(0), s.arg(1)
		if len(h.Scalars) == 1 && len(p.Scalars) == 1 && !h.Open && !p.Open {
			return Value{Type: s.result, Scalars: []Scalar{concat([]Scalar{h.Scalars[0], {C: constant.MakeString(":")}, p.Scalars[0]}, pos)}}, true
		}
	}
	return Value{}, false
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
	switch name {
	case "append":
		return it.appendTo(e)
	case "make":
		o := it.object(List, t, e.Pos())
		o.Items = &Items{Exact: true}
		if isMap(t) {
			o.Items.Keys = []Value{}
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
		return it.lengthOf(v, t)
	case "panic":
		for _, a := range e.Args {
			it.eval(a)
		}
		it.abort()
		return Value{}
	case "copy", "delete", "close", "print", "println", "clear":
		for _, a := range e.Args {
			it.eval(a)
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
	take := func(v Value) {
		for _, t := range v.Terms {
			if x, ok := t.(*Object); ok && x.Items != nil {
				o.Items.List = append(o.Items.List, x.Items.List...)
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
		if it.weak > 0 {
			it.set(it.anyItem(o, v.Type), v)
			continue
		}
		c := &Cell{Name: "element", Pos: a.Pos(), Type: v.Type}
		if _, ok := typeUnder(v.Type).(*types.Interface); ok {
			c.Type = nil
		}
		o.Items.List = append(o.Items.List, c)
		it.set(c, v.under(it.frame.pc))
		c.Late = false
	}
	v := termValue(o, it.typeOf(e))
	v.L, v.Text = l, text
	return v
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
	l := v.L.blur()
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
