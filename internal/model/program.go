package model

import "strings"

// Program is a Go main package and what is known of its life.
type Program struct {
	ID       string    `json:"id"`
	Package  string    `json:"package"` // import path
	Dir      string    `json:"dir"`     // relative to the root of the run
	Module   string    `json:"module,omitempty"`
	Servers  []*Server `json:"servers"`
	Shutdown *Shutdown `json:"shutdown,omitempty"`
	// Subcommands are what it does for a word on its command line: the pattern is the word, the answer 200 for exit status 0.
	Subcommands []*Route `json:"-"`
	// Commands are the names under which it runs different things: its subcommands, or the names of its binary.
	Commands []string `json:"-"`
	// Complete: every registration and server that main reaches was followed. Only then is a route that is absent proven
	// absent. Stopped names the calls that ended the analysis.
	Complete bool         `json:"complete"`
	Stopped  []Unfollowed `json:"stopped,omitempty"`
	Span     Span         `json:"-"`

	// Facts for single rules; facts.go says when each is set. Warmup is that of the whole program.
	Warmup    *Warmup            `json:"-"`
	Unawaited *UnawaitedShutdown `json:"-"`
	Startup   []StartupWork      `json:"-"`
}

// Name is the program's name as people call its binary: the last element of the import path without a major version.
func (p *Program) Name() string {
	path := p.Package
	for {
		i := strings.LastIndexByte(path, '/')
		last := path[i+1:]
		if i < 0 || len(last) < 2 || last[0] != 'v' || strings.Trim(last[1:], "0123456789") != "" {
			return last
		}
		path = path[:i]
	}
}

// Server is one listener of a program.
type Server struct {
	// Address is what the program listens on (":8080") where it is known, AddressFrom how: constant, default, manifest.
	Address     string   `json:"address,omitempty"`
	AddressFrom string   `json:"addressFrom,omitempty"`
	TLS         bool     `json:"tls"`
	Kind        string   `json:"kind" jsonschema:"enum=http,enum=grpc,enum="`
	Routes      []*Route `json:"routes,omitempty"`
	Span        Span     `json:"-"`
	// RoutesComplete: every registration on this server was followed, whatever else of the program was not.
	RoutesComplete bool `json:"-"`
	// Unserved: routes of a router that no listener was seen to serve.
	Unserved bool `json:"-"`
	// Commands are the subcommands (`serve`, `worker`, or the program's name where it looks at its own) through which main
	// reaches this server; empty: always, or not known.
	Commands []string `json:"-"`
	// Apart: the process that serves it is never the one whose start-up does the work of the program's Warmup.
	Apart bool `json:"-"`
	// Outcome says what the return of the call that serves changes for the process; see facts.go.
	Outcome Outcome `json:"-"`
	// AddressValue is the address before the container's values are applied.
	AddressValue Value `json:"-"`
}

// Value is a string, number or duration whose parts may come from the environment or from flags; Resolve turns it into a
// constant for one container. An empty Alternatives means unknown.
type Value struct{ Alternatives []Expr }

// Expr is one way a value can come about. Exactly one of the kinds holds:
// a constant (Const), an environment variable (Env), a flag (Flag, with Default), or a concatenation (Parts).
type Expr struct {
	Const   *string
	Env     string
	Flag    string
	Default *Expr
	Parts   []Expr
	// Filed: a configuration file may set it too, over its default. With neither Env nor Flag, only the file does.
	Filed bool
	Span  Span
}

// Route is one registration. Pattern is the whole path with the prefixes of groups and mounts applied, in the syntax of
// net/http ServeMux ("/users/{id}", "/files/{rest...}", "/sub/" for a subtree); "{prefix...}" at the start stands for a
// prefix that could not be resolved.
type Route struct {
	Method  string `json:"method,omitempty"` // "" for any
	Host    string `json:"host,omitempty"`
	Pattern string `json:"pattern"`
	Handler string `json:"handler,omitempty"` // symbol
	// CatchAll: the route answers whatever no other route answers.
	CatchAll bool `json:"catchAll,omitempty"`
	// PatternValue is what the pattern is made of where variables or flags set it; without alternatives Pattern is all there is.
	PatternValue Value `json:"-"`
	// TrailingSlash is what the router does with the other form of the path (`/x/` for `/x`): "" it is another path
	// (net/http, chi), SlashRedirect (gin, httprouter) or SlashIgnore (fiber).
	TrailingSlash string `json:"-"`
	Span          Span   `json:"-"` // the pattern where it was written
	// Key is how the analyzer finds the handler again.
	Key int `json:"-"`
	// HandlerSpan is the handler's declaration.
	HandlerSpan Span `json:"-"`
}

