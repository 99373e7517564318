package link

import (
	"fmt"
	"path"
	"sort"
	"strings"

	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/values"
)

// attempt is one probe tried on one program.
type attempt struct {
	program *program
	server  *model.Server
	addr    address
	match   Match
	// route is the one that answers, nil where none does; answers is true where it is a route proper.
	route   *model.Route
	answers bool
	// certainty of the steps from the program on.
	certainty model.Certainty
	miss      *model.Miss
	reason    string
	// unknown is the evidence for a server whose address is not known, "" for the plain one.
	unknown string
	request model.Request
}

// listener is a server with its address in one container.
type listener struct {
	*model.Server
	routes []*model.Route // as they are for the container
	addr   address
	// one of several addresses that could not be told apart
	unsure bool
}

// try asks what answers a probe if the container runs this program. known: that it does is proven.
func (j *joiner) try(p *program, known bool, ch *choice, w *model.Workload, pr *model.Probe) attempt {
	a := attempt{program: p, certainty: model.Proven}
	t := pr.Target
	if t.Port == 0 {
		if t.PortName != "" {
			a.reason = fmt.Sprintf("no such port: the container has no port named `%s`", t.PortName)
		} else {
			a.reason = "the probe's port is not known"
		}
		return a
	}
	env := values.Of(ch.container)
	var on, other, unknown []listener
	for _, s := range runningServers(p, ch.container, env) {
		addrs, routes := addressesOf(s, env), RoutesInForce(s.Routes, env)
		known := len(addrs) > 0
		hit := false
		for _, ad := range addrs {
			switch {
			case ad.none:
			case ad.port == t.Port:
				on = append(on, listener{s, routes, ad, len(addrs) > 1})
				hit = true
			case ad.port == 0:
				known = false
			}
		}
		switch {
		case hit:
		case !known:
			unknown = append(unknown, listener{Server: s, routes: routes})
		case len(addrs) > 0 && !addrs[0].none:
			other = append(other, listener{s, routes, addrs[0], len(addrs) > 1})
		}
	}
	if len(on) == 0 {
		if len(unknown) > 0 {
			j.tryUnknown(&a, unknown, pr)
			return a
		}
		a.missPort(other, known, ch, t.Port)
		return a
	}
	if served := filter(on, func(l listener) bool { return len(l.Routes) > 0 || l.Kind == "grpc" }); len(served) > 0 {
		on = served // a server that nothing is registered on beside one with routes is not the one that runs
	}
	on = a.reachable(on, known, w, pr)
	if len(on) == 0 {
		return a
	}
	on = a.protocol(on, known, pr)
	if len(on) == 0 {
		return a
	}
	j.tryRoutes(&a, on, known, pr)
	return a
}

// runningServers leaves out the servers of other subcommands, where the command line names one.
func runningServers(p *program, c *model.Container, env values.Values) []*model.Server {
	all := p.Servers
	words := map[string]bool{}
	for _, w := range env.Words() {
		words[path.Base(w)] = true
	}
	for _, w := range c.Command {
		words[path.Base(w)] = true
	}
	named := false
	for _, cmd := range p.Commands {
		named = named || words[cmd] && cmd != p.Name()
	}
	var out []*model.Server
	for _, s := range all {
		fits := len(s.Commands) == 0
		for _, cmd := range s.Commands {
			if words[cmd] {
				fits, named = true, true
			}
		}
		if fits {
			out = append(out, s)
		}
	}
	if !named {
		return all
	}
	return out
}

