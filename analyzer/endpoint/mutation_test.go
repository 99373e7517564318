package endpoint_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/probelint/probelint/internal/engine"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/rules"
)

const mutationGo = `package main

import (
	"context"
	"database/sql"
	"errors"
	"log"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const limit = 2 * time.Second

type service struct {
	db      *sql.DB
	client  *http.Client
	stuck   atomic.Bool
	drained atomic.Bool
	queue   chan int

	mu      sync.Mutex
	checked time.Time
	last    error
}

func (s *service) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return s.db.PingContext(ctx)
}

func (s *service) billing(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://billing/healthz", nil)
	if err != nil {
		return err
	}
	res, err := s.client.Do(req)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

func (s *service) refresh() {
	for {
		err := s.ping(context.Background())
		s.mu.Lock()
		s.last, s.checked = err, time.Now()
		s.mu.Unlock()
		time.Sleep(30 * time.Second)
	}
}

var errStuck = errors.New("stuck")

// live
func (s *service) live(w http.ResponseWriter, r *http.Request) {
	if s.stuck.Load() {
		http.Error(w, errStuck.Error(), http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(http.StatusOK)
}

// ready
func (s *service) ready(w http.ResponseWriter, r *http.Request) {
	if s.drained.Load() {
		http.Error(w, "draining", http.StatusServiceUnavailable)
		return
	}
	if err := s.ping(r.Context()); err != nil {
		log.Printf("ready: %v", err)
		http.Error(w, "database unavailable", http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(http.StatusOK)
}

// orders
func (s *service) orders(w http.ResponseWriter, r *http.Request) {
	s.stuck.Store(true)
	defer s.stuck.Store(false)
	if _, err := s.db.ExecContext(r.Context(), "INSERT INTO orders VALUES (1)"); err != nil {
		http.Error(w, "no", http.StatusInternalServerError)
	}
}

func main() {
	db, err := sql.Open("pgx", os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	s := &service{db: db, client: &http.Client{Timeout: 5 * time.Second}, queue: make(chan int, 10)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", s.live)
	mux.HandleFunc("GET /readyz", s.ready)
	mux.HandleFunc("POST /orders", s.orders)
	srv := &http.Server{Addr: ":8080", Handler: mux}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go func() {
		if err := srv.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
			log.Fatal(err)
		}
	}()
	<-ctx.Done()
	s.drained.Store(true)
	time.Sleep(5 * time.Second)
	out, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := srv.Shutdown(out); err != nil {
		log.Print(err)
	}
}
`

const mutationYAML = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: orders
spec:
  replicas: 3
  selector:
    matchLabels: {app: orders}
  template:
    metadata:
      labels: {app: orders}
    spec:
      containers:
        - name: app
          image: registry.example.com/orders:1
          ports:
            - {name: http, containerPort: 8080}
          livenessProbe:
            httpGet: {path: /livez, port: http}
            periodSeconds: 10
            timeoutSeconds: 3
          readinessProbe:
            httpGet: {path: /readyz, port: http}
            periodSeconds: 10
            timeoutSeconds: 3
          lifecycle:
            preStop:
              sleep: {seconds: 10}
---
apiVersion: v1
kind: Service
metadata:
  name: orders
spec:
  selector: {app: orders}
  ports:
    - {port: 80, targetPort: http}
