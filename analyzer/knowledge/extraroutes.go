package knowledge

import "fmt"

// ExtraRouter is a router or web framework that ships in no table.
type ExtraRouter struct {
	ID      string `json:"id"`                // names it: "tinymux"
	Display string `json:"display,omitempty"` // what people call it
	// Syntax is how patterns are written: brace ({id}, /*), colon (:id, *rest), servemux (net/http's), literal.
	Syntax string            `json:"syntax,omitempty"`
	Calls  []ExtraRouterCall `json:"calls,omitempty"`
}

// ExtraRouterCall is one function or method of a router. Indexes count parameters without the receiver.
type ExtraRouterCall struct {
	Call string `json:"call"`
	// Role is new, register, group, mount, middleware, serve, address, write, timeout, ctx or wrap.
	Role string `json:"role"`
	// Path is the pattern that is registered, or the prefix of a group or mount.
	Path    *int `json:"path,omitempty"`
	Handler *int `json:"handler,omitempty"`
	Method  *int `json:"method,omitempty"` // the HTTP method as an argument
	Status  *int `json:"status,omitempty"`
	Body    *int `json:"body,omitempty"`
	Timeout *int `json:"timeout,omitempty"`
	// Chain: Handler and all parameters after it are handlers, the last one answers.
	Chain bool `json:"chain,omitempty"`
	// Verb is the HTTP method that the call registers for.
	Verb string `json:"verb,omitempty"`
	// Listens is the address of a server that is told none.
	Listens string `json:"listens,omitempty"`
	// Answers is the status that the call writes without being told.
	Answers int `json:"answers,omitempty"`
	// Detached: the context that the call returns has no deadline and does not end with the request.
	Detached bool `json:"detached,omitempty"`
}

// ExtraHealth is a library that answers health endpoints and ships in no table.
type ExtraHealth struct {
	ID string `json:"id"`
	// Liveness, Readiness and Health are the paths that it registers by itself.
	Liveness  string `json:"liveness,omitempty"`
	Readiness string `json:"readiness,omitempty"`
	Health    string `json:"health,omitempty"`
	// Listens is the address of a listener that it opens itself.
	Listens string `json:"listens,omitempty"`
	// Timeout is its own limit by default; TimeoutFor check (each) or all (together); TimeoutEnds work (the context), answer (it
	// stops waiting) or both.
	Timeout     string `json:"timeout,omitempty"`
	TimeoutFor  string `json:"timeout-for,omitempty"`
	TimeoutEnds string `json:"timeout-ends,omitempty"`
	// Context is what a check is given: request, background or none.
	Context string `json:"context,omitempty"`
	// Cached is no, ttl (for Keeps), background (no check runs in the request) or state (what the program sets).
	Cached string `json:"cached,omitempty"`
	Keeps  string `json:"keeps,omitempty"`
	// Runs says how the checks of an endpoint run: sequential or parallel.
	Runs string `json:"runs,omitempty"`
	// ErrorText says where the text of an error is shown: yes, no, query (with ErrorQuery) or sub-path.
	ErrorText  string `json:"error-text,omitempty"`
	ErrorQuery string `json:"error-query,omitempty"`
	// FailureStatus is the status of a failed check, 503 where it is not said.
	FailureStatus int `json:"failure-status,omitempty"`
	// ReadinessRunsLiveness: the readiness endpoint runs the liveness checks too.
	ReadinessRunsLiveness bool `json:"readiness-runs-liveness,omitempty"`
	// ReportedField, FatalField and PeriodField name fields of a check's configuration: it decides nothing; nothing without it;
	// how often it runs in the background.
	ReportedField string            `json:"reported-field,omitempty"`
	FatalField    string            `json:"fatal-field,omitempty"`
	PeriodField   string            `json:"period-field,omitempty"`
	Calls         []ExtraHealthCall `json:"calls,omitempty"`
}

// ExtraHealthCall is one function or method of a health library.
type ExtraHealthCall struct {
	Call string `json:"call"`
	// Role is new, check, liveness, readiness, observer, cache, timeout, handler, handler_liveness, handler_readiness,
	// handler_static200, register, middleware, serve, check_builder, checker or option.
	Role    string `json:"role"`
	Kind    string `json:"kind,omitempty"`   // what a check that is built asks: database, http, ...
	Effect  string `json:"effect,omitempty"` // of a check that is built
	Check   *int   `json:"check,omitempty"`
	Path    *int   `json:"path,omitempty"`
	Handler *int   `json:"handler,omitempty"` // the router that it registers on, or the health object that a handler is made of
	Status  *int   `json:"status,omitempty"`
	Timeout *int   `json:"timeout,omitempty"` // a duration: a limit, or how often, by the role
	Limit   string `json:"limit,omitempty"`   // how long a check that is built lasts at most by itself
	// Sets is what an option changes: cache off, error text off, error text, failure status, success status.
	Sets string `json:"sets,omitempty"`
}

var (
	syntaxNames      = []string{"brace", "colon", "servemux", "literal"}
	extraRouterRoles = []string{"new", "register", "group", "mount", "middleware", "serve", "address", "write", "timeout", "ctx", "wrap"}
	extraHealthRoles = []string{
		"new", "check", "liveness", "readiness", "observer", "cache", "timeout", "handler", "handler_liveness", "handler_readiness",
		"handler_static200", "register", "middleware", "serve", "check_builder", "checker", "option",
	}
)

