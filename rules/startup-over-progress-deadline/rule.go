// Package startupoverprogressdeadline is the rule startup-over-progress-deadline.
package startupoverprogressdeadline

import (
	_ "embed"
	"fmt"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is startup-over-progress-deadline.
var Rule = &lint.Rule{
	Name:  "startup-over-progress-deadline",
	Level: lint.Warning,
	Sees:  []lint.Sees{lint.Manifest},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	pr, w := p.Probe, p.Workload
	if !words.Judged(p) || pr.Role != model.Startup || w.ProgressDeadlineSeconds == nil ||
		!words.Known(pr, "initialDelaySeconds", "periodSeconds", "failureThreshold") {
		return
	}
	t := kubelet.TimingOf(pr)
	boot, deadline := t.Boot(), float64(*w.ProgressDeadlineSeconds)
	most := boot.Worst + float64(w.MinReadySeconds)
	if most < deadline {
		return
	}
	f := lint.Finding{
		Level: lint.Warning, Certainty: model.Proven,
		Title: lint.Title("%s allows "+kubelet.Seconds(boot.Worst)+", the rollout has "+kubelet.Seconds(deadline), p.Subject()),
		Notes: []string{fmt.Sprintf("a pod that starts in its time is reported as a failed rollout after %s; a pipeline that waits for it rolls back",
			kubelet.Seconds(deadline))},
		Help: fmt.Sprintf("`progressDeadlineSeconds` above %s, or a start-up budget below %s",
			kubelet.Seconds(most), kubelet.Seconds(max(0, deadline-float64(w.MinReadySeconds)))),
	}
	f.Primary, f.Labels = words.Primary(p,
		"start-up of up to "+kubelet.Seconds(boot.Worst),
		words.Field(p, "failureThreshold", lint.FirstFit(
			fmt.Sprintf("%s, %s apart: up to %s", lint.Count(t.FailureThreshold, "failure"), words.Secs(t.Period), kubelet.Seconds(boot.Worst)))),
		words.Field(p, "periodSeconds", "an attempt every "+words.Secs(t.Period)),
		words.Field(p, "initialDelaySeconds", "counts from the container's start"))
	if at, ok := w.Fields["spec.progressDeadlineSeconds"]; ok {
		f.Labels = append(f.Labels, lint.Label{Span: at.Value, Text: "the rollout fails after this without progress"})
	} else {
		f.Notes = append(f.Notes, "`progressDeadlineSeconds` is not written: "+kubelet.Seconds(deadline)+" is the default")
	}
	if at, ok := w.Fields["spec.minReadySeconds"]; ok && w.MinReadySeconds > 0 {
		f.Labels = append(f.Labels, lint.Label{Span: at.Value, Text: "comes on top before the pod counts as available"})
	}
	p.Report(f)
}
