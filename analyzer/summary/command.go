package summary

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

const cobraPath = "github.com/spf13/cobra"

// command is a command of a command line library: what it runs and what is below it.
type command struct {
	obj    *Object
	subs   []*Object
	ran    bool
	parent *Object
}

// commandKey tells commands apart that one literal makes.
type commandKey struct {
	pos  token.Pos
	name string
}

// noteName keeps the name of a command.
func (g *Engine) noteName(n string) {
	for _, x := range g.names {
		if x == n {
			return
		}
	}
	if n != "" {
		g.names = append(g.names, n)
	}
}

// CommandNames are the names under which the program runs different things.
func (g *Engine) CommandNames() []string { return g.names }

func isCommandLib(path string) bool {
	return path == cobraPath || strings.HasPrefix(path, "github.com/urfave/cli")
}

// noteCommand keeps a command that is made.
func (g *Engine) noteCommand(o *Object) {
	if o.Lib == nil || !isCommandLib(o.Lib.Path) || o.Lib.Name != "Command" && o.Lib.Name != "App" {
		return
	}
	if g.commands == nil {
		g.commands = map[*Object]*command{}
	}
	if g.commands[o] != nil {
		return
	}
	g.commands[o] = &command{obj: o}
	g.commandList = append(g.commandList, o)
}

// modelCommand interprets cobra and urfave/cli: executing a command runs it and, each on its own, those below it.
func (it *Interp) modelCommand(s *site) (Value, bool) {
	if !isCommandLib(s.path) {
		return Value{}, false
	}
	if it.request {
		return it.flagOf(s)
	}
	switch s.name {
	case "AddCommand":
		for _, p := range it.commandsIn(s.recv) {
			for _, a := range it.spreadArgs(s, 0) {
				for _, c := range it.commandsIn(a) {
					p.subs = append(p.subs, c.obj)
					c.parent = p.obj
				}
			}
		}
		return Value{}, true
	case "Execute", "ExecuteContext", "ExecuteC", "ExecuteContextC", "Run", "RunContext", "RunAndExitOnError":
		cs := it.commandsIn(s.recv)
		if len(cs) == 0 {
			return Value{}, false
		}
		it.execute(cs, s)
		return Value{Open: true, Nil: mayNil | mayNonNil, Type: s.result}, true
	case "Context":
		if isContextType(s.result) {
			o := it.object(Context, s.result, s.e.Pos())
			o.Ctx = &Ctx{Root: RootBackground, Signal: true}
			return termValue(o, s.result), true
		}
	}
	return it.flagOf(s)
}

func (it *Interp) commandsIn(v Value) []*command {
	var out []*command
	for _, o := range it.objectsIn(v) {
		if c := it.eng.commands[o]; c != nil {
			out = append(out, c)
		}
	}
	return out
}

// execute runs commands, each from the same state, since one process runs one of them.
func (it *Interp) execute(roots []*command, s *site) {
	type job struct {
		c     *command
		names []string
		chain []*command
	}
	var jobs []job
	var walk func(c *command, names []string, chain []*command, depth int)
	walk = func(c *command, names []string, chain []*command, depth int) {
		if c.ran || depth > 6 || len(jobs) > 64 {
			return
		}
		c.ran = true
		for _, n := range names {
			it.eng.noteName(n)
		}
		same := commandKey{c.obj.Pos, it.commandName(c)}
		if it.eng.ranCommands[same] && c.obj.Pos.IsValid() {
			return // made again by a function that is called again
		}
		if it.eng.ranCommands == nil {
			it.eng.ranCommands = map[commandKey]bool{}
		}
		it.eng.ranCommands[same] = true
		chain = append(chain[:len(chain):len(chain)], c)
		if it.commandServes(c) {
			jobs = append(jobs, job{c, names, chain})
		}
		subs := append([]*Object(nil), c.subs...)
		for _, f := range []string{"Commands", "Subcommands"} {
			if x, ok := c.obj.Fields[f]; ok {
				for _, e := range it.spreadArgsOf(it.get(x)) {
					subs = append(subs, it.objectsIn(e)...)
				}
			}
		}
		for _, o := range subs {
			if sc := it.eng.commands[o]; sc != nil {
				walk(sc, []string{it.commandName(sc)}, chain, depth+1)
			}
		}
	}
	for _, r := range roots {
		var names []string
		if len(roots) > 1 { // one binary under several names
			names = []string{it.commandName(r)}
		}
		walk(r, names, nil, 0)
	}
	terms := make([]Term, len(jobs))
	for i := range jobs {
		terms[i] = i
	}
	saved, serving, signaled := it.commandNames, it.serving, it.signaled
	anyServing := serving
	left := len(jobs)
	run := func(j job) {
		outer := it.limit
		it.limit = it.steps + max(max(0, it.stepLimit()-it.steps)/max(1, left), minCommandSteps)
		left--
		defer func() { it.limit = outer }()
		it.commandNames, it.serving, it.signaled = j.names, serving, signaled
		for _, f := range []string{"PersistentPreRunE", "PersistentPreRun", "Before"} {
			for _, p := range j.chain {
				it.runField(p, f, s)
			}
		}
		for _, f := range []string{"PreRunE", "PreRun", "RunE", "Run", "Action", "PostRunE", "PostRun"} {
			it.runField(j.c, f, s)
		}
		anyServing = anyServing || it.serving
	}
	if len(jobs) == 1 {
		run(jobs[0])
	} else if len(jobs) > 1 {
		it.aside(func() { // none tells how the process ends
			it.each(terms, func(t Term) Value { run(jobs[t.(int)]); it.exited = false; return Value{} })
		})
	}
	it.exited = false
	it.commandNames, it.serving, it.signaled = saved, anyServing, signaled
}