// What a router does with the other form of a path (Route.TrailingSlash).
const (
	SlashRedirect = "redirect"
	SlashIgnore   = "ignore"
)

// Shutdown is what a program does between SIGTERM and its end. Durations in seconds, absent where unknown.
type Shutdown struct {
	Wait    *float64 `json:"wait,omitempty"`
	Timeout *float64 `json:"timeout,omitempty"`
	// WaitMost is set where Wait is not known, because a condition or a setting decides: how long it is at most, as far as the
	// code says.
	WaitMost *float64 `json:"-"`
	// Graceful: Shutdown, GracefulStop or a framework's equivalent of a server is called somewhere in the program, so that
	// requests in flight are waited for. A program that only waits for a signal and returns is not graceful.
	Graceful bool `json:"-"`
	Span     Span `json:"-"`
}

// Endpoint is a handler as one probe sees it: its request folded in, middleware included.
type Endpoint struct {
	ID      string `json:"id"`
	Symbol  string `json:"symbol"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	EndLine int    `json:"endLine"`
	Program string `json:"program,omitempty"`
	Route   string `json:"route,omitempty"`
	Method  string `json:"method,omitempty"`
	// Role is guessed from the path or given by a directive; set where no probe decides.
	Role         Role          `json:"role,omitempty" jsonschema:"enum=liveness,enum=readiness,enum=startup"`
	Answer       Answer        `json:"answer"`
	Budget       *TimeBudget   `json:"budget,omitempty"`
	Cache        *Cache        `json:"cache,omitempty"`
	State        []State       `json:"state,omitempty"`
	Dependencies []*Dependency `json:"dependencies,omitempty"`
	Wrappers     []Wrapper     `json:"wrappers,omitempty"`
	// Unfollowed are calls on the path that could not be followed. Where there are any, what the endpoint does not do is
	// not proven.
	Unfollowed []Unfollowed `json:"unfollowed,omitempty"`

	// Facts for single rules; facts.go says when each is set.
	Unchecked   *Unchecked      `json:"-"`
	Hollow      []HollowCheck   `json:"-"`
	Connections []NewConnection `json:"-"`
	Leaks       []Leak          `json:"-"`
	GRPC        *GRPCHealth     `json:"-"`
	Tests       *Tests          `json:"-"`

	Directive *RoleDirective `json:"-"`

	// PathIgnored: the handler was followed to its end and does not look at the request's path (index.html, a constant,
	// NotFound), so it dispatches nothing itself.
	PathIgnored bool `json:"-"`

	// HandedOn: the request is handed to a handler that is not known.
	HandedOn bool `json:"-"`

	Span         Span `json:"-"` // the handler's name or its func keyword
	Registration Span `json:"-"` // the pattern in the code
}

// Unfollowed is a call whose effect is not known.
type Unfollowed struct {
	Call string `json:"call"`
	Why  string `json:"why"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	Span Span   `json:"-"`
}

// Answer is what an endpoint can say.
type Answer struct {
	// Statuses are the reachable HTTP statuses, sorted. Static: one constant success whatever the state.
	Statuses []int `json:"statuses,omitempty"`
	Static   bool  `json:"static"`
	// Idle: a failing status is reachable, and no check and no state leads there: only a failed write of the answer, the
	// request, or a setting of the process.
	Idle bool `json:"-"`
	// Unknown: at least one status could not be determined.
	Unknown bool `json:"unknown,omitempty"`
	// ErrorText: the text of a dependency's error reaches the response.
	ErrorText bool   `json:"errorText,omitempty"`
	Order     string `json:"order,omitempty" jsonschema:"enum=status-after-body,enum=flush-before-verdict"`

	// Facts for single rules; facts.go says when each is set.
	LateStatus *LateStatus `json:"-"`
	EarlyFlush *EarlyFlush `json:"-"`
	FailingOK  *FailingOK  `json:"-"`
	Redirect   *Redirect   `json:"-"`
	// CacheControl is a Cache-Control header that is set on some way to the answer; nil where none was seen.
	CacheControl *AnswerHeader `json:"-"`

	ErrorTextSpan Span `json:"-"`
	// Secret names a setting or field whose value the body shows: a password, a DSN, os.Environ(). SecretSpan is the write.
	Secret     string `json:"-"`
	SecretSpan Span   `json:"-"`
	// SuccessSpan is a write of a success, FailureSpan one of a failure.
	SuccessSpan Span `json:"-"`
	FailureSpan Span `json:"-"`
}