// missPort: no server listens on the probe's port, and all addresses are known.
func (a *attempt) missPort(other []listener, known bool, ch *choice, port int) {
	p := a.program
	m := &model.Miss{Kind: model.MissPort, Program: p.Program, Grade: grade(known && p.Complete)}
	a.miss = m
	if !p.Complete {
		m.Unresolved = unresolved(p)
	}
	if len(other) == 0 {
		m.Kind = model.MissNoServer
		a.reason = fmt.Sprintf("no server: %s opens none%s", p.label(), but(m))
		return
	}
	var list []string
	seen := map[string]bool{}
	for _, o := range other {
		if t := o.addr.text(); !seen[t] {
			seen[t] = true
			list = append(list, t)
		}
		if !o.addr.Certain || o.unsure {
			m.Grade = model.MissPossible
			m.Unresolved = ifElse(o.addr.Name != "", o.addr.Name+" can be set from outside the input", "an address with several values")
		}
		if o.addr.From == values.FromDefault && !ch.imageSeen {
			m.Assumed = true
		}
	}
	near := other[0]
	m.Server, m.Address, m.AddressFrom, m.AddressSpan = near.Server, near.addr.text(), near.addr.From, spanOr(near.addr.Span, near.Span)
	a.reason = fmt.Sprintf("no server of %s listens on port %d: it listens on %s%s", p.label(), port, strings.Join(list, ", "), but(m))
}

// reachable drops servers that the kubelet does not reach.
func (a *attempt) reachable(on []listener, known bool, w *model.Workload, pr *model.Probe) []listener {
	target := address{host: pr.Target.Host}
	if w.HostNetwork && target.loopback() {
		return on
	}
	var out []listener
	for _, l := range on {
		if !l.addr.loopback() {
			out = append(out, l)
		}
	}
	if len(out) > 0 {
		return out
	}
	l := on[0]
	a.miss = &model.Miss{
		Kind: model.MissLoopback, Program: a.program.Program, Server: l.Server, Address: l.addr.text(), AddressFrom: l.addr.From,
		AddressSpan: spanOr(l.addr.Span, l.Span), Grade: grade(known && l.addr.Certain && !l.unsure),
	}
	a.reason = fmt.Sprintf("not reachable: %s listens on %s, which the kubelet does not reach from outside the pod", a.program.label(), l.addr.text())
	return nil
}

// protocol prefers the servers that speak what the probe speaks.
func (a *attempt) protocol(on []listener, known bool, pr *model.Probe) []listener {
	if pr.Kind == model.TCPSocket {
		return on
	}
	isGRPC := func(l listener) bool { return l.Kind == "grpc" }
	if pr.Kind == model.GRPC {
		if only := filter(on, isGRPC); len(only) > 0 {
			return only
		}
		return on
	}
	only := filter(on, func(l listener) bool { return !isGRPC(l) })
	if len(only) == 0 {
		l := on[0]
		a.miss = &model.Miss{
			Kind: model.MissProtocol, Program: a.program.Program, Server: l.Server, Address: l.addr.text(), AddressFrom: l.addr.From,
			AddressSpan: spanOr(l.addr.Span, l.Span), Grade: grade(known && a.program.Complete && l.addr.Certain),
		}
		a.reason = fmt.Sprintf("no HTTP on port %d: %s serves gRPC there", pr.Target.Port, a.program.label())
		return nil
	}
	tls := strings.EqualFold(pr.Target.Scheme, "HTTPS")
	if same := filter(only, func(l listener) bool { return l.TLS == tls }); len(same) > 0 {
		return same
	}
	l := only[0]
	a.miss = &model.Miss{
		Kind: model.MissScheme, Program: a.program.Program, Server: l.Server, Address: l.addr.text(), AddressFrom: l.addr.From,
		AddressSpan: spanOr(l.addr.Span, l.Span), Grade: grade(known && l.addr.Certain && !l.unsure),
	}
	return only
}

func filter(in []listener, keep func(listener) bool) []listener {
	var out []listener
	for _, l := range in {
		if keep(l) {
			out = append(out, l)
		}
	}
	return out
}

