package render

import (
	"fmt"
	"strings"
	"text/template/parse"

	"github.com/probelint/probelint/internal/source"
)

// The functions that instrumented templates call besides Helm's.
const (
	fnMark  = "probelint_mark"  // (id, value): what an action prints
	fnPlain = "probelint_plain" // (value): the value without marks
	fnStep  = "probelint_step"  // (value): the value, counted against the bounds
	fnNone  = "probelint_none"  // (): no value
)

// carriers are functions that hand text on as it is, so that marks in it survive and mean the same. The arguments that are
// no such text are listed by index: they are compared or looked up. everySecond is every second one from the first, butFirst
// all but the first.
var carriers = map[string][]int{
	"include": {0}, "tpl": nil, "dict": {everySecond}, "list": nil, "tuple": nil, "default": nil, "ternary": nil, "coalesce": nil,
	"indent": nil, "nindent": nil, "trim": nil, "required": {0}, "first": nil, "last": nil, "append": nil, "prepend": nil, "concat": nil,
	"set": {1}, "get": {1}, "hasKey": {1}, "unset": {1}, "pick": {butFirst}, "omit": {butFirst}, "merge": nil, "mergeOverwrite": nil, "mustMerge": nil,
	"mustMergeOverwrite": nil, "deepCopy": nil, "mustDeepCopy": nil, "print": nil, "toString": nil, "empty": nil, "not": nil, "and": nil, "or": nil,
	"kindIs": nil, "kindOf": nil, "typeIs": nil, "typeOf": nil, "typeIsLike": nil, "toYaml": nil, "mustToYaml": nil, "toYamlPretty": nil,
	"keys": nil, "values": nil,
	fnMark: nil, fnPlain: nil, fnStep: nil,
}

const (
	everySecond = -2
	butFirst    = -3
)

// instrumenter adds marks to one template.
type instrumenter struct {
	file *source.File
	base int    // offset of the template's text in the file: the length of its byte order mark
	text string // of the template
	of   *[]mark
	// marks: without them only the counting is added.
	marks bool
}

// instrument returns a template that prints what text prints, with marks. The places of the marks are appended to of.
func instrument(file *source.File, text string, of *[]mark) (string, error) {
	base := 0
	if strings.HasPrefix(string(file.Data[:min(3, len(file.Data))]), "\xef\xbb\xbf") && !strings.HasPrefix(text, "\xef\xbb\xbf") {
		base = 3
	}
	in := &instrumenter{file: file, base: base, text: text, of: of, marks: !file.Recoded && !strings.Contains(text, markLead)}
	const main = "probelint_main"
	t := parse.New(main)
	t.Mode = parse.SkipFuncCheck
	set := map[string]*parse.Tree{}
	if _, err := t.Parse(text, "", "", set); err != nil {
		return "", fmt.Errorf("parsing the template: %w", err)
	}
	var b strings.Builder
	for _, name := range sortedKeys(set) {
		if name == main {
			continue
		}
		in.list(set[name].Root)
		fmt.Fprintf(&b, "{{define %q}}%s{{end}}", name, set[name].Root)
	}
	if m := set[main]; m != nil {
		in.list(m.Root)
		b.WriteString(m.Root.String())
	} else if t.Root != nil {
		in.list(t.Root)
		b.WriteString(t.Root.String())
	}
	return b.String(), nil
}

func (in *instrumenter) list(l *parse.ListNode) {
	if l == nil {
		return
	}
	var out []parse.Node
	for _, n := range l.Nodes {
		switch n := n.(type) {
		case *parse.TextNode:
			brace := len(n.Text) > 0 && n.Text[len(n.Text)-1] == '{'
			if brace { // `{` before an action would begin another one
				n.Text = n.Text[:len(n.Text)-1]
			}
			in.lines(n)
			out = append(out, n)
			if brace {
				out = append(out, &parse.ActionNode{NodeType: parse.NodeAction, Pipe: pipe(command(&parse.StringNode{NodeType: parse.NodeString, Quoted: `"{"`, Text: "{"}))})
			}
			continue
		case *parse.ActionNode:
			in.pipe(n.Pipe)
			if len(n.Pipe.Decl) == 0 {
				in.action(n)
			}
		case *parse.IfNode:
			in.branch(&n.BranchNode)
		case *parse.WithNode:
			in.branch(&n.BranchNode)
		case *parse.RangeNode:
			in.branch(&n.BranchNode)
			n.Pipe.Cmds = append(n.Pipe.Cmds, command(parse.NewIdentifier(fnStep)))
		case *parse.TemplateNode:
			if n.Pipe == nil {
				n.Pipe = pipe(command(parse.NewIdentifier(fnNone)))
			} else {
				in.pipe(n.Pipe)
				n.Pipe.Cmds = append(n.Pipe.Cmds, command(parse.NewIdentifier(fnStep)))
			}
			if start, end, ok := actionAt(in.text, int(n.Pos)); ok && in.marks {
				id := in.add(mark{file: in.file, kind: actionMark, start: in.base + start, end: in.base + end})
				out = append(out, &parse.TextNode{NodeType: parse.NodeText, Text: appendMark(nil, id)})
			}
		}
		out = append(out, n)
	}
	l.Nodes = out
}

func (in *instrumenter) branch(b *parse.BranchNode) {
	in.pipe(b.Pipe)
	in.list(b.List)
	in.list(b.ElseList)
}

