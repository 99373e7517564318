package knowledge

// RouterRole is what a call does to routes or to an answer.
type RouterRole string

// The roles of data/routers.yaml.
const (
	RouterNew        RouterRole = "new"
	RouterRegister   RouterRole = "register"
	RouterGroup      RouterRole = "group"
	RouterMount      RouterRole = "mount"
	RouterMiddleware RouterRole = "middleware"
	RouterWrap       RouterRole = "wrap"
	RouterTimeout    RouterRole = "timeout"
	RouterServe      RouterRole = "serve"
	RouterShutdown   RouterRole = "shutdown"
	RouterOnShutdown RouterRole = "on_shutdown"
	RouterPattern    RouterRole = "pattern"
	RouterPrefix     RouterRole = "prefix"
	RouterMethod     RouterRole = "method"
	RouterMatcher    RouterRole = "matcher"
	RouterWrite      RouterRole = "write"
	RouterFlush      RouterRole = "flush"
	RouterCtx        RouterRole = "ctx"
	RouterParam      RouterRole = "param"
	RouterHandler    RouterRole = "handler"
	RouterDispatch   RouterRole = "dispatch"
	RouterCheck      RouterRole = "check"
	RouterCache      RouterRole = "cache"
	RouterOption     RouterRole = "option"
	RouterBodyLimit  RouterRole = "body_limit"
	RouterAddress    RouterRole = "address"
	RouterOther      RouterRole = "other"

	RouterHealthMiddleware RouterRole = "health_middleware"
	RouterHealthHandler    RouterRole = "health_handler"
	RouterHealthEndpoint   RouterRole = "health_endpoint"
)

// RouterCall is one function or method of a router or web framework. The indexes count parameters without the receiver; -1
// where there is none.
type RouterCall struct {
	Path, Recv, Name string
	Router           string // id of the Router
	Role             RouterRole
	Pattern, Handler int
	Prefix, Method   int
	Status, Body     int
	Check            int // a health check
	Struct           int // a struct with Method, Path (and Handler): Struct routes
	Leaks            int // the error whose text reaches the client
	Dur, Ctx, Err    int
	// HandlerVariadic: Handler and all parameters after it are handlers, the last argument is the terminal one.
	HandlerVariadic bool
	// BodyVariadic, LeaksVariadic: the index and all parameters after it.
	BodyVariadic, LeaksVariadic bool
	IsVar                       bool
	// Detached: the context that it gives has no deadline and is not cancelled when the client hangs up.
	Detached   bool
	MethodName string // HTTP method that the call registers for; "" for any or for the one at Method
	Default    string // address that a server listens on that is told none
	Answers    int    // status that the call writes without being told; 0 where there is none
	Sig        string
}

func (c *RouterCall) symbol() (path, recv, name string) { return c.Path, c.Recv, c.Name }

// LookupRouter finds a call by import path, receiver type without "*" and name.
func (b *Base) LookupRouter(path, recv, name string) (RouterCall, bool) {
	for ; b != nil; b = b.below {
		if p := b.pkg(path); p != nil {
			if c, ok := find(b.Routes, p.routes, (*RouterCall).symbol, recv, name); ok {
				return c, true
			}
		}
	}
	return RouterCall{}, false
}

// LookupRouter asks [Default].
func LookupRouter(path, recv, name string) (RouterCall, bool) {
	return Default().LookupRouter(path, recv, name)
}

// LookupRouterMethod finds a method of a router by the router's id: for values whose type is not known.
func (b *Base) LookupRouterMethod(id, name string) (RouterCall, bool) {
	for ; b != nil; b = b.below {
		for i := range b.Routes {
			if c := &b.Routes[i]; c.Name == name && c.Recv != "" && c.Router == id && c.Role != RouterWrite {
				return *c, true
			}
		}
	}
	return RouterCall{}, false
}

