package knowledge

import (
	"strings"
	"testing"

	"github.com/probelint/probelint/internal/model"
)

func TestLookupCall(t *testing.T) {
	ctx0 := Sig{Ctx0: true}
	grpc := Sig{Ctx0: true, Last: "google.golang.org/grpc.CallOption", HasErr: true, Err: 1}
	for _, c := range []struct {
		path, recv, name string
		sig              Sig
		entry            string
		effect           Effect
		op               string
		ctx, err         int
	}{
		{"database/sql", "DB", "PingContext", Sig{}, "database/sql", Remote, "ping", 0, 0},
		{"database/sql", "DB", "Ping", Sig{}, "database/sql", Remote, "ping", -1, 0},
		{"database/sql", "", "Open", Sig{}, "database/sql", Lazy, "open", -1, 1},
		{"database/sql", "DB", "Stats", Sig{}, "database/sql", Local, "stats", -1, -1},
		{"gorm.io/gorm", "", "Open", Sig{}, "gorm", Connect, "open", -1, 1},
		{"gorm.io/gorm", "DB", "Raw", Sig{}, "gorm", Builder, "chain", -1, -1},
		{"github.com/jackc/pgx/v5/pgxpool", "Pool", "Ping", Sig{}, "pgx.v5", Remote, "ping", 0, 0},
		{"github.com/jackc/pgx/v5/pgxpool", "", "New", Sig{}, "pgx.v5", Lazy, "open", 0, 1},
		// Promoted methods are reported on the declaring type.
		{"github.com/redis/go-redis/v9", "Client", "Ping", Sig{}, "go-redis.v9", Remote, "ping", 0, -1},
		{"github.com/redis/go-redis/v9", "cmdable", "Ping", Sig{}, "go-redis.v9", Remote, "ping", 0, -1},
		{"github.com/redis/go-redis/v9", "cmdable", "HGetAll", ctx0, "go-redis.v9", Remote, "", 0, -1},
		{"github.com/go-redis/redis/v8", "cmdable", "Ping", Sig{}, "go-redis.v8", Remote, "ping", 0, -1},
		{"github.com/go-redis/redis", "cmdable", "Ping", Sig{}, "go-redis.v6", Remote, "ping", -1, -1},
		{"github.com/go-redis/redis/v7", "cmdable", "Info", Sig{}, "go-redis.v7", Remote, "", -1, -1},
		{"go.mongodb.org/mongo-driver/mongo", "Client", "Ping", Sig{}, "mongo-driver", Remote, "ping", 0, 0},
		{"go.mongodb.org/mongo-driver/v2/mongo", "Collection", "Watch", ctx0, "mongo-driver", Remote, "", 0, -1},
		{"net/http", "", "Get", Sig{}, "net/http-client", Remote, "get", -1, 1},
		{"net/http", "Client", "Do", Sig{}, "net/http-client", Remote, "do", -1, 1},
		{"net", "Dialer", "DialContext", Sig{}, "net", Remote, "connect", 0, 1},
		{"net", "", "LookupHost", Sig{}, "dns", Remote, "lookup", -1, 1},
		{"os/exec", "Cmd", "CombinedOutput", Sig{}, "os/exec", Remote, "exec", -1, 1},
		{"google.golang.org/grpc", "ClientConn", "Invoke", Sig{}, "grpc", Remote, "rpc", 0, 0},
		{"google.golang.org/grpc/health/grpc_health_v1", "HealthClient", "Check", Sig{}, "grpc", Remote, "ping", 0, 1},
		{"google.golang.org/grpc", "ClientConn", "GetState", Sig{}, "grpc", Mirror, "state", -1, -1},
		{"example.com/shop/orderspb", "OrdersClient", "Get", grpc, "grpc", Remote, "rpc", 0, 1},
		{"k8s.io/client-go/kubernetes/typed/apps/v1", "DeploymentInterface", "Get", ctx0, "client-go", Remote, "get", 0, -1},
		{"sigs.k8s.io/controller-runtime/pkg/client", "Reader", "Get", Sig{}, "controller-runtime-client", Maybe, "get", 0, 0},
		{"github.com/aws/aws-sdk-go-v2/service/s3", "Client", "HeadBucket", ctx0, "aws-sdk-v2/s3", Remote, "ping", 0, 1},
		{"github.com/aws/aws-sdk-go-v2/service/eks", "Client", "ListClusters", ctx0, "aws-sdk-v2", Remote, "do", 0, -1},
		{"github.com/nats-io/nats.go", "Conn", "IsConnected", Sig{}, "nats", Mirror, "state", -1, -1},
		// A major version that no table names.
		{"github.com/jackc/pgx/v6/pgxpool", "Pool", "Ping", Sig{}, "pgx.v5", Remote, "ping", 0, 0},
		{"example.com/app/vendor/github.com/lib/pq", "", "Open", Sig{}, "lib/pq", Connect, "open", -1, 1},
	} {
		got, ok := LookupCall(c.path, c.recv, c.name, c.sig)
		if !ok {
			t.Errorf("%s %s.%s: not found", c.path, c.recv, c.name)
			continue
		}
		if got.Entry != c.entry || got.Effect != c.effect || c.op != "" && got.Op != c.op || got.Ctx != c.ctx || got.Err != c.err {
			t.Errorf("%s %s.%s = %s %v %s ctx %d err %d, want %s %v %s ctx %d err %d", c.path, c.recv, c.name,
				got.Entry, got.Effect, got.Op, got.Ctx, got.Err, c.entry, c.effect, c.op, c.ctx, c.err)
		}
	}
	for _, c := range []struct {
		path, recv, name string
		sig              Sig
	}{
		{"example.com/shop/store", "DB", "Ping", Sig{}},                        // never by the bare name
		{"example.com/shop/store", "Client", "Get", ctx0},                      // no CallOption
		{"github.com/redis/go-redis/v9", "cmdable", "HGetAllFields", Sig{}},    // a pattern that asks for a context
		{"github.com/redis/go-redis/v9", "cmdable", "Subscribe", ctx0},         // an exception of the pattern
		{"database/sql", "DB", "ping", Sig{}},                                  // case matters
		{"github.com/aws/aws-sdk-go-v2/service/s3", "Presign", "Client", ctx0}, // other receiver
	} {
		if got, ok := LookupCall(c.path, c.recv, c.name, c.sig); ok {
			t.Errorf("%s %s.%s = %+v, want nothing", c.path, c.recv, c.name, got)
		}
	}
}

