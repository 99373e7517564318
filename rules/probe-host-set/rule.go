// Package probehostset is the rule probe-host-set.
package probehostset

import (
	_ "embed"
	"net/netip"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is probe-host-set.
var Rule = &lint.Rule{
	Name:  "probe-host-set",
	Level: lint.Info,
	Sees:  []lint.Sees{lint.Manifest},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	host := p.Probe.Target.Host
	if !words.Judged(p) || host == "" {
		return
	}
	local := isLoopback(host)
	if local && p.Workload.HostNetwork {
		return // the node's loopback is then the pod's
	}
	f := lint.Finding{
		Level: lint.Info, Certainty: model.Proven,
		Title:   lint.Title("%s asks host %s in place of the pod", p.Subject(), lint.Quote(host)),
		Primary: lint.Label{Span: p.Probe.Fields.Value(string(p.Probe.Kind)+".host", p.Probe.Span), Text: "the kubelet connects from the node to this host"},
		Notes:   []string{"the verdict is about whoever answers there, and all pods of the workload share it"},
		Help:    "without `host` the kubelet asks the pod's own address; a `Host` header is one of `httpHeaders`",
	}
	if local {
		f.Primary.Text = "the loopback of the node, not of the pod"
		f.Notes = []string{"the kubelet runs outside of the pod: it asks whatever listens on the node"}
	}
	p.Report(f)
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	a, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && a.IsLoopback()
}
