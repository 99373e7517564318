package knowledge

import (
	"slices"
	"time"
)

// Effect is what a call does.
type Effect uint8

// The effects. A path that reaches Remote, Connect or Stream waits for another system; Maybe does in some states. Mirror reads a
// local view of remote state, which flips when the other side is down. Lazy and Local do no I/O. Builder prepares a call that a
// later one makes; Async queues.
const (
	NoEffect Effect = iota
	Remote
	Connect
	Lazy
	Builder
	Async
	Stream
	Maybe
	Mirror
	Local
	File
)

var effectNames = [...]string{"", "remote", "connect", "lazy", "builder", "async", "stream", "maybe", "mirror", "local", "file"}

// String is the name used in data/dependencies.yaml.
func (e Effect) String() string {
	if int(e) < len(effectNames) {
		return effectNames[e]
	}
	return "?"
}

// Waits reports whether the caller waits for another system, always or in some states.
func (e Effect) Waits() bool { return e == Remote || e == Connect || e == Stream || e == Maybe }

// Call is one function, method or func-typed field of a client.
type Call struct {
	Path, Recv, Name string // Recv without "*", "" for a function
	Entry            string // id of the Client
	Kind             string // of dependency: database, cache, queue, http, grpc, dns, tcp, ...
	Effect           Effect
	Op               string        // ping, query, exec, get, publish, lookup, state, bind_ctx, ...
	Ctx, Err, Dur    int           // index of the context, the error result and a limit parameter; -1 where there is none
	Unit             time.Duration // of a Dur that is a number; 0 where it is a time.Duration
	// Limit is how many seconds the call lasts at worst without a deadline where that differs from Client.NoDeadlineSeconds;
	// 0: it does not.
	Limit   float64
	IsField bool // a struct field of func type
	IsVar   bool // a package variable of func type
	Shared  bool // all replicas use the same system
	// Pattern: found by its shape and not by its name; the body, where there is one, tells more.
	Pattern bool
	Sig     string // "(ctx context.Context) error", package names as in the declaring file; "" where unknown
}

func (c *Call) symbol() (path, recv, name string) { return c.Path, c.Recv, c.Name }

// Sig is what a lookup by shape needs to know of a call. SigOf fills it from a *types.Func.
type Sig struct {
	// Ctx0: the first parameter is a context.Context.
	Ctx0 bool
	// Last is the type of the last parameter as "path.Name", the element type where it is variadic.
	Last string
	// HasErr: the last result is an error, Err its index.
	HasErr bool
	Err    int
	// Imports reports whether the declaring package imports a path; nil where that is not known.
	Imports func(path string) bool
}

// CallPattern describes calls by shape: the methods of a client whose first parameter is a context, generated clients. "*" in
// Path, Recv and Name stands for any text.
type CallPattern struct {
	Path, Recv, Name string
	Except           []string // names left out; may hold "*"
	Ctx0             bool
	Last             string // Sig.Last
	Imports          string // a path that the declaring package imports
	Call             Call   // Path, Recv, Name, Err and Sig are filled from the call
}

// LookupCall finds a call by import path, receiver type without "*" ("" for a function) and name. Where no row has the exact
// symbol the patterns are tried, which need sig; the zero Sig matches those that ask nothing of it.
func (b *Base) LookupCall(path, recv, name string, sig Sig) (Call, bool) {
	for l := b; l != nil; l = l.below {
		if p := l.pkg(path); p != nil {
			if c, ok := find(l.Calls, p.calls, (*Call).symbol, recv, name); ok {
				return c, true
			}
		}
	}
	for l := b; l != nil; l = l.below {
		for i := range l.Patterns {
			if p := &l.Patterns[i]; p.matches(path, recv, name, sig) {
				c := p.Call
				c.Path, c.Recv, c.Name, c.Pattern, c.Err = path, recv, name, true, -1
				if sig.HasErr {
					c.Err = sig.Err
				}
				return c, true
			}
		}
	}
	return Call{}, false
}

func (p *CallPattern) matches(path, recv, name string, sig Sig) bool {
	if p.Ctx0 && !sig.Ctx0 || p.Last != "" && p.Last != sig.Last {
		return false
	}
	if !match(p.Path, path) || !match(p.Recv, recv) || !match(p.Name, name) {
		return false
	}
	if p.Imports != "" && (sig.Imports == nil || !sig.Imports(p.Imports)) {
		return false
	}
	return !slices.ContainsFunc(p.Except, func(x string) bool { return match(x, name) })
}

// LookupCall asks [Default].
func LookupCall(path, recv, name string, sig Sig) (Call, bool) {
	return Default().LookupCall(path, recv, name, sig)
}
