// Package proberolesswapped is the rule probe-roles-swapped.
package proberolesswapped

import (
	_ "embed"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is probe-roles-swapped.
var Rule = &lint.Rule{
	Name:  "probe-roles-swapped",
	Level: lint.Warning,
	Sees:  []lint.Sees{lint.Manifest},
	Scope: lint.PerContainer,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	live, ready := p.Container.Probe(model.Liveness), p.Container.Probe(model.Readiness)
	if live == nil || ready == nil {
		return
	}
	pl, pr := words.With(p, live), words.With(p, ready)
	if !words.Judged(pl) || !words.Judged(pr) || says(live) != model.Readiness || says(ready) != model.Liveness {
		return
	}
	p.Report(lint.Finding{
		Level: lint.Warning, Certainty: model.Proven,
		Title:   lint.Title("liveness and readiness probe of %s ask each other's endpoint", words.Container(p.Workload, p.Container)),
		Primary: lint.Label{Span: pl.TargetSpan(), Text: "liveness asks what says ready: not ready is restarted"},
		Labels:  []lint.Label{{Span: pr.TargetSpan(), Text: "readiness asks what says alive: ready while unable"}},
		Notes: []string{
			"an instance that is not ready for a while is restarted, which makes it less ready; one that cannot serve stays in rotation as long as its process lives",
		},
		Help:   "liveness asks " + lint.Quote(asks(ready)) + ", readiness asks " + lint.Quote(asks(live)),
		Probes: []lint.ProbeRef{pl.Ref(), pr.Ref()},
	})
}

func asks(pr *model.Probe) string {
	if pr.Kind == model.GRPC {
		return pr.Target.Service
	}
	return pr.Target.Path
}

// says is the role that the name of what a probe asks stands for, "" where it stands for none or for both. Only whole
// words count, so that "/already" and "/delivery" say nothing.
func says(pr *model.Probe) model.Role {
	if pr.Kind != model.HTTPGet && pr.Kind != model.GRPC {
		return ""
	}
	path, _, _ := strings.Cut(asks(pr), "?")
	var role model.Role
	for _, word := range strings.FieldsFunc(strings.ToLower(path), func(r rune) bool { return strings.ContainsRune("/_-.", r) }) {
		said := names[word]
		if said != "" && role != "" && said != role {
			return ""
		}
		if said != "" {
			role = said
		}
	}
	return role
}

var names = map[string]model.Role{
	"ready": model.Readiness, "readyz": model.Readiness, "readiness": model.Readiness, "isready": model.Readiness, "gtg": model.Readiness,
	"live": model.Liveness, "livez": model.Liveness, "liveness": model.Liveness, "alive": model.Liveness, "isalive": model.Liveness,
}
