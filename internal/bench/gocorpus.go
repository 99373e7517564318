package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// The Go corpus: one module, a program for each thousand files, a package for each perPackage of those. A program makes the
// services of its packages, registers their handlers and is probed by a Deployment of its own.
const (
	perProgram = 1000
	perPackage = 8
)

// writeGoCorpus writes a module of n Go files, or a few less. What stands in a file depends on its place alone.
func writeGoCorpus(dir string, n int) (corpus, error) {
	c := corpus{dir: dir}
	write := func(name, text string) error {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			return fmt.Errorf("making the corpus: %w", err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return fmt.Errorf("writing the corpus: %w", err)
		}
		if strings.HasSuffix(name, ".go") {
			c.files++
			c.bytes += len(text)
		}
		return nil
	}
	if err := write("go.mod", "module example.com/large\n\ngo 1.24\n"); err != nil {
		return c, err
	}
	for p := 0; c.files+1+perPackage <= n; p++ {
		var packages []int
		first := c.files
		for c.files+1+perPackage <= min(n, first+perProgram) {
			pkg := p*perProgram/perPackage + len(packages)
			packages = append(packages, pkg)
			for i, text := range packageText(pkg, len(packages) > 1) {
				if err := write(fmt.Sprintf("internal/p%d/%s.go", pkg, fileNames[i]), text); err != nil {
					return c, err
				}
			}
		}
		name := fmt.Sprintf("svc%d", p)
		if err := write("cmd/"+name+"/main.go", mainText(packages)); err != nil {
			return c, err
		}
		if err := write("deploy/"+name+".yaml", deploymentText(name)); err != nil {
			return c, err
		}
		c.documents++
	}
	return c, nil
}

var fileNames = [perPackage]string{"model", "errors", "store", "service", "handler", "worker", "convert", "validate"}

