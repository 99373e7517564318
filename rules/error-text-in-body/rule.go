// Package errortextinbody is the rule error-text-in-body.
package errortextinbody

import (
	_ "embed"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

//go:embed doc.md
var doc string

// Rule is error-text-in-body.
var Rule = &lint.Rule{
	Name:  "error-text-in-body",
	Level: lint.Warning,
	Sees:  []lint.Sees{lint.Go, lint.Link},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	secret(p)
	if p.Endpoint == nil || !p.Endpoint.Answer.ErrorText || p.Endpoint.Answer.ErrorTextSpan.IsZero() {
		return
	}
	at := p.Endpoint.Answer.ErrorTextSpan
	p.Report(lint.Finding{
		Level: lint.Warning, Certainty: model.Proven,
		Title:    lint.Title("%s answers with the text of an internal error", lint.Quote(p.Path())),
		Primary:  lint.Label{Span: at, Text: "whoever asks reads what the driver says"},
		Labels:   lint.Labels(p.ServedLabel, p.AskedLabel),
		Notes:    []string{"a driver's error names hosts, ports, users and databases; the kubelet reads the status alone"},
		Help:     "log the error, and answer a fixed word for each part: `database: unavailable`",
		Cause:    lint.CauseAt(at),
		Identity: p.InCode("error text"),
	})
}

// secret reports an answer that shows a setting which is for the process alone.
func secret(p *lint.Pass) {
	if p.Endpoint == nil || p.Endpoint.Answer.Secret == "" || p.Endpoint.Answer.SecretSpan.IsZero() {
		return
	}
	at, name := p.Endpoint.Answer.SecretSpan, lint.Quote(p.Endpoint.Answer.Secret)
	p.Report(lint.Finding{
		Level: lint.Warning, Certainty: model.Proven,
		Title:    lint.Title("%s answers with %s", lint.Quote(p.Path()), name),
		Primary:  lint.Label{Span: at, Text: lint.Text("whoever asks reads %s", name)},
		Labels:   lint.Labels(p.ServedLabel, p.AskedLabel),
		Notes:    []string{"health paths are answered without credentials; the kubelet reads the status alone"},
		Help:     "answer with what the reader needs: the version, the name of each part and a fixed word for its state",
		Cause:    lint.CauseAt(at) + " " + p.Endpoint.Answer.Secret,
		Identity: p.InCode("secret", p.Endpoint.Answer.Secret),
	})
}