// tryUnknown uses servers whose address could not be resolved, where none is known to have the port.
func (j *joiner) tryUnknown(a *attempt, unknown []listener, pr *model.Probe) {
	wanted := func(l listener) bool { return (l.Kind == "grpc") == (pr.Kind == model.GRPC) }
	fits := filter(unknown, wanted)
	if len(fits) == 0 {
		fits = unknown
	}
	if pr.Kind == model.TCPSocket {
		a.reason = fmt.Sprintf("not followed: the address of %s", countServers(len(unknown), a.program))
		return
	}
	if pr.Kind == model.HTTPGet { // a server of the other scheme is no candidate beside one of the right scheme
		tls := strings.EqualFold(pr.Target.Scheme, "HTTPS")
		if same := filter(fits, func(l listener) bool { return l.TLS == tls }); len(same) > 0 && len(same) < len(fits) {
			fits = same
			a.unknown = "the address is not known, and no other server that speaks " + ifElse(tls, "HTTPS", "HTTP") + " answers"
		}
	}
	if len(fits) == 1 {
		j.tryRoutes(a, fits, false, pr)
		a.certainty = model.Likely
		return
	}
	hits, best := matching(fits, pr)
	if len(hits) == 1 && best <= MatchedCatchAll {
		j.tryRoutes(a, hits, false, pr)
		a.certainty = model.Likely
		return
	}
	a.reason = fmt.Sprintf("not followed: the address of %s is not known, and %s", countServers(len(unknown), a.program),
		ifElse(len(hits) > 1, "several of them serve the path", "none is known to serve the path"))
}

// matching are the servers whose routes answer a probe best, one for each handler: those that a listener serves before
// those of which none was seen, a route proper before a catch-all, and among equals the one that speaks the probe's scheme.
func matching(fits []listener, pr *model.Probe) ([]listener, MatchKind) {
	type hit struct {
		l    listener
		kind MatchKind
		key  string
	}
	var all []hit
	for _, l := range fits {
		m, _ := matchProbe(l, pr)
		if m.Kind <= MatchedCatchAll && m.Route != nil {
			all = append(all, hit{l, m.Kind, m.Route.Handler + "\x00" + m.Route.Span.File + itoa(m.Route.Span.Start)})
		}
	}
	rank := func(h hit) int {
		n := int(h.kind)
		if h.l.Unserved {
			n += int(NoRoute)
		}
		return n
	}
	var out []hit
	for _, h := range all {
		switch {
		case len(out) == 0 || rank(h) < rank(out[0]):
			out = []hit{h}
		case rank(h) == rank(out[0]):
			out = append(out, h)
		}
	}
	tls := strings.EqualFold(pr.Target.Scheme, "HTTPS")
	at := map[string]int{}
	var hits []listener
	for _, h := range out {
		if i, ok := at[h.key]; ok {
			if hits[i].TLS != tls && h.l.TLS == tls {
				hits[i] = h.l
			}
			continue
		}
		at[h.key] = len(hits)
		hits = append(hits, h.l)
	}
	if len(out) == 0 {
		return nil, NoRoute
	}
	return hits, out[0].kind
}

func countServers(n int, p *program) string {
	if n == 1 {
		return "the server of " + p.label()
	}
	return fmt.Sprintf("%d servers of %s", n, p.label())
}

// matchProbe matches a probe's request on one server.
func matchProbe(l listener, pr *model.Probe) (Match, model.Request) {
	if pr.Kind == model.GRPC {
		req := model.Request{Method: "POST", Path: healthCheck, Service: pr.Target.Service}
		for _, r := range l.routes {
			if strings.Contains(r.Pattern, "grpc.health.v1.Health") {
				return Match{Kind: Matched, Route: r}, req
			}
		}
		if l.Kind == "grpc" {
			return Match{Kind: NoRoute}, req
		}
		m := MatchRoutes(l.routes, req)
		if m.Kind == MatchedCatchAll {
			m = Match{Kind: NoRoute, Maybe: m.Maybe} // a page for browsers is no answer to a gRPC call
		}
		return m, req
	}
	req := RequestOf(pr.Target)
	return MatchRoutes(l.routes, req), req
}

// healthCheck is the method that a grpc probe calls (grpc.health.v1).
const healthCheck = "/grpc.health.v1.Health/Check"