// packageText are the files of one package: a store on a database, a service behind an interface, handlers, a worker and what
// such packages have besides. linked: it uses the package before it.
func packageText(n int, linked bool) [perPackage]string {
	prev, use := "", "\treturn nil\n"
	if linked {
		prev = fmt.Sprintf("\n\n\t\"example.com/large/internal/p%d\"", n-1)
		use = fmt.Sprintf("\t_, err := p%d.Parse(i.Name)\n\treturn err\n", n-1)
	}
	texts := [perPackage]string{
		"import \"time\"\n\n// Item is what the service keeps.\ntype Item struct {\n\tID, Name, Owner string\n\tTags map[string]string\n\tCreated, Updated time.Time\n\tSize int64\n}\n\n" +
			"// Page is a part of a list.\ntype Page struct {\n\tItems []Item\n\tNext string\n}\n\nfunc (p Page) Len() int { return len(p.Items) }\n\nfunc (i Item) Age(now time.Time) time.Duration { return now.Sub(i.Created) }\n",
		"import (\n\t\"errors\"\n\t\"fmt\"\n)\n\nvar (\n\tErrNotFound = errors.New(\"not found\")\n\tErrTaken = errors.New(\"taken\")\n\tErrInvalid = errors.New(\"invalid\")\n)\n\n" +
			"func wrap(what string, err error) error {\n\tif err == nil {\n\t\treturn nil\n\t}\n\treturn fmt.Errorf(\"%s: %w\", what, err)\n}\n",
		"import (\n\t\"context\"\n\t\"database/sql\"\n\t\"time\"\n)\n\ntype store interface {\n\tGet(ctx context.Context, id string) (Item, error)\n\tPut(ctx context.Context, i Item) error\n\tList(ctx context.Context, after string, limit int) (Page, error)\n\tPing(ctx context.Context) error\n}\n\n" +
			"type sqlStore struct {\n\tdb *sql.DB\n\ttimeout time.Duration\n}\n\nfunc (s *sqlStore) Get(ctx context.Context, id string) (Item, error) {\n\tctx, cancel := context.WithTimeout(ctx, s.timeout)\n\tdefer cancel()\n\tvar i Item\n\terr := s.db.QueryRowContext(ctx, \"SELECT id, name, owner, size FROM items WHERE id = $1\", id).Scan(&i.ID, &i.Name, &i.Owner, &i.Size)\n\tif err == sql.ErrNoRows {\n\t\treturn Item{}, ErrNotFound\n\t}\n\treturn i, wrap(\"reading an item\", err)\n}\n\n" +
			"func (s *sqlStore) Put(ctx context.Context, i Item) error {\n\t_, err := s.db.ExecContext(ctx, \"INSERT INTO items (id, name, owner, size) VALUES ($1, $2, $3, $4)\", i.ID, i.Name, i.Owner, i.Size)\n\treturn wrap(\"writing an item\", err)\n}\n\n" +
			"func (s *sqlStore) List(ctx context.Context, after string, limit int) (Page, error) {\n\trows, err := s.db.QueryContext(ctx, \"SELECT id, name FROM items WHERE id > $1 LIMIT $2\", after, limit)\n\tif err != nil {\n\t\treturn Page{}, wrap(\"listing items\", err)\n\t}\n\tdefer rows.Close()\n\tvar p Page\n\tfor rows.Next() {\n\t\tvar i Item\n\t\tif err := rows.Scan(&i.ID, &i.Name); err != nil {\n\t\t\treturn Page{}, wrap(\"reading a row\", err)\n\t\t}\n\t\tp.Items = append(p.Items, i)\n\t}\n\tif n := p.Len(); n == limit {\n\t\tp.Next = p.Items[n-1].ID\n\t}\n\treturn p, rows.Err()\n}\n\nfunc (s *sqlStore) Ping(ctx context.Context) error { return s.db.PingContext(ctx) }\n",
		"import (\n\t\"context\"\n\t\"database/sql\"\n\t\"sync\"\n\t\"time\"\n)\n\n// Service keeps items.\ntype Service struct {\n\tstore store\n\tmu sync.Mutex\n\tseen map[string]time.Time\n\tjobs chan Item\n}\n\nfunc New(db *sql.DB) *Service {\n\treturn &Service{store: &sqlStore{db: db, timeout: 2 * time.Second}, seen: map[string]time.Time{}, jobs: make(chan Item, 64)}\n}\n\n" +
			"func (s *Service) Find(ctx context.Context, id string) (Item, error) {\n\tif id == \"\" {\n\t\treturn Item{}, ErrInvalid\n\t}\n\ti, err := s.store.Get(ctx, id)\n\tif err != nil {\n\t\treturn Item{}, err\n\t}\n\ts.mu.Lock()\n\ts.seen[id] = time.Now()\n\ts.mu.Unlock()\n\treturn i, nil\n}\n\n" +
			"func (s *Service) Save(ctx context.Context, i Item) error {\n\tif err := validate(i); err != nil {\n\t\treturn err\n\t}\n\tfor try := 0; ; try++ {\n\t\terr := s.store.Put(ctx, i)\n\t\tswitch {\n\t\tcase err == nil:\n\t\t\ts.jobs <- i\n\t\t\treturn nil\n\t\tcase try >= 2:\n\t\t\treturn err\n\t\t}\n\t}\n}\n\nfunc (s *Service) Check(ctx context.Context) error { return wrap(\"asking the store\", s.store.Ping(ctx)) }\n",
		"import (\n\t\"encoding/json\"\n\t\"errors\"\n\t\"net/http\"\n)\n\nfunc (s *Service) Register(mux *http.ServeMux) {\n\tmux.HandleFunc(\"GET /pNUM/items/{id}\", s.get)\n\tmux.HandleFunc(\"POST /pNUM/items\", s.post)\n}\n\n" +
			"func (s *Service) get(w http.ResponseWriter, r *http.Request) {\n\ti, err := s.Find(r.Context(), r.PathValue(\"id\"))\n\tif err != nil {\n\t\tfail(w, err)\n\t\treturn\n\t}\n\tw.Header().Set(\"Content-Type\", \"application/json\")\n\t_ = json.NewEncoder(w).Encode(i)\n}\n\n" +
			"func (s *Service) post(w http.ResponseWriter, r *http.Request) {\n\tvar i Item\n\tif err := json.NewDecoder(r.Body).Decode(&i); err != nil {\n\t\thttp.Error(w, \"no item\", http.StatusBadRequest)\n\t\treturn\n\t}\n\tif err := s.Save(r.Context(), i); err != nil {\n\t\tfail(w, err)\n\t\treturn\n\t}\n\tw.WriteHeader(http.StatusCreated)\n}\n\n" +
			"func fail(w http.ResponseWriter, err error) {\n\tswitch {\n\tcase errors.Is(err, ErrNotFound):\n\t\thttp.Error(w, \"not found\", http.StatusNotFound)\n\tcase errors.Is(err, ErrInvalid):\n\t\thttp.Error(w, \"invalid\", http.StatusBadRequest)\n\tdefault:\n\t\thttp.Error(w, \"try again\", http.StatusServiceUnavailable)\n\t}\n}\n",
		"import (\n\t\"context\"\n\t\"log\"\n\t\"time\"\n)\n\n// Run works off what was saved until the context ends.\nfunc (s *Service) Run(ctx context.Context) {\n\tt := time.NewTicker(time.Minute)\n\tdefer t.Stop()\n\tfor {\n\t\tselect {\n\t\tcase <-ctx.Done():\n\t\t\treturn\n\t\tcase i := <-s.jobs:\n\t\t\tif err := index(i); err != nil {\n\t\t\t\tlog.Print(err)\n\t\t\t}\n\t\tcase now := <-t.C:\n\t\t\ts.forget(now)\n\t\t}\n\t}\n}\n\nfunc (s *Service) forget(now time.Time) {\n\ts.mu.Lock()\n\tdefer s.mu.Unlock()\n\tfor id, at := range s.seen {\n\t\tif now.Sub(at) > time.Hour {\n\t\t\tdelete(s.seen, id)\n\t\t}\n\t}\n}\n",
		"import (\n\t\"strings\"" + prev + "\n)\n\n// Parse reads `owner/name`.\nfunc Parse(text string) (Item, error) {\n\towner, name, ok := strings.Cut(text, \"/\")\n\tif !ok {\n\t\treturn Item{}, ErrInvalid\n\t}\n\treturn Item{Owner: owner, Name: name}, nil\n}\n\nfunc index(i Item) error {\n\tif i.Name == \"\" {\n\t\treturn ErrInvalid\n\t}\n" + use + "}\n",
		"import \"strings\"\n\nvar reserved = map[string]bool{\"admin\": true, \"root\": true, \"system\": true}\n\nfunc validate(i Item) error {\n\tswitch {\n\tcase i.Name == \"\" || len(i.Name) > 64:\n\t\treturn ErrInvalid\n\tcase reserved[strings.ToLower(i.Owner)]:\n\t\treturn ErrTaken\n\tcase i.Size < 0:\n\t\treturn ErrInvalid\n\t}\n\tfor k, v := range i.Tags {\n\t\tif k == \"\" || strings.ContainsAny(v, \"\\n\\t\") {\n\t\t\treturn ErrInvalid\n\t\t}\n\t}\n\treturn nil\n}\n",
	}
	for i, t := range texts {
		texts[i] = fmt.Sprintf("package p%d\n\n", n) + strings.ReplaceAll(t, "pNUM", fmt.Sprintf("p%d", n))
	}
	return texts
}

