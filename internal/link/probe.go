package link

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/values"
)

// endpointKey is what an endpoint depends on. Probes with equal keys share one endpoint.
type endpointKey struct {
	program *model.Program
	route   *model.Route
	request string
	values  string
}

// tryCandidates lets the probes decide among several programs: exactly one that answers is likely the one.
func (j *joiner) tryCandidates(ch *choice, w *model.Workload, c *model.Container) {
	var best []*program
	most := 0
	var first *model.Probe
	for _, p := range ch.candidates {
		n := 0
		for _, pr := range c.Probes {
			if pr.Kind != model.HTTPGet && pr.Kind != model.GRPC {
				continue
			}
			// A server whose address is not known proves too little to tell programs apart.
			if a := j.try(p, false, ch, w, pr); a.answers && a.match.Kind == Matched && a.addr.port == pr.Target.Port {
				n++
				if first == nil {
					first = pr
				}
			}
		}
		switch {
		case n == 0 || n < most:
		case n > most:
			best, most = []*program{p}, n
		default:
			best = append(best, p)
		}
	}
	if len(best) == 1 {
		ch.program, ch.certainty = best[0], model.Likely
		ch.evidence = append(ch.evidence, model.Evidence{
			Step: "program", Fact: fmt.Sprintf("%s is the only program that serves `%s` on port %d", best[0].label(), askedPath(first), first.Target.Port),
			File: best[0].Span.File, Line: best[0].Span.Line, Span: best[0].Span,
		})
		return
	}
	if p, d := j.onlyBuilt(ch.candidates); p != nil && len(best) == 0 {
		ch.program, ch.certainty = p, model.Likely
		ch.evidence = append(ch.evidence, evidence("program", &model.Span{File: d, Line: 1}, "%s is the only program that the Dockerfiles build", p.label()))
		return
	}
	among := ch.candidates
	if len(best) > 1 {
		among = best
	}
	var names []string
	for i, p := range among {
		if i == 4 {
			names = append(names, fmt.Sprintf("%d more", len(among)-i))
			break
		}
		names = append(names, p.label())
	}
	ch.why = fmt.Sprintf("ambiguous: image `%s` could run %s", short(c.Image), list(names, "or"))
}

// onlyBuilt is the candidate that every Dockerfile of the tree builds, whatever its image is called; nil where they build
// several or none.
func (j *joiner) onlyBuilt(candidates []*program) (only *program, file string) {
	for _, f := range j.dockerfiles {
		d := j.dockerfile(f)
		if d == nil {
			continue
		}
		for _, b := range j.inBestContext(d, d.last(), "").builds {
			p := j.byBuild(b.dir, b.importPath, b.base())
			switch {
			case p == nil || only != nil && p != only:
				return nil, ""
			case only == nil:
				only, file = p, f
			}
		}
	}
	if only == nil || !slices.Contains(candidates, only) {
		return nil, ""
	}
	return only, file
}

func list(names []string, word string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " " + word + " " + names[len(names)-1]
}

// probe fills one probe.
func (j *joiner) probe(ch *choice, w *model.Workload, pr *model.Probe) {
	switch pr.Kind {
	case model.HTTPGet, model.GRPC, model.TCPSocket:
	case model.Exec:
		j.exec(ch, w, pr)
		return
	default:
		return
	}
	if host := pr.Target.Host; host != "" && (pr.Kind == model.HTTPGet || pr.Kind == model.TCPSocket) {
		if h := (address{host: host}); !h.loopback() {
			pr.Reason = fmt.Sprintf("another host: the probe asks `%s`", host)
			pr.Elsewhere = true
			return
		} else if !w.HostNetwork {
			pr.Reason = fmt.Sprintf("another host: `%s` is the node here, not the pod", host)
			pr.Elsewhere = true
			return
		}
	}
	if ch.program == nil {
		pr.Elsewhere = ch.elsewhere
		if pr.Kind != model.TCPSocket {
			pr.Reason = ch.why
		}
		if pr.Kind == model.HTTPGet {
			pr.Miss = ch.absent
		}
		return
	}
	a := j.try(ch.program, ch.certainty == model.Proven, ch, w, pr)
	pr.Program, pr.Server, pr.Miss, pr.Reason = ch.program.Program, a.server, a.miss, a.reason
	pr.Evidence = append(append([]model.Evidence(nil), ch.evidence...), a.steps()...)
	if a.server == nil && a.reason != "" && a.miss == nil {
		pr.Program = ch.program.Program
	}
	if a.route == nil {
		return
	}
	e := j.endpoint(&a, ch.container)
	if e == nil {
		pr.Reason = fmt.Sprintf("not followed: the handler `%s` of `%s`", ifElse(a.route.Handler != "", a.route.Handler, "(unnamed)"), a.route.Pattern)
		return
	}
	if why := lost(e); why != "" && a.match.Kind == MatchedCatchAll {
		pr.Reason = fmt.Sprintf("not followed: `%s` answers whatever no route answers, and %s", e.Symbol, why)
		if a.miss != nil {
			judgeCatchAll(a.miss, e)
		}
		return
	}
	pr.Certainty = weaker(ch.certainty, a.certainty)
	pr.Endpoint = e
	if a.miss != nil && a.miss.CatchAll != nil {
		judgeCatchAll(a.miss, e)
	}
}

