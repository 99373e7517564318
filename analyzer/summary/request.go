package summary

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"net/url"
	"strings"

	"github.com/probelint/probelint/internal/model"
)

// ReqInfo is the request that a probe sends, folded into the interpretation (SEMANTICS.md K3).
type ReqInfo struct {
	model.Request
	query url.Values
	ctx   *Ctx
	obj   *Object // the *http.Request
	w     *Object // the http.ResponseWriter
	web   *Object // the framework's context
	path  string  // path as the handler sees it: prefixes stripped
	// entries are the functions that took over the request, pathRead those that looked at its path.
	entries  []entry
	pathRead map[ast.Node]bool
	pathNeed map[ast.Node]bool // pathRead and the functions that called them
	route    *Route
	// Wrappers are the handlers in front of the one that answers, outermost first.
	Wrappers []*Handler
}

// Response collects what the handler writes.
type Response struct {
	Writes  []Write
	Aborts  []Label
	Unknown bool // something that may answer could not be followed
	// HandedOn: the request went to a handler that is not known.
	HandedOn bool
	// LateStatus is a WriteHeader of 400 or more after the headers were out.
	LateStatus []Write
}

// Write is one write to the response.
type Write struct {
	Kind   string // status, body, flush
	Status Value
	To     *Value // of a redirect
	Text   Label
	PC     Label
	Pos    token.Pos
	End    token.Pos
	Len    int // bytes of a constant body, 0 where unknown
	// Open: the headers may still be open when it is made.
	Open bool
	// Stack is the way from the server's handler to the write, innermost first.
	Stack []Step
	// Before is the status that was out, or open, when a body was written.
	Before Value
}

func (it *Interp) newRequest(r model.Request) {
	q := &ReqInfo{Request: r, path: r.Path, ctx: &Ctx{Root: RootRequest}}
	q.query, _ = url.ParseQuery(r.Query)
	q.obj = it.object(Request, it.eng.namedType("net/http", "Request"), token.NoPos)
	q.obj.Ctx = q.ctx
	q.w = it.object(Writer, it.eng.namedType("net/http", "ResponseWriter"), token.NoPos)
	it.req = q
	it.held.first = q.obj.ID
	it.resp = &Response{}
	it.respCell = &Cell{Name: "status", Type: types.Typ[types.Int]}
	it.respCell.Init = ptr(intValue(0))
	it.place(it.respCell, it.respCell.Init)
}

// requestParam is what a handler's parameter of a type is.
func (it *Interp) requestParam(t types.Type) Value {
	path, name := typeName(t)
	switch {
	case path == "net/http" && name == "Request":
		return termValue(it.req.obj, t)
	case path == "net/http" && name == "ResponseWriter":
		return termValue(it.req.w, t)
	case isContextType(t):
		o := it.object(Context, t, token.NoPos)
		o.Ctx = it.req.ctx
		return termValue(o, t)
	case it.eng.isWebContext(path, name):
		return termValue(it.webContext(t), t)
	case isHealthRequest(path, name):
		return it.healthRequest(t)
	}
	return unknown(t, Label{{it.eng.inputSource("the request"), 0}})
}

func (it *Interp) webContext(t types.Type) *Object {
	if it.req.web == nil {
		it.req.web = it.object(WebContext, t, token.NoPos)
	}
	return it.req.web
}

// isWebContext knows the contexts of the frameworks whose handlers take one.
func (g *Engine) isWebContext(path, name string) bool {
	return path != "net/http" && path != "" && g.kb.IsRouterContext(path, name)
}

// isHandlerShaped reports a function that answers requests, which start-up does not call.
func (g *Engine) isHandlerShaped(sig *types.Signature) bool {
	for i := range sig.Params().Len() {
		path, name := typeName(sig.Params().At(i).Type())
		if path == "net/http" && (name == "Request" || name == "ResponseWriter") || g.isWebContext(path, name) {
			return true
		}
		if isInvalid(sig.Params().At(i).Type()) && sig.Params().Len() <= 2 {
			return true
		}
	}
	return false
}

// webContextCtx is the context that a framework's own context gives when it is used as one: without deadline (measured).
func (it *Interp) webContextCtx(o *Object) *Ctx {
	path, _ := typeName(o.Type)
	if strings.HasPrefix(path, "github.com/labstack/echo") {
		return &Ctx{Root: RootRequest, Deadlines: it.req.ctx.Deadlines}
	}
	if path == ginPath && it.fallsBack() {
		return it.req.ctx
	}
	return &Ctx{Root: RootBackground, Dead: true}
}

