package summary

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/probelint/probelint/analyzer/knowledge"
)

// Limits of the walk through what a client was made from.
const (
	maxSettingDepth   = 8
	maxSettingObjects = 200
)

// limits are the settings that were found where a client is made, by scope (knowledge.Setting). Of several values of one
// scope the tightest cannot be told before the container is known; all of them are kept.
type limits struct {
	by map[string][]setAt
	// open: the text of a data source name is not known, and it may set a limit.
	open bool
	// off are the scopes whose limit is switched off.
	off map[string]bool
}

// setAt is one setting's value in nanoseconds, and where it is written.
type setAt struct {
	dur Value
	pos token.Pos
}

// settingName marks the cells in which a library's object keeps what one of its methods set.
const settingName = "set by "

// keepSetting notes a method of a client that sets a limit (resty's SetTimeout): the object keeps it.
func (it *Interp) keepSetting(s *site) {
	if !s.method || s.path == "" {
		return
	}
	set, ok := it.eng.kb.LookupSetting(s.path, s.recvT, s.name)
	if !ok || set.Dur < 0 || set.Dur >= len(s.args) {
		return
	}
	for _, t := range s.recv.Terms {
		if o, ok := t.(*Object); ok {
			it.set(it.field(o, settingName+s.recvT+"."+s.name, nil, nil), s.args[set.Dur])
		}
	}
}

// sets reports a call that makes a setting.
func (it *Interp) sets(s *site) bool {
	set, ok := it.eng.kb.LookupSetting(s.path, s.recvT, s.name)
	return ok && set.Dur >= 0
}

// limitsOf walks through what the values of a call were made from: options, configurations, data source names, transports.
func (it *Interp) limitsOf(entries []string, vs ...Value) limits {
	w := &settingWalk{it: it, out: limits{by: map[string][]setAt{}, off: map[string]bool{}}, seen: map[any]bool{}}
	for _, e := range entries {
		w.dsn = append(w.dsn, it.eng.kb.DSNSettings(e)...)
	}
	for _, v := range vs {
		w.value(v, 0)
	}
	return w.out
}

type settingWalk struct {
	it   *Interp
	dsn  []knowledge.Setting
	seen map[any]bool
	out  limits
}

func (w *settingWalk) value(v Value, depth int) {
	if depth > maxSettingDepth || len(w.seen) > maxSettingObjects {
		return
	}
	for _, t := range v.Terms {
		switch t := t.(type) {
		case *Object:
			if !w.seen[t] {
				w.seen[t] = true
				w.object(t, depth)
			}
		case *Pointer:
			w.value(w.it.get(t.Cell), depth+1)
		case *Closure:
			if !w.seen[t.Lit] {
				w.seen[t.Lit] = true
				w.made(t, depth)
			}
		case *Func:
			if t.Recv != nil { // (&net.Dialer{Timeout: d}).DialContext
				w.value(*t.Recv, depth+1)
			}
		}
	}
}

func (w *settingWalk) object(o *Object, depth int) {
	path, name := typeName(o.Type)
	if o.Lib != nil && (path == "" || types.IsInterface(o.Type)) {
		path, name = o.Lib.Path, o.Lib.Name
	}
	if path != "" && w.it.eng.firstParty(path) && o.Lib == nil {
		if !w.it.eng.kb.AddsType(path, name) {
			return // the program's own structs hold more than one client
		}
		for _, f := range sortedFields(o.Fields) {
			w.text(w.it.get(o.Fields[f]), o.Pos)
		}
	}
	w.fields(o, path, name, "", depth)
	if o.Items != nil {
		for _, c := range o.Items.List {
			w.value(w.it.get(c), depth+1)
		}
		if o.Items.Any != nil {
			w.value(w.it.get(o.Items.Any), depth+1)
		}
	}
	if o.Lib == nil {
		return
	}
	recv, fn, method := strings.Cut(o.Lib.Name, ".")
	first := 1
	if !method {
		recv, fn, first = "", o.Lib.Name, 0
	}
	if set, ok := w.it.eng.kb.LookupSetting(o.Lib.Path, recv, fn); ok && set.Dur >= 0 && set.Dur+first < len(o.Lib.Args) {
		w.found(set, o.Lib.Args[set.Dur+first], o.Pos)
	}
	for _, a := range o.Lib.Args {
		w.text(a, o.Pos)
		w.value(a, depth+1)
	}
}

// fields looks at what is set in a struct. prefix is the way to it through structs without a name: Net. in sarama's Config.
func (w *settingWalk) fields(o *Object, path, name, prefix string, depth int) {
	for _, f := range sortedFields(o.Fields) {
		c := o.Fields[f]
		v := w.it.get(c)
		if rest, ok := strings.CutPrefix(f, settingName); ok {
			recv, fn, _ := strings.Cut(rest, ".")
			if set, ok := w.it.eng.kb.LookupSetting(path, recv, fn); ok {
				w.found(set, v, c.Pos)
			}
			continue
		}
		if set, ok := w.it.eng.kb.LookupSetting(path, name, prefix+f); ok && set.Dur < 0 {
			if w.it.now(c) != nil || c.stored {
				w.found(set, v, c.Pos)
			}
			continue
		}
		if st := structOf(c.Type); st != nil && namedOf(c.Type) == nil {
			for _, t := range v.Terms {
				if x, ok := t.(*Object); ok && !w.seen[x] && depth < maxSettingDepth {
					w.seen[x] = true
					w.fields(x, path, name, prefix+f+".", depth+1)
				}
			}
			continue
		}
		w.value(v, depth+1)
	}
}