func TestLookupClient(t *testing.T) {
	for _, c := range []struct {
		entry, display string
		honors         HonorsCtx
		ctxIf          string
		seconds        float64
	}{
		{"lib/pq", "PostgreSQL", CtxNo, "", 0},
		{"pgx.v5", "PostgreSQL", CtxYes, "", 0},
		{"go-redis.v9", "Redis", CtxNo, "Options.ContextTimeoutEnabled", 3},
		{"go-redis.v8", "Redis", CtxYes, "", 12},
		{"clickhouse", "ClickHouse", CtxNo, "", 30},
		{"mssql", "SQL Server", CtxPartly, "", 0},
		{"redigo", "Redis", CtxPartly, "", 0},
		{"mongo-driver", "MongoDB", CtxYes, "", 30},
		{"gomemcache", "Memcached", CtxNo, "", 0.5},
		{"nats", "NATS", CtxYes, "", 2},
		{"vault", "Vault", CtxYes, "", 60},
		{"amqp", "RabbitMQ", CtxNo, "", 30},
		{"etcd", "etcd", CtxYes, "", 0},
		{"os/exec", "child process", CtxPartly, "Cmd.WaitDelay", 0},
		{"net/http-client", "HTTP service", CtxYes, "", 0},
	} {
		got, ok := LookupClient(c.entry)
		if !ok || got.Display != c.display || got.Honors != c.honors || got.CtxIf != c.ctxIf || got.NoDeadlineSeconds != c.seconds {
			t.Errorf("%s = %+v, want %+v", c.entry, got, c)
		}
		if got.Bounded() != (c.seconds > 0) {
			t.Errorf("%s: Bounded %v with %gs", c.entry, got.Bounded(), c.seconds)
		}
	}
}