// IsRouterContext reports a type that a framework hands to its handlers, and through which they answer: the receiver of a
// call that writes.
func (b *Base) IsRouterContext(path, name string) bool {
	return b.writes(path, func(c *RouterCall) bool { return c.Recv == name && name != "" })
}

// HasRouterContext reports a package that declares such a type.
func (b *Base) HasRouterContext(path string) bool {
	return b.writes(path, func(c *RouterCall) bool { return c.Recv != "" })
}

func (b *Base) writes(path string, of func(*RouterCall) bool) bool {
	for ; b != nil; b = b.below {
		p := b.pkg(path)
		if p == nil {
			continue
		}
		for i := p.routes.lo; i < p.routes.hi; i++ {
			if c := &b.Routes[i]; c.Role == RouterWrite && of(c) {
				return true
			}
		}
	}
	return false
}

// Syntax is how a router writes patterns.
type Syntax string

// The syntaxes: "/x/{id}" with an optional method and host before it; "/x/{id}" or "/x/{id:regexp}" or "/*"; "/x/:id" and
// "/*rest"; no placeholders.
const (
	SyntaxServeMux Syntax = "servemux"
	SyntaxBrace    Syntax = "brace"
	SyntaxColon    Syntax = "colon"
	SyntaxLiteral  Syntax = "literal"
)

// Router is a router or web framework.
type Router struct {
	ID      string
	Display string
	Syntax  Syntax
	// ReturnedError is what a returned error does to the answer: "hidden" (500 without its text), "text" (its text is the
	// body), "" where handlers return none.
	ReturnedError string
	// CtxDetached is the type that implements context.Context without a deadline or cancellation; CtxIf the "Type.Field"
	// that changes it when it is set.
	CtxDetached, CtxIf string
	// TimeoutSeconds is the limit that the framework puts on the context of every handler by default; 0: none. TimeoutAnswers:
	// the client gets TimeoutStatus in time too.
	TimeoutSeconds float64
	TimeoutStatus  int
	TimeoutAnswers bool
}

// LookupRouterInfo finds a router by its id.
func (b *Base) LookupRouterInfo(id string) (Router, bool) {
	for ; b != nil; b = b.below {
		if r, ok := byKey(b.Routers, func(r *Router) string { return r.ID }, id); ok {
			return r, true
		}
	}
	return Router{}, false
}

// DetachedCtx reports whether a type of a web framework is a context.Context without a deadline or cancellation of its own,
// and which framework: passing it to a call bounds nothing. Router.CtxIf names the setting that changes it.
func (b *Base) DetachedCtx(path, name string) (Router, bool) {
	for l := b; l != nil; l = l.below {
		p := l.pkg(path)
		if p == nil || p.routes.lo == p.routes.hi {
			continue
		}
		if r, ok := b.LookupRouterInfo(l.Routes[p.routes.lo].Router); ok && r.CtxDetached == name {
			return r, true
		}
	}
	return Router{}, false
}

// DetachedCtx asks [Default].
func DetachedCtx(path, name string) (Router, bool) { return Default().DetachedCtx(path, name) }

// LookupRouterInfo asks [Default].
func LookupRouterInfo(id string) (Router, bool) { return Default().LookupRouterInfo(id) }

// ServingMethods are the methods by which a package's routers and health libraries register, serve and stop: for values whose
// type is not known.
func (b *Base) ServingMethods(path string) []string {
	var out []string
	for ; b != nil; b = b.below {
		p := b.pkg(path)
		if p == nil {
			continue
		}
		for _, c := range b.Routes[p.routes.lo:p.routes.hi] {
			switch c.Role {
			case RouterWrite, RouterCtx, RouterParam, RouterFlush, RouterOption:
			default:
				if c.Recv != "" {
					out = append(out, c.Name)
				}
			}
		}
		for _, c := range b.Checks[p.checks.lo:p.checks.hi] {
			if c.Recv != "" && c.Role != HealthRun && c.Role != HealthChecker {
				out = append(out, c.Name)
			}
		}
	}
	return out
}
