package model

// This file holds the facts about a handler that single rules need. Each says when the analyzer sets it; a fact that was
// not looked for or not found is absent, and a rule stays silent on it.

// Unchecked is what a program has that can make its other handlers fail and that an endpoint does not look at.
//
// Set on an endpoint whose Answer.Static is true, or whose reachable statuses are all below 400, where the program that
// serves it holds at least one pool or warm-up as defined below. Absent otherwise.
type Unchecked struct {
	// Pools are clients with a connection to something outside the pod (a dependency kind of the knowledge base with
	// scope external: *sql.DB, *pgxpool.Pool, redis client, mongo client, ...; a plain *http.Client is none) that are built
	// once (in main, a package variable, or a constructor) and on which at least one handler of a route other than this
	// endpoint's makes a call. A client that only main itself uses (migrations) is not listed.
	Pools []Pool
	// Warmup is set where work that serving needs goes on after the listener opened; see Warmup.
	Warmup *Warmup
}

// Pool is a client that handlers share.
type Pool struct {
	Kind string // database, cache, queue, ... (analyzer/knowledge)
	Name string // PostgreSQL, Redis: what people call it
	// Span is the call that builds it; Use is one call on it in another handler, UseRoute that handler's pattern.
	Span     Span
	Use      Span
	UseRoute string
}

// Warmup is work that serving needs and that has not ended when the listener opens: a cache or index load, a migration,
// an informer sync, or a sleep of at least a second, that main or a goroutine started by main runs after the call that
// opens the listener (net.Listen, ListenAndServe in a goroutine, Serve), and whose result (the variable that it assigns,
// or the flag that it sets) a handler of another route reads. Work before the listener opens is none.
type Warmup struct {
	// What says it in a word or two that follow "while": "load()", "the cache sync", "migrations".
	What string
	// Span is the call that does the work, Listener the call that opened the port before it.
	Span     Span
	Listener Span
	// Flag: the work ends by setting state; the handler under judgement does not read it.
	Flag bool
}

// LateStatus is an error status that is written after the answer has begun, so that the client sees another one.
//
// Set where on one path of the handler WriteHeader(s >= 400), http.Error, or a framework's equivalent is reached after a
// Write, Fprint, Encode or WriteHeader on the same ResponseWriter.
type LateStatus struct {
	// First is the write that fixed the status, FirstStatus the status that the client sees because of it.
	First       Span
	FirstStatus int
	// Late is the call that comes too late, Status what it wanted.
	Late   Span
	Status int
	// MissingReturn: First is itself an error status (http.Error) and Late or a further write follows it because the branch
	// does not return. FirstStatus is then >= 400 and Status is that of the write behind it (200 for a plain Write).
	MissingReturn bool
	// Return is the return that the branch lacks, nil where its place is not certain.
	Return *Insertion
}

// Insertion is text for a place in a Go file: what a fix adds. At is empty; Behind is the text right before it, "" for none.
type Insertion struct {
	At     Span
	Text   string
	Behind string
}

// CtxPlace is where a call can be given a deadline of its own: two statements at At, in lines that begin with Indent, and
// their context in place of Arg, whose text is Expr.
type CtxPlace struct {
	At     Span
	Indent string
	Arg    Span
	Expr   string
}

// EarlyFlush is an answer whose status and headers leave the process before the last check that blocks.
//
// Set where a Flush (http.Flusher, ResponseController) or more than 4 KiB of constant output precedes a dependency call,
// channel receive or lock on the same path, in the handler of an HTTP endpoint.
type EarlyFlush struct {
	Flush Span
	// Check is the first blocking call behind it and Name what it asks ("PostgreSQL", "a channel").
	Check Span
	Name  string
}

// FailingOK is a branch that is taken only when a check failed and that ends the answer with a success.
//
// Set where the branch of `err != nil` (or of a check's false result) writes to the response and then returns or is the
// last statement, its status is below 400, and no failing check of this endpoint leads to a status of 400 or more (a
// drain flag is no check). Not set where the branch only records the outcome and the handler goes on.
type FailingOK struct {
	// Write is the write in the branch, Status what is sent (200 where no WriteHeader came before).
	Write  Span
	Status int
	// Check is the call whose failure leads there, Call its symbol, Dependency whether it leaves the process (any scope).
	Check      Span
	Call       string
	Dependency bool
	// Degraded: the constant body of the branch speaks of a partial loss only (degraded, warn, warning, partial).
	Degraded bool
}

