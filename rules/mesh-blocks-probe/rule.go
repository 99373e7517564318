// Package meshblocksprobe is the rule mesh-blocks-probe.
package meshblocksprobe

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is mesh-blocks-probe.
var Rule = &lint.Rule{
	Name:  "mesh-blocks-probe",
	Level: lint.Error,
	Sees:  []lint.Sees{lint.Manifest},
	Scope: lint.PerWorkload,
	Doc:   doc,
	Check: check,
}

// rewrite lets Istio's sidecar answer the kubelet in the place of the container. It counts on the pod template alone.
const rewrite = "sidecar.istio.io/rewriteAppHTTPProbers"

func check(p *lint.Pass) {
	w := p.Workload
	if len(w.PeerAuthentications) == 0 || w.HostNetwork || outside(w) {
		return
	}
	written, here := w.Annotations[rewrite]
	object, elsewhere := w.ObjectAnnotations[rewrite]
	off := here && isFalse(written)
	misplaced := !here && elsewhere && !isFalse(object) && w.TemplatePath != ""
	if !off && !misplaced {
		return
	}
	var refs []lint.ProbeRef
	var labels []lint.Label
	var policy *model.PeerAuthentication
	for _, c := range w.Containers {
		for _, pr := range c.Probes {
			if pr.Rejected() || pr.Kind != model.HTTPGet && pr.Kind != model.GRPC || pr.Target.Host != "" || excluded(w, pr.Target.Port) {
				continue
			}
			by := strict(w, pr.Target.Port)
			if by == nil {
				continue
			}
			policy = by
			refs = append(refs, lint.RefOf(w, c, pr))
			labels = append(labels, lint.Label{Span: words.PortSpan(pr), Text: lint.Text("the %s probe arrives here without a certificate", string(pr.Role))})
		}
	}
	if policy == nil {
		return
	}
	labels = append([]lint.Label{{Span: policy.Span, Text: "only connections with a certificate of the mesh", Strong: true}}, labels...)
	f := lint.Finding{
		Level: lint.Error, Certainty: model.Proven, Probes: refs, Labels: labels,
		Title: lint.Title("mutual TLS is STRICT for "+subject(refs)+" of %s, and probe rewriting is off", lint.Named(w)),
		Notes: []string{"the kubelet has no certificate of the mesh: the sidecar resets its connection and every attempt fails"},
	}
	if off {
		f.Primary = lint.Label{Span: annotation(w, w.TemplatePath), Text: "the sidecar does not answer for the container"}
		f.Help = "without this annotation the sidecar answers the kubelet on its own port 15020 and asks the container itself"
	} else {
		// Istio's own default is on, so that only a mesh that switched it off is harmed.
		f.Level, f.Certainty = lint.Warning, model.Likely
		f.Title = lint.Title("probe rewriting of %s is asked for on the object, where Istio does not look", lint.Named(w))
		f.Primary = lint.Label{Span: annotation(w, ""), Text: fmt.Sprintf("counts on the pod template, not on the %s", w.Kind)}
		f.Notes = []string{"where the mesh as a whole has rewriting switched off, nothing switches it on for these pods: the kubelet has no certificate, and every attempt fails"}
		f.Help = "the annotation belongs to `" + w.TemplatePath + ".metadata.annotations`"
		f.Fixes = move(w)
	}
	if policy.Apart {
		f.Level, f.Certainty = lint.Warning, model.Likely
		f.Notes = append(f.Notes, "the policy of the mesh lies in another part of the repository: whether this workload is installed in that mesh is not written")
	}
	p.Report(f)
}

// move takes the annotation to the pod template, in front of the first annotation or label that stands there.
func move(w *model.Workload) []lint.Fix {
	const from = "metadata.annotations"
	entry, ok := w.Fields[from+"."+rewrite]
	if !ok || w.Renderer != "" {
		return nil
	}
	m := &lint.Move{Entry: entry}
	if len(w.ObjectAnnotations) == 1 {
		m.Alone = w.Fields[from].Key
	}
	at := w.TemplatePath + ".metadata"
	if first := w.Fields.First(at + ".annotations"); !first.IsZero() {
		m.Before = first
	} else if _, has := w.Fields[at+".annotations"]; !has {
		m.Before, m.Under = w.Fields.First(at), "annotations"
	}
	if m.Before.IsZero() {
		return nil
	}
	return []lint.Fix{{Title: "Move the annotation to the pod template", Safe: true, Move: m}}
}

func subject(refs []lint.ProbeRef) string {
	if len(refs) == 1 {
		return fmt.Sprintf("the %s probe", refs[0].Role)
	}
	return fmt.Sprintf("%d probes", len(refs))
}

// annotation is where the annotation is written, below the template or the object.
func annotation(w *model.Workload, below string) model.Span {
	at := "metadata.annotations." + rewrite
	if below != "" {
		at = below + "." + at
	}
	return w.Fields.Value(at, w.Span)
}

// outside reports whether the pods have no sidecar: injection is off, or the mesh is ambient.
func outside(w *model.Workload) bool {
	for _, m := range []map[string]string{w.Annotations, w.Labels} {
		if v, ok := m["sidecar.istio.io/inject"]; ok && isFalse(v) {
			return true
		}
		if m["istio.io/dataplane-mode"] == "ambient" {
			return true
		}
	}
	return false
}

// isFalse reads a boolean as Istio does (strconv.ParseBool).
func isFalse(s string) bool {
	v, err := strconv.ParseBool(strings.TrimSpace(s))
	return err == nil && !v
}

// strict is the policy that asks for mutual TLS on a port, nil where none does. The most specific one that sets a mode wins; a
// port's own mode counts in a policy with a selector alone.
func strict(w *model.Workload, port int) *model.PeerAuthentication {
	for _, pa := range w.PeerAuthentications {
		mode := pa.Mode
		if m, ok := pa.PortModes[port]; ok && pa.Selects && m != "" && m != "UNSET" {
			mode = m
		}
		switch mode {
		case "", "UNSET":
			continue
		case "STRICT":
			return pa
		}
		return nil
	}
	return nil
}

// excluded reports whether the sidecar leaves a port alone.
func excluded(w *model.Workload, port int) bool {
	if port == 0 {
		return true // not known
	}
	has := func(key string) bool {
		for _, s := range strings.Split(w.Annotations[key], ",") {
			if s = strings.TrimSpace(s); s == "*" || s == strconv.Itoa(port) {
				return true
			}
		}
		return false
	}
	if _, ok := w.Annotations["traffic.sidecar.istio.io/includeInboundPorts"]; ok && !has("traffic.sidecar.istio.io/includeInboundPorts") {
		return true
	}
	return has("traffic.sidecar.istio.io/excludeInboundPorts")
}
