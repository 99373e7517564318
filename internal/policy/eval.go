package policy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// run is the state of one run over many units.
type run struct {
	convert  converter
	watch    *watch
	reports  func(rule string) bool
	mu       sync.Mutex
	typed    *query             // all rules that still run, of team packages
	raw      map[string]*query  // by namespace
	stopped  map[*Rule]bool     // rules that were stopped, and do not run again
	failures map[string]*failed // by rule, place and title
}

// failed is a fault of the run with the units that it happened on.
type failed struct {
	fault Fault
	units []string
}

// query is several rules as one query: the results of entry i are in the variable vars[i].
type query struct {
	rules    []*Rule
	entries  []entry
	of       []*Rule      // the rule of each entry
	plain    ast.Body     // before it was compiled
	file     *source.File // that a query for raw manifests is about, where a policy asks for its name
	body     ast.Body
	compiler ast.QueryCompiler
	vars     []ast.Var
	// foreseen is what is known beforehand of each entry, nil of a query that is asked as it is; some are the queries of a part of
	// the rules, by which these are.
	foreseen []*foresight
	some     map[string]*query
}

// maxParts is how many parts of a query are kept ready.
const maxParts = 64

// foresee makes a query leave out the rules that certainly yield nothing.
func (s *Set) foresee(q *query) {
	f := &foreseer{c: s.compiler, known: map[string]*foresight{}, results: &quotients{}}
	q.some = map[string]*query{}
	for _, e := range q.entries {
		q.foreseen = append(q.foreseen, f.foresee(e.ref))
	}
}

// speaking is the part of a query that can yield something on a document; nil where none can.
func (s *Set) speaking(q *query, doc *ast.Term) *query {
	if q.foreseen == nil || doc == nil {
		return q
	}
	var rules []*Rule
	which := make([]byte, 0, 2*len(q.entries))
	see := &seer{input: doc.Value}
	for i, f := range q.foreseen {
		if n := len(rules); (n == 0 || rules[n-1] != q.of[i]) && !see.silent(f) {
			rules = append(rules, q.of[i])
			which = append(which, byte(i), byte(i>>8))
		}
	}
	switch {
	case len(rules) == 0:
		return nil
	case len(rules) == len(q.rules):
		return q
	}
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	if part := q.some[string(which)]; part != nil || len(q.some) >= maxParts {
		return cmp.Or(part, q)
	}
	part, err := s.query(rules)
	if err != nil {
		return q
	}
	q.some[string(which)] = part
	return part
}

// query makes one of the entries of rules.
func (s *Set) query(rules []*Rule, more ...ast.Ref) (*query, error) {
	q := &query{rules: rules, compiler: s.compiler.QueryCompiler()}
	var body ast.Body
	add := func(ref ast.Ref, whole bool) {
		v := ast.Var(fmt.Sprintf("r%d", len(q.vars)))
		q.vars = append(q.vars, v)
		t := ast.NewTerm(ref.Copy())
		if !whole { // a complete rule can be undefined, and the query with it; a list of its values is not
			x := ast.VarTerm("x" + string(v))
			t = ast.ArrayComprehensionTerm(x, ast.NewBody(ast.Equality.Expr(x, t)))
		}
		body.Append(ast.Equality.Expr(ast.NewTerm(v), t))
	}
	for _, r := range rules {
		for _, e := range r.entries {
			q.entries, q.of = append(q.entries, e), append(q.of, r)
			add(e.ref, !r.Raw)
		}
	}
	for _, ref := range more {
		add(ref, false)
	}
	if len(body) == 0 {
		return q, nil
	}
	q.plain = body.Copy()
	compiled, err := q.compiler.Compile(body)
	if err != nil {
		return nil, fmt.Errorf("compiling the query of policies: %w", err)
	}
	q.body = compiled
	return q, nil
}

// Begin starts a run in which only some rules report.
func (s *Set) Begin(reports func(rule string) bool) {
	s.run = &run{reports: reports, watch: newWatch(), stopped: map[*Rule]bool{}, failures: map[string]*failed{}, raw: map[string]*query{}}
	s.prepare()
}

