package policy

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// InputVersion is that of the document that a policy sees. `custom.requires` of a policy names the version that it needs.
const InputVersion = 1

// Rule is one team rule.
type Rule struct {
	// ID is `custom.id` of the package's metadata, else the name of the package with dashes; the finding's Rule.
	ID string
	// Title, Description and Help are those of the metadata; Docs is the first related resource.
	Title, Description, Help, Docs string
	// Level is the one of `deny`; a result can set its own.
	Level lint.Level
	// Package is the Rego package, File where it is declared.
	Package, File string
	Span          model.Span
	// Raw: it judges raw manifests, as conftest has it.
	Raw     bool
	entries []entry
	index   int
}

// entry is one set of results.
type entry struct {
	name  string // deny, warn
	ref   ast.Ref
	level lint.Level
	at    model.Span // where its first rule is declared
}

// idPattern: an annotation `ignore.probelint.dev/ID` holds 63 letters.
var idPattern = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$`)

// customKeys are what the program reads of `custom`.
var customKeys = []string{"help", "id", "requires", "severity"}

var levels = []string{"error", "warning", "info"}

// idOf is the id that a module's metadata gives, or the package's name.
func idOf(m *module) string {
	if m == nil {
		return ""
	}
	if a := packageMeta(m); a != nil {
		if id, ok := a.Custom["id"].(string); ok {
			return id
		}
	}
	name, ok := strings.CutPrefix(m.pkg, rulePrefix)
	if !ok {
		return m.pkg
	}
	return strings.ReplaceAll(name, "_", "-")
}

// pathOfRule is where a rule's value stands: data.probelint.rules.x.deny.
func pathOfRule(r *ast.Rule) ast.Ref { return r.Ref().GroundPrefix() }

// nameOf is the first name of a rule's head: deny of `deny contains x`, `deny[x]` and `deny.x`.
func nameOf(r *ast.Rule) string {
	if v, ok := r.Head.Ref()[0].Value.(ast.Var); ok {
		return string(v)
	}
	return ""
}

func packageMeta(m *module) *ast.Annotations {
	for _, a := range m.parsed.Annotations {
		if a.Scope == "package" {
			return a
		}
	}
	return nil
}

// rules makes the rules of all packages that hold one and are whole.
func (l *loader) rules(c *ast.Compiler) []*Rule {
	var out []*Rule
	byPackage := map[string]*Rule{}
	for _, m := range l.modules {
		if m.bad || m.test {
			continue
		}
		switch {
		case m.rule():
			r := byPackage[m.pkg]
			if r == nil {
				r = l.rule(m)
				byPackage[m.pkg] = r
				out = append(out, r)
			}
			r.describe(m)
			for _, e := range entriesOf(c.Modules[m.file], l) {
				r.add(e)
			}
		case slices.Contains(l.o.Namespaces, m.pkg):
			for _, e := range rawEntries(c.Modules[m.file], l) {
				id := m.pkg + "." + e.name
				r := byPackage[id]
				if r == nil {
					r = &Rule{ID: id, Package: m.pkg, File: m.file, Span: e.at, Raw: true, Level: e.level, Title: "results of `" + e.name + "` in package `" + m.pkg + "`"}
					byPackage[id] = r
					out = append(out, r)
				}
				r.add(e)
			}
		}
	}
	for _, r := range out {
		for i := range r.entries {
			switch e := &r.entries[i]; {
			case r.Raw:
			case e.name == "warn":
				e.level = min(r.Level, lint.Warning)
			default:
				e.level = r.Level
			}
		}
	}
	out = slices.DeleteFunc(out, func(r *Rule) bool { return len(r.entries) == 0 })
	slices.SortStableFunc(out, func(a, b *Rule) int { return cmp.Or(strings.Compare(a.ID, b.ID), strings.Compare(a.File, b.File)) })
	for i, r := range out {
		r.index = i
	}
	return out
}

// docs is the page of the rule, or else the file that says what it does.
func (r *Rule) docs() string {
	if r.Docs != "" {
		return r.Docs
	}
	return r.File
}

func (r *Rule) add(e entry) {
	if !slices.ContainsFunc(r.entries, func(x entry) bool { return x.name == e.name }) {
		r.entries = append(r.entries, e)
	}
}

func (l *loader) rule(m *module) *Rule {
	return &Rule{ID: idOf(m), Package: m.pkg, File: m.file, Level: lint.Error, Span: span(l.files, m.parsed.Package.Location)}
}

// describe fills in what the metadata of one of the package's files says.
func (r *Rule) describe(m *module) {
	a := packageMeta(m)
	if a == nil {
		return
	}
	r.ID, r.Title, r.Description = idOf(m), a.Title, strings.Join(strings.Fields(a.Description), " ")
	if len(a.RelatedResources) > 0 {
		r.Docs = a.RelatedResources[0].Ref.String()
	}
	if s, ok := a.Custom["severity"].(string); ok {
		if l, ok := lint.ParseLevel(s); ok && l != lint.Off {
			r.Level = l
		}
	}
	r.Help, _ = a.Custom["help"].(string)
}

// entriesOf are deny and warn of a compiled module.
func entriesOf(m *ast.Module, l *loader) []entry {
	var out []entry
	for _, r := range m.Rules {
		name := nameOf(r)
		if (name != "deny" && name != "warn") || r.Head.RuleKind() != ast.MultiValue || len(r.Head.Ref()) != 1 {
			continue
		}
		if !slices.ContainsFunc(out, func(e entry) bool { return e.name == name }) {
			out = append(out, entry{name: name, ref: pathOfRule(r), at: span(l.files, r.Location)})
		}
	}
	return out
}

// metaFaults checks the metadata of a rule's file.
func (l *loader) metaFaults(m *module) []Fault {
	a := packageMeta(m)
	if a == nil {
		return nil
	}
	at := span(l.files, m.parsed.Package.Location)
	if a.Location != nil {
		at = span(l.files, a.Location)
	}
	id := idOf(m)
	var out []Fault
	fault := func(title, label, help string) {
		out = append(out, Fault{Rule: id, Span: l.metaSpan(m, at, title), Title: title, Label: label, Help: help})
	}
	if !idPattern.MatchString(id) {
		fault("the id "+lint.Quote(id)+" cannot be an annotation's name", "letters, digits, `-`, `_` and `.`, at most 63", "")
	} else if l.o.Taken(id) {
		fault("the id "+lint.Quote(id)+" is that of a built-in rule", "two rules of one name", "another id")
	}
	for _, k := range slices.Sorted(maps.Keys(a.Custom)) {
		v := a.Custom[k]
		switch k {
		case "id":
			if _, ok := v.(string); !ok {
				fault("`custom.id` is no string", "", "")
			}
		case "help":
			if _, ok := v.(string); !ok {
				fault("`custom.help` is no string", "", "")
			}
		case "severity":
			s, ok := v.(string)
			if level, known := lint.ParseLevel(s); !ok || !known || level == lint.Off {
				help := did(s, levels)
				if help == "" {
					help = "one of " + oneOfText(levels)
				}
				fault(fmt.Sprintf("`custom.severity` is %s", lint.Quote(fmt.Sprint(v))), "no severity", help)
			}
		case "requires":
			n, ok := number(v)
			switch {
			case !ok:
				fault("`custom.requires` is no number", "the version of the input that the policy needs", "")
			case n > InputVersion:
				fault(fmt.Sprintf("needs version %v of the input, and this program gives %d", n, InputVersion), "", "a newer probelint")
			}
		default:
			if help := did(k, customKeys); help != "" {
				fault(lint.Quote("custom."+k)+" is not read", "", help)
			}
		}
	}
	return out
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case json.Number:
		f, err := v.Float64()
		return f, err == nil
	case float64:
		return v, true
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	}
	return 0, false
}

// metaSpan is the line of the metadata that a fault names in backticks, else where the metadata begins.
func (l *loader) metaSpan(m *module, at model.Span, title string) model.Span {
	f := l.files[m.file]
	_, rest, _ := strings.Cut(title, "`")
	name, _, _ := strings.Cut(rest, "`")
	key := strings.TrimPrefix(name, "custom.")
	if f == nil || key == "" {
		return at
	}
	for n := 1; n <= f.Lines(); n++ {
		line := string(f.Line(n))
		if !strings.HasPrefix(line, "#") {
			if n > at.Line {
				break
			}
			continue
		}
		text := strings.TrimSpace(strings.TrimLeft(line, "#"))
		if n >= at.Line && (strings.HasPrefix(text, key+":") || strings.HasSuffix(text, " "+key)) {
			start := f.Offset(n, 1) + strings.Index(line, text)
			return f.Span(start, start+len(text))
		}
	}
	return at
}

// catalogue is the rule as an entry of the catalogue.
func (r *Rule) catalogue() *lint.Rule {
	summary := r.Title
	if summary == "" {
		summary = "Rule of " + r.File + "."
	}
	doc := "# " + r.ID + "\n\n" + summary + "\n"
	if r.Description != "" {
		doc += "\n" + r.Description + "\n"
	}
	level := lint.Warning
	for _, e := range r.entries {
		if e.name != "warn" {
			level = r.Level
		}
	}
	return &lint.Rule{
		Name: r.ID, Level: level, Sees: []lint.Sees{lint.Manifest, lint.Go, lint.Link}, Scope: lint.PerInput, Doc: doc,
	}
}