type faults func(format string, args ...any)

// index is a parameter, -1 where there is none.
func index(p *int) int {
	if p == nil {
		return -1
	}
	return *p
}

// routers turns the routers into rows.
func (x Extra) routers(t *Tables, fault faults) {
	for i, r := range x.Routers {
		where := fmt.Sprintf("routers[%d]", i)
		if r.ID == "" {
			fault("%s has no id", where)
			continue
		}
		where += " `" + r.ID + "`"
		row := Router{ID: r.ID, Display: r.Display, Syntax: Syntax(r.Syntax)}
		if row.Display == "" {
			row.Display = r.ID
		}
		if r.Syntax == "" {
			row.Syntax = SyntaxBrace
		} else if !oneOf(r.Syntax, syntaxNames, where+": syntax", fault) {
			continue
		}
		t.Routers = append(t.Routers, row)
		for j, c := range r.Calls {
			at := fmt.Sprintf("%s calls[%d]", where, j)
			path, recv, name, ok := splitSymbol(c.Call)
			if !ok {
				fault("%s: `%s` is no function or method of a package", at, c.Call)
				continue
			}
			if !oneOf(c.Role, extraRouterRoles, at+": role", fault) {
				continue
			}
			row := RouterCall{
				Path: path, Recv: recv, Name: name, Router: r.ID, Role: RouterRole(c.Role), Pattern: index(c.Path), Handler: index(c.Handler), Prefix: -1,
				Method: index(c.Method), Status: index(c.Status), Body: index(c.Body), Check: -1, Struct: -1, Leaks: -1, Dur: index(c.Timeout), Ctx: -1, Err: -1,
				HandlerVariadic: c.Chain, MethodName: c.Verb, Default: c.Listens, Answers: c.Answers, Detached: c.Detached,
			}
			if row.Role == RouterGroup || row.Role == RouterMount {
				row.Pattern, row.Prefix = -1, row.Pattern
			}
			if row.Role == RouterRegister && (row.Pattern < 0 || row.Handler < 0) {
				fault("%s: a registration has a path and a handler", at)
				continue
			}
			t.Routes = append(t.Routes, row)
		}
	}
}

// healthLibraries turns the health libraries into rows.
func (x Extra) healthLibraries(t *Tables, fault faults) {
	for i, h := range x.Health {
		where := fmt.Sprintf("health[%d]", i)
		if h.ID == "" {
			fault("%s has no id", where)
			continue
		}
		where += " `" + h.ID + "`"
		ok := true
		for _, e := range []struct {
			key, word string
			words     []string
		}{
			{"timeout-for", h.TimeoutFor, []string{"check", "all"}},
			{"timeout-ends", h.TimeoutEnds, []string{"work", "answer", "both"}},
			{"context", h.Context, []string{"request", "background", "none"}},
			{"cached", h.Cached, []string{"no", "ttl", "background", "state"}},
			{"runs", h.Runs, []string{"sequential", "parallel"}},
			{"error-text", h.ErrorText, []string{"yes", "no", "query", "sub-path"}},
		} {
			ok = (e.word == "" || oneOf(e.word, e.words, where+": "+e.key, fault)) && ok
		}
		if !ok {
			continue
		}
		t.Libraries = append(t.Libraries, HealthLibrary{
			ID: h.ID, Liveness: h.Liveness, Readiness: h.Readiness, Health: h.Health, Listens: h.Listens, TimeoutSeconds: seconds(h.Timeout, where, fault),
			TimeoutScope: h.TimeoutFor, TimeoutRace: h.TimeoutEnds == "answer", TimeoutBoth: h.TimeoutEnds == "both", CheckCtx: h.Context, Cached: h.Cached,
			CacheSeconds: seconds(h.Keeps, where, fault), Aggregate: h.Runs, LeaksError: h.ErrorText, LeaksQuery: h.ErrorQuery, FailureStatus: h.FailureStatus,
			ReadinessIncludesLiveness: h.ReadinessRunsLiveness, ReportedField: h.ReportedField, FatalField: h.FatalField, PeriodField: h.PeriodField,
		})
		for j, c := range h.Calls {
			at := fmt.Sprintf("%s calls[%d]", where, j)
			path, recv, name, ok := splitSymbol(c.Call)
			if !ok {
				fault("%s: `%s` is no function or method of a package", at, c.Call)
				continue
			}
			if !oneOf(c.Role, extraHealthRoles, at+": role", fault) || c.Effect != "" && !oneOf(c.Effect, effectsByName, at+": effect", fault) {
				continue
			}
			t.Checks = append(t.Checks, HealthCall{
				Path: path, Recv: recv, Name: name, Library: h.ID, Role: HealthRole(c.Role), Kind: c.Kind, Effect: effectNamed(c.Effect), Check: index(c.Check),
				Label: -1, Pattern: index(c.Path), Handler: index(c.Handler), Status: index(c.Status), Dur: index(c.Timeout), Ctx: -1, Err: -1,
				Limit: seconds(c.Limit, at, fault), Sets: c.Sets,
			})
		}
	}
}
