package execprobe

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/probelint/probelint/internal/model"
)

// parse reads a script. What the manifest does not tell stands for a variable without a value.
func parse(text string) (*syntax.File, error) {
	return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(strings.ReplaceAll(text, unknown, "${__unknown__}")), "")
}

// command describes a command line. words are its words with $(NAME) expanded, raw those that are written; timeout is the
// probe's in seconds, 0 where there is none.
func command(words, raw []string, env func(string) (string, bool), timeout float64) *model.ExecCommand {
	if len(words) == 0 {
		return nil
	}
	c := &model.ExecCommand{Whole: true}
	inner := unwrap(words)
	start := len(words) - len(inner)
	for _, w := range words[:start] {
		if known := wrappers[commandOf(w)]; known && w == path.Base(w) || strings.HasPrefix(w, "/") {
			c.Programs = append(c.Programs, model.ExecProgram{Name: path.Base(w), Path: w, End: -1})
		}
	}
	if c.NotShell = notShell(words); c.NotShell != nil || len(inner) == 0 {
		return c
	}
	within := limitOf(words[:start])
	at, errexit, ok := script(inner)
	if !ok {
		c.Programs = append(c.Programs, program(inner, env, within, true, false))
		last := &c.Programs[len(c.Programs)-1]
		last.Argument = start
		c.Whole = !isShell(inner[0]) // a script that lies in the image
		if isConstant(inner, timeout) {
			c.Always = &model.ExecFault{Kind: model.ExecConstant, Text: strings.Join(inner, " "), Argument: start}
		}
		c.Lies = lies(c.Programs)
		return c
	}
	c.Shell = commandOf(inner[0])
	c.Programs = append(c.Programs, model.ExecProgram{Name: c.Shell, Path: inner[0], Args: inner[1:], Argument: start, End: -1})
	s := shell{env: env}
	s.script(inner[at], errexit)
	c.Whole = !s.broken && !strings.Contains(inner[at], unknown)
	for _, p := range s.programs {
		p.Argument = start + at
		if raw[p.Argument] != words[p.Argument] || strings.Contains(words[p.Argument], unknown) {
			p.End = -1
		}
		if p.Bound == nil || within != nil && (p.Bound.Endless || p.Bound.Seconds > within.Seconds) {
			p.Bound = within
		}
		c.Programs = append(c.Programs, p)
	}
	if !s.broken {
		c.Always = always(inner[at], c.Shell, errexit, timeout)
		if c.Always != nil {
			c.Always.Argument = start + at
		}
	}
	c.Lies = lies(c.Programs)
	return c
}

// wrappers start the rest of their arguments.
var wrappers = map[string]bool{
	"timeout": true, "gtimeout": true, "nohup": true, "sudo": true, "nice": true, "gosu": true, "su-exec": true, "tini": true,
	"busybox": true, "env": true,
}

// program adds one simple command of a script.
func (s *shell) program(c *syntax.CallExpr, args []string, decides bool) {
	start := len(args) - len(unwrap(args))
	for _, w := range args[:start] {
		if wrappers[commandOf(w)] {
			s.programs = append(s.programs, model.ExecProgram{Name: path.Base(w), Path: w, End: -1})
		}
	}
	if start == len(args) {
		return
	}
	p := program(args[start:], s.lookup, limitOf(args[:start]), decides, s.read > 0)
	if start < len(c.Args) {
		p.End = int(c.Args[start].End().Offset()) //nolint:gosec // an offset into a manifest
	}
	s.programs = append(s.programs, p)
}

// program describes one command behind its wrappers.
func program(args []string, env func(string) (string, bool), within *model.ExecBound, decides, read bool) model.ExecProgram {
	p := model.ExecProgram{Name: commandOf(args[0]), Path: args[0], Args: args[1:], Decides: decides, Read: read, End: -1}
	if strings.Contains(args[0], unknown) {
		p.Name = ""
		return p
	}
	p.Builtin = builtins[args[0]]
	p.Kind = kinds[p.Name]
	if t, ok := tools[p.Name]; ok {
		p.Kind = t.kind
	}
	p.Heavy = heavy[p.Name]
	if p.Heavy == "" && strings.HasPrefix(p.Name, "kafka-") {
		p.Heavy = "a JVM"
	}
	if p.Heavy == "" && (strings.HasPrefix(p.Name, "python3.") || strings.HasSuffix(args[0], ".py")) {
		p.Heavy = "a Python interpreter"
	}
	p.Bound = bound(p.Name, args[1:], env)
	if within != nil && (p.Bound == nil || p.Bound.Endless || p.Bound.Seconds > within.Seconds) {
		p.Bound = within
	}
	p.URL = ownURL(p.Name, args[1:])
	return p
}

