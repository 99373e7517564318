package summary

import (
	"go/token"

	"github.com/probelint/probelint/internal/model"
)

// Effect is one execution of a call that leaves the process, in its place among the others.
type Effect struct {
	Kind      string // of analyzer/knowledge: database, cache, http, ...
	Entry     string // knowledge entry
	Name      string // PostgreSQL, Redis, HTTP service
	Callee    string // "(*database/sql.DB).PingContext"
	Target    string
	Op        string
	Statement string
	Pos, End  token.Pos
	Scope     model.Scope
	Shared    bool
	Bounds    []*Deadline // nested deadlines that reach the call, outermost first
	Bound     model.Bound
	Detached  bool // a goroutine that nothing waits for
	Parallel  bool
	// Background: made at start-up by a goroutine that goes on; Every is the period of its loop where it is known.
	Background bool
	Every      *Deadline
	Looped     bool
	// Doubt: nothing is seen that bounds it, and a text that is not known may.
	Doubt bool
	Once  bool // behind a sync.Once: the first request pays for all
	Via   []Hop
	Stack []Step // innermost first
	// Connectionless: it succeeds whatever the other side does.
	Connectionless bool
	Interface      string
	Iface          model.Certainty
	Control        Label // what had to be so for the call to be made
	After          bool  // the status was out
	src            *Source
	Recv           Value
	Conn           bool // opens a connection or client of its own
	// Ignored are deadlines in the context that the client does not honour; ClientLimit, in seconds, is what holds instead.
	Ignored     []*Deadline
	ClientLimit float64
	// IgnoredBy is the driver that does not honour them where that is not the client itself, imported at IgnoredAt.
	IgnoredBy             string
	IgnoredAt, IgnoredEnd token.Pos
	Loop                  int       // passes of the loops around the call, where known
	Again                 *Again    // a retry library around it
	AnswerBound           *Deadline // a middleware that answers for the handler after this time
}

func (e *Effect) source() *Source {
	if e.src == nil {
		e.src = &Source{Kind: Effects, Effect: e, Name: e.Callee, Pos: e.Pos}
	}
	return e.src
}

// stated are the deadlines that the call is given, honoured or not, outermost first.
func (e *Effect) stated() []*Deadline {
	if len(e.Ignored) == 0 {
		return e.Bounds
	}
	return append(append([]*Deadline(nil), e.Ignored...), e.Bounds...)
}

// Hop is one step of the way from a handler to a call.
type Hop struct {
	Symbol   string
	Pos, End token.Pos // of the call
}

// Deadline is one execution of a deadline: all calls under it share it.
type Deadline struct {
	Dur Value // nanoseconds
	Pos token.Pos
	End token.Pos
	// Answer: bounds the answer and not the work (http.TimeoutHandler over a call without ctx, a race with time.After).
	Answer bool
	Client bool // set where the client was made
	// Between: no further attempt begins after it; the one in hand goes on (MaxElapsedTime of a retry library).
	Between bool
	born    int // its number: what is made in a loop is made anew in each pass
}

// Ctx is a context.Context: where it comes from and the deadlines on it, outermost first.
type Ctx struct {
	Root      CtxRoot
	Deadlines []*Deadline
	Signal    bool // ends with a signal
	Dead      bool // a framework's context without deadline and Done (gin, fiber)
}

// CtxRoot is what a context derives from.
type CtxRoot uint8

// The roots of a context.
const (
	RootUnknown CtxRoot = iota
	RootBackground
	RootRequest
)

// nodeKind shapes the tree of what a handler does in time.
type nodeKind uint8

const (
	nodeSeq nodeKind = iota
	nodePar
	nodeAlt
	nodeLoop
	nodeLeaf
	nodeFn   // the body of a function
	nodeRace // an answer bounded by deadline, over work that goes on
)

// node is a part of that tree.
type node struct {
	kind  nodeKind
	kids  []*node
	eff   *Effect
	race  *Deadline
	sleep *Deadline
	exits bool // of a branch: the function ends with it
	// of a loop: the passes where known, and the last number before it
	times, since int
	// of a retry library's call: the deadlines of its context, and after how long it gives up
	under []*Deadline
	limit *Deadline
}

func (n *node) add(k *node) { n.kids = append(n.kids, k) }

// walk calls f for each effect below n.
func (n *node) walk(f func(*Effect)) {
	if n.eff != nil {
		f(n.eff)
	}
	for _, k := range n.kids {
		k.walk(f)
	}
}

func (n *node) empty() bool {
	if n.eff != nil || n.sleep != nil {
		return false
	}
	for _, k := range n.kids {
		if !k.empty() {
			return false
		}
	}
	return true
}

// spawned is a goroutine that was started and not yet waited for.
type spawned struct {
	node *node
	chs  []*Object // channels that it sends to or closes
	// plain are those that it sends to outside a select.
	plain []*Object
	// beside is where a goroutine that was started before it ended was waited for.
	beside *node
}
