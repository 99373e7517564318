// Package statusafterbody is the rule status-after-body.
package statusafterbody

import (
	_ "embed"
	"fmt"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is status-after-body.
var Rule = &lint.Rule{
	Name:  "status-after-body",
	Level: lint.Error,
	Sees:  []lint.Sees{lint.Go, lint.Link},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	if p.Endpoint == nil || p.Endpoint.Answer.LateStatus == nil {
		return
	}
	late := p.Endpoint.Answer.LateStatus
	first := late.FirstStatus
	if first == 0 {
		first = 200
	}
	f := lint.Finding{
		Certainty: model.Proven,
		Cause:     lint.CauseAt(late.Late),
		Identity:  p.InCode("late status"),
	}
	if late.MissingReturn {
		f.Level = lint.Error
		f.Title = lint.Title(fmt.Sprintf("%%s goes on after it has answered %d", first), lint.Quote(p.Path()))
		f.Primary = lint.Label{Span: late.First, Text: "the branch does not return"}
		f.Labels = []lint.Label{{Span: late.Late, Text: "written behind the error", Strong: true}}
		f.Notes = []string{fmt.Sprintf("the status stays %d, the body says both, and every further check runs", first)}
		f.Help = "return after the error answer"
		f.Fixes = words.Cure("Return after the error answer", late.Return)
	} else {
		f.Level = lint.Error
		f.Title = lint.Title(fmt.Sprintf("%%s sets %d after the answer has begun: the kubelet sees %d", late.Status, first), lint.Quote(p.Path()))
		f.Primary = lint.Label{Span: late.Late, Text: "too late: net/http drops this status"}
		f.Labels = []lint.Label{{Span: late.First, Text: fmt.Sprintf("the first write sends %d", first), Strong: true}}
		f.Notes = []string{"the failure is in the body, which the kubelet does not read"}
		f.Help = "run the checks first, then write the status, then the body"
	}
	f.Labels = append(f.Labels, lint.Labels(p.AskedLabel, p.ServedLabel)...)
	p.Report(f)
}
