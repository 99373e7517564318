// Package execoutlivestimeout is the rule exec-outlives-timeout.
package execoutlivestimeout

import (
	_ "embed"
	"strconv"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is exec-outlives-timeout.
var Rule = &lint.Rule{
	Name:  "exec-outlives-timeout",
	Level: lint.Warning,
	Sees:  []lint.Sees{lint.Manifest},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	c := words.Command(p)
	timeout, known := p.Timeout()
	if c == nil || c.NotShell != nil || c.Always != nil && c.Always.Kind == model.ExecConstant || !known {
		return
	}
	var worst *model.ExecProgram
	for i := range c.Programs {
		b := c.Programs[i].Bound
		if b == nil || !b.Endless && b.Seconds < timeout {
			continue
		}
		if worst == nil || worst.Bound.Endless && !b.Endless || !b.Endless && b.Seconds > worst.Bound.Seconds {
			worst = &c.Programs[i]
		}
	}
	if worst == nil {
		return
	}
	t := kubelet.Seconds(timeout)
	f := lint.Finding{
		Level: lint.Warning, Certainty: model.Proven,
		Notes: []string{"at " + t + " the kubelet counts a failure and leaves the process running; with a server that hangs, one more is left with each period"},
	}
	program := lint.Quote(worst.Name)
	if worst.Bound.Endless {
		f.Level = lint.Info
		f.Title = lint.Title("%s runs %s, which has no time limit", words.Subject(p), program)
		f.Primary = words.Argument(p.Probe, worst.Argument, lint.Text("%s waits as long as the server is silent", program))
	} else {
		lasts := kubelet.Seconds(worst.Bound.Seconds)
		f.Title = lint.Title("%s gives %s "+t+", and it can take "+lasts, words.Subject(p), program)
		f.Primary = words.Argument(p.Probe, worst.Argument, lint.Text("up to "+lasts+" (%s)", worst.Bound.From))
	}
	if l, ok := p.TimeoutLabel(); ok {
		f.Labels = append(f.Labels, l)
	}
	f.Help = help(worst, timeout)
	p.Report(f)
}

// help names the option that ends the tool before the kubelet does.
func help(e *model.ExecProgram, timeout float64) string {
	if timeout <= 1 {
		return "a `timeoutSeconds` above what the tool can take"
	}
	below := strconv.FormatFloat(timeout-1, 'f', -1, 64) // as curl and timeout take it
	switch e.Name {
	case "curl":
		return "`--max-time " + below + "` ends it before the kubelet gives up"
	case "pg_isready":
		return "`-t` below the timeout (1 waits 2s), or a `timeoutSeconds` above " + kubelet.Seconds(e.Bound.Seconds)
	}
	return "`timeout " + below + " " + e.Name + " …` ends it before the kubelet gives up"
}
