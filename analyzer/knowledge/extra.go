package knowledge

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Extra is what a project says of its own clients, wrappers, routers and health libraries (docs/knowledge.md). It is plain data: whoever reads
// the configuration fills it, and [Extra.Tables] checks it.
type Extra struct {
	Version  int            `json:"version"`
	Clients  []ExtraClient  `json:"clients,omitempty"`
	Wrappers []ExtraWrapper `json:"wrappers,omitempty"`
	Routers  []ExtraRouter  `json:"routers,omitempty"`
	Health   []ExtraHealth  `json:"health,omitempty"`
}

// ExtraClient is a library that talks to another system.
type ExtraClient struct {
	ID      string `json:"id"`      // names it in messages: "orders-bus"
	Kind    string `json:"kind"`    // database, cache, queue, http, grpc, dns, tcp, ...
	Display string `json:"display"` // what people call the other system
	// Own: each replica has its own, so that a restart may help. Otherwise all replicas share it.
	Own bool `json:"own,omitempty"`
	// IgnoresContext: a deadline in the context does not end a call. ContextOption names the "Type.Field" that makes it count.
	IgnoresContext bool   `json:"ignores-context,omitempty"`
	ContextOption  string `json:"context-option,omitempty"`
	// Limit is how long a call lasts at most when nothing is set, as Go writes durations; empty: nothing ends it.
	Limit    string         `json:"limit,omitempty"`
	Calls    []ExtraCall    `json:"calls,omitempty"`
	Settings []ExtraSetting `json:"settings,omitempty"`
}

// ExtraCall is one function or method, named as Go prints it: "example.com/bus.Dial", "(*example.com/bus.Client).Ping".
type ExtraCall struct {
	Call      string `json:"call"`
	Effect    string `json:"effect"`              // remote, connect, stream, maybe, mirror, local, lazy, builder, async, file
	Operation string `json:"operation,omitempty"` // ping, query, exec, get, ...
	// Timeout is the index of a parameter that bounds the call; nil where there is none.
	Timeout *int   `json:"timeout,omitempty"`
	Limit   string `json:"limit,omitempty"` // where it differs from the client's
}

// ExtraSetting is a place where a program can bound the calls of the client: a field "example.com/bus.Options.Timeout", a function
// or method with the index of its duration, or a parameter of the data source name.
type ExtraSetting struct {
	Field     string `json:"field,omitempty"`
	Func      string `json:"func,omitempty"`
	Argument  int    `json:"argument,omitempty"`
	Parameter string `json:"parameter,omitempty"`
	Bounds    string `json:"bounds"`         // total, read, connect, ...
	Unit      string `json:"unit,omitempty"` // s or ms for a plain number
}

// ExtraWrapper is a function that runs the functions it is given: again when they fail (retry), beside what follows
// (spawn, parallel), one for all who ask at the same time (dedup), once (once).
type ExtraWrapper struct {
	Call string `json:"call"`
	Role string `json:"role"`
}

// extraVersion is the only version of the shape.
const extraVersion = 1

var (
	effectsByName = []string{"remote", "connect", "lazy", "builder", "async", "stream", "maybe", "mirror", "local", "file"}
	scopeNames    = []string{"total", "connect", "read", "write", "pool_wait", "server_selection", "response_header", "handshake", "retry", "ctx"}
	wrapperRoles  = []string{"retry", "parallel", "spawn", "dedup", "once"}
)

// Empty reports whether nothing is added.
func (x Extra) Empty() bool {
	return len(x.Clients)+len(x.Wrappers)+len(x.Routers)+len(x.Health) == 0
}

// Add takes over the entries of another file.
func (x *Extra) Add(y Extra) {
	x.Version = y.Version
	x.Clients, x.Wrappers = append(x.Clients, y.Clients...), append(x.Wrappers, y.Wrappers...)
	x.Routers, x.Health = append(x.Routers, y.Routers...), append(x.Health, y.Health...)
}

