package execprobe

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/probelint/probelint/internal/model"
)

// outcome is how a part of a script can end: with status zero or another, by going on or by leaving the script.
type outcome struct{ zero, fails, leavesZero, leavesFails bool }

var (
	either  = outcome{zero: true, fails: true}
	success = outcome{zero: true}
)

// judge follows the statuses through a script. What it does not know can end either way, so that "always 0" is never
// guessed.
type judge struct {
	text     string // the script; it is what a search of processes finds
	shell    string
	errexit  bool
	pipefail bool
	timeout  float64
	single   bool // the script is one simple command, which bash starts in its own place
	opaque   bool // eval, source, trap
	depth    int
	why      *model.ExecFault
}

// always says why a script exits 0 whatever happens, nil where it can fail.
func always(text, shellName string, errexit bool, timeout float64) *model.ExecFault {
	f, err := parse(text)
	if err != nil || len(f.Stmts) == 0 {
		return nil
	}
	j := &judge{text: text, shell: shellName, errexit: errexit, timeout: timeout}
	_, simple := f.Stmts[0].Cmd.(*syntax.CallExpr)
	j.single = len(f.Stmts) == 1 && simple && !f.Stmts[0].Negated && !f.Stmts[0].Background
	o := j.list(f.Stmts, false)
	if j.opaque || o.fails || o.leavesFails || !(o.zero || o.leavesZero) {
		return nil
	}
	if j.why == nil {
		j.why = &model.ExecFault{Kind: model.ExecConstant, Text: strings.TrimSpace(text)}
	}
	return j.why
}

func (j *judge) note(kind, program, text string) {
	j.why = &model.ExecFault{Kind: kind, Program: program, Text: text}
}

// list judges statements; condition: their failure is looked at, so that -e does not leave.
func (j *judge) list(stmts []*syntax.Stmt, condition bool) outcome {
	now := success
	before := false // an earlier statement asks something
	left := outcome{}
	for _, st := range stmts {
		if leaves, o := j.exit(st, now); leaves {
			if now.fails && !o.leavesFails {
				j.note(model.ExecLast, "", "; "+j.source(st))
			}
			left.leavesZero = left.leavesZero || o.leavesZero
			left.leavesFails = left.leavesFails || o.leavesFails
			return left
		}
		was := now
		now = j.stmt(st, condition)
		left.leavesZero = left.leavesZero || now.leavesZero
		left.leavesFails = left.leavesFails || now.leavesFails
		if j.errexit && !condition && now.fails && mayLeave(st) {
			left.leavesFails = true
			now.fails = false
		}
		if before = before || was.fails; before && !now.fails && now.zero && was.fails {
			j.note(model.ExecLast, "", "; "+j.source(st))
		}
	}
	now.leavesZero, now.leavesFails = left.leavesZero, left.leavesFails
	return now
}

// mayLeave: -e ignores a failure behind `!` and in a list of && and || but for its last part.
func mayLeave(st *syntax.Stmt) bool {
	return !st.Negated && !st.Background
}

// exit judges `exit`, `exit N` and `exit $?`.
func (j *judge) exit(st *syntax.Stmt, now outcome) (bool, outcome) {
	c, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 || st.Negated || st.Background {
		return false, outcome{}
	}
	name := c.Args[0].Lit()
	if name != "exit" && name != "return" {
		return false, outcome{}
	}
	if len(c.Args) == 1 || passesStatus(st) {
		return true, outcome{leavesZero: now.zero, leavesFails: now.fails}
	}
	n, err := strconv.Atoi(c.Args[1].Lit())
	switch {
	case err != nil:
		return true, outcome{leavesZero: true, leavesFails: true}
	case n%256 == 0:
		return true, outcome{leavesZero: true}
	}
	return true, outcome{leavesFails: true}
}

func (j *judge) stmt(st *syntax.Stmt, condition bool) outcome {
	if st == nil {
		return either
	}
	if j.depth++; j.depth > 200 {
		j.depth--
		return either
	}
	defer func() { j.depth-- }()
	if st.Background {
		j.note(model.ExecBackground, "", "&")
		return success
	}
	if leaves, o := j.exit(st, either); leaves {
		return o
	}
	o := j.cmd(st.Cmd, condition)
	for _, r := range st.Redirs { // an input that is not there fails the command
		if w := r.Word; r.Op == syntax.RdrIn && (w == nil || w.Lit() != "/dev/null") {
			o.fails = true
		}
	}
	if st.Negated {
		o.zero, o.fails = o.fails, o.zero
	}
	return o
}

