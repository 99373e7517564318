// Package execcouldbehttpget is the rule exec-could-be-httpget.
package execcouldbehttpget

import (
	_ "embed"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is exec-could-be-httpget.
var Rule = &lint.Rule{
	Name:  "exec-could-be-httpget",
	Level: lint.Info,
	Sees:  []lint.Sees{lint.Manifest},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	c := words.Command(p)
	if c == nil || c.NotShell != nil || !c.Whole {
		return
	}
	e := words.Asks(c)
	if e == nil || e.URL == "" || e.Read {
		return
	}
	p.Report(lint.Finding{
		Level: lint.Info, Certainty: model.Proven,
		Title:   lint.Title("%s starts %s to fetch a URL of its own container", words.Subject(p), lint.Quote(e.Name)),
		Primary: words.Argument(p.Probe, e.Argument, "the kubelet fetches this by itself with httpGet"),
		Notes:   []string{"httpGet starts no process, needs no " + e.Name + " in the image, counts 400 and more as a failure, and ends at the timeout"},
		Help:    "an httpGet probe for " + lint.Quote(e.URL) + ", where the server listens on the pod's address and not on loopback alone",
	})
}
