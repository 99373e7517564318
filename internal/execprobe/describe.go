package execprobe

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/probelint/probelint/internal/model"
)

// Describe fills in p.Exec and p.Command for an exec probe of container c, which may be nil; other probes are left alone.
func Describe(p *model.Probe, c *model.Container) {
	if p.Kind != model.Exec {
		return
	}
	p.Exec, p.Command = nil, nil
	words := make([]string, len(p.Target.Command))
	for i, a := range p.Target.Command {
		words[i] = expandKubelet(a, c)
	}
	p.Command = command(words, p.Target.Command, environment(c), float64(p.TimeoutSeconds))
	env := environment(c)
	start := len(words) - len(unwrap(words))
	argv := words[start:]
	if len(argv) == 0 {
		return
	}
	if at, errexit, ok := script(argv); ok {
		s := shell{env: env}
		for _, found := range s.script(argv[at], errexit) {
			found.Argument = start + at
			p.Exec = append(p.Exec, found)
		}
		return
	}
	if found, ok := describe(argv, env); ok {
		found.Decides, found.Argument = true, start
		p.Exec = append(p.Exec, found)
	}
}

// DescribeHook fills in h.Does for an exec hook; the kubelet expands no $(NAME) in one.
func DescribeHook(h *model.PreStop, c *model.Container) {
	h.Does = nil
	if h.Kind == "exec" {
		h.Does = command(h.Command, h.Command, environment(c), 0)
	}
}

// environment looks up what the container's manifest tells of a variable: its value, the mark of the unknown for one whose
// value is not in the input. ok is false where the manifest has no such variable.
func environment(c *model.Container) func(string) (string, bool) {
	return func(name string) (string, bool) {
		if c == nil {
			return "", false
		}
		for i := len(c.Env) - 1; i >= 0; i-- { // the last one of a name wins
			if e := c.Env[i]; e.Name == name {
				if !e.Known {
					return unknown, true
				}
				return e.Value, true
			}
		}
		return "", false
	}
}

// expandKubelet replaces $(NAME) as the kubelet does: from the container's variables alone, and "$$(" is an escape. A name
// that it does not know stays as written.
func expandKubelet(s string, c *model.Container) string {
	var b strings.Builder
	env := environment(c)
	for i := 0; i < len(s); i++ {
		if s[i] != '$' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		if s[i+1] == '$' {
			b.WriteByte('$')
			i++
			continue
		}
		end := strings.IndexByte(s[i:], ')')
		if s[i+1] == '(' && end > 0 {
			if v, ok := env(s[i+2 : i+end]); ok {
				b.WriteString(v)
				i += end
				continue
			}
		}
		b.WriteByte('$')
	}
	return b.String()
}

// script finds the script of `sh -c SCRIPT`; errexit is true for -e. Options may stand between -c and the script.
func script(argv []string) (at int, errexit, ok bool) {
	if !isShell(argv[0]) {
		return 0, false, false
	}
	command := false
	for i := 1; i < len(argv); i++ {
		a := argv[i]
		switch {
		case a == "-o" || a == "+o":
			i++
		case a == "--":
		case strings.HasPrefix(a, "--"):
		case strings.HasPrefix(a, "-") && len(a) > 1:
			errexit = errexit || strings.Contains(a, "e")
			if strings.HasSuffix(a, "o") && i+1 < len(argv) { // -euo pipefail
				errexit = errexit || argv[i+1] == "errexit"
				i++
			}
			command = command || strings.Contains(a, "c")
		default:
			return i, errexit, command
		}
	}
	return 0, false, false
}

func isShell(arg string) bool {
	switch commandOf(arg) {
	case "sh", "bash", "ash", "dash", "ksh", "zsh":
		return true
	}
	return false
}

// shell walks a script.
type shell struct {
	env      func(string) (string, bool)
	set      map[string]string // what the script assigns
	errexit  bool
	pipefail bool
	out      []model.ExecCheck
	programs []model.ExecProgram
	read     int // depth of what looks at the output: a pipe into grep, [ "$(...)" ]
	broken   bool
}

// script describes the commands of a script in order. A script that does not parse gives none.
func (s *shell) script(text string, errexit bool) []model.ExecCheck {
	f, err := parse(text)
	if err != nil {
		s.broken = true
		return nil
	}
	s.set, s.errexit = map[string]string{}, errexit
	s.list(f.Stmts, true)
	return s.out
}