// tryRoutes matches the path on the servers of one port.
func (j *joiner) tryRoutes(a *attempt, on []listener, known bool, pr *model.Probe) {
	a.server, a.addr = on[0].Server, on[0].addr
	if on[0].unsure {
		a.certainty = model.Likely
	}
	if pr.Kind == model.TCPSocket {
		return
	}
	type hit struct {
		l   listener
		m   Match
		req model.Request
	}
	var hits []hit
	for _, l := range on {
		m, req := matchProbe(l, pr)
		hits = append(hits, hit{l, m, req})
	}
	sort.SliceStable(hits, func(x, y int) bool { return hits[x].m.Kind < hits[y].m.Kind })
	best := hits[0]
	for _, h := range hits[1:] {
		if h.m.Kind == best.m.Kind && best.m.Kind <= MatchedSuffix && h.m.Route != best.m.Route && !sameHandler(h.m.Route, best.m.Route) {
			a.reason = fmt.Sprintf("ambiguous: %d servers of %s on port %d serve `%s` with different handlers", len(hits), a.program.label(), pr.Target.Port, askedPath(pr))
			return
		}
	}
	a.server, a.addr, a.match, a.request = best.l.Server, best.l.addr, best.m, best.req
	if best.l.unsure {
		a.certainty = model.Likely
	}
	a.judge(known, pr)
}

func sameHandler(a, b *model.Route) bool {
	return a.HandlerSpan == b.HandlerSpan && !a.HandlerSpan.IsZero() || a.Handler != "" && a.Handler == b.Handler && a.Span == b.Span
}

// judge turns a match into a link or a miss.
func (a *attempt) judge(known bool, pr *model.Probe) {
	p, m := a.program, a.match
	asked := askedPath(pr)
	// A server that nothing is known to be registered on was not followed, whatever the rest of the program.
	complete := a.server.RoutesComplete || p.Complete && (len(a.server.Routes) > 0 || a.server.Kind == "grpc")
	miss := &model.Miss{
		Program: p.Program, Server: a.server, Address: a.addr.text(), AddressFrom: a.addr.From, AddressSpan: spanOr(a.addr.Span, a.server.Span),
		Routes: len(a.server.Routes), Near: nearest(a.server.Routes, asked), Grade: grade(known && complete && len(m.Maybe) == 0),
	}
	switch {
	case len(m.Maybe) > 0:
		miss.Unresolved = fmt.Sprintf("the prefix of `%s`", m.Maybe[0].Pattern)
	case !complete:
		miss.Unresolved = unresolved(p)
	}
	where := fmt.Sprintf("port %d of %s", pr.Target.Port, p.label())
	switch m.Kind {
	case Matched, MatchedSuffix:
		a.route, a.answers = m.Route, true
		if m.Kind == MatchedSuffix {
			a.certainty = model.Likely
		}
		if m.Redirect != "" && a.miss == nil {
			miss.Kind, miss.Route, miss.Redirect = model.MissRedirect, m.Route, m.Redirect
			a.miss = miss
		}
		if m.Redirect != "" {
			a.request.Path = m.Redirect
		}
	case MatchedCatchAll:
		a.route = m.Route
		if a.miss == nil {
			miss.Kind, miss.CatchAll = model.MissPath, m.Route
			a.miss = miss
		}
	case WrongMethod:
		miss.Kind, miss.Route = model.MissMethod, m.Route
		a.miss = miss
		a.reason = fmt.Sprintf("wrong method: `%s` is registered for %s on %s, the kubelet asks with GET", asked, m.Route.Method, where)
	case NoRoute:
		miss.Kind = model.MissPath
		a.miss = miss
		if pr.Kind == model.GRPC {
			miss.Kind = model.MissGRPC
			a.reason = fmt.Sprintf("no gRPC health service: none is registered on %s%s", where, but(miss))
			return
		}
		a.reason = fmt.Sprintf("no such route: `%s` is not registered on %s (%d routes known)%s", asked, where, miss.Routes, but(miss))
	}
}