func TestLimitFollowsTheVersion(t *testing.T) {
	for version, want := range map[string]float64{
		"": 3, "=> ../fork": 3, "v9.0.0-rc.2": 3, "v9.5.1": 3, "v9.21.9": 3, "v9.22.0": 5, "v9.23.0": 5, "v9.23.1-0.20260101000000-0123456789ab": 5,
	} {
		for _, entry := range []string{"go-redis.v9", "asynq"} {
			c, ok := LookupClient(entry)
			if got := c.Limit(func(module string) string {
				if module != "github.com/redis/go-redis/v9" {
					t.Errorf("%s asks for the version of %s", entry, module)
				}
				return version
			}); !ok || got != want {
				t.Errorf("%s with %q: %gs, want %gs", entry, version, got, want)
			}
		}
	}
	c, _ := LookupClient("go-redis.v8")
	if got := c.Limit(func(string) string { return "v9.23.0" }); got != 12 {
		t.Errorf("a client of one limit: %gs", got)
	}
}

func TestLookupRouter(t *testing.T) {
	for _, c := range []struct {
		path, recv, name, router string
		role                     RouterRole
		pattern, handler         int
		variadic                 bool
		method                   string
	}{
		{"net/http", "ServeMux", "HandleFunc", "net/http", RouterRegister, 0, 1, false, ""},
		{"github.com/go-chi/chi/v5", "Mux", "Get", "chi", RouterRegister, 0, 1, false, "GET"},
		{"github.com/go-chi/chi/v5", "Router", "Delete", "chi", RouterRegister, 0, 1, false, "DELETE"},
		{"github.com/go-chi/chi/v4", "Mux", "Get", "chi", RouterRegister, 0, 1, false, "GET"},
		{"github.com/gin-gonic/gin", "RouterGroup", "GET", "gin", RouterRegister, 0, 1, true, "GET"},
		{"github.com/gin-gonic/gin", "RouterGroup", "Any", "gin", RouterRegister, 0, 1, true, ""},
		{"github.com/gin-gonic/gin", "IRoutes", "HEAD", "gin", RouterRegister, 0, 1, true, "HEAD"},
		{"github.com/labstack/echo/v4", "Group", "POST", "echo.v4", RouterRegister, 0, 1, false, "POST"},
		{"github.com/gofiber/fiber/v2", "Group", "Get", "fiber.v2", RouterRegister, 0, 1, true, "GET"},
		{"github.com/gofiber/fiber/v3", "App", "Get", "fiber.v3", RouterRegister, 0, 1, true, "GET"},
		{"github.com/julienschmidt/httprouter", "Router", "GET", "httprouter", RouterRegister, 0, 1, false, "GET"},
		{"github.com/gorilla/mux", "Router", "HandleFunc", "gorilla/mux", RouterRegister, 0, 1, false, ""},
		{"github.com/emicklei/go-restful/v3", "WebService", "GET", "go-restful", RouterPattern, 0, -1, false, "GET"},
		{"github.com/danielgtaylor/huma/v2", "", "Get", "huma", RouterRegister, 1, 2, false, "GET"},
		{"github.com/kataras/iris/v12/core/router", "APIBuilder", "Get", "iris", RouterRegister, 0, 1, true, "GET"},
	} {
		got, ok := LookupRouter(c.path, c.recv, c.name)
		if !ok || got.Router != c.router || got.Role != c.role || got.Pattern != c.pattern || got.Handler != c.handler || got.HandlerVariadic != c.variadic || got.MethodName != c.method {
			t.Errorf("%s %s.%s = %+v (found %v), want %+v", c.path, c.recv, c.name, got, ok, c)
		}
	}
	if got, _ := LookupRouter("net/http", "", "Error"); got.Role != RouterWrite || got.Status != 2 || got.Body != 1 {
		t.Errorf("http.Error = %+v", got)
	}
	if got, _ := LookupRouter("net/http", "", "NotFound"); got.Answers != 404 || got.Status != -1 {
		t.Errorf("http.NotFound = %+v", got)
	}
	if r, _ := LookupRouterInfo("gin"); r.Syntax != SyntaxColon || r.CtxDetached != "Context" || r.CtxIf != "Engine.ContextWithFallback" {
		t.Errorf("gin = %+v", r)
	}
	if r, _ := LookupRouterInfo("fiber.v2"); r.ReturnedError != "text" || r.CtxDetached != "Ctx" {
		t.Errorf("fiber = %+v", r)
	}
	for path, name := range map[string]string{"github.com/gin-gonic/gin": "Context", "github.com/gofiber/fiber/v2": "Ctx", "github.com/gofiber/fiber/v3": "Ctx", "github.com/valyala/fasthttp": "RequestCtx"} {
		if _, ok := DetachedCtx(path, name); !ok {
			t.Errorf("%s.%s is taken for a context with a deadline", path, name)
		}
	}
	if r, ok := DetachedCtx("net/http", "Request"); ok {
		t.Errorf("http.Request = %+v", r)
	}
	if c, ok := LookupRouter("github.com/gofiber/fiber/v2", "Ctx", "UserContext"); !ok || c.Role != RouterCtx || !c.Detached {
		t.Errorf("fiber UserContext = %+v", c)
	}
	if c, _ := LookupRouter("net/http", "Request", "Context"); c.Role != RouterCtx || c.Detached {
		t.Errorf("Request.Context = %+v", c)
	}
	// Every function that registers for one method says which.
	for _, c := range Default().Routes {
		if m := verbOf(c.Name); m != "" && (c.Role == RouterRegister || c.Role == RouterPattern) && c.MethodName != m {
			t.Errorf("%s %s.%s registers for %q, want %s", c.Path, c.Recv, c.Name, c.MethodName, m)
		}
	}
}

