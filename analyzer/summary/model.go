package summary

import (
	"go/token"
	"go/types"
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
	case "embed":
		return it.modelEmbed(s)
	case "net/url":
		return it.modelURL(s)
	case "encoding/json", "io", "html/template", "text/template", "encoding/xml", "gopkg.in/yaml.v3":
		it.filled(s)
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
	if v, ok := it.modelCommand(s); ok {
		return v, true
	}
	if v, ok := it.modelConfig(s); ok {
		return v, true
	}
	if v, ok := it.modelGRPC(s); ok {
		return v, true
	}
	if v, ok := it.modelHealth(s); ok {
		return v, true
	}
	if v, ok := it.modelGinErrors(s); ok {
		return v, true
	}
	if v, ok := it.modelFiberCtx(s); ok {
		return v, true
	}
	if v, ok := it.modelWebRequest(s); ok {
		return v, true
	}
	if v, ok := it.modelWebPath(s); ok {
		return v, true
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
		return make2(it.ctxOf(s.arg(0)).with(&Deadline{Dur: s.arg(1), Pos: pos, End: end, born: it.stamp()})), true
	case "WithDeadline", "WithDeadlineCause":
		return make2(it.ctxOf(s.arg(0)).with(&Deadline{Dur: it.untilNow(s.arg(1)), Pos: pos, End: end, born: it.stamp()})), true
	case "WithCancel", "WithCancelCause", "WithValue":
		return make2(it.ctxOf(s.arg(0))), true
	case "WithoutCancel":
		return make2(&Ctx{Root: RootBackground}), true
	case "AfterFunc":
		it.spawnNode(func() { it.awaits(s.arg(0), pos, end); it.callbacks(s) }, s.e)
		return unknown(s.result, nil), true
	}
	return Value{}, false
}

// sitePos is where a call stands; a handler that the server itself calls has no call.
func sitePos(s *site) (token.Pos, token.Pos) {
	if s == nil || s.e == nil {
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
	if it.callbackCtx != nil {
		o.Ctx = it.callbackCtx
	} else if it.req != nil && it.req.ctx != nil {
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
			d := &Deadline{Dur: s.arg(0), Pos: pos, End: end, born: it.stamp()}
			it.cur.add(&node{kind: nodeLeaf, sleep: d})
			it.note(Moment{Kind: MomentPause, Pos: pos, End: end, Dur: s.arg(0), HasDur: true})
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
			return it.lib("time", "Add", []Value{s.arg(0)}, s.result, pos), true
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
			if v, ok := it.callback1(t); ok {
				out = v
			}
		}
	}
	return out
}

// onceName names the functions of sync.OnceFunc and its kin.
const onceName = "once"

func (it *Interp) modelSync(s *site) (Value, bool) {
	switch s.recvT + "." + s.name {
	case "WaitGroup.Wait":
		it.noteCall(MomentWait, s)
		it.joinAll(nil)
		return Value{}, true
	case "WaitGroup.Go":
		it.spawnNode(func() { it.callbacks(s) }, s.e)
		return Value{}, true
	case "Once.Do":
		return it.once(func() Value { return it.callbacks(s) }), true
	case ".OnceFunc", ".OnceValue", ".OnceValues":
		o := it.lib("sync", onceName, []Value{s.arg(0)}, s.result, posOf(s))
		return o, true
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
	os := it.objectsIn(v)
	if len(os) == 0 {
		return nil
	}
	if os[0].Items == nil {
		os[0].Items = &Items{}
	}
	return os[0]
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