// prepare makes the queries of the rules that run.
func (s *Set) prepare() {
	r := s.run
	var typed []*Rule
	raw := map[string][]*Rule{}
	for _, rule := range s.rules {
		if r.stopped[rule] || r.reports != nil && !r.reports(rule.ID) {
			continue
		}
		if rule.Raw {
			raw[rule.Package] = append(raw[rule.Package], rule)
		} else {
			typed = append(typed, rule)
		}
	}
	var err error
	if r.typed, err = s.query(typed); err != nil {
		r.typed = &query{}
		s.failOn(&Rule{}, Fault{Title: err.Error()}, "")
	}
	s.foresee(r.typed)
	clear(r.raw)
	for _, ns := range s.loaded.o.Namespaces {
		if len(raw[ns]) > 0 {
			s.prepareRaw(ns, raw[ns])
		}
	}
}

// stop takes a rule out of the run.
func (s *Set) stop(rule *Rule) {
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	if !s.run.stopped[rule] {
		s.run.stopped[rule] = true
		s.prepare()
	}
}

// failOn keeps a fault of the run. The caller holds no lock, or prepare's.
func (s *Set) failOn(rule *Rule, f Fault, unit string) {
	f.Rule = rule.ID
	if f.Span.IsZero() {
		f.Span = rule.Span
	}
	key := fmt.Sprintf("%s\x00%s\x00%d\x00%s", rule.ID, f.Span.File, f.Span.Start, f.Title)
	r := s.run
	old := r.failures[key]
	if old == nil {
		old = &failed{fault: f}
		r.failures[key] = old
	}
	if unit != "" && !slices.Contains(old.units, unit) {
		old.units = append(old.units, unit)
	}
}

func (s *Set) fail(rule *Rule, f Fault, unit string) {
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	s.failOn(rule, f, unit)
}

// Judge runs the team rules on one unit.
func (s *Set) Judge(ctx context.Context, u *lint.Unit) []lint.Judged {
	q := s.current(func(r *run) *query { return r.typed })
	if q == nil || len(q.body) == 0 {
		return nil
	}
	name := u.Name()
	in := newInput(u)
	doc := s.run.convert.document(in)
	rd := &reader{set: s, unit: u}
	var out []lint.Judged
	take := func(q *query, results ast.Value, i int) {
		each(ast.NewTerm(results), func(t *ast.Term) {
			j, err := rd.read(q.of[i], q.entries[i], t)
			if err != nil {
				s.fail(q.of[i], badFault(err, q.entries[i].at), name)
				return
			}
			out = append(out, j)
		})
	}
	if q = s.speaking(q, doc); q != nil {
		s.evaluate(ctx, q, doc, name, take)
	}
	return out
}

func (s *Set) current(pick func(*run) *query) *query {
	if s.run == nil {
		return nil
	}
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	return pick(s.run)
}

func badFault(err error, at model.Span) Fault {
	f := Fault{Span: at, Title: err.Error(), Label: "this rule yields it"}
	var bad *badResult
	if errors.As(err, &bad) {
		f.Help = bad.help
	}
	return f
}

// evaluate runs a query and hands out the results of each entry. Where it fails each rule is run alone, so that a rule that
// is at fault costs no finding of another.
func (s *Set) evaluate(ctx context.Context, q *query, doc *ast.Term, unit string, take func(*query, ast.Value, int)) {
	res := s.eval(ctx, q, doc, false)
	if res.err == nil && (len(res.errs) == 0 || q.raw()) { // conftest's policies count on builtins that fail being undefined
		for i, v := range res.values[:len(q.entries)] {
			if v != nil {
				take(q, v, i)
			}
		}
		return
	}
	if ctx.Err() != nil {
		return
	}
	stopped := res.why != "" // then the line is wanted of whoever is to blame
	for _, rule := range q.rules {
		one, err := s.alone(q, rule)
		if err != nil {
			s.fail(rule, Fault{Title: err.Error()}, unit)
			continue
		}
		res := s.eval(ctx, one, doc, stopped)
		if res.err == nil {
			for i, v := range res.values[:len(one.entries)] {
				if v != nil {
					take(one, v, i)
				}
			}
		}
		if ctx.Err() != nil {
			return
		}
		if !rule.Raw {
			for _, e := range res.errs {
				s.fail(rule, s.builtinFault(&e), unit)
			}
		}
		if res.err != nil {
			s.failed(ctx, rule, one, doc, res, unit)
		}
	}
}

// raw reports whether the query is one for raw manifests.
func (q *query) raw() bool { return len(q.rules) > 0 && q.rules[0].Raw }

