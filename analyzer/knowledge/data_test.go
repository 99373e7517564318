package knowledge

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/probelint/probelint/internal/model"
)

// yamlFile is what a test of the data reads of it, independent of the generator.
type yamlFile struct {
	Entries []struct {
		ID         string
		Path       string
		Aliases    []string
		Role       string
		Display    string
		Kind       string
		HonorsCtx  string `yaml:"honors_ctx"`
		CtxIf      string `yaml:"ctx_if"`
		Timeouts   []struct{ Name string }
		Settings   []map[string]any
		Syntax     string
		FailStatus int `yaml:"failure_status"`
		Packages   []struct {
			Paths   []struct{ Path string }
			Symbols []map[string]any
		}
	}
	Commands []struct {
		Name    string
		Aliases []string
	}
	Drivers []struct{ Names []string }
}

func readData(t *testing.T, name string) yamlFile {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("data", name))
	if err != nil {
		t.Fatal(err)
	}
	var f yamlFile
	if err := yaml.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// Every symbol that the data files name can be looked up, under every import path, name and type that declares it, and says
// what the file says.
func TestEverySymbolCanBeLookedUp(t *testing.T) {
	b := Default()
	n := 0
	for file, find := range map[string]func(path, recv, name string) (entry, role string, ok bool){
		"dependencies.yaml": func(path, recv, name string) (string, string, bool) {
			c, ok := b.LookupCall(path, recv, name, Sig{})
			return c.Entry, c.Effect.String(), ok
		},
		"routers.yaml": func(path, recv, name string) (string, string, bool) {
			c, ok := b.LookupRouter(path, recv, name)
			return c.Router, string(c.Role), ok
		},
		"health_libraries.yaml": func(path, recv, name string) (string, string, bool) {
			c, ok := b.LookupHealth(path, recv, name)
			return c.Library, string(c.Role), ok
		},
		"wrappers.yaml": func(path, recv, name string) (string, string, bool) {
			c, ok := b.LookupWrapper(path, recv, name)
			return c.Entry, string(c.Role), ok
		},
	} {
		first := map[string]string{} // the first entry that writes a symbol is the one that answers
		for _, e := range readData(t, file).Entries {
			for _, p := range e.Packages {
				for _, at := range p.Paths {
					for _, s := range p.Symbols {
						recv := str(s["recv"])
						role := str(s["role"])
						if file == "dependencies.yaml" {
							role = str(s["effect"])
						}
						if s["where"] != nil || s["last"] != nil {
							continue // a pattern: TestLookupCall
						}
						names := []string{str(s["name"])}
						for _, list := range []string{"names", "verbs"} {
							if l, ok := s[list].([]any); ok {
								names = nil
								for _, x := range l {
									names = append(names, str(x))
								}
							}
						}
						for _, name := range names {
							if name == "" || name == "0" {
								t.Errorf("%s: %s %s: %q is no name", file, at.Path, recv, name)
							}
							if role == "" {
								if _, ok := b.LookupSymbol(at.Path, recv, name); !ok {
									t.Errorf("%s: %s %s is not found", file, at.Path, join(recv, name))
								}
								continue
							}
							key := at.Path + " " + recv + "." + name
							if was, again := first[key]; again {
								if was != e.ID && s["names"] == nil {
									t.Errorf("%s: %s stands in %s and in %s", file, key, was, e.ID)
								}
								continue
							}
							first[key] = e.ID
							n++
							id, got, ok := find(at.Path, recv, name)
							if !ok || id != e.ID || got != role {
								t.Errorf("%s: %s is %s of %q (found %v), want %s of %q", file, key, got, id, ok, role, e.ID)
							}
							for _, d := range strings.Fields(str(s["declared_on"])) {
								path := at.Path
								if i := strings.LastIndexByte(d, '.'); i > strings.LastIndexByte(d, '/') {
									path, d = d[:i], d[i+1:]
								}
								if _, _, ok := find(path, d, name); !ok {
									t.Errorf("%s: %s %s.%s is not found", file, path, d, name)
								}
							}
						}
					}
				}
			}
		}
	}
	if n < 1500 {
		t.Errorf("%d symbols: the data are not read", n)
	}
}

func str(v any) string {
	s, _ := v.(string)
	return s
}