`

// edit is one replacement in the program, or, where the old text is only there, in the manifest.
type edit struct{ old, new string }

// TestMutations changes one thing of a program and looks whether the finding of a rule comes or goes. from is how the
// program stands before, for those that take a finding away.
func TestMutations(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the whole engine")
	}
	stuck := "if s.stuck.Load() {"
	ping := "if err := s.ping(r.Context()); err != nil {"
	down := `http.Error(w, "database unavailable", http.StatusServiceUnavailable)` + "\n\t\treturn"
	undrained := edit{"\tif s.drained.Load() {\n\t\thttp.Error(w, \"draining\", http.StatusServiceUnavailable)\n\t\treturn\n\t}\n", ""}
	okBefore := "\tlog.Printf(\"ready: %v\", err)\n"
	pingLive := edit{stuck, "if s.ping(r.Context()) != nil {"}
	cached := edit{ping, "s.mu.Lock()\n\tdefer s.mu.Unlock()\n\tif time.Since(s.checked) > 30*time.Second {\n\t\ts.last, s.checked = s.ping(r.Context()), time.Now()\n\t}\n\tif err := s.last; err != nil {"}
	both := edit{ping, "err := s.ping(r.Context())\n\tif err == nil {\n\t\terr = s.billing(r.Context())\n\t}\n\tif err != nil {"}
	loop := edit{"mux := http.NewServeMux()", "go s.refresh()\n\tmux := http.NewServeMux()"}
	mirror := edit{stuck, "s.mu.Lock()\n\terr := s.last\n\ts.mu.Unlock()\n\tif err != nil {"}
	tests := []struct {
		name   string
		rule   string
		from   []edit // before
		change edit
		before bool
		after  bool
	}{
		{"ping in liveness", "liveness-checks-dependency", nil, pingLive, false, true},
		{
			"ping in liveness, reported only", "liveness-checks-dependency",
			[]edit{pingLive},
			edit{"if s.ping(r.Context()) != nil {\n\t\thttp.Error(w, errStuck.Error(), http.StatusServiceUnavailable)\n\t\treturn", "if s.ping(r.Context()) != nil {\n\t\tlog.Print(errStuck)"},
			true, false,
		},
		{
			"ping in liveness, in a goroutine", "liveness-checks-dependency",
			[]edit{pingLive},
			edit{"if s.ping(r.Context()) != nil {\n\t\thttp.Error(w, errStuck.Error(), http.StatusServiceUnavailable)\n\t\treturn", "if s.stuck.Load() {\n\t\tgo s.ping(context.Background())"},
			true, false,
		},
		{
			"ping in liveness, only asked for", "liveness-checks-dependency",
			[]edit{pingLive},
			edit{"if s.ping(r.Context()) != nil {", `if r.URL.Query().Get("deep") == "1" && s.ping(r.Context()) != nil {`},
			true, false,
		},
		{
			"ping in liveness, the probe asks for it", "liveness-checks-dependency",
			[]edit{{stuck, `if r.URL.Query().Get("deep") == "1" && s.ping(r.Context()) != nil {`}},
			edit{"path: /livez", `path: "/livez?deep=1"`},
			false, true,
		},
		{"liveness gets the handler of readiness", "liveness-checks-dependency", nil, edit{`"GET /livez", s.live`, `"GET /livez", s.ready`}, false, true},
		{"the probe of liveness asks readiness", "liveness-checks-dependency", nil, edit{"path: /livez", "path: /readyz"}, false, true},
		{"pool statistics in liveness", "liveness-checks-dependency", []edit{pingLive}, edit{"if s.ping(r.Context()) != nil {", "if s.db.Stats().InUse > 90 {"}, true, false},

		{"the deadline is taken away", "check-without-deadline", nil, edit{"ctx, cancel := context.WithTimeout(ctx, limit)\n\tdefer cancel()\n\treturn s.db", "return s.db"}, false, true},
		{"Background in place of the context", "check-without-deadline", nil, edit{"s.db.PingContext(ctx)", "s.db.PingContext(context.Background())"}, false, true},
		{"Ping in place of PingContext", "check-without-deadline", nil, edit{"s.db.PingContext(ctx)", "s.db.Ping()"}, false, true},
		{"WithoutCancel", "check-without-deadline", nil, edit{"s.db.PingContext(ctx)", "s.db.PingContext(context.WithoutCancel(ctx))"}, false, true},
		{"WithCancel in place of WithTimeout", "check-without-deadline", nil, edit{"context.WithTimeout(ctx, limit)", "context.WithCancel(ctx)"}, false, true},
		{"a deadline is added", "check-without-deadline", []edit{{"s.db.PingContext(ctx)", "s.db.Ping()"}}, edit{"s.db.Ping()", "s.db.PingContext(ctx)"}, true, false},
		{"a client with a timeout", "check-without-deadline", []edit{{ping, "if _, err := http.Get(\"http://billing/healthz\"); err != nil {"}}, edit{"http.Get(", "s.client.Get("}, true, false},
		{"a client that loses its timeout", "check-without-deadline", []edit{{ping, "if _, err := s.client.Get(\"http://billing/healthz\"); err != nil {"}}, edit{"&http.Client{Timeout: 5 * time.Second}", "&http.Client{}"}, false, true},

		{"a longer deadline", "check-budget-exceeds-timeout", nil, edit{"const limit = 2", "const limit = 3"}, false, true},
		{"a shorter timeout of the probe", "check-budget-exceeds-timeout", nil, edit{"readyz, port: http}\n            periodSeconds: 10\n            timeoutSeconds: 3", "readyz, port: http}\n            periodSeconds: 10\n            timeoutSeconds: 1"}, false, true},
		{"a second check behind the first", "check-budget-exceeds-timeout", nil, both, false, true},
		{"two checks under one deadline", "check-budget-exceeds-timeout", []edit{both}, edit{"err := s.ping(r.Context())\n\tif err == nil {\n\t\terr = s.billing(r.Context())", "ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)\n\tdefer cancel()\n\terr := s.ping(ctx)\n\tif err == nil {\n\t\terr = s.billing(ctx)"}, true, false},
		{"two checks side by side", "sequential-checks", []edit{both}, edit{"err := s.ping(r.Context())\n\tif err == nil {\n\t\terr = s.billing(r.Context())\n\t}", "var wg sync.WaitGroup\n\tvar a, b error\n\twg.Go(func() { a = s.ping(r.Context()) })\n\twg.Go(func() { b = s.billing(r.Context()) })\n\twg.Wait()\n\terr := errors.Join(a, b)"}, true, false},

		{"a stored verdict", "cached-aggregate", nil, cached, false, true},
		{"a stored verdict that hardly ages", "cached-aggregate", []edit{cached}, edit{"> 30*time.Second", "> time.Second"}, true, false},
		{"a verdict of a loop in readiness", "cached-aggregate", []edit{loop}, edit{ping, "s.mu.Lock()\n\terr := s.last\n\ts.mu.Unlock()\n\tif err != nil {"}, false, true},
		{"liveness mirrors a loop", "liveness-mirrors-dependency", []edit{loop}, mirror, false, true},
		{"the loop asks nothing", "liveness-mirrors-dependency", []edit{loop, mirror}, edit{"err := s.ping(context.Background())", "var err error"}, true, false},

		{"error text", "error-text-in-body", nil, edit{`http.Error(w, "database unavailable",`, "http.Error(w, err.Error(),"}, false, true},
		{"error text of a constant", "error-text-in-body", []edit{{`http.Error(w, "database unavailable",`, "http.Error(w, err.Error(),"}}, edit{"http.Error(w, err.Error(), http.StatusServiceUnavailable)\n\t\treturn\n\t}\n\tw.WriteHeader(http.StatusOK)\n}\n\n// orders", "http.Error(w, errStuck.Error(), http.StatusServiceUnavailable)\n\t\treturn\n\t}\n\tw.WriteHeader(http.StatusOK)\n}\n\n// orders"}, true, false},
		{"the return is dropped", "status-after-body", nil, edit{down + "\n\t}\n\tw.WriteHeader(http.StatusOK)", strings.TrimSuffix(down, "\n\t\treturn") + "\n\t}\n\tw.Write([]byte(\"ok\"))"}, false, true},
		{"the body before the verdict", "status-after-body", nil, edit{ping, "w.Write([]byte(\"checks: \"))\n\t" + ping}, false, true},
		{"flushed before the check", "flush-before-verdict", nil, edit{ping, "w.Write([]byte(\"checks: \"))\n\tw.(http.Flusher).Flush()\n\t" + ping}, false, true},
		{"200 on failure", "unhealthy-answers-200", nil, edit{down, "w.WriteHeader(http.StatusOK)\n\t\treturn"}, false, true},
		{"500 on failure", "unhealthy-not-503", []edit{undrained}, edit{"unavailable\", http.StatusServiceUnavailable", "unavailable\", http.StatusInternalServerError"}, false, true},
		{"the check is dropped", "readiness-always-ok", []edit{undrained}, edit{ping + "\n\t" + okBefore + "\t\t" + down + "\n\t}\n", ""}, false, true},
		{"readiness no longer asks the database", "readiness-shared-dependency", nil, edit{ping, "if err := s.last; err != nil {"}, true, false},
		{"the route is renamed", "probe-path-unregistered", nil, edit{`"GET /readyz"`, `"GET /ready"`}, false, true},
		{"the route takes POST", "probe-method-mismatch", nil, edit{`"GET /readyz"`, `"POST /readyz"`}, false, true},
		{"another port", "probe-port-not-listened", nil, edit{`Addr: ":8080"`, `Addr: ":8081"`}, false, true},
		{"a queue that is full in liveness", "liveness-fails-on-overload", nil, edit{stuck, "if len(s.queue) == cap(s.queue) {"}, false, true},
		{"a write in readiness", "check-mutates", nil, edit{"return s.db.PingContext(ctx)", "_, err := s.db.ExecContext(ctx, \"INSERT INTO probes VALUES (1)\")\n\treturn err"}, false, true},
		{"tried three times", "check-budget-exceeds-timeout", nil, edit{ping, "var err error\n\tfor i := 0; i < 3; i++ {\n\t\tif err = s.ping(r.Context()); err == nil {\n\t\t\tbreak\n\t\t}\n\t}\n\tif err != nil {"}, false, true},
		{"tried until it works", "check-without-deadline", nil, edit{ping, "for s.ping(r.Context()) != nil {\n\t\ttime.Sleep(time.Second)\n\t}\n\tif err := s.last; err != nil {"}, false, true},
		{"an answer that a wrapper bounds", "check-budget-exceeds-timeout", []edit{{"const limit = 2", "const limit = 9"}}, edit{`mux.HandleFunc("GET /readyz", s.ready)`, `mux.Handle("GET /readyz", http.TimeoutHandler(http.HandlerFunc(s.ready), time.Second, ""))`}, true, false},
		{"a wrapper that gives no deadline to the work", "check-without-deadline", []edit{{"s.db.PingContext(ctx)", "s.db.Ping()"}}, edit{`mux.HandleFunc("GET /readyz", s.ready)`, `mux.Handle("GET /readyz", http.TimeoutHandler(http.HandlerFunc(s.ready), 4*time.Second, ""))`}, true, true},
		{"the container switches the check off", "liveness-checks-dependency", []edit{{stuck, `if os.Getenv("DEEP") == "1" && s.ping(r.Context()) != nil {`}, {"          lifecycle:", "          env:\n            - {name: DEEP, value: \"1\"}\n          lifecycle:"}}, edit{`value: "1"`, `value: "0"`}, true, false},
		{"authentication around the whole mux", "health-behind-middleware", nil, edit{"Handler: mux}", "Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {\n\t\tif _, _, ok := r.BasicAuth(); !ok {\n\t\t\thttp.Error(w, \"who\", http.StatusUnauthorized)\n\t\t\treturn\n\t\t}\n\t\tmux.ServeHTTP(w, r)\n\t})}"}, false, true},
		{"it dials itself", "health-calls-itself", []edit{{ping, "if _, err := s.client.Get(\"http://billing:8080/healthz\"); err != nil {"}}, edit{"http://billing:8080/healthz", "http://localhost:8080/livez"}, false, true},
		{"a connection for each probe", "new-connection-per-probe", nil, edit{ping, "db, err := sql.Open(\"pgx\", \"postgres://db\")\n\tif err == nil {\n\t\terr = db.PingContext(r.Context())\n\t}\n\tif err != nil {"}, false, true},
	}
	for _, x := range tests {
		t.Run(x.name, func(t *testing.T) {
			src, yaml := mutationGo, mutationYAML
			for _, e := range x.from {
				src, yaml = apply(t, src, yaml, e)
			}
			if got := reports(t, x.rule, src, yaml); len(got) > 0 != x.before {
				t.Errorf("before: reported is %v, want %v: %q", len(got) > 0, x.before, got)
			}
			src, yaml = apply(t, src, yaml, x.change)
			if got := reports(t, x.rule, src, yaml); len(got) > 0 != x.after {
				t.Errorf("after: reported is %v, want %v: %q", len(got) > 0, x.after, got)
			}
		})
	}
}

func apply(t *testing.T, src, yaml string, e edit) (string, string) {
	t.Helper()
	switch {
	case strings.Count(src, e.old) == 1:
		return strings.Replace(src, e.old, e.new, 1), yaml
	case strings.Count(yaml, e.old) == 1:
		return src, strings.Replace(yaml, e.old, e.new, 1)
	}
	t.Fatalf("%q is not there once", e.old)
	return "", ""
}

// reports are the titles of a rule's findings. Notes do not count: they say that something is fine as it is.
func reports(t *testing.T, rule, src, yaml string) []string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"main.go": src, "deployment.yaml": yaml, "go.mod": "module example.com/orders\n\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	res, err := engine.Run(context.Background(), engine.Options{
		Root: dir, WorkingDir: dir, Paths: []string{dir}, Rules: rules.All(), Select: []string{rule},
		Settings: lint.DefaultSettings("default"), Offline: true, NoSilencing: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range res.Crashes {
		t.Errorf("%s: %s", c.What, c.Message)
	}
	var out []string
	for _, f := range res.Findings {
		if f.Rule == rule {
			out = append(out, f.Level.String()+" "+f.Title)
		}
	}
	return out
}
