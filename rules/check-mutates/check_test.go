package checkmutates

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func call(change func(*model.Dependency)) *model.Endpoint {
	d := ruletest.Ping()
	d.Call, d.Operation, d.Statement = "(*database/sql.DB).ExecContext", "exec", "insert into health_log(at) values (now())"
	if change != nil {
		change(d)
	}
	return &model.Endpoint{Dependencies: []*model.Dependency{d}}
}

func TestRuleOnTheModel(t *testing.T) {
	ruletest.Want(t, Rule, ruletest.Pass(model.Readiness, call(nil)), lint.Finding{
		Level: lint.Warning, Certainty: model.Proven,
		Title:   "`/healthz` inserts into PostgreSQL on every probe",
		Primary: lint.Label{Span: ruletest.Code(40), Text: "this changes what it checks"},
		Labels: []lint.Label{
			{Span: ruletest.Yaml(22), Text: "readiness asks this every 10s"},
			{Span: ruletest.Code(10), Text: "same path, served here on port 8080"},
		},
		Notes:    []string{"a probe is sent at any time, by every replica, and again after each timeout: 1080 times an hour here"},
		Help:     "read instead: a ping, or `select 1`",
		Cause:    "main.go:4000-4010 mutates",
		Identity: []string{"go", "main.health", "(*database/sql.DB).ExecContext", "mutates"},
	})
}

func TestWhat(t *testing.T) {
	for _, c := range []struct{ statement, operation, want string }{
		{"select 1", "exec", ""},
		{"", "exec", ""},
		{"", "ping", ""},
		{"", "get", ""},
		{"select updated_at from t", "query", ""},
		{"-- probe\nUPDATE t SET a = 1", "exec", "updates rows in"},
		{"/* x */ delete from t", "exec", "deletes from"},
		{"", "publish", "publishes to"},
		{"", "set", "writes to"},
		{"", "post", "posts to"},
	} {
		if got := mutates(&model.Dependency{Statement: c.statement, Operation: c.operation}); got != c.want {
			t.Errorf("mutates(%q, %q) = %q, want %q", c.statement, c.operation, got, c.want)
		}
	}
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, call(func(d *model.Dependency) { d.Scope = model.FileSys })))
	ruletest.WantLine(t, Rule, ruletest.Guessed(model.Liveness, call(nil)), "warning proven `/healthz` inserts into PostgreSQL on every probe")
}