// lost says why a catch-all's handler is not what answers a probe: it dispatches the request itself, and where to was not
// followed. One that looks at the path and can still say 404 has not been told which path it is.
func lost(e *model.Endpoint) string {
	switch {
	case e.HandedOn:
		return "hands the request to a handler that is not known"
	case !e.PathIgnored && slices.Contains(e.Answer.Statuses, http.StatusNotFound):
		return "looks at the path itself"
	}
	return ""
}

// judgeCatchAll: a catch-all proves that nothing else answers only where its handler was followed and does not look at
// the path; one that answers an error for what it does not know is no answer at all.
func judgeCatchAll(m *model.Miss, e *model.Endpoint) {
	if len(e.Answer.Statuses) == 1 && !e.Answer.Unknown {
		m.CatchAllStatus = e.Answer.Statuses[0]
	}
	if !e.PathIgnored {
		m.Grade = model.MissPossible
		m.Unresolved = fmt.Sprintf("what `%s` does with the path", e.Symbol)
	}
}

// steps are the evidence from the port on.
func (a *attempt) steps() []model.Evidence {
	var out []model.Evidence
	if a.server == nil {
		return nil
	}
	if a.addr.port != 0 {
		at := spanOr(a.addr.Span, a.server.Span)
		out = append(out, evidence("port", &at, "listens on %s, %s", a.addr.text(), a.addr.source()))
	} else {
		out = append(out, evidence("port", &a.server.Span, "%s", ifElse(a.unknown != "", a.unknown, "the address is not known, and no other server answers")))
	}
	if a.route != nil {
		pattern := strings.TrimSpace(a.route.Method + " " + a.route.Pattern)
		switch {
		case a.match.Kind == MatchedCatchAll:
			out = append(out, evidence("route", &a.route.Span, "no route has the path; the catch-all `%s` answers", pattern))
		case a.match.Kind == MatchedSuffix:
			out = append(out, evidence("route", &a.route.Span, "`%s` ends alike, its prefix is not known", pattern))
		case a.match.Redirect != "":
			out = append(out, evidence("route", &a.route.Span, "redirected to `%s`, served by `%s`", a.match.Redirect, pattern))
		default:
			out = append(out, evidence("route", &a.route.Span, "`%s` is registered", pattern))
		}
	}
	return out
}

// endpoint asks the Go side once for each key.
func (j *joiner) endpoint(a *attempt, c *model.Container) *model.Endpoint {
	req := a.request
	if p, err := url.PathUnescape(req.Path); err == nil {
		req.Path = p
	}
	if req.Path == "" {
		req.Path = "/"
	}
	var b strings.Builder
	for _, h := range req.Headers {
		b.WriteString(h.Name + ":" + h.Value + "\n")
	}
	key := endpointKey{a.program.Program, a.route, req.Method + " " + req.Path + "?" + req.Query + "\n" + req.Service + "\n" + b.String(), values.Of(c).Key()}
	if e, ok := j.endpoints[key]; ok {
		return e
	}
	e := j.in.Code.Endpoint(a.program.Program, a.route, req, c)
	j.endpoints[key] = e
	return e
}

func weaker(a, b model.Certainty) model.Certainty {
	if a == model.Likely || b == model.Likely {
		return model.Likely
	}
	return a
}