// kinds are those of programs that ask nobody over the network.
var kinds = map[string]string{
	"pgrep": "process", "ps": "process", "pidof": "process", "kill": "process", "pkill": "process",
	"cat": "file", "test": "file", "[": "file", "stat": "file", "ls": "file", "find": "file",
	"supervisorctl": "process", "true": "constant", "false": "constant", ":": "constant", "echo": "constant",
}

// heavy says what a program starts that takes long (kb: measured and from documentation).
var heavy = map[string]string{
	"java": "a JVM", "jps": "a JVM", "jcmd": "a JVM", "nodetool": "a JVM", "zkCli": "a JVM", "keytool": "a JVM",
	"python": "a Python interpreter", "python2": "a Python interpreter", "python3": "a Python interpreter",
	"celery": "a Python interpreter", "airflow": "a Python interpreter", "cqlsh": "a Python interpreter",
	"rabbitmq-diagnostics": "an Erlang VM", "rabbitmqctl": "an Erlang VM", "mongosh": "a Node.js runtime",
}

// builtins are those of dash, the smallest shell (dash(1)); an image without the program of the name still has them with sh.
var builtins = map[string]bool{
	":": true, ".": true, "[": true, "alias": true, "bg": true, "break": true, "cd": true, "command": true, "continue": true,
	"echo": true, "eval": true, "exec": true, "exit": true, "export": true, "false": true, "fg": true, "getopts": true, "hash": true,
	"jobs": true, "kill": true, "local": true, "printf": true, "pwd": true, "read": true, "readonly": true, "return": true,
	"set": true, "shift": true, "test": true, "times": true, "trap": true, "true": true, "type": true, "ulimit": true,
	"umask": true, "unalias": true, "unset": true, "wait": true, "source": true, "let": true,
}

// notShell finds words that mean something to a shell alone.
func notShell(words []string) *model.ExecFault {
	inner := unwrap(words)
	if len(inner) == 0 {
		return nil
	}
	at := len(words) - len(inner)
	if strings.ContainsAny(inner[0], "{}<>") { // a placeholder
		return nil
	}
	if len(inner) == 1 && strings.ContainsAny(strings.TrimSpace(inner[0]), " \t\n|") {
		return &model.ExecFault{Kind: model.ExecOneWord, Text: inner[0], Argument: at}
	}
	_, _, hasScript := script(inner)
	if isShell(inner[0]) {
		if hasScript {
			return nil
		}
		for i, a := range inner[1:] {
			if strings.HasPrefix(a, "-") {
				continue
			}
			if strings.ContainsAny(strings.TrimSpace(a), " |;&") && !strings.Contains(a, "${") {
				return &model.ExecFault{Kind: model.ExecNoScript, Text: a, Argument: at + 1 + i}
			}
			return nil
		}
		return nil
	}
	switch commandOf(inner[0]) {
	case "[", "test", "expr", "find", "su", "runuser", "awk", "psql", "ssh", "chroot", "nsenter":
		return nil
	}
	for i := 1; i < len(inner); i++ {
		// -c hands a script to something else than a shell that is known; -F '|' is a separator.
		if before := inner[i-1]; strings.HasPrefix(before, "-") && inner[i] == "|" {
			continue
		}
		if strings.HasPrefix(inner[i], "-c") && len(inner[i]) <= 3 {
			return nil
		}
		switch a := inner[i]; {
		case a == "&&", a == "||", a == "|", a == ">", a == ">>", a == ";", a == "2>&1", a == "&>/dev/null",
			strings.HasPrefix(a, ">/"), strings.HasPrefix(a, "2>/"), strings.HasPrefix(a, "1>/"):
			return &model.ExecFault{Kind: model.ExecOperator, Program: commandOf(inner[0]), Text: a, Argument: at + i}
		}
	}
	return nil
}