// list walks statements of which the last gives the status, and each one under -e.
func (s *shell) list(stmts []*syntax.Stmt, decides bool) {
	for i, st := range stmts {
		last := i == len(stmts)-1
		// `cmd; exit $?` and `cmd; exit` hand the status on.
		passed := i == len(stmts)-2 && passesStatus(stmts[i+1])
		s.stmt(st, decides && (last || passed || s.errexit))
	}
}

func (s *shell) stmt(st *syntax.Stmt, decides bool) {
	if st == nil {
		return
	}
	if st.Background {
		decides = false
	}
	for _, r := range st.Redirs {
		s.substitutions(r, false)
	}
	switch c := st.Cmd.(type) {
	case *syntax.CallExpr:
		s.call(c, decides)
	case *syntax.BinaryCmd:
		s.binary(c, decides)
	case *syntax.WhileClause:
		s.list(c.Cond, decides)
		s.list(c.Do, decides)
	case *syntax.ForClause:
		s.list(c.Do, decides)
	case *syntax.CaseClause:
		for _, item := range c.Items {
			s.list(item.Stmts, decides)
		}
	case *syntax.FuncDecl:
		s.stmt(c.Body, decides)
	case *syntax.Block:
		s.list(c.Stmts, decides)
	case *syntax.Subshell:
		s.list(c.Stmts, decides)
	case *syntax.IfClause:
		s.ifClause(c, decides)
	case *syntax.TestClause, *syntax.ArithmCmd:
		s.substitutions(c, decides)
	default:
		if c != nil {
			s.substitutions(c, false)
		}
	}
}

func (s *shell) binary(c *syntax.BinaryCmd, decides bool) {
	switch c.Op {
	case syntax.AndStmt:
		s.stmt(c.X, decides)
		s.stmt(c.Y, decides)
	case syntax.OrStmt:
		s.stmt(c.X, decides && canFail(c.Y))
		s.stmt(c.Y, decides)
	default: // a pipe
		reads := readsOutput(c.Y)
		if reads {
			s.read++
		}
		s.stmt(c.X, decides && (s.pipefail || reads))
		if reads {
			s.read--
		}
		s.stmt(c.Y, decides)
	}
}

func (s *shell) ifClause(c *syntax.IfClause, decides bool) {
	verdict := false
	syntax.Walk(c, func(n syntax.Node) bool {
		if st, ok := n.(*syntax.Stmt); ok && exits(st) {
			verdict = true
		}
		return true
	})
	s.list(c.Cond, verdict)
	s.list(c.Then, decides)
	if c.Else != nil {
		if len(c.Else.Cond) > 0 {
			s.ifClause(c.Else, decides)
		} else {
			s.list(c.Else.Then, decides)
		}
	}
}

func (s *shell) call(c *syntax.CallExpr, decides bool) {
	for _, a := range c.Assigns {
		if a.Value != nil {
			s.substitutions(a.Value, decides && len(c.Args) == 0)
			if len(c.Args) == 0 && a.Name != nil {
				s.set[a.Name.Value] = s.word(a.Value)
			}
		}
	}
	if len(c.Args) == 0 {
		return
	}
	args := make([]string, len(c.Args))
	for i, w := range c.Args {
		args[i] = s.word(w)
	}
	if args[0] == "set" {
		s.option(args[1:])
		return
	}
	test := args[0] == "[" || args[0] == "test"
	for _, w := range c.Args {
		s.substitutions(w, decides && test)
	}
	if at, errexit, ok := script(args); ok && !strings.Contains(args[at], unknown) {
		inner := shell{env: s.env}
		for _, found := range inner.script(args[at], errexit) {
			found.Decides = found.Decides && decides
			s.out = append(s.out, found)
		}
		s.program(c, args, decides)
		for _, p := range inner.programs {
			p.Decides, p.Read, p.End = p.Decides && decides, p.Read || s.read > 0, -1
			s.programs = append(s.programs, p)
		}
		s.broken = s.broken || inner.broken
		return
	}
	s.program(c, args, decides)
	if found, ok := describe(args, s.lookup); ok {
		found.Decides = decides
		s.out = append(s.out, found)
	}
}

