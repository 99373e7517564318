package checkheavyquery

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func query(statement string) *model.Endpoint {
	d := ruletest.Ping()
	d.Call, d.Operation, d.Statement = "(*database/sql.DB).QueryRowContext", "query", statement
	return &model.Endpoint{Dependencies: []*model.Dependency{d}}
}

func TestRuleOnTheModel(t *testing.T) {
	ruletest.Want(t, Rule, ruletest.Pass(model.Readiness, query("select count(*) from memories")), lint.Finding{
		Level: lint.Warning, Certainty: model.Proven,
		Title:   "`/healthz` counts a table on every probe",
		Primary: lint.Label{Span: ruletest.Code(40), Text: "this takes longer the more rows there are"},
		Labels: []lint.Label{
			{Span: ruletest.Yaml(22), Text: "readiness asks this every 10s"},
			{Span: ruletest.Code(10), Text: "same path, served here on port 8080"},
		},
		Notes:    []string{"the probe grows with the data until it no longer fits its timeout; all 3 replicas ask it 1080 times an hour"},
		Help:     "ask what does not grow: `select 1`, or a ping",
		Cause:    "main.go:4000-4010 heavy",
		Identity: []string{"go", "main.health", "(*database/sql.DB).QueryRowContext", "heavy"},
	})
}

func TestStatements(t *testing.T) {
	for statement, want := range map[string]string{
		"":         "",
		"select 1": "",
		"SELECT COUNT(id) FROM jobs WHERE state = 'open'":        "counts a table",
		"select * from users":                                    "reads a whole table",
		"SELECT id, name\n\tFROM users;":                         "reads a whole table",
		"select * from users limit 1":                            "",
		"select * from users where id = $1":                      "",
		"select 1 from users":                                    "",
		"select now()":                                           "",
		"select version from schema_migrations limit 1":          "",
		"select count(*) from information_schema.tables":         "",
		"select count(*) from pg_stat_activity":                  "",
		"PRAGMA integrity_check":                                 "checks the whole database",
		"pragma user_version":                                    "",
		"CHECK TABLE users":                                      "checks the whole database",
		"insert into discount (id) values (1)":                   "",
		"select account from dual where 1 = 1 fetch first 1 row": "",
	} {
		if got := heavy(statement); got != want {
			t.Errorf("heavy(%q) = %q, want %q", statement, got, want)
		}
	}
	ruletest.WantLine(t, Rule, ruletest.Guessed(model.Liveness, query("pragma quick_check")), "warning proven `/healthz` checks the whole database on every probe")
}
