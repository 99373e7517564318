package summary

import (
	"go/types"
	"strings"
)

// maxHooks bounds how many commands are run; beyond it the registrations are read without what the commands give them.
const maxHooks = 4

// hook is a function that start-up hands to a library in a field of a struct, to be run later: the RunE of a command.
type hook struct {
	run   Term
	frame *Frame
	done  bool
}

// hooksIn notes the functions in a library's struct that lead to a listener.
func (it *Interp) hooksIn(o *Object) {
	if it.request || o.Lib == nil || it.eng.commands[o] != nil {
		return // a command is run by its own model
	}
	for _, name := range sortedFields(o.Fields) {
		for _, t := range it.get(o.Fields[name]).Terms {
			var sig *types.Signature
			switch x := t.(type) {
			case *Closure:
				sig, _ = x.Pkg.Info.TypeOf(x.Lit).(*types.Signature)
			case *Func:
				sig, _ = x.Fn.Type().(*types.Signature)
			}
			if sig == nil || it.eng.isHandlerShaped(sig) || !it.eng.leadsToServing(t) {
				continue
			}
			it.eng.hooks = append(it.eng.hooks, &hook{run: t, frame: it.frame})
		}
	}
}

// runsHooks reports the call by which a program hands itself over to a library of commands.
func (it *Interp) runsHooks(s *site) bool {
	if it.request || !s.method || len(it.eng.hooks) == 0 {
		return false
	}
	return strings.HasPrefix(s.name, "Execute") || s.name == "Run" || s.name == "RunContext" || s.name == "RunAndExitOnError"
}

// runHooks runs what is waiting. Several are alternatives, of which one process runs one: each starts from a program that
// serves nothing yet, and none tells how the process ends.
func (it *Interp) runHooks() {
	var todo []*hook
	for _, h := range it.eng.hooks {
		if !h.done {
			h.done = true
			todo = append(todo, h)
		}
	}
	if len(todo) > maxHooks {
		it.eng.tooMany = len(todo) // a command line of many commands: which of them a container starts is not known here
		return
	}
	run := func(h *hook) {
		steps := it.steps
		it.steps = max(it.steps, maxSteps-maxHookSteps)
		defer func() { it.steps = steps }()
		serving, signaled, frame := it.serving, it.signaled, it.frame
		it.serving, it.signaled = false, false
		if frame == nil {
			it.frame = h.frame
		}
		it.callback1(h.run)
		it.exited = false
		it.frame = frame
		it.serving, it.signaled = serving || it.serving, signaled
	}
	if len(todo) == 1 {
		run(todo[0])
		return
	}
	for _, h := range todo {
		it.aside(func() { run(h) })
	}
}