// verbOf is the HTTP method that a name stands for, "" for another name.
func verbOf(name string) string {
	switch v := strings.ToUpper(name); v {
	case "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS":
		return v
	case "DEL":
		return "DELETE"
	}
	return ""
}

func TestLookupHealth(t *testing.T) {
	for _, c := range []struct {
		path, recv, name, library string
		role                      HealthRole
		check, label              int
	}{
		{"sigs.k8s.io/controller-runtime/pkg/manager", "Manager", "AddHealthzCheck", "controller-runtime", HealthLiveness, 1, 0},
		{"sigs.k8s.io/controller-runtime/pkg/manager", "Manager", "AddReadyzCheck", "controller-runtime", HealthReadiness, 1, 0},
		{"k8s.io/apiserver/pkg/server/healthz", "", "InstallReadyzHandler", "apiserver-healthz", HealthReadiness, 1, -1},
		{"k8s.io/apiserver/pkg/server/healthz", "", "NamedCheck", "apiserver-healthz", HealthChecker, 1, 0},
		{"github.com/heptiolabs/healthcheck", "Handler", "AddReadinessCheck", "heptiolabs-healthcheck", HealthReadiness, 1, 0},
		{"github.com/hellofresh/health-go/v4", "Health", "Register", "hellofresh-health-go", HealthCheck, 0, -1},
		{"github.com/alexliesenfeld/health", "", "WithCheck", "alexliesenfeld-health", HealthCheck, 0, -1},
		{"google.golang.org/grpc/health", "Server", "SetServingStatus", "grpc-health-server", HealthSetStatus, -1, -1},
	} {
		got, ok := LookupHealth(c.path, c.recv, c.name)
		if !ok || got.Library != c.library || got.Role != c.role || got.Check != c.check || got.Label != c.label {
			t.Errorf("%s %s.%s = %+v (found %v), want %+v", c.path, c.recv, c.name, got, ok, c)
		}
	}
	for _, c := range []HealthLibrary{
		{ID: "alexliesenfeld-health", TimeoutSeconds: 10, TimeoutScope: "all", Cached: "ttl", CacheSeconds: 1, LeaksError: "yes"},
		{ID: "hellofresh-health-go", TimeoutSeconds: 2, TimeoutScope: "check", TimeoutRace: true, CheckCtx: "request", Cached: "no", LeaksError: "yes"},
		{ID: "heptiolabs-healthcheck", Cached: "no", LeaksError: "query"},
		{ID: "etherlabsio-healthcheck", TimeoutSeconds: 30, TimeoutScope: "all", Cached: "no", LeaksError: "yes"},
		{ID: "go-sundheit", Cached: "background", LeaksError: "yes"},
	} {
		got, ok := LookupHealthLibrary(c.ID)
		if !ok || got.TimeoutSeconds != c.TimeoutSeconds || got.TimeoutScope != c.TimeoutScope || got.Cached != c.Cached || c.CheckCtx != "" && (got.CheckCtx != c.CheckCtx || got.TimeoutRace != c.TimeoutRace) || got.CacheSeconds != c.CacheSeconds || got.LeaksError != c.LeaksError {
			t.Errorf("%s = %+v", c.ID, got)
		}
	}
}