// alone is a rule of a query without the others.
func (s *Set) alone(q *query, rule *Rule) (*query, error) {
	if rule.Raw && s.loaded.readsFile && q.file != nil {
		return s.rawQueryWith([]*Rule{rule}, q.file)
	}
	return s.query([]*Rule{rule})
}

func (s *Set) builtinFault(e *topdown.Error) Fault {
	return Fault{
		Span: span(s.files, e.Location), Title: e.Message, Label: "undefined here, so this rule is silent",
		Help: "test the value before it is converted",
	}
}

// failed says why a rule did not come to its end.
func (s *Set) failed(ctx context.Context, rule *Rule, q *query, doc *ast.Term, res result, unit string) {
	var limit *limitError
	var e *topdown.Error
	switch {
	case res.why != "":
		at := res.at
		if at == nil && !res.abandoned {
			at = s.eval(ctx, q, doc, true).at
		}
		f := Fault{Span: span(s.files, at), Title: "policy " + lint.Quote(rule.ID) + " " + res.why, Label: "it was here when it was stopped"}
		f.Notes = []string{"the policy was stopped, and nothing that it found is shown; the others ran"}
		s.fail(rule, f, "")
		s.stop(rule)
	case errors.As(res.err, &limit):
		f := Fault{Title: limit.msg, Label: "refused here", Notes: []string{"a policy's time and memory are bounded"}}
		f.Span = span(s.files, s.eval(ctx, q, doc, true).at)
		s.fail(rule, f, unit)
	case errors.As(res.err, &e):
		f := Fault{Span: span(s.files, e.Location), Label: "the rule ended here"}
		f.Title, f.Notes = evalWords(e.Message)
		if e.Code == topdown.ConflictErr {
			f.Title, f.Label = conflictWords(e), "the second value"
		}
		s.fail(rule, f, unit)
	default:
		s.fail(rule, Fault{Title: res.err.Error()}, unit)
	}
}

// evalWords shortens a message of the evaluator to a title; its further lines are notes.
func evalWords(msg string) (title string, notes []string) {
	lines := strings.Split(msg, "\n")
	title = strings.TrimSuffix(lines[0], ":")
	for _, l := range lines[1:] {
		if l = strings.TrimSpace(l); l != "" {
			notes = append(notes, l)
		}
	}
	return title, notes
}

// conflictWords names the rule, function or object that has two values. OPA's own words differ from version to version and
// leave the name out, which the text of the location begins with.
func conflictWords(e *topdown.Error) string {
	if e.Location != nil {
		head := strings.TrimLeft(string(e.Location.Text), " \t")
		n := strings.IndexFunc(head, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if n < 0 {
			n = len(head)
		}
		if name := head[:n]; name != "" && name != "default" {
			return lint.Quote(name) + " has two values at once"
		}
	}
	return "one name has two values at once"
}

// Stopped reports whether a rule was stopped: what it found before depends on how far it came, and is not shown.
func (s *Set) Stopped(id string) bool {
	if s.run == nil {
		return false
	}
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	for r := range s.run.stopped {
		if r.ID == id {
			return true
		}
	}
	return false
}

// Rules are the policies as entries of the catalogue.
func (s *Set) Rules() []*lint.Rule {
	var out []*lint.Rule
	for _, r := range s.rules {
		out = append(out, r.catalogue())
	}
	return out
}

// Raw reports whether some rule judges raw manifests.
func (s *Set) Raw() bool { return slices.ContainsFunc(s.rules, func(r *Rule) bool { return r.Raw }) }

// Failures are the faults of loading and of the run.
func (s *Set) Failures() []Fault {
	out := slices.Clone(s.faults)
	if s.run == nil {
		return out
	}
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	for _, f := range s.run.failures {
		fault := f.fault
		if n := len(f.units); n > 0 {
			slices.Sort(f.units)
			on := lint.Quote(f.units[0])
			if n > 1 {
				on += " and " + lint.Count(n-1, "other")
			}
			fault.Notes = append(slices.Clone(fault.Notes), "it happened on "+on)
		}
		out = append(out, fault)
	}
	return compactFaults(out)
}

// Faults are the same as findings.
func (s *Set) Faults() []lint.Finding {
	var out []lint.Finding
	for _, f := range s.Failures() {
		out = append(out, f.finding())
	}
	return out
}
