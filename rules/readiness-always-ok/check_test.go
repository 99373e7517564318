package readinessalwaysok

import (
	"slices"
	"strings"
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func static() *model.Endpoint {
	return &model.Endpoint{
		Answer: model.Answer{Static: true, Statuses: []int{200}, SuccessSpan: ruletest.Code(31)},
		Unchecked: &model.Unchecked{Pools: []model.Pool{{
			Kind: "database", Name: "PostgreSQL", Span: ruletest.Code(12), Use: ruletest.Code(50), UseRoute: "/pages",
		}}},
	}
}

func TestAPoolThatNobodyAsks(t *testing.T) {
	ruletest.Want(t, Rule, ruletest.Pass(model.Readiness, static()), lint.Finding{
		Level: lint.Warning, Certainty: model.Proven,
		Title:   "readiness of `shop` is always a success",
		Primary: lint.Label{Span: ruletest.Code(31), Text: "the only answer, whatever the state of the process"},
		Labels: []lint.Label{
			{Span: ruletest.Yaml(22), Text: "readiness asks this every 10s"},
			{Span: ruletest.Code(10), Text: "same path, served here on port 8080"},
			{Span: ruletest.Code(50), Text: "`/pages` cannot answer without PostgreSQL"},
		},
		Notes:    []string{"with its connections to PostgreSQL exhausted or broken the instance stays in rotation and answers errors"},
		Help:     "answer 503 on `/healthz` while this instance cannot serve: before it is warm, while it drains, with its own pool exhausted",
		Cause:    "main.go:30 main.health",
		Identity: []string{"go", "main.health"},
	})
}

func TestWarmup(t *testing.T) {
	e := static()
	e.Unchecked = &model.Unchecked{Warmup: &model.Warmup{What: "load()", Span: ruletest.Code(14), Listener: ruletest.Code(13)}}
	ruletest.Want(t, Rule, ruletest.Pass(model.Readiness, e), lint.Finding{
		Level: lint.Warning, Certainty: model.Proven,
		Title:   "readiness of `shop` is always a success",
		Primary: lint.Label{Span: ruletest.Code(31), Text: "the only answer, whatever the state of the process"},
		Labels: []lint.Label{
			{Span: ruletest.Yaml(22), Text: "readiness asks this every 10s"},
			{Span: ruletest.Code(10), Text: "same path, served here on port 8080"},
			{Span: ruletest.Code(14), Text: "load() goes on after the port is open"},
		},
		Notes:    []string{"traffic arrives before load() has ended"},
		Help:     "answer 503 on `/healthz` while this instance cannot serve: before it is warm, while it drains, with its own pool exhausted",
		Cause:    "main.go:30 main.health",
		Identity: []string{"go", "main.health"},
	})
}

func TestLevels(t *testing.T) {
	const title = "readiness of `shop` is always a success"
	for name, c := range map[string]struct {
		role   model.Role
		change func(*model.Endpoint)
		edit   func(*lint.Pass)
		want   []string
	}{
		"liveness":          {role: model.Liveness},
		"startup":           {role: model.Startup},
		"nothing unchecked": {change: func(e *model.Endpoint) { e.Unchecked = nil }, want: []string{"info proven " + title}},
		"likely link":       {edit: func(p *lint.Pass) { p.Probe.Certainty = model.Likely }, want: []string{"info likely " + title}},
		"a call that was not followed": {
			change: func(e *model.Endpoint) {
				e.Unfollowed = []model.Unfollowed{{Call: "example.com/lib.Do", Why: "its module is missing"}}
			},
			want: []string{"info likely " + title},
		},
		"can fail":  {change: func(e *model.Endpoint) { e.Answer = model.Answer{Statuses: []int{200, 503}} }},
		"redirects": {change: func(e *model.Endpoint) { e.Answer.Statuses = []int{302} }, want: []string{"info proven " + title}},
		"fails without a cause in the process": {
			change: func(e *model.Endpoint) { e.Answer = model.Answer{Statuses: []int{200, 500}, Idle: true} },
			want:   []string{"warning proven " + title},
		},
		"status not known":        {change: func(e *model.Endpoint) { e.Answer.Unknown = true }},
		"nothing is known":        {change: func(e *model.Endpoint) { e.Answer = model.Answer{} }},
		"reads state":             {change: func(e *model.Endpoint) { e.State = []model.State{{Name: "ready", Kind: "local", Gates: true}} }},
		"reads state, reports it": {change: func(e *model.Endpoint) { e.State = []model.State{{Name: "ready", Kind: "local"}} }, want: []string{"warning proven " + title}},
		"a wrapper refuses":       {change: func(e *model.Endpoint) { e.Wrappers = []model.Wrapper{{Statuses: []int{401}}} }},
		"a wrapper only logs":     {change: func(e *model.Endpoint) { e.Wrappers = []model.Wrapper{{}} }, want: []string{"warning proven " + title}},
		"a cached verdict":        {change: func(e *model.Endpoint) { e.Cache = &model.Cache{} }},
		"a dependency decides":    {change: func(e *model.Endpoint) { e.Dependencies = []*model.Dependency{ruletest.Ping()} }},
		"a dependency is reported": {
			change: func(e *model.Endpoint) {
				d := ruletest.Ping()
				d.Gates, d.Deadline = false, ruletest.Second(0.5)
				e.Dependencies = []*model.Dependency{d}
			},
			want: []string{"info proven " + title},
		},
		"a dependency can hang": {change: func(e *model.Endpoint) {
			d := ruletest.Ping()
			d.Gates, d.Bound, d.Deadline = false, model.BoundNone, nil
			e.Dependencies = []*model.Dependency{d}
		}},
		"grpc": {edit: func(p *lint.Pass) { p.Probe.Kind = model.GRPC }},
	} {
		t.Run(name, func(t *testing.T) {
			e := static()
			if c.change != nil {
				c.change(e)
			}
			if c.role == "" {
				c.role = model.Readiness
			}
			p := ruletest.Pass(c.role, e)
			if c.edit != nil {
				c.edit(p)
			}
			ruletest.WantLine(t, Rule, p, c.want...)
		})
	}
	t.Run("without a manifest", func(t *testing.T) {
		ruletest.WantLine(t, Rule, ruletest.Guessed(model.Readiness, static()), "info guessed `/healthz` says ready whatever the state")
	})
}

func TestLabelsSayThingsOnce(t *testing.T) {
	e := static()
	e.Answer = model.Answer{Statuses: []int{200, 500}, Idle: true}
	use := func(route string, line int) model.Pool {
		return model.Pool{Name: "PostgreSQL", Use: ruletest.Code(line), UseRoute: route}
	}
	e.Unchecked.Pools = []model.Pool{use("/videos", 60), use("/videos", 61), use("/songs", 70), use("/films", 80)}
	got := ruletest.Findings(t, Rule, ruletest.Pass(model.Readiness, e))
	if len(got) != 1 {
		t.Fatalf("%d findings", len(got))
	}
	if want := "the answer, whatever the state of the process"; got[0].Primary.Text != want {
		t.Errorf("got %q beside a branch that fails, want %q", got[0].Primary.Text, want)
	}
	var texts []string
	for _, l := range got[0].Labels {
		if strings.Contains(l.Text, "cannot answer") {
			texts = append(texts, l.Text)
		}
	}
	want := []string{"`/videos` cannot answer without PostgreSQL", "`/songs` cannot answer without PostgreSQL"}
	if !slices.Equal(texts, want) || len(got[0].Notes) != 1 {
		t.Errorf("got %q and %q, want %q and one note", texts, got[0].Notes, want)
	}
}