// runsCommands are the calls of a command line library that lead to a command's function.
func runsCommands(name string) bool {
	return strings.HasPrefix(name, "Execute") || name == "AddCommand" || name == "Run" || name == "RunContext" || name == "RunAndExitOnError"
}

// opensListener reports a function from which code that opens a listener is reached.
func (g *Engine) opensListener(t Term) bool {
	switch t := t.(type) {
	case *Func:
		d, ok := g.decls[t.Fn.Origin()]
		return ok && g.graph.listening[d.decl]
	case *Closure:
		found := false
		ast.Inspect(t.Lit.Body, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && !found {
				if fn, ok := t.Pkg.Info.Uses[id].(*types.Func); ok {
					if d, own := g.decls[fn.Origin()]; own {
						found = g.graph.listening[d.decl]
					} else {
						found = g.listens(fn)
					}
				}
			}
			return !found
		})
		return found
	}
	return false
}

// minCommandSteps is what each of several commands gets, whatever those before it took.
const minCommandSteps = 240_000

// commandServes reports a command that leads to a listener: the others do not change what a probe meets.
func (it *Interp) commandServes(c *command) bool {
	for _, f := range []string{"RunE", "Run", "Action", "PreRunE", "PreRun"} {
		if x, ok := c.obj.Fields[f]; ok {
			for _, t := range it.get(x).Terms {
				if it.eng.opensListener(t) {
					return true
				}
			}
		}
	}
	return false
}

func (it *Interp) commandName(c *command) string {
	for _, f := range []string{"Use", "Name"} {
		if x, ok := c.obj.Fields[f]; ok {
			if t, ok := it.get(x).str(); ok {
				name, _, _ := strings.Cut(t, " ")
				return name
			}
		}
	}
	return ""
}

// runField calls a function in a field of a command.
func (it *Interp) runField(c *command, field string, s *site) {
	x, ok := c.obj.Fields[field]
	if !ok {
		return
	}
	for _, t := range it.get(x).Terms {
		var sig *types.Signature
		switch f := t.(type) {
		case *Closure:
			sig, _ = f.Pkg.Info.TypeOf(f.Lit).(*types.Signature)
		case *Func:
			sig, _ = f.Fn.Type().(*types.Signature)
		}
		if sig == nil {
			continue
		}
		n := &site{e: s.e}
		for i := range sig.Params().Len() {
			pt := sig.Params().At(i).Type()
			p, name := typeName(pt)
			switch {
			case isCommandLib(p) && name == "Command":
				n.args = append(n.args, termValue(c.obj, pt))
			case isContextType(pt):
				o := it.object(Context, pt, token.NoPos)
				o.Ctx = &Ctx{Root: RootBackground, Signal: true}
				n.args = append(n.args, termValue(o, pt))
			default:
				n.args = append(n.args, unknown(pt, nil))
			}
		}
		it.invoke(t, n)
		if it.exited {
			return
		}
	}
}

// leftCommands runs commands that nothing was seen to execute: a helper of another module does.
func (g *Engine) leftCommands(it *Interp) {
	for _, o := range append([]*Object(nil), g.commandList...) { // what these make is run by none
		c := g.commands[o]
		for c.parent != nil && g.commands[c.parent] != nil && !c.ran && c.parent != c.obj {
			c = g.commands[c.parent]
			if c.ran {
				break
			}
		}
		if c.ran {
			continue
		}
		it.frame = g.root(g.main, g.main.Path)
		it.execute([]*command{c}, &site{})
		it.detachAll()
	}
}