func (j *judge) cmd(c syntax.Command, condition bool) outcome {
	switch c := c.(type) {
	case *syntax.CallExpr:
		return j.call(c)
	case *syntax.BinaryCmd:
		return j.binary(c, condition)
	case *syntax.Block:
		return j.list(c.Stmts, condition)
	case *syntax.Subshell:
		return inSubshell(j.list(c.Stmts, condition))
	case *syntax.IfClause:
		return j.ifClause(c, condition)
	case *syntax.FuncDecl:
		j.opaque = true // what a call of it does is not followed
		return success
	case *syntax.DeclClause:
		return success
	case *syntax.WhileClause:
		return join(either, j.list(c.Do, condition))
	case *syntax.ForClause:
		return join(either, j.list(c.Do, condition))
	case *syntax.CaseClause:
		o := success
		for _, item := range c.Items {
			o = join(o, j.list(item.Stmts, condition))
		}
		return o
	}
	return either
}

// join is what either of two ways can come to.
func join(a, b outcome) outcome {
	return outcome{a.zero || b.zero, a.fails || b.fails, a.leavesZero || b.leavesZero, a.leavesFails || b.leavesFails}
}

// inSubshell: what leaves a subshell only ends it.
func inSubshell(o outcome) outcome {
	return outcome{zero: o.zero || o.leavesZero, fails: o.fails || o.leavesFails}
}

func (j *judge) binary(c *syntax.BinaryCmd, condition bool) outcome {
	switch c.Op {
	case syntax.AndStmt:
		x := j.stmt(c.X, true)
		y := j.stmt(c.Y, condition)
		o := outcome{zero: x.zero && y.zero, fails: x.fails || x.zero && y.fails, leavesZero: x.leavesZero, leavesFails: x.leavesFails}
		if x.zero {
			o.leavesZero, o.leavesFails = o.leavesZero || y.leavesZero, o.leavesFails || y.leavesFails
		}
		return o
	case syntax.OrStmt:
		x := j.stmt(c.X, true)
		y := j.stmt(c.Y, condition)
		o := outcome{zero: x.zero || x.fails && y.zero, fails: x.fails && y.fails, leavesZero: x.leavesZero, leavesFails: x.leavesFails}
		if x.fails {
			o.leavesZero, o.leavesFails = o.leavesZero || y.leavesZero, o.leavesFails || y.leavesFails
			if !o.fails && !o.leavesFails {
				j.note(model.ExecOr, "", "|| "+j.source(c.Y))
			}
		}
		return o
	}
	if j.selfSearch(c) {
		j.note(model.ExecSelf, "ps", j.source(&syntax.Stmt{Cmd: c}))
		return success
	}
	x := inSubshell(j.stmt(c.X, true))
	y := inSubshell(j.stmt(c.Y, condition))
	if name := readsAll(c.Y); name != "" {
		y = success
		if x.fails && !j.pipefail {
			j.note(model.ExecPipe, name, "| "+j.source(c.Y))
		}
	}
	if j.pipefail {
		return outcome{zero: x.zero && y.zero, fails: x.fails || y.fails}
	}
	return y
}

func (j *judge) ifClause(c *syntax.IfClause, condition bool) outcome {
	cond := j.list(c.Cond, true)
	o := outcome{leavesZero: cond.leavesZero, leavesFails: cond.leavesFails}
	if cond.zero {
		o = join(o, j.list(c.Then, condition))
	}
	if !cond.fails {
		return o
	}
	switch {
	case c.Else == nil:
		o.zero = true
		if !o.fails && !o.leavesFails {
			j.note(model.ExecLast, "", "if without a failing branch")
		}
	case len(c.Else.Cond) > 0:
		o = join(o, j.ifClause(c.Else, condition))
	default:
		o = join(o, j.list(c.Else.Then, condition))
	}
	return o
}