// option follows `set -e` and `set -o pipefail`.
func (s *shell) option(args []string) {
	for i, a := range args {
		if strings.HasPrefix(a, "-") && strings.Contains(a, "e") {
			s.errexit = true
		}
		if i > 0 && a == "pipefail" {
			s.pipefail = true
		}
	}
}

// substitutions walks the $(...) below a node.
func (s *shell) substitutions(n syntax.Node, decides bool) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if sub, ok := n.(*syntax.CmdSubst); ok {
			if decides {
				s.read++
			}
			s.list(sub.Stmts, decides)
			if decides {
				s.read--
			}
			return false
		}
		return true
	})
}

func (s *shell) lookup(name string) (string, bool) {
	if v, ok := s.set[name]; ok {
		return v, true
	}
	return s.env(name)
}

// word is the text of a word with variables replaced; what is not known becomes the mark.
func (s *shell) word(w *syntax.Word) string {
	var b strings.Builder
	s.parts(&b, w.Parts)
	return b.String()
}

func (s *shell) parts(b *strings.Builder, parts []syntax.WordPart) {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(p.Value, "\\", ""))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			s.parts(b, p.Parts)
		case *syntax.ParamExp:
			b.WriteString(s.param(p))
		default:
			b.WriteString(unknown)
		}
	}
}

// param is $NAME, ${NAME} or ${NAME:-default}. A variable that the manifest does not set may come from the image.
func (s *shell) param(p *syntax.ParamExp) string {
	if p.Param == nil || p.Excl || p.Length || p.Width || p.Index != nil || p.Slice != nil || p.Repl != nil {
		return unknown
	}
	if v, ok := s.lookup(p.Param.Value); ok && p.Exp == nil {
		return v
	} else if ok && p.Exp != nil && v != "" && v != unknown {
		return v
	}
	return unknown
}

// passesStatus reports whether a statement ends the script with the status before it.
func passesStatus(st *syntax.Stmt) bool {
	c, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 || c.Args[0].Lit() != "exit" {
		return false
	}
	if len(c.Args) == 1 {
		return true
	}
	var b strings.Builder
	_ = syntax.NewPrinter().Print(&b, c.Args[1])
	return strings.Trim(b.String(), `"`) == "$?"
}

// exits reports whether a statement ends the script with a failure: exit 1, false, return 1.
func exits(st *syntax.Stmt) bool {
	c, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 {
		return false
	}
	switch c.Args[0].Lit() {
	case "false":
		return true
	case "exit", "return":
		return len(c.Args) > 1 && c.Args[1].Lit() != "0"
	}
	return false
}

// canFail reports whether the right side of || can hand a failure on.
func canFail(st *syntax.Stmt) bool {
	switch c := st.Cmd.(type) {
	case *syntax.CallExpr:
		if len(c.Args) == 0 {
			return false
		}
		switch c.Args[0].Lit() {
		case "true", ":", "echo", "printf", "sleep":
			return false
		case "exit", "return":
			return len(c.Args) == 1 || c.Args[1].Lit() != "0"
		}
		return true
	case *syntax.BinaryCmd:
		if c.Op == syntax.OrStmt {
			return canFail(c.Y)
		}
		return canFail(c.X) || canFail(c.Y)
	case *syntax.Block:
		return len(c.Stmts) > 0 && anyFails(c.Stmts)
	case *syntax.Subshell:
		return len(c.Stmts) > 0 && anyFails(c.Stmts)
	}
	return true
}

func anyFails(stmts []*syntax.Stmt) bool {
	for _, st := range stmts[:len(stmts)-1] {
		if exits(st) {
			return true
		}
	}
	return canFail(stmts[len(stmts)-1])
}

// readsOutput reports whether the end of a pipe turns what it reads into a status: grep, or jq -e.
func readsOutput(st *syntax.Stmt) bool {
	switch c := st.Cmd.(type) {
	case *syntax.CallExpr:
		if len(c.Args) == 0 {
			return false
		}
		switch commandOf(c.Args[0].Lit()) {
		case "grep", "egrep", "fgrep":
			return true
		case "jq":
			return len(c.Args) > 1 && strings.HasPrefix(c.Args[1].Lit(), "-") && strings.Contains(c.Args[1].Lit(), "e")
		}
	case *syntax.BinaryCmd:
		return readsOutput(c.Y)
	}
	return false
}
