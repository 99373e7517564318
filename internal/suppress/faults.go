package suppress

import (
	"fmt"
	"slices"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// The rules of suppressions.
const (
	Unused        = "unused-suppression"
	Expired       = "expired-suppression"
	WithoutReason = "suppression-without-reason"
	UnknownRule   = "unknown-rule"
)

// Rules says which rules there are.
type Rules struct {
	// Known are the names of all rules, those of team policies among them.
	Known []string
	// Judged reports whether a rule judged all that a finding of it at this place would rest on, so that a suppression there
	// that silenced nothing is of no use. JudgedAll reports that for all rules together.
	Judged    func(rule string, at Place) bool
	JudgedAll func(at Place) bool
}

// Place is what a suppression is about.
type Place struct {
	// File and Scope are what a comment silences; Nowhere: it stands where it can silence nothing.
	File    string
	Scope   Range
	Nowhere bool
	// Workload is that of an annotation, nil for a comment.
	Workload *model.Workload
}

// Findings are the faults of the suppressions themselves, once every finding was matched.
func (x *Index) Findings(r Rules) []lint.Finding {
	var out []lint.Finding
	ordinal := map[string]int{}
	seen := map[model.Span]bool{}
	for _, e := range x.sorted() {
		if seen[e.span] { // one template behind many workloads
			continue
		}
		seen[e.span] = true
		for _, f := range x.faults(e, r) {
			key := strings.Join(f.Identity, "\x00") + f.Rule
			f.Identity = append(f.Identity, fmt.Sprint(ordinal[key]))
			ordinal[key]++
			f.Certainty = model.Proven
			out = append(out, f)
		}
	}
	return out
}

func (x *Index) faults(e *entry, r Rules) []lint.Finding {
	id := func(what ...string) []string {
		if e.workload != nil {
			return append([]string{"annotation", e.workload.Ref(), e.workload.Namespace}, what...)
		}
		return append([]string{"file", e.span.File}, what...)
	}
	if e.word == "critical" {
		return []lint.Finding{{
			Rule: WithoutReason, Level: lint.Warning, Identity: id("critical"),
			Title:   "a dependency is marked critical here, and nothing says why",
			Primary: lint.Label{Span: e.span, Text: "no reason"},
			Help:    "`//probelint:critical reason`",
		}}
	}
	if e.word != "ignore" && e.word != "ignore-file" {
		f := lint.Finding{
			Rule: UnknownRule, Level: lint.Error, Identity: id("directive", e.word),
			Title:   lint.Title("there is no directive %s", lint.Quote(Marker+e.word)),
			Primary: lint.Label{Span: e.span, Text: "says nothing to probelint"},
			Help:    "`probelint:ignore RULE -- reason` silences a rule here",
		}
		if e.word == "" && len(e.rules) > 0 && e.rules[0].text == "ignore" {
			f.Title, f.Help = "a blank behind `probelint:` makes this no directive", "`probelint:ignore` is written in one"
		}
		if near := lint.Nearest(e.word, []string{"ignore", "ignore-file"}); near != "" {
			f.Help = lint.Quote(Marker+near) + " is the nearest one"
		}
		return []lint.Finding{f}
	}
	if dash := e.oneDash(); dash > 0 {
		rules := entry{rules: e.rules[:dash], file: e.file}
		return []lint.Finding{{
			Rule: WithoutReason, Level: lint.Error, Identity: id(rules.names()...),
			Title:   lint.Title("%s %s to be silent here, and a single dash begins no reason", rules.subject(), are(&rules)),
			Primary: lint.Label{Span: e.span, Text: "silences nothing: the reason stands behind two dashes"},
			Help:    e.form(),
		}}
	}
	var out []lint.Finding
	if !e.all {
		out = append(out, e.unknown(r, id)...)
	}
	label := lint.Label{Span: e.span}
	switch {
	case len(e.rules) == 0 && !e.all: // said by unknown
	case e.reason == "":
		label.Text = "no reason"
		out = append(out, lint.Finding{
			Rule: WithoutReason, Level: lint.Error, Primary: label, Identity: id(e.names()...),
			Title: lint.Title("%s %s to be silent here, and nothing says why", e.subject(), are(e)),
			Notes: []string{"without a reason it silences nothing"},
			Help:  e.form(),
		})
	case e.badUntil:
		label.Text = "no date"
		out = append(out, lint.Finding{
			Rule: Expired, Level: lint.Warning, Primary: label, Identity: id(e.names()...),
			Title: lint.Title("%s is no date: %s silences nothing", lint.Quote("until="+e.until), "the suppression of "+e.subject()),
			Help:  "a day is written `until=2027-03-01`",
		})
	case e.expired(x.now):
		label.Text = "held to the end of " + e.until
		out = append(out, lint.Finding{
			Rule: Expired, Level: lint.Warning, Primary: label, Identity: id(e.names()...),
			Title: lint.Title("the suppression of %s expired on %s", e.subject(), e.until),
			Notes: []string{"what it silenced is reported again; the reason was: " + e.reason},
			Help:  "mend the finding, or give it a new date and a reason that holds",
		})
	default:
		if f := e.unused(r); f != nil {
			f.Identity = id(e.names()...)
			out = append(out, *f)
		}
	}
	return out
}

// unknown are the names that no rule has.
func (e *entry) unknown(r Rules, id func(...string) []string) []lint.Finding {
	if len(e.rules) == 0 {
		return []lint.Finding{{
			Rule: UnknownRule, Level: lint.Error, Identity: id("none"),
			Title:   "a suppression names no rule",
			Primary: lint.Label{Span: e.span, Text: "silences nothing"},
			Help:    e.form(),
		}}
	}
	var out []lint.Finding
	for _, n := range e.rules {
		if slices.Contains(r.Known, n.text) {
			continue
		}
		at := e.span
		at.Start, at.End = n.at.Start, n.at.End
		if e.workload != nil {
			at = e.span
		}
		f := lint.Finding{
			Rule: UnknownRule, Level: lint.Error, Identity: id(n.text),
			Title:   lint.Title("there is no rule %s to silence", lint.Quote(n.text)),
			Primary: lint.Label{Span: at, Text: "no rule has this name"},
			Help:    "`probelint rules` lists them",
		}
		if near := lint.Nearest(n.text, r.Known); near != "" {
			f.Help = lint.Quote(near) + " is the nearest name"
			if e.editable() && e.workload == nil {
				f.Fixes = []lint.Fix{{Title: "Name the rule " + lint.Quote(near), Edits: []lint.Edit{{Span: at, Text: near}}}}
			}
		}
		out = append(out, f)
	}
	return out
}

// unused says that nothing is left to silence, by all rules of an entry or by some of them.
func (e *entry) unused(r Rules) *lint.Finding {
	at := Place{File: e.span.File, Scope: e.scope, Nowhere: e.none != "", Workload: e.workload}
	if e.all && (e.used || !r.JudgedAll(at)) {
		return nil
	}
	var idle, kept []string
	for _, n := range e.rules {
		if !n.used && slices.Contains(r.Known, n.text) && r.Judged(n.text, at) {
			idle = append(idle, lint.Quote(n.text))
		} else {
			kept = append(kept, n.text)
		}
	}
	if !e.all && len(idle) == 0 {
		return nil
	}
	f := &lint.Finding{
		Rule: Unused, Level: lint.Warning,
		Title:   lint.FirstTitle("nothing here is silenced: no finding of "+lint.Or(idle), fmt.Sprintf("nothing here is silenced: no finding of %d rules", len(idle))),
		Primary: lint.Label{Span: e.span, Text: "silences nothing"},
		Notes:   []string{"the next finding of that rule at this place would be silent from its first day"},
	}
	if e.all {
		f.Title = "nothing here is silenced: no finding of probelint"
		f.Notes = []string{"the next finding at this place would be silent from its first day"}
	}
	if e.none != "" {
		f.Notes = []string{e.none}
	}
	if !e.editable() {
		return f
	}
	switch {
	case len(kept) == 0 && len(e.remove) > 0:
		fix := lint.Fix{Title: "Remove the suppression", Safe: true}
		for _, x := range e.remove {
			at := e.span
			at.Start, at.End = x.Start, x.End
			fix.Edits = append(fix.Edits, lint.Edit{Span: at})
		}
		f.Fixes = []lint.Fix{fix}
	case len(kept) > 0 && e.workload == nil && !e.split():
		at := e.span
		at.Start, at.End = e.rules[0].at.Start, e.rules[len(e.rules)-1].at.End
		f.Fixes = []lint.Fix{{Title: "Remove " + lint.And(idle), Safe: true, Edits: []lint.Edit{{Span: at, Text: strings.Join(kept, ",")}}}}
	}
	return f
}

// oneDash is the index of a dash that stands among the rules where `--` was meant, 0 for none.
func (e *entry) oneDash() int {
	if e.reason != "" || e.all || e.workload != nil {
		return 0
	}
	return max(0, slices.IndexFunc(e.rules, func(n name) bool { return n.text == "-" }))
}

// split reports whether `until=` stands between the rules, a form that nobody writes.
func (e *entry) split() bool {
	return strings.Contains(string(e.file.Data[e.rules[0].at.Start:e.rules[len(e.rules)-1].at.End]), "until=")
}

// editable reports whether bytes of the file can be edited.
func (e *entry) editable() bool { return e.file == nil || !e.file.Recoded }

func (e *entry) names() []string {
	var out []string
	for _, n := range e.rules {
		out = append(out, n.text)
	}
	return out
}

// subject names what is silenced.
func (e *entry) subject() string {
	switch {
	case e.all:
		return "every rule"
	case len(e.rules) == 1:
		return lint.Quote(e.rules[0].text)
	}
	return lint.Count(len(e.rules), "rule")
}

func are(e *entry) string {
	if !e.all && len(e.rules) > 1 {
		return "are"
	}
	return "is"
}

// form is how it is written with a reason.
func (e *entry) form() string {
	switch {
	case e.all:
		return "`//nolint:probelint // reason`"
	case e.workload != nil:
		return "the value of the annotation is the reason"
	}
	return "`probelint:ignore RULE -- reason`"
}
