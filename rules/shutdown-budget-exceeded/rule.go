// Package shutdownbudgetexceeded is the rule shutdown-budget-exceeded.
package shutdownbudgetexceeded

import (
	_ "embed"
	"fmt"
	"math"
	"strings"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is shutdown-budget-exceeded.
var Rule = &lint.Rule{
	Name:  "shutdown-budget-exceeded",
	Level: lint.Error,
	Sees:  []lint.Sees{lint.Manifest, lint.Link},
	Scope: lint.PerContainer,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	w, c := p.Workload, p.Container
	if w == nil || c.Kind == model.Init || c.Kind == model.Ephemeral || rejected(c) {
		return
	}
	stop := kubelet.Shutdown{Grace: float64(w.TerminationGracePeriodSeconds)}
	if c.PreStop != nil && c.PreStop.Seconds != nil {
		stop.PreStop = *c.PreStop.Seconds
	}
	grace := kubelet.Seconds(stop.Grace)
	f := lint.Finding{Level: lint.Error, Certainty: model.Proven}
	var labels []lint.Label
	if stop.PreStop > 0 {
		labels = append(labels, lint.Label{Span: c.PreStop.Span, Text: "takes " + kubelet.Seconds(stop.PreStop) + " before SIGTERM"})
	}
	if stop.PreStop > 0 && stop.PreStop >= stop.Grace {
		f.Title = lint.Title("the preStop hook of %s takes "+kubelet.Seconds(stop.PreStop)+" of a grace period of "+grace, words.Container(w, c))
		f.Notes = []string{fmt.Sprintf("the grace period runs during the hook: %s after SIGTERM the process is killed, with every request that it still answers",
			kubelet.Seconds(stop.TermToKill()))}
		f.Help = fmt.Sprintf("a grace period above %s, by as much as the longest request takes", kubelet.Seconds(stop.PreStop+kubelet.MinTermination))
	} else {
		s := shutdown(p.Program)
		if s == nil {
			return
		}
		if s.Wait != nil {
			stop.Wait = *s.Wait
		}
		if s.Timeout != nil {
			stop.Timeout = *s.Timeout
		}
		if !stop.Cuts() || stop.Wait+stop.Timeout == 0 {
			return
		}
		f.Certainty = lint.Weaker(p.ProgramCertainty)
		f.Level = lint.Lowered(lint.Error, f.Certainty)
		labels = append(labels, lint.Label{Span: s.Span, Strong: true, Text: fmt.Sprintf("waits %s, then shuts down for up to %s",
			kubelet.Seconds(stop.Wait), kubelet.Seconds(stop.Timeout))})
		// Where the parts alone keep to the grace period, it is the margin that does not fit.
		takes := "the shutdown of %s takes up to " + kubelet.Seconds(stop.Needs()-kubelet.MinTermination)
		if stop.Needs()-kubelet.MinTermination <= stop.Grace {
			takes = "the shutdown of %s needs " + kubelet.Seconds(stop.Needs()) + ", a margin of " + kubelet.Seconds(kubelet.MinTermination) + " included,"
		}
		f.Title = lint.Title(takes+" of a grace period of "+grace, words.Container(w, c))
		f.Notes = []string{fmt.Sprintf("preStop %s + wait %s + shutdown %s + %s margin is %s: SIGKILL cuts the requests that are left",
			kubelet.Seconds(stop.PreStop), kubelet.Seconds(stop.Wait), kubelet.Seconds(stop.Timeout), kubelet.Seconds(kubelet.MinTermination),
			kubelet.Seconds(stop.Needs()))}
		f.Help = fmt.Sprintf("`terminationGracePeriodSeconds: %d`, or a shorter part of the sum", int(math.Ceil(stop.Needs())))
	}
	if at, ok := w.Fields[specPath(w)+"terminationGracePeriodSeconds"]; ok {
		labels = append(labels, lint.Label{Span: at.Value, Text: "SIGKILL this long after the deletion"})
	} else {
		f.Notes = append(f.Notes, "`terminationGracePeriodSeconds` is not written: "+grace+" is the default")
	}
	f.Primary, f.Labels = labels[0], labels[1:]
	p.Report(f)
}

func shutdown(prog *model.Program) *model.Shutdown {
	if prog == nil {
		return nil
	}
	return prog.Shutdown
}

// rejected reports whether the API server refuses the hook, which probe-field-invalid says.
func rejected(c *model.Container) bool {
	for _, i := range c.Invalid {
		if i.Rejected && strings.HasPrefix(i.Path, "lifecycle") {
			return true
		}
	}
	return false
}

// specPath is the path of the pod's spec with its dot: a Pod has no template.
func specPath(w *model.Workload) string {
	if w.TemplatePath == "" {
		return "spec."
	}
	return w.TemplatePath + ".spec."
}
