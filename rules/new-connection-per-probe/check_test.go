package newconnectionperprobe

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func opens(c model.NewConnection) *model.Endpoint {
	c.Call, c.Name, c.Span = "database/sql.Open", "PostgreSQL", ruletest.Code(40)
	return &model.Endpoint{Connections: []model.NewConnection{c, c}}
}

func TestLeftOpen(t *testing.T) {
	ruletest.Want(t, Rule, ruletest.Pass(model.Readiness, opens(model.NewConnection{})), lint.Finding{
		Level: lint.Error, Certainty: model.Proven,
		Title:   "`/healthz` opens a connection to PostgreSQL on every probe and leaves it open",
		Primary: lint.Label{Span: ruletest.Code(40), Text: "`sql.Open` on every probe, closed on no path"},
		Labels: []lint.Label{
			{Span: ruletest.Yaml(22), Text: "readiness asks this every 10s"},
			{Span: ruletest.Code(10), Text: "same path, served here on port 8080"},
		},
		Notes:    []string{"the probe itself uses up the server's connections: 1080 an hour from all 3 replicas"},
		Help:     "build the client once, when the program starts, and let the check borrow from its pool",
		Cause:    "main.go:4000-4010",
		Identity: []string{"go", "main.health", "database/sql.Open"},
	})
}

func TestWhen(t *testing.T) {
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, opens(model.NewConnection{Closed: true})), "warning proven `/healthz` opens and closes a connection to PostgreSQL on every probe")
	ruletest.WantLine(t, Rule, ruletest.Guessed(model.Readiness, opens(model.NewConnection{})), "error proven `/healthz` opens a connection to PostgreSQL on every probe and leaves it open")
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, opens(model.NewConnection{Escapes: true})))
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, &model.Endpoint{}))
}
