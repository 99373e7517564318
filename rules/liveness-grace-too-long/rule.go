// Package livenessgracetoolong is the rule liveness-grace-too-long.
package livenessgracetoolong

import (
	_ "embed"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is liveness-grace-too-long.
var Rule = &lint.Rule{
	Name:  "liveness-grace-too-long",
	Level: lint.Warning,
	Sees:  []lint.Sees{lint.Manifest},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

// longest is the grace period of the pod in seconds up to which a hung process does not wait too long for its end.
const longest = 120

func check(p *lint.Pass) {
	pr, w := p.Probe, p.Workload
	if !words.Judged(p) || pr.Role != model.Liveness || pr.TerminationGracePeriodSeconds != nil ||
		pr.IsUnknown("terminationGracePeriodSeconds") || w.TerminationGracePeriodSeconds <= longest {
		return
	}
	grace := float64(w.TerminationGracePeriodSeconds)
	stop := kubelet.Shutdown{Grace: grace}
	if c := p.Container; c.PreStop != nil && c.PreStop.Seconds != nil {
		stop.PreStop = *c.PreStop.Seconds
	}
	f := lint.Finding{
		Level: lint.Warning, Certainty: model.Proven,
		Title:   lint.Title("%s is killed "+kubelet.Seconds(stop.StopMax())+" after its liveness probe finds it hung", words.Container(w, p.Container)),
		Primary: lint.Label{Span: pr.Span, Text: "no `terminationGracePeriodSeconds` of its own: the pod's"},
		Notes: []string{"a process that hangs does not act on SIGTERM; it keeps its memory and its locks until SIGKILL, " +
			"and the pod stays in rotation as long as its readiness probe succeeds"},
		Help: "`terminationGracePeriodSeconds` on the liveness probe ends a hung process sooner and leaves the pod's grace for a deletion",
	}
	if at, ok := w.Fields[specPath(w)+"terminationGracePeriodSeconds"]; ok {
		f.Labels = append(f.Labels, lint.Label{Span: at.Value, Text: "meant for a deletion, counts for a restart as well"})
	}
	if !p.UnknownTimings() {
		f.Labels = append(f.Labels, lint.Labels(p.DetectLabel)...)
		f.Notes = append(f.Notes, "noticed after "+kubelet.Span(kubelet.TimingOf(pr).DetectHang())+", gone "+kubelet.Seconds(stop.StopMax())+" later")
	}
	p.Report(f)
}

// specPath is the path of the pod's spec with its dot: a Pod has no template.
func specPath(w *model.Workload) string {
	if w.TemplatePath == "" {
		return "spec."
	}
	return w.TemplatePath + ".spec."
}