// mainText is a program that serves the packages, alive whenever it answers and ready while its first store does.
func mainText(packages []int) string {
	var imports, wiring strings.Builder
	for i, n := range packages {
		fmt.Fprintf(&imports, "\t\"example.com/large/internal/p%d\"\n", n)
		fmt.Fprintf(&wiring, "\ts%d := p%d.New(db)\n\ts%d.Register(mux)\n\tgo s%d.Run(ctx)\n", i, n, i, i)
	}
	return "package main\n\nimport (\n\t\"context\"\n\t\"database/sql\"\n\t\"log\"\n\t\"net/http\"\n\t\"os/signal\"\n\t\"syscall\"\n\t\"time\"\n\n" + imports.String() + ")\n\nfunc main() {\n" +
		"\tctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)\n\tdefer stop()\n\tdb, err := sql.Open(\"pgx\", \"postgres://db/app\")\n\tif err != nil {\n\t\tlog.Fatal(err)\n\t}\n\tmux := http.NewServeMux()\n" + wiring.String() +
		"\tmux.HandleFunc(\"/livez\", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })\n" +
		"\tmux.HandleFunc(\"/readyz\", func(w http.ResponseWriter, r *http.Request) {\n\t\tctx, cancel := context.WithTimeout(r.Context(), 500*time.Millisecond)\n\t\tdefer cancel()\n\t\tif err := s0.Check(ctx); err != nil {\n\t\t\thttp.Error(w, \"not ready\", http.StatusServiceUnavailable)\n\t\t}\n\t})\n" +
		"\tsrv := &http.Server{Addr: \":8080\", Handler: mux}\n\tgo func() {\n\t\t<-ctx.Done()\n\t\t_ = srv.Shutdown(context.Background())\n\t}()\n\tlog.Print(srv.ListenAndServe())\n}\n"
}

func deploymentText(name string) string {
	return fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata:
  name: %[1]s
spec:
  selector:
    matchLabels: {app: %[1]s}
  template:
    metadata:
      labels: {app: %[1]s}
    spec:
      containers:
        - name: %[1]s
          image: registry.example.com/large/%[1]s:1.0
          command: ["/bin/%[1]s"]
          ports:
            - containerPort: 8080
          livenessProbe:
            httpGet: {path: /livez, port: 8080}
          readinessProbe:
            httpGet: {path: /readyz, port: 8080}
            timeoutSeconds: 2
`, name)
}

// growth measures probelint alone on Go modules of several sizes, without a cache.
func growth(ctx context.Context, o options, base string, stdout, stderr io.Writer) error {
	var rows []row
	for _, n := range o.goSizes {
		c, err := writeGoCorpus(filepath.Join(base, fmt.Sprintf("go%d", n)), n)
		if err != nil {
			return err
		}
		t := tool{
			name: fmt.Sprintf("%d Go files", c.files), bin: o.bin, note: fmt.Sprintf("%.1f MB of Go, %d programs", float64(c.bytes)/1e6, c.documents),
			args: func(c corpus) []string {
				return []string{"check", "--no-cache", "--format", "json", "--exit-zero", c.dir}
			},
		}
		one, err := compare(ctx, []tool{t}, c, o.rounds, stderr)
		if err != nil {
			return err
		}
		rows = append(rows, one...)
	}
	fmt.Fprintf(stdout, "\n%d rounds\n\n", o.rounds)
	printTable(stdout, rows)
	return nil
}
