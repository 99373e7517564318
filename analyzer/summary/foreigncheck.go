package summary

import (
	"go/constant"
	"go/token"
	"strings"
	"time"

	"github.com/probelint/probelint/analyzer/knowledge"
	"github.com/probelint/probelint/internal/model"
)

// foreignCheck is a check that a library brings and that is not read: what the tables say of it.
type foreignCheck struct {
	name   string
	of     string // what it mirrors
	mirror bool
	local  bool // state of the process itself
	latch  bool
	port   Value // of the listener that it dials, which the program opens itself
	dials  bool
	limit  float64 // seconds that the dial lasts at most
}

// startedLimit is how long (*webhook.DefaultServer).StartedChecker dials its own port at most: the net.Dialer of
// controller-runtime v0.25 pkg/webhook/server.go.
const startedLimit = 10

// foreignCheckOf is what is known of a checker that a library made.
func (it *Interp) foreignCheckOf(o *Object) (*foreignCheck, bool) {
	if o.Lib != nil && o.Lib.Path == controllerRuntime+"/pkg/webhook" && strings.HasSuffix(o.Lib.Name, "StartedChecker") {
		f := &foreignCheck{name: "StartedChecker", dials: true, limit: startedLimit, port: webhookPort(it, nil)}
		if len(o.Lib.Args) > 0 {
			for _, w := range it.objectsIn(o.Lib.Args[0]) {
				f.port = webhookPort(it, w)
			}
		}
		return f, true
	}
	if o.Lib != nil && strings.HasSuffix(o.Lib.Path, "/healthz") && o.Lib.Name == "NewInformerSyncHealthz" {
		return &foreignCheck{name: "NewInformerSyncHealthz", mirror: true, of: "the Kubernetes API", latch: true}, true
	}
	p, n := typeName(o.Type)
	if n == "" || it.eng.firstParty(p) {
		return nil, false
	}
	c, ok := it.eng.kb.LookupCall(p, n, "Check", knowledge.Sig{})
	if !ok || c.Effect != knowledge.Mirror {
		return nil, false
	}
	f := &foreignCheck{name: n + ".Check", mirror: true}
	if cl, ok := it.eng.kb.LookupClient(c.Entry); ok {
		f.of = cl.Display
	}
	return f, true
}

// foreignOutcome runs such a check for a request.
func (it *Interp) foreignOutcome(f *foreignCheck, pos, end token.Pos) Value {
	if f.mirror || f.local {
		src := &Source{Kind: State, Name: f.name, Pos: pos, Mirror: f.mirror, Of: f.of, Latch: f.latch}
		return Value{Open: true, Nil: mayNil | mayNonNil, L: Label{{src, 1}}}
	}
	e := &Effect{
		Kind: "tcp", Name: "webhook server", Callee: "(*" + controllerRuntime + "/pkg/webhook.Server).StartedChecker", Op: "ping", Pos: pos, End: end,
		Scope: model.Loopback, Control: it.pc(), Stack: it.way(pos, end), Bound: model.BoundDeadline,
	}
	e.Bounds = []*Deadline{{Dur: constValue(constant.MakeInt64(int64(f.limit*float64(time.Second))), nil, pos), Pos: pos, End: end, Client: true, born: it.stamp()}}
	if c, _, ok := f.port.Resolve(it.vals); ok {
		e.Target = "localhost:" + Text(c)
	}
	it.cur.add(&node{kind: nodeLeaf, eff: e})
	it.eng.effects = append(it.eng.effects, e)
	return Value{Open: true, Nil: mayNil | mayNonNil, L: Label{{e.source(), 1}}}
}
