package engine

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/probelint/probelint/internal/model"
)

// Crash is a fault of probelint itself that cost a part of the run.
type Crash struct {
	// What failed, on which object; Message is the panic; Stack is for a bug report; RulesOff are the rules that did not
	// judge this object.
	What, Message, Stack string
	RulesOff             []string
}

func newCrash(what string, v any, rulesOff ...string) Crash {
	return Crash{What: what, Message: fmt.Sprint(v), Stack: string(debug.Stack()), RulesOff: rulesOff}
}

func (c Crash) limit() model.Limit {
	return model.Limit{What: c.What, Because: "internal error: " + c.Message, RulesOff: c.RulesOff}
}

// guard runs f and returns its panic.
func guard(what string, f func()) (c *Crash) {
	defer func() {
		if v := recover(); v != nil {
			cr := newCrash(what, v)
			c = &cr
		}
	}()
	f()
	return nil
}

// sortCrashes makes the order independent of the scheduling.
func sortCrashes(cs []Crash) {
	slices.SortFunc(cs, func(a, b Crash) int {
		if d := strings.Compare(a.What, b.What); d != 0 {
			return d
		}
		return strings.Compare(a.Message, b.Message)
	})
}
