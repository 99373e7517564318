package unhealthyanswers200

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func branch(change func(*model.FailingOK)) *model.Endpoint {
	b := &model.FailingOK{Write: ruletest.Code(43), Status: 200, Check: ruletest.Code(40), Call: "main.stats", Dependency: true}
	if change != nil {
		change(b)
	}
	return &model.Endpoint{Answer: model.Answer{Statuses: []int{200}, FailingOK: b}}
}

func TestFailureThatSucceeds(t *testing.T) {
	ruletest.Want(t, Rule, ruletest.Pass(model.Readiness, branch(nil)), lint.Finding{
		Level: lint.Error, Certainty: model.Proven,
		Title:   "`/healthz` answers 200 when `main.stats` fails",
		Primary: lint.Label{Span: ruletest.Code(43), Text: "no status was written, so this sends 200"},
		Labels: []lint.Label{
			{Span: ruletest.Code(40), Text: "this check failed", Strong: true},
			{Span: ruletest.Yaml(22), Text: "readiness asks this every 10s"},
			{Span: ruletest.Code(10), Text: "same path, served here on port 8080"},
		},
		Notes:    []string{"the kubelet reads the status and never the body: this instance stays in rotation"},
		Help:     "set the status before the body: `w.WriteHeader(http.StatusServiceUnavailable)`",
		Cause:    "main.go:4300-4310",
		Identity: []string{"go", "main.health", "main.stats"},
	})
}

func TestLevels(t *testing.T) {
	const title = "`/healthz` answers 200 when `main.stats` fails"
	for name, c := range map[string]struct {
		role model.Role
		e    *model.Endpoint
		want []string
	}{
		"none":                     {e: &model.Endpoint{}},
		"liveness, a dependency":   {role: model.Liveness, e: branch(nil)},
		"liveness, its own state":  {role: model.Liveness, e: branch(func(b *model.FailingOK) { b.Dependency = false }), want: []string{"error proven " + title}},
		"degraded":                 {e: branch(func(b *model.FailingOK) { b.Degraded = true })},
		"a redirect for a failure": {e: branch(func(b *model.FailingOK) { b.Status = 302 }), want: []string{"error proven `/healthz` answers 302 when `main.stats` fails"}},
		"status not followed": {
			e: func() *model.Endpoint {
				e := branch(nil)
				e.Answer.Unknown = true
				e.Unfollowed = []model.Unfollowed{{Call: "example.com/web.Finish", Why: "its module is missing"}}
				return e
			}(),
			want: []string{"info likely " + title},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if c.role == "" {
				c.role = model.Readiness
			}
			ruletest.WantLine(t, Rule, ruletest.Pass(c.role, c.e), c.want...)
		})
	}
	t.Run("without a manifest", func(t *testing.T) {
		ruletest.WantLine(t, Rule, ruletest.Guessed(model.Readiness, branch(nil)), "error proven "+title)
	})
}
