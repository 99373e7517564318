// Package unhealthynot503 is the rule unhealthy-not-503.
package unhealthynot503

import (
	_ "embed"
	"fmt"
	"net/http"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

//go:embed doc.md
var doc string

// Rule is unhealthy-not-503.
var Rule = &lint.Rule{
	Name:  "unhealthy-not-503",
	Level: lint.Info,
	Sees:  []lint.Sees{lint.Go, lint.Link},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	if p.Endpoint == nil || p.Endpoint.Answer.FailureSpan.IsZero() {
		return
	}
	status := 0
	for _, s := range p.Endpoint.Answer.Statuses {
		switch {
		case s == http.StatusServiceUnavailable:
			return
		case s < 400, refused(s), wrapped(p.Endpoint, s):
		default:
			status = s
		}
	}
	if status == 0 {
		return
	}
	f := lint.Finding{
		Level: lint.Info, Certainty: model.Proven,
		Title:    lint.Title(fmt.Sprintf("%%s says unhealthy with %d instead of 503", status), lint.Quote(p.Path())),
		Primary:  lint.Label{Span: p.Endpoint.Answer.FailureSpan, Text: fmt.Sprintf("answers %d", status)},
		Labels:   lint.Labels(p.AskedLabel, p.ServedLabel),
		Notes:    []string{"the kubelet takes any status from 400 on; load balancers, clients and people read 503 as not now and 500 as broken"},
		Help:     "answer 503 Service Unavailable",
		Cause:    lint.CauseAt(p.Endpoint.Answer.FailureSpan),
		Identity: p.InCode("status"),
	}
	p.Report(f)
}

// refused reports whether a status says something of the request and nothing of the instance.
func refused(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed,
		http.StatusProxyAuthRequired, http.StatusTooManyRequests:
		return true
	}
	return false
}

// wrapped reports whether a status comes from middleware, which is another rule.
func wrapped(e *model.Endpoint, status int) bool {
	for _, w := range e.Wrappers {
		for _, s := range w.Statuses {
			if s == status {
				return true
			}
		}
	}
	return false
}