func TestLookupWrapper(t *testing.T) {
	for _, c := range []struct {
		path, recv, name string
		role             WrapperRole
		ctx, dur, time   int
		handler          int
	}{
		{"context", "", "WithTimeout", WrapDeadline, 0, 1, -1, -1},
		{"context", "", "WithDeadline", WrapDeadline, 0, -1, 1, -1},
		{"context", "", "WithCancel", WrapNoDeadline, 0, -1, -1, -1},
		{"context", "", "WithoutCancel", WrapDropsDeadline, 0, -1, -1, -1},
		{"time", "", "After", WrapRaceTimeout, -1, 0, -1, -1},
		{"time", "", "NewTicker", WrapPeriodic, -1, 0, -1, -1},
		{"golang.org/x/sync/errgroup", "Group", "Go", WrapSpawn, -1, -1, -1, 0},
		{"golang.org/x/sync/errgroup", "", "WithContext", WrapCtxDerive, 0, -1, -1, -1},
		{"golang.org/x/sync/singleflight", "Group", "Do", WrapDedup, -1, -1, -1, 1},
		{"github.com/patrickmn/go-cache", "cache", "Get", WrapCacheGet, -1, -1, -1, -1},
		{"net/http", "", "TimeoutHandler", WrapTimeout, -1, 1, -1, 0},
		{"fmt", "", "Errorf", WrapError, -1, -1, -1, -1},
	} {
		got, ok := LookupWrapper(c.path, c.recv, c.name)
		if !ok || got.Role != c.role || got.Ctx != c.ctx || got.Dur != c.dur || got.Time != c.time || got.Handler != c.handler {
			t.Errorf("%s %s.%s = %+v (found %v), want %+v", c.path, c.recv, c.name, got, ok, c)
		}
	}
	both, _ := LookupWrapper("net/http", "", "TimeoutHandler")
	work, _ := LookupWrapper("github.com/go-chi/chi/v5/middleware", "", "Timeout")
	if !both.BoundsAnswer || !both.BoundsWork || both.Answers != 503 || work.BoundsAnswer || !work.BoundsWork {
		t.Errorf("TimeoutHandler = %+v, chi Timeout = %+v", both, work)
	}
}

func TestGuessRole(t *testing.T) {
	for path, want := range map[string]struct {
		role      model.Role
		ambiguous bool
		health    bool
	}{
		"/livez":                     {model.Liveness, false, true},
		"/readyz":                    {model.Readiness, false, true},
		"/startupz":                  {model.Startup, false, true},
		"/healthz":                   {"", true, true},
		"/healthz/":                  {"", true, true},
		"/healthz?full=true":         {"", true, true},
		"GET /healthz/{$}":           {"", true, true},
		"/healthCheck":               {"", true, true},
		"/health/live":               {model.Liveness, false, true},
		"/readyz/etcd":               {model.Readiness, false, true},
		"/healthz/ping":              {"", true, true},
		"/api/v2/ready":              {model.Readiness, false, true},
		"/orders-service/livez":      {model.Liveness, false, true},
		"/my_readiness":              {model.Readiness, false, true},
		"/internal/status":           {"", true, true},
		"/-/ready":                   {model.Readiness, false, true},
		"/orders/status":             {"", false, false},
		"/sign-up":                   {"", false, false},
		"/get-started":               {"", false, false},
		"/metrics":                   {"", false, false},
		"/":                          {"", false, false},
		"/users/{id}":                {"", false, false},
		"/_cluster/health":           {"", false, false},
		"":                           {"", false, false},
		"/wealth":                    {"", false, false},
		"/debug/pprof/":              {"", false, false},
		"/actuator/health/liveness":  {model.Liveness, false, true},
		"/actuator/health/readiness": {model.Readiness, false, true},
	} {
		role, ambiguous := GuessRole(path)
		if role != want.role || ambiguous != want.ambiguous || IsHealthPath(path) != want.health {
			t.Errorf("%q = %q, ambiguous %v, health %v; want %+v", path, role, ambiguous, IsHealthPath(path), want)
		}
	}
}