// knownField folds fields of the request and of the frameworks' contexts.
func (it *Interp) knownFieldOf(o *Object, name string, t types.Type) (Value, bool) {
	switch o.Kind {
	case Request:
		if it.req == nil || o != it.req.obj {
			return Value{}, false
		}
		if it.openRequest && name != "URL" {
			return unknown(t, Label{{it.eng.inputSource("Request." + name), 0}}), true
		}
		switch name {
		case "Method":
			return stringValue(it.req.Method, t), true
		case "URL":
			return it.lib("net/url", "request", nil, t, token.NoPos), true
		case "Header":
			return it.lib("net/http", "requestHeader", nil, t, token.NoPos), true
		case "Body":
			return it.lib("net/http", "requestBody", nil, t, token.NoPos), true
		case "RequestURI":
			it.readPath()
			uri := it.req.path
			if it.req.Query != "" {
				uri += "?" + it.req.Query
			}
			return stringValue(uri, t), true
		case "ContentLength":
			return constValue(constant.MakeInt64(0), t, 0), true
		case "TLS", "MultipartForm", "Form", "PostForm":
			return unknown(t, nil), true
		}
		return unknown(t, Label{{it.eng.inputSource("Request." + name), 0}}), true
	case Library:
		if o.Lib != nil && o.Lib.Path == "net/url" && o.Lib.Name == "request" && it.req != nil && !it.openRequest {
			switch name {
			case "Path":
				it.readPath()
				return stringValue(it.req.path, t), true
			case "RawQuery":
				return stringValue(it.req.Query, t), true
			}
			return unknown(t, nil), true
		}
	case WebContext:
		switch name {
		case "Request":
			return termValue(it.req.obj, t), true
		case "Writer":
			return termValue(it.req.w, t), true
		case "Errors":
			if p, _ := typeName(o.Type); p == ginPath {
				return it.get(it.ginErrors(o, t)), true
			}
		}
		if o.Lib != nil && isInvalid(t) && it.eng.isWebContext(o.Lib.Path, name) { // ghttp.Request holds the ghttp.Response
			x := it.object(WebContext, t, token.NoPos)
			x.Lib = &Lib{Path: o.Lib.Path, Name: name}
			return termValue(x, t), true
		}
	}
	return Value{}, false
}

func stringValue(s string, t types.Type) Value {
	if t == nil {
		t = types.Typ[types.String]
	}
	return constValue(constant.MakeString(s), t, 0)
}

// header is the value of a header in the probe's request. Authorization, cookies and the like are absent.
func (it *Interp) header(name string) (string, bool) {
	if it.openRequest {
		return "", false
	}
	for _, h := range it.req.Headers {
		if strings.EqualFold(h.Name, name) {
			return h.Value, true
		}
	}
	switch strings.ToLower(name) {
	case "accept":
		return "*/*", true
	case "user-agent":
		return "", false // kube-probe/<version>: only its start is fixed
	}
	return "", true
}

func (it *Interp) modelURL(s *site) (Value, bool) {
	if it.req == nil || it.openRequest {
		return Value{}, false
	}
	switch s.recvT + "." + s.name {
	case "URL.Query":
		if isLib(s.recv, "net/url", "request") {
			return it.lib("net/url", "query", nil, s.result, s.e.Pos()), true
		}
	case "URL.String", "URL.RequestURI", "URL.EscapedPath":
		if isLib(s.recv, "net/url", "request") {
			it.readPath()
			return stringValue(it.req.path, s.result), true
		}
	case "Values.Get":
		if isLib(s.recv, "net/url", "query") {
			if k, ok := s.arg(0).str(); ok {
				return stringValue(it.req.query.Get(k), s.result), true
			}
		}
	case "Values.Has":
		if isLib(s.recv, "net/url", "query") {
			if k, ok := s.arg(0).str(); ok {
				return boolValue(it.req.query.Has(k)), true
			}
		}
	}
	return Value{}, false
}

