package policy

import (
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/probelint/probelint/internal/lint"
)

// checker walks compiled rules with the shapes of the model. OPA's own type checker stops at parameters of functions, at
// object.get and at the objects that a rule results in; a mistyped field there is undefined for ever, and the rule silent.
type checker struct {
	l *loader
	c *ast.Compiler
	// modules by rule, for the places of faults.
	moduleOf map[*ast.Rule]*module
	// params are what the calls of a function pass, by its path; they grow from round to round.
	params map[string][]union
	// values are what rules result in, by path, of this round.
	values map[string]union
	busy   map[string]bool
	// literals keep one shape for each object that is written in a policy.
	literals map[*ast.Term]*shape
	// callers are where the functions of the program's own library are called: a fault there is one of the call.
	callers map[string][]site
	grown   bool
	report  bool
	faults  []Fault
	bad     map[*module]bool
}

// site is one call of a function.
type site struct {
	m  *module
	at *ast.Location
}

// rounds bounds how often the rules are walked until nothing new is passed to a function.
const rounds = 8

// check walks the team rules and all that they reach, and reports whether a module turned out to be broken.
func (l *loader) check(c *ast.Compiler) bool {
	ck := &checker{
		l: l, c: c, moduleOf: map[*ast.Rule]*module{}, params: map[string][]union{}, literals: map[*ast.Term]*shape{}, callers: map[string][]site{},
		bad: map[*module]bool{},
	}
	for _, m := range l.modules {
		if cm := c.Modules[m.file]; cm != nil && !m.bad {
			for _, r := range cm.Rules {
				for x := r; x != nil; x = x.Else {
					ck.moduleOf[x] = m
				}
			}
		}
	}
	for i := range rounds {
		ck.grown = false
		ck.round(i == rounds-1)
		if !ck.grown {
			break
		}
	}
	ck.round(true)
	ck.packages()
	l.faults = append(l.faults, ck.faults...)
	for m := range ck.bad {
		m.bad = true
	}
	return len(ck.bad) > 0
}

func (ck *checker) round(report bool) {
	ck.values, ck.busy, ck.report, ck.faults = map[string]union{}, map[string]bool{}, report, nil
	clear(ck.bad)
	for _, m := range ck.l.modules {
		cm := ck.c.Modules[m.file]
		if cm == nil || m.bad || !strings.HasPrefix(m.pkg, rulePrefix) {
			continue
		}
		for _, r := range cm.Rules {
			ck.value(pathOfRule(r))
		}
	}
}

// fault keeps a fault once it counts.
func (ck *checker) fault(m *module, f Fault) {
	if !ck.report || m == nil || m.file == libraryFile {
		return
	}
	f.Rule = idOf(m)
	f.Notes = append(f.Notes, "no rule of "+lint.Quote(short(m.file))+" ran")
	ck.bad[m] = true
	ck.faults = append(ck.faults, f)
}

// value is what a rule results in: the value, the set or the map; for a function what it returns.
func (ck *checker) value(path ast.Ref) union {
	key := path.String()
	if u, ok := ck.values[key]; ok {
		return u
	}
	if ck.busy[key] {
		return unknown
	}
	ck.busy[key] = true
	var out union
	for _, r := range ck.c.GetRulesExact(path) {
		for x := r; x != nil; x = x.Else {
			out = out.or(ck.rule(x, key))
		}
	}
	if out.empty() {
		out = unknown
	}
	ck.values[key] = out
	return out
}

// rule walks one rule.
func (ck *checker) rule(r *ast.Rule, key string) union {
	s := &scope{ck: ck, m: ck.moduleOf[r], key: key, env: map[ast.Var]union{}, facts: map[string]fact{}}
	args := ck.params[key]
	for i, a := range r.Head.Args {
		u := unknown
		if i < len(args) && !args[i].empty() {
			u = args[i]
		}
		s.bind(a, u)
	}
	// A variable can be used before the line that sets it.
	s.quiet = true
	s.body(r.Body)
	s.quiet = false
	s.facts = map[string]fact{}
	s.body(r.Body)
	for i := 1; i < len(r.Head.Reference); i++ {
		s.of(r.Head.Reference[i])
	}
	switch {
	case r.Head.RuleKind() == ast.MultiValue && r.Head.Key != nil:
		u := s.of(r.Head.Key)
		if s.m != nil && s.m.rule() && (key == pathOf(s.m, "deny") || key == pathOf(s.m, "warn")) {
			s.result(u, r)
		}
		return one(&shape{kind: isSet, elem: orUnknown(u)})
	case r.Head.Key != nil:
		s.of(r.Head.Key)
		return one(&shape{kind: isMapping, elem: orUnknown(s.of(r.Head.Value))})
	case len(r.Head.Ref()) > 1 && len(r.Head.Args) == 0 && !r.Head.Ref().IsGround():
		return one(&shape{kind: isMapping, elem: orUnknown(s.of(r.Head.Value))})
	}
	return orUnknown(s.of(r.Head.Value))
}