func TestLookupExec(t *testing.T) {
	c, ok := LookupExec("/usr/bin/pg_isready")
	if !ok || c.DefaultTimeout != 3 || c.Kind != "database" || len(c.FalseOK) == 0 || c.Target != "default_local" {
		t.Errorf("pg_isready = %+v", c)
	}
	if c, ok := LookupExec("valkey-cli"); !ok || c.Kind != "cache" || c.DefaultTimeout != 0 {
		t.Errorf("valkey-cli = %+v", c)
	}
	if c, ok := Default().LookupExecVariant("wget", "busybox"); !ok || c.Variant != "busybox" || c.DefaultTimeout != 900 {
		t.Errorf("busybox wget = %+v", c)
	}
	if c, ok := LookupExec("/dev/tcp"); !ok || c.Kind != "tcp" {
		t.Errorf("/dev/tcp = %+v", c)
	}
	if c, ok := LookupExec("frobnicate"); ok {
		t.Errorf("an unknown command = %+v", c)
	}
}

func TestDrivers(t *testing.T) {
	for name, want := range map[string]string{"postgres": "PostgreSQL", "pgx": "PostgreSQL", "mysql": "MySQL", "sqlite3": "SQLite", "sqlserver": "SQL Server", "nosuch": ""} {
		if got := DriverName(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	if d, _ := LookupDriver("sqlite"); !d.File {
		t.Error("sqlite is no file")
	}
	if d, ok := LookupDriver("github.com/jackc/pgx/v6/stdlib"); !ok || d.Display != "PostgreSQL" {
		t.Errorf("pgx/v6/stdlib = %+v", d)
	}
	if d, _ := LookupDriver("postgres"); d.Entry != "lib/pq" || d.File {
		t.Errorf("postgres = %+v", d)
	}
	for _, d := range Default().Drivers {
		if d.Entry != "" {
			if _, ok := LookupClient(d.Entry); !ok {
				t.Errorf("driver %s names client %q, which does not exist", d.Name, d.Entry)
			}
		}
	}
}

func TestLookupSetting(t *testing.T) {
	for _, c := range []struct {
		path, recv, name, scope string
		dur                     int
	}{
		{"net/http", "Client", "Timeout", "total", -1},
		{"github.com/redis/go-redis/v9", "Options", "ReadTimeout", "read", -1},
		{"github.com/redis/go-redis/v9", "Options", "ContextTimeoutEnabled", "ctx", -1},
		{"github.com/lib/pq", "dsn", "connect_timeout", "connect", -1},
		{"go.mongodb.org/mongo-driver/mongo/options", "ClientOptions", "SetServerSelectionTimeout", "server_selection", 0},
		{"github.com/gomodule/redigo/redis", "", "DialReadTimeout", "read", 0},
	} {
		got, ok := LookupSetting(c.path, c.recv, c.name)
		if !ok || got.Scope != c.scope || got.Dur != c.dur {
			t.Errorf("%s %s.%s = %+v", c.path, c.recv, c.name, got)
		}
	}
}

func TestKnown(t *testing.T) {
	for path, want := range map[string]bool{
		"database/sql": true, "github.com/go-chi/chi/v5": true, "github.com/go-chi/chi/v9": true, "github.com/redis/go-redis/v9": true,
		"github.com/aws/aws-sdk-go-v2/service/eks": true, "example.com/shop": false, "": false,
	} {
		if Known(path) != want {
			t.Errorf("Known(%q) = %v", path, !want)
		}
	}
}