// CanFail reports whether a status of 400 or more is reachable through a check or state, as far as it was followed.
func (a Answer) CanFail() bool {
	if a.Idle {
		return false
	}
	for _, s := range a.Statuses {
		if s >= 400 {
			return true
		}
	}
	return false
}

// TimeBudget is how long an endpoint can take before its verdict, in seconds, from the deadlines on the slowest path.
type TimeBudget struct {
	// Lower is what is certain to be possible; Upper is absent where a call has no bound or an unknown one.
	Lower float64  `json:"lower"`
	Upper *float64 `json:"upper,omitempty"`
	// Unknown: a duration on the path could not be resolved, so Lower leaves it out.
	Unknown bool   `json:"unknown,omitempty"`
	Basis   string `json:"basis" jsonschema:"enum=sum,enum=max,enum=single"`
	From    string `json:"from"` // constant, manifest, default
	// Parts are the deadlines that add up to Lower, with their places.
	Parts []Deadline `json:"-"`
	// Parallel is the budget that the same checks would have side by side, for a sum.
	Parallel float64 `json:"-"`
}

// Cache is a stored verdict.
type Cache struct {
	Seconds float64 `json:"seconds,omitempty"` // 0 where unknown
	Known   bool    `json:"-"`
	Kind    string  `json:"kind" jsonschema:"enum=ttl,enum=background,enum=library"`
	Aged    bool    `json:"aged"` // the reader tests the age of the value
	Span    Span    `json:"-"`    // the guard, or the sleep or ticker
	// StoreSpan is where the verdict is written.
	StoreSpan Span   `json:"-"`
	From      string `json:"from,omitempty"`
}