// The words that the data use are those that the API knows.
func TestWordsOfTheData(t *testing.T) {
	kinds := []string{"database", "cache", "queue", "http", "grpc", "dns", "tcp", "storage", "search", "coordination", "secrets", "kubernetes", "process", "mail", "directory", "workflow", "cloud", "container-runtime", "file", "local"}
	for _, c := range Default().Clients {
		if c.Display == "" || !slices.Contains(kinds, c.Kind) {
			t.Errorf("client %s: display %q, kind %q", c.Entry, c.Display, c.Kind)
		}
		if recv, name, ok := strings.Cut(c.CtxIf, "."); c.CtxIf != "" && (!ok || recv == "" || name == "") {
			t.Errorf("client %s: ctx_if %q is no TYPE.FIELD", c.Entry, c.CtxIf)
		}
	}
	for _, c := range Default().Calls {
		if _, ok := LookupClient(c.Entry); !ok || c.Effect == NoEffect || c.Op == "" && c.Effect != Local && !strings.Contains(c.Entry, "redis") {
			t.Errorf("%s %s: client %q, effect %v, op %q", c.Path, join(c.Recv, c.Name), c.Entry, c.Effect, c.Op)
		}
	}
	routerRoles := []RouterRole{RouterNew, RouterRegister, RouterGroup, RouterMount, RouterMiddleware, RouterWrap, RouterTimeout, RouterServe, RouterShutdown, RouterOnShutdown, RouterPattern, RouterPrefix, RouterMethod, RouterMatcher, RouterWrite, RouterFlush, RouterCtx, RouterParam, RouterHandler, RouterDispatch, RouterCheck, RouterCache, RouterOption, RouterBodyLimit, RouterAddress, RouterOther, RouterHealthMiddleware, RouterHealthHandler, RouterHealthEndpoint}
	for _, c := range Default().Routes {
		if _, ok := LookupRouterInfo(c.Router); !ok || !slices.Contains(routerRoles, c.Role) {
			t.Errorf("%s %s: router %q, role %q", c.Path, join(c.Recv, c.Name), c.Router, c.Role)
		}
		if c.Role == RouterRegister && c.Handler < 0 && c.Struct < 0 && c.Recv != "WebService" && c.Name != "AddRoute" && c.Name != "Include" {
			t.Errorf("%s %s registers no handler", c.Path, join(c.Recv, c.Name))
		}
	}
	healthRoles := []HealthRole{HealthLiveness, HealthReadiness, HealthBoth, HealthAll, HealthByPath, HealthCheck, HealthObserver, HealthChecker, HealthCheckBuilder, HealthCache, HealthTimeout, HealthHandler, HealthHandlerLiveness, HealthHandlerReadiness, HealthHandlerStatic200, HealthSetStatus, HealthStatic, HealthRun, HealthNew, HealthStart, HealthRegister, HealthMiddleware, HealthServe, HealthShutdown, HealthWrap, HealthOption, HealthOther}
	for _, c := range Default().Checks {
		if _, ok := LookupHealthLibrary(c.Library); !ok || !slices.Contains(healthRoles, c.Role) {
			t.Errorf("%s %s: library %q, role %q", c.Path, join(c.Recv, c.Name), c.Library, c.Role)
		}
	}
	wrapRoles := []WrapperRole{WrapDeadline, WrapNoDeadline, WrapDropsDeadline, WrapCtxDerive, WrapBindCtx, WrapSignalCtx, WrapSignal, WrapRaceTimeout, WrapTimeout, WrapConnDeadline, WrapSpawn, WrapJoin, WrapParallel, WrapOnce, WrapDedup, WrapWait, WrapNonblocking, WrapPeriodic, WrapDelayed, WrapSleep, WrapCallback, WrapCache, WrapCacheGet, WrapCacheSet, WrapTTL, WrapLoader, WrapNew, WrapRetry, WrapCall, WrapPolicy, WrapLimit, WrapMirror, WrapAuth, WrapBody, WrapWriter, WrapString, WrapError, WrapErrorTest, WrapErrorString, WrapOption, WrapOther}
	for _, c := range Default().Wrappers {
		if !slices.Contains(wrapRoles, c.Role) {
			t.Errorf("%s %s: role %q", c.Path, join(c.Recv, c.Name), c.Role)
		}
		if c.Role == WrapDeadline && c.Dur < 0 && c.Time < 0 {
			t.Errorf("%s %s gives a deadline without a duration", c.Path, join(c.Recv, c.Name))
		}
	}
	syntaxes := map[Syntax]bool{SyntaxServeMux: true, SyntaxBrace: true, SyntaxColon: true, SyntaxLiteral: true}
	for _, r := range Default().Routers {
		if !syntaxes[r.Syntax] || !slices.Contains([]string{"", "hidden", "text"}, r.ReturnedError) {
			t.Errorf("router %s: syntax %q, returned error %q", r.ID, r.Syntax, r.ReturnedError)
		}
	}
}

// No machine's directories in what is published.
func TestDataNamesNoMachine(t *testing.T) {
	files, _ := filepath.Glob("data/*.yaml")
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{"/work/", "/root/", "/tmp/p", "../local"} {
			if strings.Contains(string(data), bad) {
				t.Errorf("%s holds %q", f, bad)
			}
		}
	}
	if len(files) != 6 {
		t.Errorf("%d data files: %v", len(files), files)
	}
}