// knownIndex is query["full"] and header["X"].
func (it *Interp) knownIndex(base, idx Value) (Value, bool) {
	if it.req == nil || it.openRequest {
		return Value{}, false
	}
	k, ok := idx.str()
	if !ok {
		return Value{}, false
	}
	var vals []string
	switch {
	case isLib(base, "net/url", "query"):
		vals = it.req.query[k]
	case isLib(base, "net/http", "requestHeader"):
		v, known := it.header(k)
		if !known {
			return Value{}, false
		}
		if v != "" {
			vals = []string{v}
		}
	default:
		return Value{}, false
	}
	o := it.object(List, nil, token.NoPos)
	o.Items = &Items{Exact: true}
	for _, v := range vals {
		c := &Cell{element: true, Name: k}
		o.Items.List = append(o.Items.List, c)
		it.put(c, stringValue(v, nil))
	}
	if len(vals) == 0 {
		return nilValue(nil), true
	}
	return termValue(o, nil), true
}

// writesTo reports whether a value is the response writer or wraps it.
func (it *Interp) writesTo(v Value) bool {
	if it.resp == nil {
		return false
	}
	for _, t := range v.Terms {
		if o, ok := t.(*Object); ok && it.isWriter(o, 0) {
			return true
		}
	}
	return false
}

func (it *Interp) isWriter(o *Object, depth int) bool {
	if o == it.req.w {
		return true
	}
	if depth > 3 {
		return false
	}
	if o.Lib != nil {
		for _, a := range o.Lib.Args {
			for _, t := range a.Terms {
				if x, ok := t.(*Object); ok && it.isWriter(x, depth+1) {
					return true
				}
			}
		}
	}
	// a struct that embeds the writer
	for _, name := range []string{"ResponseWriter", "Writer"} {
		if c, ok := o.Fields[name]; ok {
			for _, t := range it.get(c).Terms {
				if x, ok := t.(*Object); ok && it.isWriter(x, depth+1) {
					return true
				}
			}
		}
	}
	return false
}

// writeStatus commits a status unless one is out.
func (it *Interp) writeStatus(status Value, s *site) {
	pos, end := sitePos(s)
	cur := it.get(it.respCell)
	open := mayBeZero(cur)
	w := Write{Kind: "status", Status: status, PC: it.pc(), Pos: pos, End: end, Open: open, Stack: it.way(pos, end), Before: cur}
	it.resp.Writes = append(it.resp.Writes, w)
	if !open {
		it.resp.LateStatus = append(it.resp.LateStatus, w)
		return
	}
	it.commit(cur, status)
}

func (it *Interp) commit(cur, status Value) {
	if len(status.Scalars) == 0 {
		status.Open = true
	}
	if onlyZero(cur) {
		status.Type = types.Typ[types.Int]
		it.set(it.respCell, status)
		return
	}
	next := Value{Type: cur.Type, L: cur.L, Open: cur.Open}
	for _, x := range cur.Scalars {
		if x.C != nil && constant.Sign(x.C) == 0 {
			for _, y := range status.Scalars {
				y.L = y.L.union(x.L)
				next.Scalars = addScalar(next.Scalars, y)
			}
			next.Open = next.Open || status.Open
			continue
		}
		next.Scalars = addScalar(next.Scalars, x)
	}
	next.L = next.L.union(status.L)
	it.set(it.respCell, next)
}

func mayBeZero(v Value) bool {
	for _, s := range v.Scalars {
		if s.C != nil && s.C.Kind() == constant.Int && constant.Sign(s.C) == 0 {
			return true
		}
	}
	return v.Open && len(v.Scalars) == 0
}

func onlyZero(v Value) bool { return len(v.Scalars) == 1 && !v.Open && mayBeZero(v) }

// writeBody writes a part of the body; the headers go out with 200 if no status was set.
func (it *Interp) writeBody(body Value, s *site) {
	pos, end := sitePos(s)
	cur := it.get(it.respCell)
	w := Write{Kind: "body", Text: body.Text.union(it.secretsIn(body)), PC: it.pc(), Pos: pos, End: end, Open: mayBeZero(cur), Stack: it.way(pos, end), Before: cur}
	if t, ok := body.str(); ok {
		w.Len = len(t)
	}
	it.resp.Writes = append(it.resp.Writes, w)
	defer it.fills(w.Len, s)
	if mayBeZero(cur) {
		it.commit(cur, constValue(constant.MakeInt64(200), types.Typ[types.Int], pos))
	}
}

// flush sends what was written. What happens later cannot change the verdict.
func (it *Interp) flush(s *site) {
	pos, end := sitePos(s)
	cur := it.get(it.respCell)
	if mayBeZero(cur) {
		it.commit(cur, constValue(constant.MakeInt64(200), types.Typ[types.Int], pos))
	}
	it.resp.Writes = append(it.resp.Writes, Write{Kind: "flush", PC: it.pc(), Pos: pos, End: end})
	it.flushes()
}
