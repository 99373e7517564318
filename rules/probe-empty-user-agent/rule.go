// Package probeemptyuseragent is the rule probe-empty-user-agent.
package probeemptyuseragent

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is probe-empty-user-agent.
var Rule = &lint.Rule{
	Name:  "probe-empty-user-agent",
	Level: lint.Info,
	Sees:  []lint.Sees{lint.Manifest},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	if !words.Judged(p) || p.Probe.Kind != model.HTTPGet {
		return
	}
	for i, h := range p.Probe.Target.Headers {
		if !strings.EqualFold(h.Name, "User-Agent") || h.Value != "" {
			continue
		}
		at := p.Probe.Fields.Value(fmt.Sprintf("httpGet.httpHeaders[%d].value", i), p.TargetSpan())
		p.Report(lint.Finding{
			Level: lint.Info, Certainty: model.Proven,
			Title:   lint.Title("%s sends no `User-Agent`", p.Subject()),
			Primary: lint.Label{Span: at, Text: "an empty value removes the header"},
			Notes:   []string{"logs and middleware tell a probe from other requests by `kube-probe/` in this header"},
			Help:    "without the entry the kubelet sends `User-Agent: kube-probe/VERSION`",
		})
		return
	}
}