// State is process state that the handler reads.
type State struct {
	Name string `json:"name"`
	Kind string `json:"kind" jsonschema:"enum=local,enum=informer,enum=mirrored"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Gates: its value can turn the status.
	Gates bool `json:"gates"`
	// Dependency names what a mirrored state reflects (PostgreSQL, NATS), SetSpan is where it is set, where known.
	Dependency string `json:"dependency,omitempty"`
	SetSpan    Span   `json:"-"`
	// Load: the state measures load: a counter that request handlers increment and decrement, len or cap of a queue, a
	// limiter's or pool's usage, loop lag. Draining: it is set on the way from a signal to Shutdown.
	Load     bool `json:"-"`
	Draining bool `json:"-"`
	// Latch: it turns once, when the dependency has answered for the first time.
	Latch bool `json:"-"`
	Span  Span `json:"-"`
}

// Wrapper is middleware on the path.
type Wrapper struct {
	Symbol string `json:"symbol"`
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	// Statuses that it can answer itself to this request.
	Statuses []int  `json:"statuses,omitempty"`
	Kind     string `json:"kind,omitempty"` // timeout, auth, limiter, ""
	// Always: no way leads past it to the handler for this request. Span is where it answers.
	Always bool `json:"-"`
	Span   Span `json:"-"`
}

// Dependency is one call of a health path that leaves the process.
type Dependency struct {
	ID string `json:"id"`
	// Kind is one of those that ship (analyzer/knowledge), or one that a project's own knowledge files name.
	Kind string `json:"kind" jsonschema:"example=database,example=cache,example=queue,example=http,example=grpc,example=tcp,example=dns,example=kubernetes,example=search,example=coordination,example=storage,example=secrets,example=cloud,example=mail,example=directory,example=workflow,example=container-runtime,example=process,example=file,example=local"`
	// Name is what people call it: PostgreSQL, Redis, HTTP service.
	Name   string `json:"name"`
	Call   string `json:"call"` // "(*database/sql.DB).PingContext"
	Target string `json:"target,omitempty"`
	File   string `json:"file"`
	Line   int    `json:"line"`
	Scope  Scope  `json:"scope" jsonschema:"enum=external,enum=loopback,enum=file,enum=informer"`
	// Shared: all replicas use the same one.
	Shared bool `json:"shared"`
	// Gates: its outcome can turn the status. GatesUnknown: that could not be followed.
	Gates bool `json:"gates"`
	// FailsOpen, where it gates: what it answers turns the status, its failure does not (a limiter that lets requests pass
	// when its store is away).
	FailsOpen    bool `json:"-"`
	GatesUnknown bool `json:"gatesUnknown,omitempty"`
	// Deadline is the tightest bound that reaches the call; nil means nothing bounds it unless Bound says otherwise.
	Deadline *Deadline `json:"deadline,omitempty"`
	// Bound says what limits the wait.
	Bound Bound `json:"bound" jsonschema:"enum=deadline,enum=configured,enum=client,enum=request,enum=answer,enum=none,enum=unknown"`
	// Mode is sequential, parallel or detached.
	Mode string  `json:"mode" jsonschema:"enum=sequential,enum=parallel,enum=detached"`
	Via  []Frame `json:"via,omitempty"`
	// Interface: the call went through an interface whose value is exact ("exact") or only possible ("may").
	Interface string `json:"interface,omitempty"`
	// AfterAnswer: the status was already out when the call began.
	AfterAnswer bool `json:"afterAnswer,omitempty"`
	// Operation is ping, query, exec, get, ... ; Statement the SQL text where it is constant.
	Operation string    `json:"operation,omitempty"`
	Statement string    `json:"statement,omitempty"`
	Certainty Certainty `json:"certainty" jsonschema:"enum=proven,enum=likely,enum=guessed"`

	// Critical is the opt-in of readiness-shared-dependency, Ignored a deadline that the client does not honour (facts.go).
	Critical *Critical        `json:"-"`
	Ignored  *IgnoredDeadline `json:"-"`
	// Retry: the check tries again; Pool: it queues with other requests (facts.go).
	Retry *Retry      `json:"-"`
	Pool  *SharedPool `json:"-"`
	// Room is where the call can be given a deadline of its own, nil where the code has another shape.
	Room *CtxPlace `json:"-"`

	Span Span `json:"-"` // the call
	// Statements that this call repeats: loop count where known, else 0.
	Loop int `json:"-"`
}

// Scope says where a dependency lies.
type Scope string

// The scopes. Only External leaves the pod.
const (
	External Scope = "external"
	Loopback Scope = "loopback"
	FileSys  Scope = "file"
	Informer Scope = "informer"
)

// Bound says what limits the wait of a call.
type Bound string

// The bounds, from best to worst. BoundDeadline: a duration that is known. BoundConfigured: a deadline whose duration
// could not be resolved. BoundClient: the client's own limit (knowledge base). BoundRequest: r.Context() alone, which ends
// when the kubelet hangs up. BoundAnswer: the answer is bounded, the call is not. BoundNone: nothing.
const (
	BoundDeadline   Bound = "deadline"
	BoundConfigured Bound = "configured"
	BoundClient     Bound = "client"
	BoundRequest    Bound = "request"
	BoundAnswer     Bound = "answer"
	BoundNone       Bound = "none"
	BoundUnknown    Bound = "unknown"
)

// Deadline is one bound in time.
type Deadline struct {
	Seconds float64 `json:"seconds,omitempty"` // absent where unknown
	Known   bool    `json:"-"`
	File    string  `json:"file,omitempty"`
	Line    int     `json:"line,omitempty"`
	From    string  `json:"from,omitempty"` // constant, manifest, default, library
	Span    Span    `json:"-"`
	// Instance tells two executions of one deadline apart from two deadlines.
	Instance int `json:"-"`
}

// Frame is one step from the handler to a call.
type Frame struct {
	Symbol string `json:"symbol"`
	File   string `json:"file"`
	Line   int    `json:"line"` // of the call in this frame
	Span   Span   `json:"-"`
}

// Request is what the kubelet sends for a probe (SEMANTICS.md K3): GET, this path and query, these headers, no body.
type Request struct {
	Method  string
	Path    string // without the query
	Query   string
	Headers []Header
	Service string // gRPC
}
