package startupbudgettooshort

import (
	"fmt"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

// unboundedBudget is the start-up budget in seconds that is enough for work that lasts as long as there is data, or until
// another system answers. It is held against the most that a start can get, so that the usual 30 times 10s passes.
const unboundedBudget = 300

// work sums up what the program does before its first listener opens. sure is false where a branch stands before the work
// that decides.
func work(prog *model.Program) (longest *model.StartupWork, seconds float64, sure bool) {
	if prog == nil {
		return nil, 0, false
	}
	sure = true
	for i := range prog.Startup {
		w := &prog.Startup[i]
		switch {
		case w.Unbounded:
			if longest == nil || !longest.Unbounded || !sure && w.Sure {
				longest, sure = w, w.Sure
			}
		case w.Seconds > 0:
			seconds += w.Seconds
			if longest == nil || !longest.Unbounded && w.Seconds > longest.Seconds {
				longest = w
			}
			if longest == w {
				sure = w.Sure
			}
		}
	}
	return longest, seconds, sure
}

// checkCode reports start-up work in the code that outlasts the guaranteed budget.
func checkCode(p *lint.Pass, boot model.Range) bool {
	if p.Probe.Kind == model.Exec {
		return false // the command decides, not the listener
	}
	w, seconds, sure := work(p.Program)
	if w == nil || w.Unbounded && boot.Worst >= unboundedBudget || !w.Unbounded && boot.Best >= seconds {
		return false
	}
	certainty := lint.Weaker(p.ProgramCertainty)
	l := lint.Error
	if !sure {
		l = lint.Warning // a branch decides whether the work is done
	}
	takes := "before the port opens"
	if !w.Unbounded {
		takes = "for " + kubelet.Seconds(seconds) + " " + takes
	}
	best := kubelet.Seconds(boot.Best)
	f := lint.Finding{
		Level: lint.Lowered(l, certainty), Certainty: certainty,
		Title: lint.Title("%s guarantees "+best+" for a start with "+what(w), p.Subject()),
		Notes: []string{fmt.Sprintf("nobody listens until it has ended; killed %s into the start, the work begins again with the next one", kubelet.Span(boot))},
		Help:  "a startup probe of the same endpoint with a budget for the longest start: `periodSeconds: 5` and `failureThreshold: 120` guarantee 595s",
	}
	if w.Kind == model.StartMigration {
		f.Notes = append(f.Notes, "a migration that is killed in the middle can leave the schema locked or marked as dirty")
	}
	f.Primary, f.Labels = words.Primary(p,
		"killed "+kubelet.Span(boot)+" into a start that does not answer",
		words.Field(p, "failureThreshold", "killed "+kubelet.Span(boot)+" into the start"),
		words.Field(p, "periodSeconds", "an attempt every "+words.Secs(kubelet.TimingOf(p.Probe).Period)))
	f.Labels = append(f.Labels, lint.Label{Span: w.Span, Strong: true, Text: lint.Text("%s runs "+takes, w.What)})
	p.Report(f)
	return true
}

// what names the work for a title.
func what(w *model.StartupWork) string {
	switch w.Kind {
	case model.StartMigration:
		return "migrations"
	case model.StartSync:
		return "a cache sync"
	case model.StartWaitLoop:
		return "a wait for another system"
	case model.StartLoad:
		return "a load"
	}
	return kubelet.Seconds(w.Seconds) + " of sleep"
}