// Tables checks the entries and turns them into rows for [Base.With]. Every fault is told, with the entry that has it.
func (x Extra) Tables() (Tables, []error) {
	var t Tables
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if x.Version != extraVersion {
		fault("version %d is not known; this program reads version %d", x.Version, extraVersion)
		return t, errs
	}
	for i, c := range x.Clients {
		where := fmt.Sprintf("clients[%d]", i)
		if c.ID == "" {
			fault("%s has no id", where)
			continue
		}
		where += " `" + c.ID + "`"
		if c.Kind == "" {
			fault("%s has no kind", where)
		}
		cl := Client{Entry: c.ID, Kind: c.Kind, Display: c.Display, Shared: !c.Own, Honors: CtxYes, CtxIf: c.ContextOption}
		if cl.Display == "" {
			cl.Display = c.ID
		}
		if c.IgnoresContext || c.ContextOption != "" {
			cl.Honors = CtxNo
		}
		cl.NoDeadlineSeconds = seconds(c.Limit, where, fault)
		t.Clients = append(t.Clients, cl)
		for j, k := range c.Calls {
			at := fmt.Sprintf("%s calls[%d]", where, j)
			path, recv, name, ok := splitSymbol(k.Call)
			if !ok {
				fault("%s: `%s` is no function or method of a package", at, k.Call)
				continue
			}
			if !oneOf(k.Effect, effectsByName, at+": effect", fault) {
				continue
			}
			row := Call{
				Path: path, Recv: recv, Name: name, Entry: c.ID, Kind: c.Kind, Effect: effectNamed(k.Effect), Op: k.Operation,
				Ctx: -1, Err: -1, Dur: -1, Limit: seconds(k.Limit, at, fault), Shared: !c.Own,
			}
			if k.Timeout != nil {
				row.Dur = *k.Timeout
			}
			t.Calls = append(t.Calls, row)
		}
		for j, s := range c.Settings {
			at := fmt.Sprintf("%s settings[%d]", where, j)
			if !oneOf(s.Bounds, scopeNames, at+": bounds", fault) {
				continue
			}
			row := Setting{Entry: c.ID, Scope: s.Bounds, Dur: -1, Unit: s.Unit}
			ok := true
			switch {
			case s.Field != "":
				var last string
				row.Path, last, ok = cutLast(s.Field)
				row.Name = last
				if ok {
					row.Path, row.Recv, ok = cutLast(row.Path)
				}
			case s.Func != "":
				row.Path, row.Recv, row.Name, ok = splitSymbol(s.Func)
				row.Dur = s.Argument
			case s.Parameter != "":
				row.Path, row.Recv, row.Name = c.ID, "dsn", s.Parameter
				if row.Unit == "" {
					row.Unit = "duration"
				}
			default:
				fault("%s names no field, func or parameter", at)
				continue
			}
			if !ok {
				fault("%s: `%s` is no symbol of a package", at, s.Field+s.Func)
				continue
			}
			t.Settings = append(t.Settings, row)
		}
	}
	for i, w := range x.Wrappers {
		at := fmt.Sprintf("wrappers[%d]", i)
		path, recv, name, ok := splitSymbol(w.Call)
		if !ok {
			fault("%s: `%s` is no function or method of a package", at, w.Call)
			continue
		}
		if !oneOf(w.Role, wrapperRoles, at+": role", fault) {
			continue
		}
		t.Wrappers = append(t.Wrappers, WrapperCall{
			Path: path, Recv: recv, Name: name, Entry: "project", Role: WrapperRole(w.Role), Ctx: -1, Err: -1, Dur: -1, Time: -1, Handler: -1, Body: -1,
		})
	}
	x.routers(&t, fault)
	x.healthLibraries(&t, fault)
	return t, errs
}

// seconds reads a duration; empty is none.
func seconds(s, where string, fault func(string, ...any)) float64 {
	if s == "" {
		return 0
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		fault("%s: limit `%s` is no duration above zero, such as 5s", where, s)
		return 0
	}
	return d.Seconds()
}

// oneOf reports whether a word is one of those that the shape has, and tells those that it has.
func oneOf(word string, words []string, what string, fault func(string, ...any)) bool {
	if slices.Contains(words, word) {
		return true
	}
	fault("%s `%s` is none of %s", what, word, strings.Join(words, ", "))
	return false
}

func effectNamed(name string) Effect {
	for i, n := range effectNames {
		if n == name {
			return Effect(i)
		}
	}
	return NoEffect
}

// splitSymbol reads "path.Func" and "(*path.Type).Method".
func splitSymbol(s string) (path, recv, name string, ok bool) {
	if rest, method := strings.CutPrefix(s, "("); method {
		t, m, found := strings.Cut(rest, ").")
		if !found || m == "" {
			return "", "", "", false
		}
		path, recv, ok = cutLast(strings.TrimPrefix(t, "*"))
		return path, recv, m, ok
	}
	path, name, ok = cutLast(s)
	return path, "", name, ok
}

// cutLast parts a name from the import path in front of it.
func cutLast(s string) (path, name string, ok bool) {
	i := strings.LastIndexByte(s, '.')
	if i <= 0 || i == len(s)-1 || strings.Contains(s[i:], "/") {
		return "", "", false
	}
	return s[:i], s[i+1:], true
}

// Adds reports whether a level above the shipped one speaks of a call: what a project says of its own function holds before
// its body does.
func (b *Base) Adds(path, recv, name string) bool {
	for ; b != nil && b.below != nil; b = b.below {
		if p := b.pkg(path); p != nil {
			if _, ok := find(b.Calls, p.calls, (*Call).symbol, recv, name); ok {
				return true
			}
		}
	}
	return false
}

// AddsType reports whether a level above the shipped one speaks of a type: its methods or its settings.
func (b *Base) AddsType(path, name string) bool {
	for ; b != nil && b.below != nil; b = b.below {
		p := b.pkg(path)
		if p == nil {
			continue
		}
		for _, c := range b.Calls[p.calls.lo:p.calls.hi] {
			if c.Recv == name {
				return true
			}
		}
		for _, s := range b.Settings[p.settings.lo:p.settings.hi] {
			if s.Recv == name {
				return true
			}
		}
	}
	return false
}
