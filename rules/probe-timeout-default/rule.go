// Package probetimeoutdefault is the rule probe-timeout-default.
package probetimeoutdefault

import (
	_ "embed"
	"fmt"
	"math"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is probe-timeout-default.
var Rule = &lint.Rule{
	Name:  "probe-timeout-default",
	Level: lint.Warning,
	Sees:  []lint.Sees{lint.Manifest},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

// smallCPU is the limit in thousandths of a CPU up to which throttling alone can use up a second: at 500m a container that
// has spent its quota stands still for half of each 100 ms.
const smallCPU = 500

func check(p *lint.Pass) {
	pr := p.Probe
	if !words.Judged(p) || pr.Kind == model.TCPSocket || pr.IsDeclared("timeoutSeconds") || pr.IsUnknown("timeoutSeconds") {
		return
	}
	t := kubelet.TimingOf(pr)
	f := lint.Finding{
		Level: lint.Info, Certainty: model.Proven,
		Title:   lint.Title("%s has no `timeoutSeconds` and gets 1s", p.Subject()),
		Primary: lint.Label{Span: pr.Span, Text: "no `timeoutSeconds`: the kubelet gives up after 1s"},
	}
	counted := words.Known(pr, "failureThreshold", "periodSeconds")
	after := fmt.Sprintf("; %s slow answers in a row and it is %s", number(t.FailureThreshold), words.Verdict(pr.Role))
	if t.FailureThreshold == 1 {
		after = "; one slow answer and it is " + words.Verdict(pr.Role)
	}
	if !counted {
		after = ""
	}
	switch {
	case pr.Kind == model.Exec:
		f.Level = lint.Warning
		f.Notes = append(f.Notes, "an exec probe starts a process each time; on a busy node that alone takes longer than 1s"+after)
	case pr.Kind == model.GRPC:
		f.Level = lint.Warning
		f.Notes = append(f.Notes, "a gRPC probe dials anew each time; dial and call share the 1s"+after)
	default:
		small := p.Container.CPULimitMillis != nil && *p.Container.CPULimitMillis <= smallCPU
		if pr.Role == model.Liveness && counted && t.FailureThreshold == 1 {
			f.Level = lint.Warning
		}
		if pr.Role == model.Liveness && small {
			f.Level = lint.Warning
			at := p.Container.Fields.Value("resources.limits.cpu", p.Container.Span)
			f.Labels = append(f.Labels, lint.Label{Span: at, Text: fmt.Sprintf("%dm of CPU: throttled in mid-answer under load", *p.Container.CPULimitMillis)})
		}
		f.Notes = append(f.Notes, "connecting, TLS, headers and body share the 1s"+after)
	}
	f.Help = help(p)
	p.Report(f)
}

func number(n int) string { return fmt.Sprint(n) }

// help names a timeout where the code states one: what the endpoint allows itself plus a quarter.
func help(p *lint.Pass) string {
	if p.Endpoint == nil || p.Endpoint.Budget == nil || p.Endpoint.Budget.Upper == nil || p.Endpoint.Budget.Unknown {
		return "a `timeoutSeconds` below the period: the latency above which an instance is as good as dead"
	}
	upper := *p.Endpoint.Budget.Upper
	seconds := max(1, int(math.Ceil(upper/0.8)))
	return fmt.Sprintf("the deadlines in the code allow %s up to %s: `timeoutSeconds: %d` leaves it a margin",
		lint.Quote(p.Path()), kubelet.Seconds(upper), seconds)
}