// flagOf is cmd.Flags().GetString("name"), c.String("name"), viper.GetString("key") and their kin.
func (it *Interp) flagOf(s *site) (Value, bool) {
	if !s.method || len(s.args) != 1 {
		return Value{}, false
	}
	kind := strings.TrimPrefix(s.name, "Get")
	if kind != s.name && s.path == cobraPath || !isScalarKind(kind) {
		return Value{}, false
	}
	name, ok := s.arg(0).str()
	if !ok {
		return Value{}, false
	}
	sc := Scalar{Sym: &Sym{Op: opFlag, Name: name, Pos: s.e.Pos()}, Pos: s.e.Pos()}
	if d, ok := it.eng.flags[name]; ok {
		sc = d
	}
	return it.asKind(sc, kind, s), true
}

func isScalarKind(kind string) bool {
	switch kind {
	case "String", "Bool", "Int", "Int32", "Int64", "Uint", "Uint16", "Uint32", "Uint64", "Duration", "Float64":
		return true
	}
	return false
}

// asKind gives a text that comes from outside the type that is asked for, and the error beside it where there is one.
func (it *Interp) asKind(sc Scalar, kind string, s *site) Value {
	t := s.result
	tup, isTuple := t.(*types.Tuple)
	if isTuple && tup.Len() > 0 {
		t = tup.At(0).Type()
	}
	v := Value{Scalars: []Scalar{typedScalar(sc, kind)}, Type: t}
	if isTuple {
		return Value{Tuple: []Value{v, nilValue(tup.At(tup.Len() - 1).Type())}}
	}
	return v
}

func typedScalar(sc Scalar, kind string) Scalar {
	op := opText
	switch kind {
	case "String":
		if sc.C != nil && sc.C.Kind() == constant.String || sc.Sym != nil && (sc.Sym.Op == opEnv || sc.Sym.Op == opFlag || sc.Sym.Op == opConcat) {
			return sc
		}
	case "Duration":
		op = opDuration
	case "Bool":
		op = opBool
	default:
		op = opInt
	}
	if sc.C != nil {
		if c, ok := convertScalar(op, sc.C); ok {
			sc.C = c
		}
		return sc
	}
	if sc.Sym != nil && sc.Sym.Op == op {
		return sc
	}
	return Scalar{Sym: &Sym{Op: op, Args: []Scalar{sc}, Pos: sc.Pos}, Pos: sc.Pos}
}

// noteFlag remembers a flag by its name.
func (g *Engine) noteFlag(name string, sc Scalar) {
	if g.flags == nil {
		g.flags = map[string]Scalar{}
	}
	g.flags[name] = sc
}

// noteCLIFlag reads &cli.StringFlag{Name, Value, EnvVars, Destination} of urfave/cli.
func (it *Interp) noteCLIFlag(o *Object) {
	kind, ok := strings.CutSuffix(o.Lib.Name, "Flag")
	if !ok || !strings.HasPrefix(o.Lib.Path, "github.com/urfave/cli") || !isScalarKind(kind) {
		return
	}
	var name string
	var def *Scalar
	if c, ok := o.Fields["Name"]; ok {
		name, _ = it.get(c).str()
	}
	if c, ok := o.Fields["Value"]; ok {
		if v := it.get(c); len(v.Scalars) == 1 && !v.Open {
			def = &v.Scalars[0]
		}
	}
	for _, f := range []string{"EnvVars", "Sources", "EnvVar"} {
		c, ok := o.Fields[f]
		if !ok {
			continue
		}
		vs := append(it.spreadArgsOf(it.get(c)), it.get(c))
		if lib := libOf(it.get(c)); lib != nil { // cli.EnvVars("PORT")
			vs = append(vs, lib.Args...)
		}
		for _, v := range vs {
			if e, ok := v.str(); ok && e != "" {
				def = &Scalar{Sym: &Sym{Op: opEnv, Name: e, Def: def, Pos: o.Pos}, Pos: o.Pos}
				break
			}
		}
	}
	if name == "" {
		return
	}
	sc := Scalar{Sym: &Sym{Op: opFlag, Name: name, Def: def, Pos: o.Pos}, Pos: o.Pos}
	it.eng.noteFlag(name, sc)
	if c, ok := o.Fields["Destination"]; ok {
		for _, t := range it.get(c).Terms {
			if p, ok := t.(*Pointer); ok {
				it.set(p.Cell, Value{Scalars: []Scalar{typedScalar(sc, kind)}, Type: p.Cell.Type})
			}
		}
	}
}