// made runs a function that makes a connection (the Dial of redigo's pool) for what it returns.
func (w *settingWalk) made(t *Closure, depth int) {
	it := w.it
	sig, ok := t.Pkg.Info.TypeOf(t.Lit).(*types.Signature)
	if !ok || sig.Results().Len() == 0 || namedOf(sig.Results().At(0).Type()) == nil || it.eng.isHandlerShaped(sig) {
		return
	}
	n := &site{spread: sig.Variadic()}
	for i := range sig.Params().Len() {
		n.args = append(n.args, unknown(sig.Params().At(i).Type(), nil))
	}
	mark, effects, unsaid := len(it.journal), len(it.eng.effects), len(it.unfollow)
	held := it.held
	var v Value
	it.collect(nodeSeq, func() { v = it.invoke(t, n) })
	it.exited = false
	if len(v.Tuple) > 0 {
		v = v.Tuple[0]
	}
	w.value(v, depth+1)
	it.held = held
	it.rollback(mark)
	it.eng.effects, it.unfollow = it.eng.effects[:effects], it.unfollow[:unsaid]
}

// found keeps a setting. Zero is the library's default, and a number below it switches the limit off.
func (w *settingWalk) found(set knowledge.Setting, v Value, pos token.Pos) {
	switch set.Unit {
	case "bool":
		return
	case "s":
		v = w.it.binary(token.MUL, v, intValue(1_000_000_000), pos)
	case "ms":
		v = w.it.binary(token.MUL, v, intValue(1_000_000), pos)
	}
	if k, ok := v.isConst(); ok {
		switch n := number0(k); {
		case constant.Sign(n) == 0:
			return
		case constant.Sign(n) < 0:
			w.out.off[set.Scope] = true
			return
		}
	}
	if p := w.it.eng.storePos(v); p.IsValid() {
		pos = p
	}
	w.out.by[set.Scope] = append(w.out.by[set.Scope], setAt{v, pos})
}

// unknownPart stands for a part of a text that is not known.
const unknownPart = "\x00"

// text looks for parameters in a data source name.
func (w *settingWalk) text(v Value, pos token.Pos) {
	if len(w.dsn) == 0 || !isStringType(v.Type) && len(v.Scalars) == 0 {
		return
	}
	limiting := slices.ContainsFunc(w.dsn, func(s knowledge.Setting) bool { return bounds(s.Scope) })
	if len(v.Scalars) == 0 || v.Open {
		w.out.open = w.out.open || limiting
	}
	for _, s := range v.Scalars {
		t := w.it.spelled(s, 0)
		for _, set := range w.dsn {
			if val, ok := parameter(t, set.Name); ok {
				w.parameter(set, val, pos)
			}
		}
		w.out.open = w.out.open || limiting && strings.HasSuffix(t, unknownPart)
	}
}

func (w *settingWalk) parameter(set knowledge.Setting, val string, pos token.Pos) {
	v := unknown(types.Typ[types.Int64], nil)
	if !strings.Contains(val, unknownPart) {
		c, ok := convertScalar(opDuration, constant.MakeString(val))
		if !ok {
			if c, ok = convertScalar(opInt, constant.MakeString(val)); !ok {
				return
			}
			if set.Unit == "duration" {
				set.Unit = "s"
			}
		} else {
			set.Unit = ""
		}
		v = constValue(c, types.Typ[types.Int64], pos)
	}
	w.found(set, v, pos)
}

func isStringType(t types.Type) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// spelled is a text for this container with its unknown parts marked.
func (it *Interp) spelled(s Scalar, depth int) string {
	if c, _, ok, _ := s.resolve(it.vals); ok {
		return Text(c)
	}
	if s.Sym == nil || s.Sym.Op != opConcat || depth > 4 {
		return unknownPart
	}
	out := ""
	for _, a := range s.Sym.Args {
		out += it.spelled(a, depth+1)
	}
	return out
}

// parameter is the value of name=value in a data source name: a URL's query, or words with blanks or semicolons between.
func parameter(dsn, name string) (string, bool) {
	const ends = "?&; "
	lower, key := strings.ToLower(dsn), strings.ToLower(name)+"="
	for from := 0; ; {
		i := strings.Index(lower[from:], key)
		if i < 0 {
			return "", false
		}
		i += from
		from = i + len(key)
		if i > 0 && !strings.ContainsRune(ends, rune(dsn[i-1])) {
			continue
		}
		v := dsn[from:]
		if j := strings.IndexAny(v, ends); j >= 0 {
			v = v[:j]
		}
		return strings.Trim(v, "'\""), true
	}
}

// scopesOf are the scopes of which a limit ends a call, on a connection that is there or while it is made.
func scopesOf(connecting bool, by map[string][]setAt) []string {
	if !connecting {
		return []string{"total", "server_selection", "response_header", "read"}
	}
	if len(by["connect"])+len(by["handshake"]) == 0 {
		return []string{"total", "server_selection", "response_header", "read"} // nothing else is said
	}
	return []string{"total", "connect", "handshake"}
}

// bounds reports whether a limit of that scope ends a call on a connection that is there and goes silent.
func bounds(scope string) bool { return slices.Contains(scopesOf(false, nil), scope) }

// dataSource keeps what a data source name was formatted from, so that its limits are found where the name is opened
// (https://pkg.go.dev/github.com/go-sql-driver/mysql#Config.FormatDSN).
func (it *Interp) dataSource(s *site, v Value) Value {
	if s.name != "FormatDSN" || !s.method || it.request {
		return v
	}
	o := it.object(Library, nil, posOf(s))
	o.Lib = &Lib{Path: s.path, Name: s.recvT + "." + s.name, Args: []Value{s.recv}}
	v.Terms = []Term{o}
	return v
}
