package summary

import (
	"go/token"
	"go/types"
	"strings"
)

// synced is what a method says that bears the name and the shape of an informer's, on a value whose type was not read: an own
// interface that an informer or its factory satisfies, or a module that is missing. Both tell how far a local copy of the
// API server's objects has come (k8s.io/client-go/tools/cache.Controller, informers.SharedInformerFactory).
func (it *Interp) synced(s *site) (Value, bool) {
	if !it.request || !s.method || s.e == nil {
		return Value{}, false
	}
	switch s.name {
	case "HasSynced":
		if len(s.args) != 0 || !isInvalid(s.result) && !isBoolean(s.result) {
			return Value{}, false
		}
	case "WaitForCacheSync":
		if m, ok := s.result.(*types.Map); len(s.args) != 1 || !isInvalid(s.result) && !isBoolean(s.result) && (!ok || !isBoolean(m.Elem())) {
			return Value{}, false
		}
	default:
		return Value{}, false
	}
	src := &Source{Kind: State, Name: s.short(), Pos: s.e.Pos(), Mirror: true, Of: "the Kubernetes API", Latch: true}
	return it.shaped(s.result, Label{{src, 0}}, nil), true
}

// isSync reports the questions to a local copy of another system's objects whether it is complete. Once it is, it stays
// complete: an outage leaves it old (k8s.io/client-go/tools/cache/shared_informer.go, HasSynced).
func isSync(name string) bool {
	return name == "HasSynced" || name == "WaitForCacheSync" || name == "WaitForNamedCacheSync"
}

// syncedBefore reports a call that start-up made as well before the port was open: where it waited there, the copy is
// complete by the time of a request.
func (it *Interp) syncedBefore(s *site) bool {
	if s.e == nil || !strings.HasPrefix(s.name, "WaitFor") {
		return false
	}
	if it.request {
		return it.eng.synced[s.e.Pos()] && (isBoolean(s.result) || isInvalid(s.result))
	}
	if !it.serving && !it.background {
		if it.eng.synced == nil {
			it.eng.synced = map[token.Pos]bool{}
		}
		it.eng.synced[s.e.Pos()] = true
	}
	return false
}

func isBoolean(t types.Type) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}