// HollowCheck is a call on a health path that looks like a check and cannot fail.
type HollowCheck struct {
	// Why is one of
	//   never-executes: a statement that is only built (gorm Raw(..).Error without Scan or Exec)
	//   connectionless: a UDP dial or another call that succeeds whatever the other side does
	//   error-dropped: the error of a dependency call or check is discarded (`_ = check()`, a plain call statement) and the
	//     endpoint's statuses are all below 400
	Why  string
	Call string
	Name string // of what it means to ask, where known
	Span Span
}

// The values of HollowCheck.Why.
const (
	HollowNeverExecutes  = "never-executes"
	HollowConnectionless = "connectionless"
	HollowErrorDropped   = "error-dropped"
)

// NewConnection is a client or connection that a health path builds on every request: a constructor of the knowledge base
// whose result holds a pool or a socket (sql.Open, gorm.Open, grpc.NewClient, redis.NewClient, amqp.Dial,
// pgxpool.New, mongo.Connect). net.Dial and friends are plain checks and not listed; an http.Client without an own
// Transport is not listed either.
type NewConnection struct {
	Call string
	Name string
	Span Span
	// Closed: Close (Disconnect, Release) is called or deferred on every path from here to the end of the handler. Escapes:
	// the value leaves the handler (returned, stored), so nothing is known; the rule then stays silent.
	Closed  bool
	Escapes bool
}

// Leak is a resource that every probe leaves behind.
type Leak struct {
	// Kind is "body" (the Body of a response from a call on this path is closed on no path, and the response does not
	// leave the function) or "goroutine" (a goroutine sends on an unbuffered channel whose receiver can leave by a
	// time-out or ctx.Done branch).
	Kind string
	Call string // the call that made it
	Span Span   // that call, or the make(chan)
	Exit Span   // the branch that leaves without it, where there is one
	// Cure is what the code lacks, nil where its place is not certain.
	Cure *Insertion
}

// IgnoredDeadline says that a deadline in the context is passed to a client that does not honour it.
//
// Set where the call's knowledge entry says so and the program shows the cause: it imports the driver (lib/pq blank
// import behind database/sql), or it leaves out the option (go-redis v9 without ContextTimeoutEnabled), or it passes a
// *gin.Context without ContextWithFallback. The dependency's Deadline and Bound then are those that hold.
type IgnoredDeadline struct {
	// Client is the package and what is missing: "go-redis v9 without `ContextTimeoutEnabled`", "lib/pq".
	Client string
	// Stated is the deadline that the code sets and that has no effect.
	Stated Deadline
	// Because is where the cause is seen (the import, the options literal); zero where it is an absence.
	Because Span
	// Cure says what would make it count, as an imperative phrase ("set `ContextTimeoutEnabled: true`"); "" where nothing in
	// the client does.
	Cure string
}

// Retry says that a check tries again within one answer.
//
// Set on a dependency whose call stands in a loop that pauses between its passes (time.Sleep, a timer, a ticker), in the
// function that makes the call or in one that leads to it, or inside the function that a retry library is given. A loop over
// different things to ask is none unless it pauses.
type Retry struct {
	// Span is the pause, or the call of the library; Pause its length in seconds, 0 where it is not known.
	Span  Span
	Pause float64
	// Attempts is how often the loop runs at most, 0 where that is not known.
	Attempts int
	// Endless: nothing but a success ends it. Request: the end of the request does as well.
	Endless, Request bool
}

// AnswerHeader is a header of an answer. Value is "" where it is not a constant.
type AnswerHeader struct {
	Value string
	Span  Span // the call that sets it
}

// SharedPool says that a check takes its connection from the pool that other requests use, and waits for one with them.
//
// Set on a dependency where a run asks for FactPools, its client is made once, the pool has an upper limit (of database/sql only
// one that is set with SetMaxOpenConns), and a handler of another route calls the same client.
type SharedPool struct {
	// Made is where the client is made, Use a call on it in the handler of UseRoute.
	Made, Use Span
	UseRoute  string
}

// Tests says what the tests of the module show of an endpoint.
//
// Set where a run asks for FactTests and the tests could be read; see analyzer/endpoint, tested.go, for what counts.
type Tests struct {
	// Files is how many test files the module has, Asking how many of them mention the path or the handler.
	Files, Asking int
	// Failing: one of those names a status of 400 or more.
	Failing bool
	// Span is the first mention; zero where there is none.
	Span Span
}

// Critical is the opt-in for a dependency without which the instance can do nothing: `//probelint:critical reason` on the
// line of the call or the line before it, on the handler, or an entry of the configuration's `critical`.
type Critical struct {
	Reason string
	Span   Span // the directive; zero for the configuration
}

