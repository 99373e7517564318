package cachedaggregate

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func cache(seconds float64, kind string, aged bool) *model.Endpoint {
	return &model.Endpoint{Cache: &model.Cache{
		Seconds: seconds, Known: seconds > 0, Kind: kind, Aged: aged, Span: ruletest.Code(20), StoreSpan: ruletest.Code(22),
	}}
}

func TestABackgroundLoop(t *testing.T) {
	ruletest.Want(t, Rule, ruletest.Pass(model.Readiness, cache(60, "background", false)), lint.Finding{
		Level: lint.Error, Certainty: model.Proven,
		Title:   "`/healthz` answers a verdict that is 60s old and has no expiry",
		Primary: lint.Label{Span: ruletest.Code(20), Text: "refreshed every 60s, whoever asks"},
		Labels: []lint.Label{
			{Span: ruletest.Code(22), Text: "the verdict is stored here", Strong: true},
			{Span: ruletest.Yaml(22), Text: "readiness asks this every 10s"},
			{Span: ruletest.Code(10), Text: "same path, served here on port 8080"},
		},
		Notes: []string{
			"the readiness probe notices a fault 20s to 90s after it instead of 20s to 30s",
			"when the refresh panics, blocks or ends, the last verdict is answered for ever",
		},
		Help:     "store the time with the verdict, and answer 503 once it is older than two refreshes",
		Cause:    "main.go:2000-2010",
		Identity: []string{"go", "main.health", "cache"},
	})
}

func TestATTL(t *testing.T) {
	ruletest.Want(t, Rule, ruletest.Pass(model.Readiness, cache(5, "ttl", true)), lint.Finding{
		Level: lint.Warning, Certainty: model.Proven,
		Title:   "`/healthz` answers a verdict that is up to 5s old",
		Primary: lint.Label{Span: ruletest.Code(20), Text: "no new check for 5s"},
		Labels: []lint.Label{
			{Span: ruletest.Code(22), Text: "the verdict is stored here", Strong: true},
			{Span: ruletest.Yaml(22), Text: "readiness asks this every 10s"},
			{Span: ruletest.Code(10), Text: "same path, served here on port 8080"},
		},
		Notes:    []string{"the readiness probe notices a fault 20s to 37s after it instead of 20s to 32s"},
		Help:     "check on each probe, or keep the verdict for at most 2s",
		Cause:    "main.go:2000-2010",
		Identity: []string{"go", "main.health", "cache"},
	})
}

func TestLevels(t *testing.T) {
	for name, c := range map[string]struct {
		e    *model.Endpoint
		edit func(*lint.Pass)
		want []string
	}{
		"none":               {e: &model.Endpoint{}},
		"within 2s":          {e: cache(2, "ttl", true)},
		"above half of P":    {e: cache(2, "ttl", true), edit: func(p *lint.Pass) { p.Probe.PeriodSeconds = 3 }, want: []string{"warning proven `/healthz` answers a verdict that is up to 2s old"}},
		"equal to P":         {e: cache(10, "ttl", true), want: []string{"warning proven `/healthz` answers a verdict that is up to 10s old"}},
		"above P":            {e: cache(11, "ttl", true), want: []string{"error proven `/healthz` answers a verdict that is up to 11s old"}},
		"a guard is an age":  {e: cache(1, "ttl", false)},
		"aged background":    {e: cache(1, "background", true)},
		"no age, quick":      {e: cache(1, "background", false), want: []string{"error proven `/healthz` answers a verdict that is 1s old and has no expiry"}},
		"no age, not known":  {e: cache(0, "background", false), want: []string{"error proven `/healthz` answers a stored verdict that has no expiry"}},
		"not known":          {e: cache(0, "ttl", true), want: []string{"info proven `/healthz` answers a stored verdict, for how long is not known"}},
		"never, by settings": {e: cache(1, "ttl", true), edit: func(p *lint.Pass) { p.Settings.VerdictMaxAge = 0 }, want: []string{"warning proven `/healthz` answers a verdict that is up to 1s old"}},
		"likely link":        {e: cache(11, "ttl", true), edit: func(p *lint.Pass) { p.Probe.Certainty = model.Likely }, want: []string{"warning likely `/healthz` answers a verdict that is up to 11s old"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := ruletest.Pass(model.Readiness, c.e)
			if c.edit != nil {
				c.edit(p)
			}
			ruletest.WantLine(t, Rule, p, c.want...)
		})
	}
	t.Run("without a manifest the period is not known", func(t *testing.T) {
		ruletest.WantLine(t, Rule, ruletest.Guessed(model.Readiness, cache(60, "library", true)), "warning likely `/healthz` answers a verdict that is up to 60s old")
		ruletest.WantLine(t, Rule, ruletest.Guessed(model.Readiness, cache(60, "background", false)), "error proven `/healthz` answers a verdict that is 60s old and has no expiry")
	})
}