func TestPathsDriversAndCommandsOfTheData(t *testing.T) {
	for _, e := range readData(t, "paths.yaml").Entries {
		for _, p := range append([]string{e.Path}, e.Aliases...) {
			role, ambiguous := GuessRole(p)
			got := map[bool]string{true: "ambiguous", false: string(role)}[ambiguous]
			want := e.Role
			switch want {
			case "not_health", "dependency":
				want = ""
			case "by_prefix":
				continue
			}
			if got != want {
				t.Errorf("%s = %q, want %q", p, got, want)
			}
		}
	}
	for _, c := range readData(t, "exec_commands.yaml").Commands {
		for _, n := range append([]string{c.Name}, c.Aliases...) {
			if _, ok := LookupExec(n); !ok {
				t.Errorf("command %q is not found", n)
			}
		}
	}
	seen := map[string]int{}
	for _, d := range readData(t, "dependencies.yaml").Drivers {
		for _, n := range d.Names {
			seen[n]++
			if DriverName(n) == "" {
				t.Errorf("driver %q is not found", n)
			}
		}
	}
	for _, n := range slices.Sorted(maps.Keys(seen)) {
		if seen[n] > 1 {
			t.Errorf("driver %q stands twice", n)
		}
	}
}

// An overlay answers first and leaves the rest to what ships.
func TestWith(t *testing.T) {
	b := Default().With(Tables{
		Calls: []Call{
			{Path: "example.com/ledger", Recv: "Client", Name: "Ping", Entry: "ledger", Kind: "http", Effect: Remote, Op: "ping", Ctx: 0, Err: 0, Dur: -1},
			{Path: "example.com/ledger", Recv: "", Name: "Dial", Entry: "ledger", Kind: "http", Effect: Connect, Ctx: 0, Err: 1, Dur: -1},
			{Path: "database/sql", Recv: "DB", Name: "Stats", Entry: "ledger", Effect: Remote, Ctx: -1, Err: -1, Dur: -1},
		},
		Patterns: []CallPattern{{Path: "example.com/ledger/*", Recv: "*Client", Name: "*", Ctx0: true, Call: Call{Entry: "ledger", Kind: "http", Effect: Remote, Ctx: 0}}},
		Clients:  []Client{{Entry: "ledger", Kind: "http", Display: "ledger", Honors: CtxNo, NoDeadlineSeconds: 7}},
		Routes:   []RouterCall{{Path: "example.com/mux", Recv: "Mux", Name: "On", Router: "mux", Role: RouterRegister, Pattern: 0, Handler: 1}},
		Paths:    []HealthPath{{Path: "/pulse", Role: "liveness"}},
	})
	if c, ok := b.LookupCall("example.com/ledger", "Client", "Ping", Sig{}); !ok || c.Effect != Remote || c.Op != "ping" {
		t.Errorf("Client.Ping = %+v, %v", c, ok)
	}
	if c, ok := b.LookupCall("example.com/ledger", "", "Dial", Sig{}); !ok || c.Effect != Connect {
		t.Errorf("Dial = %+v, %v", c, ok)
	}
	if c, ok := b.LookupCall("example.com/ledger/v2/audit", "AuditClient", "List", Sig{Ctx0: true, HasErr: true, Err: 1}); !ok || !c.Pattern || c.Err != 1 {
		t.Errorf("AuditClient.List = %+v, %v", c, ok)
	}
	if c, _ := b.LookupCall("database/sql", "DB", "Stats", Sig{}); c.Effect != Remote {
		t.Errorf("the overlay does not win: %+v", c)
	}
	if c, ok := b.LookupCall("database/sql", "DB", "PingContext", Sig{}); !ok || c.Entry != "database/sql" {
		t.Errorf("what ships is lost: %+v", c)
	}
	if c, _ := LookupCall("database/sql", "DB", "Stats", Sig{}); c.Effect != Local {
		t.Error("the overlay changed what ships")
	}
	if c, ok := b.LookupClient("ledger"); !ok || c.NoDeadlineSeconds != 7 {
		t.Errorf("client = %+v", c)
	}
	if c, ok := b.LookupRouter("example.com/mux", "Mux", "On"); !ok || c.Handler != 1 {
		t.Errorf("router = %+v", c)
	}
	if role, _ := b.GuessRole("/pulse"); role != "liveness" {
		t.Errorf("/pulse = %q", role)
	}
	if !b.Known("example.com/ledger/audit") || !b.Known("database/sql") || Known("example.com/ledger") {
		t.Error("Known does not follow the overlay")
	}
}

// The kinds that the model gives as examples, by which policies are checked, are those of the tables.
func TestKindsOfTheModel(t *testing.T) {
	f, ok := reflect.TypeFor[model.Dependency]().FieldByName("Kind")
	if !ok {
		t.Fatal("no field Kind")
	}
	var named []string
	for _, part := range strings.Split(f.Tag.Get("jsonschema"), ",") {
		named = append(named, strings.TrimPrefix(part, "example="))
	}
	for _, c := range generatedCalls {
		if c.Kind != "" && !slices.Contains(named, c.Kind) {
			t.Errorf("%s.%s is of kind %q, which the model does not name", c.Path, c.Name, c.Kind)
		}
	}
}
