package render

import (
	"slices"
	"text/template/parse"
)

// A condition of a template as far as values decide it. What else decides it (capabilities, helpers, loops) is unknown, and
// taken to hold: what comes of the values is rendered, and so tried.
type condition interface{ isCondition() }

type (
	valuePath []string // of a value: enabled, worker.enabled
	literal   struct{ v any }
	call      struct {
		name string
		args []condition
	}
	// included is what a helper prints: the texts and values that it can print, each with the conditions around it.
	included []outcome
	unknown  struct{}
)

type outcome struct {
	around []branch
	text   string
	value  condition // nil for a text
}

func (valuePath) isCondition() {}
func (literal) isCondition()   {}
func (call) isCondition()      {}
func (included) isCondition()  {}
func (unknown) isCondition()   {}

// branch is a condition that has to have this outcome for a part of the template to be rendered.
type branch struct {
	of   condition
	want bool
	text string // the action, for people
}

// conditions reads the conditions of one template.
type conditions struct {
	vars map[string]condition
	// dot: `.` is what the template was given, so that `.Values` are the values.
	dot bool
	// defines are the helpers of the chart; depth counts those that include each other, and left how many more are followed.
	defines map[string]*parse.ListNode
	depth   int
	left    *int
}

// Bounds of following helpers: those that include each other, and those of one template in all.
const (
	mostIncludes = 5
	mostFollowed = 200
)

// newConditions reads those of one template.
func newConditions(defines map[string]*parse.ListNode) *conditions {
	left := mostFollowed
	return &conditions{vars: map[string]condition{}, dot: true, defines: defines, left: &left}
}

// inside are the conditions of a part where the dot is another one.
func (c *conditions) inside() *conditions {
	return &conditions{vars: c.vars, defines: c.defines, depth: c.depth, left: c.left}
}

func (c *conditions) pipe(p *parse.PipeNode) condition {
	if p == nil || len(p.Cmds) == 0 {
		return unknown{}
	}
	out := c.command(p.Cmds[0], nil)
	for _, cmd := range p.Cmds[1:] {
		out = c.command(cmd, out)
	}
	return out
}

// command reads a call; piped is the value of the command before it, its last argument.
func (c *conditions) command(cmd *parse.CommandNode, piped condition) condition {
	name, isCall := cmd.Args[0].(*parse.IdentifierNode)
	if !isCall {
		if len(cmd.Args) > 1 || piped != nil {
			return unknown{}
		}
		return c.node(cmd.Args[0])
	}
	var args []condition
	for _, a := range cmd.Args[1:] {
		args = append(args, c.node(a))
	}
	if piped != nil {
		args = append(args, piped)
	}
	switch name.Ident {
	case "index", "get":
		if out, ok := member(args); ok {
			return out
		}
		return unknown{}
	case "dig":
		return dug(args)
	case "include":
		return c.include(cmd)
	case "lower", "toString", "quote", "trim":
		if len(args) == 1 {
			return args[0]
		}
		return unknown{}
	case "and", "or", "not", "empty", "eq", "ne", "default":
		return call{name.Ident, args}
	}
	return unknown{}
}

// dug is the path of `dig "a" "b" false .Values.x`, with its default.
func dug(args []condition) condition {
	if len(args) < 3 {
		return unknown{}
	}
	n := len(args)
	out, ok := member(append([]condition{args[n-1]}, args[:n-2]...))
	if !ok {
		return unknown{}
	}
	return call{"default", []condition{args[n-2], out}}
}

// include reads the helper that a template includes with its own dot.
func (c *conditions) include(cmd *parse.CommandNode) condition {
	if len(cmd.Args) != 3 || c.depth >= mostIncludes {
		return unknown{}
	}
	name, ok := cmd.Args[1].(*parse.StringNode)
	if !ok || c.defines[name.Text] == nil || !c.root(cmd.Args[2]) {
		return unknown{}
	}
	if *c.left--; *c.left < 0 {
		return unknown{}
	}
	w := &partWalk{prints: true}
	w.list(c.defines[name.Text], nil, &conditions{vars: map[string]condition{}, dot: true, defines: c.defines, depth: c.depth + 1, left: c.left})
	return included(w.printed)
}

// root reports whether a node is what the template was given.
func (c *conditions) root(n parse.Node) bool {
	switch n := n.(type) {
	case *parse.DotNode:
		return c.dot
	case *parse.VariableNode:
		return len(n.Ident) == 1 && n.Ident[0] == "$"
	}
	return false
}

// pathOf is the path of a value, with or without a default.
func pathOf(c condition) (valuePath, bool) {
	if d, ok := c.(call); ok && d.name == "default" && len(d.args) == 2 {
		c = d.args[1]
	}
	path, ok := c.(valuePath)
	return path, ok
}

// member is the path of `index .Values "a" "b"`.
func member(args []condition) (condition, bool) {
	if len(args) < 2 {
		return nil, false
	}
	path, ok := pathOf(args[0])
	if !ok {
		return nil, false
	}
	path = slices.Clone(path)
	for _, a := range args[1:] {
		l, ok := a.(literal)
		s, text := l.v.(string)
		if !ok || !text {
			return nil, false
		}
		path = append(path, s)
	}
	return path, true
}

func (c *conditions) node(n parse.Node) condition {
	switch n := n.(type) {
	case *parse.PipeNode:
		return c.pipe(n)
	case *parse.FieldNode:
		if c.dot && len(n.Ident) > 0 && n.Ident[0] == "Values" {
			return valuePath(n.Ident[1:])
		}
	case *parse.VariableNode:
		if n.Ident[0] == "$" {
			if len(n.Ident) > 1 && n.Ident[1] == "Values" {
				return valuePath(n.Ident[2:])
			}
			return unknown{}
		}
		v := c.vars[n.Ident[0]]
		if v != nil && len(n.Ident) == 1 {
			return v
		}
		if path, ok := pathOf(v); ok {
			return append(slices.Clone(path), n.Ident[1:]...)
		}
	case *parse.ChainNode:
		if path, ok := pathOf(c.node(n.Node)); ok {
			return append(slices.Clone(path), n.Field...)
		}
	case *parse.BoolNode:
		return literal{n.True}
	case *parse.StringNode:
		return literal{n.Text}
	case *parse.NumberNode:
		if n.IsInt {
			return literal{n.Int64}
		}
	case *parse.NilNode:
		return literal{nil}
	}
	return unknown{}
}
