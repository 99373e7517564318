package knowledge

import "slices"

// HealthRole is what a call of a health library does.
type HealthRole string

// The roles of data/health_libraries.yaml.
const (
	HealthLiveness         HealthRole = "liveness"
	HealthReadiness        HealthRole = "readiness"
	HealthBoth             HealthRole = "health"
	HealthAll              HealthRole = "all"
	HealthByPath           HealthRole = "by_path"
	HealthCheck            HealthRole = "check"
	HealthObserver         HealthRole = "observer"
	HealthChecker          HealthRole = "checker"
	HealthCheckBuilder     HealthRole = "check_builder"
	HealthCache            HealthRole = "cache"
	HealthTimeout          HealthRole = "timeout"
	HealthHandler          HealthRole = "handler"
	HealthHandlerLiveness  HealthRole = "handler_liveness"
	HealthHandlerReadiness HealthRole = "handler_readiness"
	HealthHandlerStatic200 HealthRole = "handler_static200"
	HealthSetStatus        HealthRole = "set_status"
	HealthStatic           HealthRole = "static"
	HealthRun              HealthRole = "run"
	HealthNew              HealthRole = "new"
	HealthStart            HealthRole = "start"
	HealthRegister         HealthRole = "register"
	HealthMiddleware       HealthRole = "middleware"
	HealthServe            HealthRole = "serve"
	HealthShutdown         HealthRole = "shutdown"
	HealthWrap             HealthRole = "wrap"
	HealthOption           HealthRole = "option"
	HealthOther            HealthRole = "other"
)

// HealthCall is one function or method of a health library. The indexes count parameters without the receiver; -1 where there
// is none.
type HealthCall struct {
	Path, Recv, Name string
	Library          string // id of the HealthLibrary
	Role             HealthRole
	Kind             string // of a check that is built: database, http, ...
	Effect           Effect // of a check that is built, or of the call itself
	Check, Label     int    // the check and its name
	Pattern, Handler int
	Status, Dur      int
	Ctx, Err         int
	// CheckVariadic: Check and all parameters after it are checks.
	CheckVariadic bool
	IsVar         bool
	Limit         float64 // seconds that a check which is built lasts at most by itself, 0: not known
	// Sets is what an option changes: "cache off", "error text off", "failure status", "error text" (by a bool), "" for what
	// does not matter here.
	Sets string
	Sig  string
}

func (c *HealthCall) symbol() (path, recv, name string) { return c.Path, c.Recv, c.Name }

// LookupHealth finds a call by import path, receiver type without "*" and name.
func (b *Base) LookupHealth(path, recv, name string) (HealthCall, bool) {
	for ; b != nil; b = b.below {
		if p := b.pkg(path); p != nil {
			if c, ok := find(b.Checks, p.checks, (*HealthCall).symbol, recv, name); ok {
				return c, true
			}
		}
	}
	return HealthCall{}, false
}

// LookupHealth asks [Default].
func LookupHealth(path, recv, name string) (HealthCall, bool) {
	return Default().LookupHealth(path, recv, name)
}

// HealthLibrary is a library that answers health endpoints, with its defaults.
type HealthLibrary struct {
	ID string
	// Liveness, Readiness, Startup and Health are the default paths of the endpoints, GRPC the service method; "" for none.
	Liveness, Readiness, Startup, Health, GRPC string
	// TimeoutSeconds is the library's own limit by default, 0: none; TimeoutScope "check" (each) or "all" (together).
	TimeoutSeconds float64
	TimeoutScope   string
	// TimeoutRace: that limit, or the library's own timeout wrapper, stops waiting without ending the context of the check.
	TimeoutRace bool
	// CheckCtx is the context that a check is given: "request", "background", "none" or "" where it is not known.
	CheckCtx string
	// Cached is "no", "ttl" (for CacheSeconds), "background" (no check runs in the request), "state" (a status that the
	// program sets) or "" where it is not known.
	Cached       string
	CacheSeconds float64
	// Aggregate is "sequential", "parallel" or "".
	Aggregate string
	// LeaksError says where error text reaches the client: "yes", "no", "query", "sub-path" or "".
	LeaksError string
	// FailureStatus is the status of a failed check, 0 where it is not known.
	FailureStatus int
	// Static: answers success by default or whatever the checks say.
	Static bool
	// ReadinessIncludesLiveness: the readiness endpoint runs the liveness checks too.
	ReadinessIncludesLiveness bool
	// LeaksQuery is the query, such as full=1, with which a library whose LeaksError is "query" shows the error text.
	LeaksQuery string
	// DegradedStatus is the status of a verdict between success and failure, 0 where there is none.
	DegradedStatus int
	// ReportedField names the field of a check's configuration that keeps its outcome out of the verdict, FatalField the one
	// without which it stays out; PeriodField the one that says how often a background check runs.
	ReportedField, FatalField, PeriodField string
	// Registry says that package-level functions register the checks, for every handler of the program: "package", or "default
	// mux" where importing the package also registers Health on http.DefaultServeMux.
	Registry string
	// Listens is the address of the listener that the library opens itself, "" where it does not or is told.
	Listens string
	// PathsBelow: the handler is mounted above the default paths and tells them apart itself.
	PathsBelow bool
	// TimeoutBoth: that limit ends the context of the check and the wait for it.
	TimeoutBoth bool
	// Verdict says how a check tells its outcome where it is no error and no bool: "type" of the library, "argument" that it
	// is given to write to.
	Verdict  string
	Timeouts []Timeout
}

// LookupHealthLibrary finds a library by its id.
func (b *Base) LookupHealthLibrary(id string) (HealthLibrary, bool) {
	for ; b != nil; b = b.below {
		if l, ok := byKey(b.Libraries, func(l *HealthLibrary) string { return l.ID }, id); ok {
			return l, true
		}
	}
	return HealthLibrary{}, false
}

// LookupHealthLibrary asks [Default].
func LookupHealthLibrary(id string) (HealthLibrary, bool) { return Default().LookupHealthLibrary(id) }

// CheckerMethods are the methods by which a library asks what its users implement: Check, Status, Pass.
func (b *Base) CheckerMethods(library string) []string {
	var out []string
	for ; b != nil; b = b.below {
		for i := range b.Checks {
			if c := &b.Checks[i]; c.Library == library && c.Role == HealthChecker && c.Recv != "" && !slices.Contains(out, c.Name) {
				out = append(out, c.Name)
			}
		}
	}
	return out
}

// LibraryOf is the health library that a package belongs to.
func (b *Base) LibraryOf(path string) (id string, ok bool) {
	for ; b != nil; b = b.below {
		if p := b.pkg(path); p != nil && p.checks.lo < p.checks.hi {
			return b.Checks[p.checks.lo].Library, true
		}
	}
	return "", false
}

// LookupHealthMethod finds a method of a health library by the library's id: for values whose type is not known.
func (b *Base) LookupHealthMethod(id, name string) (HealthCall, bool) {
	for ; b != nil; b = b.below {
		for i := range b.Checks {
			if c := &b.Checks[i]; c.Name == name && c.Recv != "" && c.Library == id && c.Role != HealthChecker {
				return *c, true
			}
		}
	}
	return HealthCall{}, false
}
