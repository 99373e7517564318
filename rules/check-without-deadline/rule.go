// Package checkwithoutdeadline is the rule check-without-deadline.
package checkwithoutdeadline

import (
	_ "embed"
	"fmt"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

//go:embed doc.md
var doc string

// Rule is check-without-deadline.
var Rule = &lint.Rule{
	Name:  "check-without-deadline",
	Level: lint.Error,
	Sees:  []lint.Sees{lint.Go, lint.Link},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	if p.Endpoint == nil {
		return
	}
	seen := map[model.Span]bool{}
	for _, d := range p.Endpoint.Dependencies {
		if d.Scope != model.External && d.Scope != model.Loopback || d.Mode == "detached" || seen[d.Span] {
			continue
		}
		seen[d.Span] = true
		if r := d.Retry; r != nil && r.Endless && d.Bound != model.BoundNone {
			endless(p, d)
			continue
		}
		switch d.Bound {
		case model.BoundNone:
			report(p, d, lint.Error)
		case model.BoundRequest, model.BoundAnswer:
			report(p, d, lint.Warning)
		case model.BoundClient:
			if d.Ignored == nil {
				clientOnly(p, d)
			}
		}
	}
}

// clientOnly is a call that the code gives no deadline and that the client's own default ends too late for the probe.
func clientOnly(p *lint.Pass, d *model.Dependency) {
	timeout, known := p.Timeout()
	if !known || d.AfterAnswer || d.Deadline == nil || !d.Deadline.Known || d.Deadline.Seconds < timeout {
		return
	}
	level := lint.Warning
	if p.Probe.Guessed {
		level = lint.Info
	}
	report(p, d, level)
}

// endless is a call that ends in time, inside a retry that does not.
func endless(p *lint.Pass, d *model.Dependency) {
	name := lint.DependencyName(d)
	level, text := lint.Error, "nothing but a success ends this"
	if d.Retry.Request || d.Bound == model.BoundRequest {
		level, text = lint.Warning, "ends only with a success, or with the request"
	}
	p.Report(lint.Finding{
		Level: lint.Lowered(level, certainty(d)), Certainty: certainty(d),
		Title:   lint.Title("%s asks %s again and again until it answers", lint.Quote(p.Path()), name),
		Primary: lint.Label{Span: d.Retry.Span, Text: text},
		Labels: append([]lint.Label{{Span: d.Span, Text: lint.Text("asks %s", name), Strong: true}},
			lint.Labels(p.AskedLabel, p.ServedLabel)...),
		Notes:    []string{consequence(p, d)},
		Help:     "ask once, under a deadline below `timeoutSeconds`: the kubelet tries again by itself and counts",
		Cause:    lint.CauseAt(d.Retry.Span) + " endless",
		Identity: p.InCode(d.Call, "endless"),
	})
}

func report(p *lint.Pass, d *model.Dependency, l lint.Level) {
	call := lint.Quote(lint.ShortCall(d.Call))
	f := lint.Finding{
		Level:     lint.Lowered(l, certainty(d)),
		Certainty: certainty(d),
		Cause:     lint.CauseAt(d.Span),
		Identity:  p.InCode(d.Call),
		Notes:     []string{consequence(p, d)},
		Help:      help(p, d),
	}
	name := lint.DependencyName(d)
	switch d.Bound {
	case model.BoundNone:
		f.Title = lint.Title("%s waits for %s without a deadline", lint.Quote(p.Path()), name)
		f.Primary = lint.Label{Span: d.Span, Text: lint.FirstFit(
			"nothing ends "+call+" when "+lint.Again(name)+" does not answer",
			"nothing ends "+call+" when it does not answer",
		)}
	case model.BoundRequest:
		f.Title = lint.Title("%s waits for %s until the kubelet gives up", lint.Quote(p.Path()), name)
		f.Primary = lint.Label{Span: d.Span, Text: lint.FirstFit(
			"ends only with the request: "+call+" has no deadline",
			"ends only with the request: "+call,
			call+" has no deadline of its own",
		)}
	case model.BoundClient:
		f.Title = lint.Title("%s waits up to "+kubelet.Seconds(d.Deadline.Seconds)+" for %s: its client has no other limit", lint.Quote(p.Path()), name)
		f.Primary = lint.Label{Span: d.Span, Text: lint.Text("only the client's own limit of "+kubelet.Seconds(d.Deadline.Seconds)+" ends %s", call)}
	case model.BoundAnswer:
		f.Title = lint.Title("%s answers in time, but its call to %s goes on", lint.Quote(p.Path()), name)
		f.Primary = lint.Label{Span: d.Span, Text: lint.Text("the answer is bounded, %s is not", call)}
	}
	f.Labels = append(lint.Labels(p.AskedLabel, p.ServedLabel), p.ViaLabels(d)...)
	f.Fixes = bound(p, d)
	p.Report(f)
}

// bound gives the call a deadline below the probe's timeout. How long it may take is a choice, so the fix waits for the word.
func bound(p *lint.Pass, d *model.Dependency) []lint.Fix {
	timeout, known := p.Timeout()
	if d.Room == nil || !known || p.Probe.Guessed {
		return nil
	}
	r := d.Room
	text := fmt.Sprintf("ctx, cancel := context.WithTimeout(%s, %s)\n%sdefer cancel()\n%s", r.Expr, inGo(timeout), r.Indent, r.Indent)
	return []lint.Fix{{
		Title: "Give the call a deadline of " + lint.Suggested(timeout),
		Edits: []lint.Edit{{Span: r.At, Text: text}, {Span: r.Arg, Text: "ctx", Old: r.Expr}},
	}}
}

// inGo is the suggested deadline as Go code.
func inGo(timeout float64) string {
	ms := int(timeout*800 + 0.5)
	if ms%1000 == 0 {
		return fmt.Sprintf("%d*time.Second", ms/1000)
	}
	return fmt.Sprintf("%d*time.Millisecond", ms)
}

// certainty is that of the call alone: the fault lies in the code, whichever probe asks.
func certainty(d *model.Dependency) model.Certainty { return lint.Weaker(d.Certainty) }

func consequence(p *lint.Pass, d *model.Dependency) string {
	timeout, known := p.Timeout()
	gives := "the kubelet gives up"
	if known && !p.Probe.Guessed {
		gives += " after " + kubelet.Seconds(timeout)
	}
	if d.Bound == model.BoundRequest {
		return gives + " and cancels the request: the probe has failed by then, whatever the check would have said"
	}
	if d.Bound == model.BoundClient && (d.Retry == nil || !d.Retry.Endless) {
		return gives + ", the handler after " + kubelet.Seconds(d.Deadline.Seconds) + ": the probe has failed by then, whatever the check would have said"
	}
	leaves := "each probe that waits leaves a goroutine and a connection behind"
	if period, ok := p.Period(); ok && !p.Probe.Guessed {
		leaves += fmt.Sprintf(", %d an hour", int(3600/max(period, timeout)))
	}
	if d.Bound == model.BoundAnswer {
		return leaves
	}
	return gives + ", the handler does not: " + leaves
}

// withContext are calls of the standard library that have a sibling with a context.
var withContext = map[string]string{
	"(*database/sql.DB).Ping":            "`PingContext`",
	"(*database/sql.DB).Query":           "`QueryContext`",
	"(*database/sql.DB).QueryRow":        "`QueryRowContext`",
	"(*database/sql.DB).Exec":            "`ExecContext`",
	"(*database/sql.DB).Begin":           "`BeginTx`",
	"(*database/sql.Conn).Ping":          "`PingContext`",
	"net/http.Get":                       "an `http.Client` with a `Timeout`",
	"net/http.Head":                      "an `http.Client` with a `Timeout`",
	"net/http.Post":                      "an `http.Client` with a `Timeout`",
	"net/http.PostForm":                  "an `http.Client` with a `Timeout`",
	"(*net/http.Client).Get":             "`http.NewRequestWithContext`, or set the client's `Timeout`",
	"(*net/http.Client).Head":            "`http.NewRequestWithContext`, or set the client's `Timeout`",
	"(*net/http.Client).Post":            "`http.NewRequestWithContext`, or set the client's `Timeout`",
	"(*net/http.Client).Do":              "`http.NewRequestWithContext`, or set the client's `Timeout`",
	"net.Dial":                           "`net.DialTimeout`",
	"crypto/tls.Dial":                    "`tls.DialWithDialer` and a dialer's `Timeout`",
	"os/exec.Command":                    "`exec.CommandContext` and a `WaitDelay`",
	"(*github.com/jmoiron/sqlx.DB).Ping": "`PingContext`",
}

func help(p *lint.Pass, d *model.Dependency) string {
	timeout, known := p.Timeout()
	bound := "a deadline"
	if known {
		bound = fmt.Sprintf("a deadline below the probe's timeout, such as %s", lint.Suggested(timeout))
	}
	if d.Bound == model.BoundClient {
		return fmt.Sprintf("give the call %s, in the options of the client where it does not honour the context", bound)
	}
	if with, ok := withContext[d.Call]; ok && d.Bound != model.BoundRequest {
		return fmt.Sprintf("give the call %s: use %s", bound, with)
	}
	return fmt.Sprintf("give the call %s: `context.WithTimeout(r.Context(), ...)`", bound)
}