// lines puts a mark before the first character of each line of a text.
func (in *instrumenter) lines(n *parse.TextNode) {
	text, at := string(n.Text), int(n.Pos)
	if !in.marks || at+len(text) > len(in.text) || in.text[at:at+len(text)] != text {
		return
	}
	out := make([]byte, 0, len(text)+4*markLength)
	for len(text) > 0 {
		line := text
		if i := strings.IndexByte(text, '\n'); i >= 0 {
			line = text[:i+1]
		}
		if i := indent(line); i >= 0 {
			end := len(strings.TrimRight(line, " \t\r\n"))
			out = append(out, line[:i]...)
			out = appendMark(out, in.add(mark{file: in.file, kind: textMark, start: in.base + at + i, end: in.base + at + end}))
			line, text, at = line[i:], text[i:], at+i
		}
		out = append(out, line...)
		text, at = text[len(line):], at+len(line)
	}
	n.Text = out
}

func (in *instrumenter) add(m mark) int {
	*in.of = append(*in.of, m)
	return len(*in.of) - 1
}

// action makes an action mark what it prints.
func (in *instrumenter) action(n *parse.ActionNode) {
	id := -1
	if start, end, ok := actionAt(in.text, int(n.Pos)); ok && in.marks {
		id = in.add(mark{file: in.file, kind: actionMark, start: in.base + start, end: in.base + end})
	}
	n.Pipe.Cmds = append(n.Pipe.Cmds, command(parse.NewIdentifier(fnMark), number(id)))
}

// actionAt finds the action that holds offset at, from `{{` to `}}`.
func actionAt(text string, at int) (start, end int, ok bool) {
	if at > len(text) {
		return 0, 0, false
	}
	start = strings.LastIndex(text[:at], "{{")
	if start < 0 {
		return 0, 0, false
	}
	for i := start + 2; i < len(text); i++ {
		switch text[i] {
		case '"', '\'':
			quote := text[i]
			for i++; i < len(text) && text[i] != quote; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '`':
			for i++; i < len(text) && text[i] != '`'; i++ {
			}
		case '}':
			if i+1 < len(text) && text[i+1] == '}' {
				return start, i + 2, i+2 > at
			}
		}
	}
	return 0, 0, false
}

// pipe takes the marks out of the arguments of functions that look at them.
func (in *instrumenter) pipe(p *parse.PipeNode) {
	if p == nil {
		return
	}
	cmds := make([]*parse.CommandNode, 0, len(p.Cmds))
	for i, c := range p.Cmds {
		for _, a := range c.Args {
			in.node(a)
		}
		var looked []int
		carries := false
		if name, isCall := c.Args[0].(*parse.IdentifierNode); isCall {
			looked, carries = carriers[name.Ident]
			if name.Ident == "printf" || name.Ident == "trimSuffix" || name.Ident == "trimPrefix" {
				carries = harmless(c, name.Ident)
			}
		} else if len(c.Args) == 1 && i == 0 { // a value, no call of a method
			cmds = append(cmds, c)
			continue
		}
		piped := len(c.Args) - 1 // the index that the value of the command before has among the arguments
		if i > 0 && in.looksAt(looked, carries, piped) {
			cmds = append(cmds, command(parse.NewIdentifier(fnPlain)))
		}
		for j := 1; j < len(c.Args); j++ {
			if in.looksAt(looked, carries, j-1) && !isPlain(c.Args[j]) {
				c.Args[j] = pipe(&parse.CommandNode{NodeType: parse.NodeCommand, Args: []parse.Node{parse.NewIdentifier(fnPlain), c.Args[j]}})
			}
		}
		cmds = append(cmds, c)
	}
	p.Cmds = cmds
}

func (in *instrumenter) looksAt(looked []int, carries bool, i int) bool {
	if !carries {
		return true
	}
	for _, l := range looked {
		if l == i || l == everySecond && i%2 == 0 || l == butFirst && i > 0 {
			return true
		}
	}
	return false
}

func (in *instrumenter) node(n parse.Node) {
	switch n := n.(type) {
	case *parse.PipeNode:
		in.pipe(n)
	case *parse.ChainNode:
		in.node(n.Node)
	}
}

// harmless reports whether a call whose effect depends on a literal leaves marks alone: a format of plain %s and %d, an affix
// of white space.
func harmless(c *parse.CommandNode, name string) bool {
	if len(c.Args) < 2 {
		return false
	}
	s, ok := c.Args[1].(*parse.StringNode)
	if !ok {
		return false
	}
	if name != "printf" {
		return strings.TrimSpace(s.Text) == ""
	}
	for rest := s.Text; ; {
		i := strings.IndexByte(rest, '%')
		if i < 0 {
			return true
		}
		if i+1 >= len(rest) || !strings.ContainsRune("sdvt%", rune(rest[i+1])) {
			return false
		}
		rest = rest[i+2:]
	}
}

// isPlain reports whether a node cannot hold marks: a literal, or what Helm itself puts into the data.
func isPlain(n parse.Node) bool {
	switch n := n.(type) {
	case *parse.StringNode, *parse.NumberNode, *parse.BoolNode, *parse.NilNode:
		return true
	case *parse.FieldNode:
		return len(n.Ident) > 0 && builtIn(n.Ident[0])
	case *parse.VariableNode:
		return len(n.Ident) > 1 && n.Ident[0] == "$" && builtIn(n.Ident[1])
	}
	return false
}

func builtIn(name string) bool {
	switch name {
	case "Values", "Chart", "Release", "Capabilities", "Template", "Files":
		return true
	}
	return false
}

func pipe(c *parse.CommandNode) *parse.PipeNode {
	return &parse.PipeNode{NodeType: parse.NodePipe, Cmds: []*parse.CommandNode{c}}
}

func command(args ...parse.Node) *parse.CommandNode {
	return &parse.CommandNode{NodeType: parse.NodeCommand, Args: args}
}

func number(i int) *parse.NumberNode {
	return &parse.NumberNode{NodeType: parse.NodeNumber, IsInt: true, Int64: int64(i), Text: fmt.Sprint(i)}
}
