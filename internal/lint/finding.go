// Package lint is the vocabulary of the rules: what a rule is, what it is given, and what it reports. Front ends fill it,
// rules use it, reporters print it.
package lint

import "github.com/probelint/probelint/internal/model"

// Level is how loud a finding is.
type Level uint8

// The levels, from silent to loud (RULES.md, "Levels"). Off exists only in configuration.
const (
	Off Level = iota
	Info
	Warning
	Error
)

// String is the level's name in text, JSON and configuration.
func (l Level) String() string {
	switch l {
	case Info:
		return "info"
	case Warning:
		return "warning"
	case Error:
		return "error"
	}
	return "off"
}

// ParseLevel is the inverse of String.
func ParseLevel(s string) (Level, bool) {
	for l := Off; l <= Error; l++ {
		if l.String() == s {
			return l, true
		}
	}
	return Off, false
}

// Finding is one thing that will go wrong. It stays a structured value until a reporter prints it. The words obey the
// message guide (STYLE.md section 9).
type Finding struct {
	Rule      string
	Level     Level
	Certainty model.Certainty
	// Title states the fact about this thing: lower case, at most 90 characters, no full stop, names in backticks.
	Title string
	// Primary is where the finding points; Labels are further places, of either side.
	Primary Label
	Labels  []Label
	// Notes are consequences with numbers; Help is the way out, the only place for advice.
	Notes []string
	Help  string
	// Docs is where a team policy says more: an address, or the policy's file; empty for a rule of the catalogue.
	Docs  string
	Fixes []Fix
	// Probes are the probes that the finding is about.
	Probes []ProbeRef
	// Cause tells findings of one rule with the same cause apart from others: equal rule, level and cause become one
	// finding that lists all probes. Empty: the primary span is the cause.
	Cause string
	// Identity is what the fingerprint is made of besides the rule: object, container, field path or Go symbol; no line,
	// no words of the message.
	Identity []string
	// Fingerprint identifies the finding over runs and moves (STYLE.md 5.10). The engine fills it; rules leave it empty.
	Fingerprint string
	// Suppressed is the reason, where a comment or annotation silences the finding.
	Suppressed *Suppression
}

// Suppression is why a finding is silent.
type Suppression struct {
	Reason string
	Span   model.Span
}

// ProbeRef names a probe in a finding.
type ProbeRef struct {
	Workload, Container string
	Role                model.Role
	File                string
	Line                int
}

// Label is a span with what it contributes, in at most 60 characters.
type Label struct {
	Span model.Span
	Text string
	// Strong labels are drawn like the primary one (`^^^^`) and give the position in the heading of their file, for the
	// place on the other side that carries the fact. Finding.Primary is strong by itself.
	Strong bool
}

// Fix is a set of byte edits. Safe: it cannot change behaviour except as the rule intends.
type Fix struct {
	Title string // an imperative phrase
	Safe  bool
	Edits []Edit
	// Move is turned into Edits by the engine, which knows the text; a fix whose move is not certain is left out.
	Move *Move
}

// Move takes one entry of a mapping in a manifest to another place of the same file, with the indentation of that place.
type Move struct {
	Entry model.Field
	// Alone is the key of the mapping where the entry is its only one, which goes with it; zero otherwise.
	Alone model.Span
	// Before is the key in front of which the entry goes. Under is a mapping that is made there to hold it; "" for none.
	Before model.Span
	Under  string
}

// Edit replaces the bytes of Span by Text.
type Edit struct {
	Span model.Span
	Text string
	// Old is what a rule takes Span to hold, or, where Span is empty, what stands right before it. An edit of a workload that was
	// rendered is offered only where the template, base or values file holds this very text; without Old it is not.
	Old string
}