// RoleDirective is `//probelint:liveness timeout=1s` on a handler or its registration (readiness and startup alike): what the
// endpoint is for where no manifest says it. TimeoutSeconds is 0 where it is not given.
type RoleDirective struct {
	Role           Role
	TimeoutSeconds float64
	Span           Span
}

// GRPCHealth is what a program says through the gRPC health protocol, as a probe for one service sees it.
//
// Set on the endpoint of a grpc probe whose program has a gRPC server that was followed.
type GRPCHealth struct {
	// Registered: grpc_health_v1.RegisterHealthServer (or a framework's equivalent) is called on that server; one without it
	// has no endpoint, and is a Miss of MissGRPC. Server is the span of health.NewServer, else of the registration.
	Registered bool
	Server     Span
	// Standard: the implementation is google.golang.org/grpc/health.Server; an own Check method is judged like a handler.
	Standard bool
	// Set are the service names with a SetServingStatus anywhere in the program, sorted; "" is always set from birth.
	// Complete is false where one name could not be resolved.
	Set      []string
	Complete bool
	// Turns: SetServingStatus with anything but a constant SERVING, Shutdown or Resume is called somewhere.
	Turns bool
}

// UnawaitedShutdown is a graceful shutdown that the process does not wait for: http.Server.Shutdown runs in a goroutine
// while main returns, or exits by log.Fatal or os.Exit, as soon as ListenAndServe does.
//
// Set where ListenAndServe, ListenAndServeTLS or Serve of the server is called in main's own flow (or in a function that
// main waits for), Shutdown of the same server is called in a goroutine, and between the return of the former and the
// end of main nothing waits for that goroutine (channel receive, WaitGroup, errgroup, select {}).
type UnawaitedShutdown struct {
	Serve    Span
	Shutdown Span
	// Fatal: the return of ListenAndServe is passed to log.Fatal, so the process exits with an error on every shutdown.
	Fatal bool
}

// StartupWork is one piece of work that main's own flow does before the first listener opens, so that a probe is refused
// for as long as it lasts.
//
// Set on a program whose first listener was seen, for: schema migrations and DDL (Kind StartMigration), informer caches
// that are waited for (StartSync), loops without a known end that wait for something (StartWaitLoop), constant sleeps and
// loops of a known number of them (StartSleep), loads of an index or cache (StartLoad), and a single connect or ping
// (StartConnect), which is short as a rule.
type StartupWork struct {
	Kind string
	// What is the call in words that follow "before": "goose.Up", "ALTER TABLE".
	What string
	Span Span
	// Seconds is its length where it is constant; Unbounded where it lasts as long as there is data or until another
	// system answers. Neither: not known.
	Seconds   float64
	Unbounded bool
	// Sure: no branch stands before it.
	Sure bool
}

// The values of StartupWork.Kind.
const (
	StartMigration = "migration"
	StartSync      = "sync"
	StartWaitLoop  = "wait"
	StartSleep     = "sleep"
	StartLoad      = "load"
	StartConnect   = "connect"
)

// Outcome says what happens when the call that serves a listener returns, which it does where the port cannot be bound or
// the server dies.
type Outcome string

// The outcomes. OutcomeUnknown stands for all that was not followed: an error that is sent on a channel, returned to a
// library, or stored.
const (
	OutcomeUnknown Outcome = ""
	OutcomeExits   Outcome = "exits"   // the process ends
	OutcomeLogged  Outcome = "logged"  // a line in the log, and the process goes on
	OutcomeDropped Outcome = "dropped" // nothing
)

// ExecCheck is one command of an exec probe that asks something (package execprobe).
type ExecCheck struct {
	Command string // base name: pg_isready, redis-cli, curl
	Kind    string // database, cache, queue, http, tcp, grpc, process, file, ...
	Name    string // PostgreSQL, Redis: what people call what it asks; "" where the tool does not tell
	// Host is the host that it asks with variables of the container replaced, "" for the tool's default (local).
	Host string
	// Remote: Host is known and is not this pod (loopback, a socket, the pod's own name or address).
	Remote bool
	// Decides: its exit status can turn that of the probe (no `|| true` behind it, no later command that hides it).
	Decides bool
	// Argument is the index into Target.Command that holds the command, for a span ("exec.command[2]").
	Argument int
}

// Redirect is a 3xx answer, 304 excepted, to the request in hand.
//
// Set where such a status is reachable for this very request through http.Redirect or http.RedirectHandler.
type Redirect struct {
	Status int
	Span   Span // the call
	// To is where it leads, where that is a constant or set by the manifest; "" otherwise. Host is the host name in it, ""
	// for a place on the same host.
	To, Host string
	// Only: every reachable status is a redirect.
	Only bool
}