func (j *judge) call(c *syntax.CallExpr) outcome {
	if len(c.Args) == 0 {
		o := success
		for _, a := range c.Assigns {
			if a.Value != nil && substitutes(a.Value) {
				o = either
			}
		}
		return o
	}
	s := shell{env: func(string) (string, bool) { return "", false }}
	args := make([]string, len(c.Args))
	for i, w := range c.Args {
		args[i] = s.word(w)
	}
	switch args[0] {
	case "set":
		j.option(args[1:])
		return success
	case "eval", "source", ".", "trap", "alias":
		j.opaque = true
		return either
	case "export", "readonly", "unset", "local", "declare", "typeset", "umask":
		return success
	case "exec":
		if len(args) > 1 {
			return inSubshell(j.simple(args[1:]))
		}
		return success
	}
	return j.simple(args)
}

func (j *judge) simple(args []string) outcome {
	args = unwrap(args)
	if len(args) == 0 {
		return either
	}
	if args[0] == "false" {
		return outcome{fails: true}
	}
	if isConstant(args, j.timeout) {
		return success
	}
	if at, errexit, ok := script(args); ok && !strings.Contains(args[at], unknown) {
		if why := always(args[at], commandOf(args[0]), errexit, j.timeout); why != nil {
			j.why = why
			return success
		}
		return either
	}
	if commandOf(args[0]) == "pgrep" && j.findsShell(args[1:]) {
		j.note(model.ExecSelf, "pgrep", strings.Join(args, " "))
		return success
	}
	return either
}

func (j *judge) option(args []string) {
	for i, a := range args {
		if strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.Contains(a, "e") {
			j.errexit = true
		}
		if strings.HasPrefix(a, "+") && strings.Contains(a, "e") {
			j.errexit = false
		}
		if i > 0 && a == "pipefail" {
			j.pipefail = true
		}
		if i > 0 && a == "errexit" {
			j.errexit = true
		}
	}
}

// isConstant reports whether a command can only succeed, as long as it ends within the timeout.
func isConstant(args []string, timeout float64) bool {
	switch name := commandOf(args[0]); name {
	case "true", ":", "hostname", "date", "whoami", "pwd":
		return len(args) == 1 || name == "true" || name == ":"
	case "echo", "printf":
		return true
	case "sleep":
		if len(args) != 2 {
			return false
		}
		n, ok := seconds(args[1])
		return ok && timeout > 0 && n < timeout
	case "kill": // the container would be gone
		return len(args) == 3 && args[1] == "-0" && (args[2] == "1" || args[2] == "$$")
	case "test", "[":
		rest := args[1:]
		if name == "[" && len(rest) > 0 {
			rest = rest[:len(rest)-1]
		}
		return len(rest) == 2 && (rest[0] == "-d" || rest[0] == "-e") && strings.TrimSuffix(rest[1], "/") == "/proc/1"
	}
	return false
}

// substitutes reports whether a word holds $(...).
func substitutes(n syntax.Node) bool {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		_, ok := n.(*syntax.CmdSubst)
		found = found || ok
		return !found
	})
	return found
}

// readsAll names a program at the end of a pipe that succeeds whatever it is given, "" for any other. It has no file among
// its arguments: one that is not there would fail it.
func readsAll(st *syntax.Stmt) string {
	c, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 || st.Negated {
		return ""
	}
	name := commandOf(c.Args[0].Lit())
	files := 0
	for _, w := range c.Args[1:] {
		if !strings.HasPrefix(w.Lit(), "-") {
			files++
		}
	}
	switch name {
	case "cat", "sort", "uniq", "wc":
		if files == 0 {
			return name
		}
	case "head", "tail": // -n 1, -c 10
		if files == 0 || files == 1 && len(c.Args) == 3 && strings.HasPrefix(c.Args[1].Lit(), "-") && len(c.Args[1].Lit()) == 2 {
			return name
		}
	case "tee", "tr", "echo", "true", ":":
		return name
	}
	return ""
}

// source is a statement as text on one line.
func (j *judge) source(st *syntax.Stmt) string {
	var b strings.Builder
	_ = syntax.NewPrinter(syntax.SingleLine(true)).Print(&b, st)
	return strings.TrimSpace(b.String())
}