func pathOf(m *module, rule string) string { return "data." + m.pkg + "." + rule }

func orUnknown(u union) union {
	if u.empty() {
		return unknown
	}
	return u
}

// call notes what is passed to a function and returns what comes back.
func (ck *checker) call(path ast.Ref, args []union) union {
	key := path.String()
	have := ck.params[key]
	for len(have) < len(args) {
		have = append(have, union{})
	}
	for i, a := range args {
		next := have[i].or(orUnknown(a))
		if next.any != have[i].any || len(next.of) != len(have[i].of) {
			ck.grown = true
		}
		have[i] = next
	}
	ck.params[key] = have
	return ck.value(path)
}

func (ck *checker) calledFrom(path string, at site) {
	if !slices.Contains(ck.callers[path], at) {
		ck.callers[path] = append(ck.callers[path], at)
	}
}

// packages checks what a rule's package is as a whole: its metadata, its entry points, and that no other has its id.
func (ck *checker) packages() {
	ids := map[string]*module{}
	entries := map[string]bool{}
	for _, m := range ck.l.modules {
		if m.bad || !m.rule() {
			continue
		}
		if len(entriesOf(ck.c.Modules[m.file], ck.l)) > 0 {
			entries[m.pkg] = true
		}
	}
	for _, m := range ck.l.modules {
		if m.bad || !m.rule() {
			continue
		}
		for _, f := range ck.l.metaFaults(m) {
			ck.fault(m, f)
		}
		ck.entryPoints(m, entries[m.pkg])
		id := idOf(m)
		if first := ids[id]; first != nil && first.pkg != m.pkg {
			at := span(ck.l.files, m.parsed.Package.Location)
			ck.fault(m, Fault{
				Span: at, Title: "the id " + lint.Quote(id) + " is taken", Label: "the second rule of this id",
				Notes: []string{"the first one is package " + lint.Quote(first.pkg) + " in " + first.file},
			})
			continue
		}
		ids[id] = m
	}
}

// entryPoints checks deny and warn of one file, and that the package has one.
func (ck *checker) entryPoints(m *module, has bool) {
	var names []string
	for _, r := range m.parsed.Rules {
		name := nameOf(r)
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		at := span(ck.l.files, r.Location)
		switch {
		case name == "deny" || name == "warn":
			if r.Head.RuleKind() == ast.MultiValue && len(r.Head.Ref()) == 1 && r.Head.Key != nil {
				continue
			}
			what := "a value"
			if b, ok := r.Head.Value.Value.(ast.Boolean); ok && bool(b) {
				what = "a boolean"
			}
			if r.Head.Key != nil || len(r.Head.Ref()) > 1 {
				what = "a map"
			}
			ck.fault(m, Fault{
				Span: at, Title: lint.Quote(name) + " is " + what + " and has no message", Label: "a set of results is wanted here",
				Help: "`" + name + " contains \"MESSAGE\" if { ... }`",
			})
		case strings.HasPrefix(name, "deny_") || strings.HasPrefix(name, "warn_") || name == "violation" || strings.HasPrefix(name, "violation_"):
			ck.fault(m, Fault{
				Span: at, Title: lint.Quote(name) + " never reports", Label: "`deny` and `warn` report",
				Help: "`deny contains ...`; names with a suffix are those of conftest's packages",
			})
		}
	}
	if has || ck.bad[m] {
		return
	}
	help := "`deny contains \"MESSAGE\" if { ... }` reports"
	at := span(ck.l.files, m.parsed.Package.Location)
	for _, n := range names {
		if near := lint.Nearest(n, []string{"deny", "warn"}); near != "" {
			help = "did you mean " + lint.Quote(near) + " by " + lint.Quote(n) + "?"
		}
	}
	ck.fault(m, Fault{Span: at, Title: "package " + lint.Quote(m.pkg) + " never reports", Label: "it has neither `deny` nor `warn`", Help: help})
}
