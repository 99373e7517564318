package lsp_test

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/probelint/probelint/internal/engine"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/lsp"
	"github.com/probelint/probelint/internal/manifest/render"
	"github.com/probelint/probelint/internal/policy"
	"github.com/probelint/probelint/internal/policytest"
	"github.com/probelint/probelint/rules"
)

// editor is a client of the server, as far as the tests need one.
type editor struct {
	protocol.UnimplementedClient
	t       *testing.T
	server  protocol.Server
	root    string
	stopped chan error

	mu      sync.Mutex
	current map[uri.URI]*protocol.PublishDiagnosticsParams
	shown   []string
	news    chan struct{}
}

func (e *editor) PublishDiagnostics(_ context.Context, p *protocol.PublishDiagnosticsParams) error {
	e.mu.Lock()
	e.current[p.URI] = p
	e.mu.Unlock()
	select {
	case e.news <- struct{}{}:
	default:
	}
	return nil
}

func (e *editor) ShowMessage(_ context.Context, p *protocol.ShowMessageParams) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.shown = append(e.shown, p.Message)
	return nil
}

type pipe struct {
	io.Reader
	io.WriteCloser
}

// open starts a server on a copy of a folder.
func open(t *testing.T, from string) *editor {
	t.Helper()
	return openAt(t, clone(t, from))
}

func openAt(t *testing.T, root string) *editor {
	t.Helper()
	return openWith(t, root, func(*engine.Options) {})
}

func openWith(t *testing.T, root string, change func(*engine.Options)) *editor {
	t.Helper()
	e := &editor{t: t, root: root, current: map[uri.URI]*protocol.PublishDiagnosticsParams{}, news: make(chan struct{}, 1), stopped: make(chan error, 1)}
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	go func() {
		e.stopped <- lsp.Serve(context.Background(), toServer, fromServer, lsp.Options{
			Version: "test", Debounce: time.Millisecond,
			Configure: func(string) (engine.Options, error) {
				o := engine.Options{Rules: rules.All(), Settings: lint.DefaultSettings("default"), Renderer: render.New(nil), Offline: true}
				change(&o)
				return o, nil
			},
		})
		fromServer.Close()
	}()
	_, conn, server := protocol.NewClient(context.Background(), e, jsonrpc2.NewHeaderStream(pipe{toClient, fromClient}))
	e.server = server
	t.Cleanup(func() {
		fromClient.Close()
		_ = conn.Close()
	})
	ctx := context.Background()
	folder := protocol.WorkspaceFolder{URI: uri.File(root), Name: "tree"}
	r, err := server.Initialize(ctx, &protocol.InitializeParams{
		Capabilities:                     protocol.ClientCapabilities{Workspace: &protocol.WorkspaceClientCapabilities{}}, // as Neovim 0.7 sends
		WorkspaceFoldersInitializeParams: protocol.WorkspaceFoldersInitializeParams{WorkspaceFolders: protocol.NewNullable([]protocol.WorkspaceFolder{folder})},
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Capabilities.HoverProvider != protocol.Boolean(true) {
		t.Errorf("capabilities %+v", r.Capabilities)
	}
	if err := server.Initialized(ctx, &protocol.InitializedParams{}); err != nil {
		t.Fatal(err)
	}
	return e
}

func clone(t *testing.T, from string) string {
	t.Helper()
	to, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(to, rel)), 0o755); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	return to
}

func (e *editor) uri(rel string) uri.URI {
	return uri.File(filepath.Join(e.root, filepath.FromSlash(rel)))
}

func (e *editor) read(rel string) string {
	e.t.Helper()
	data, err := os.ReadFile(filepath.Join(e.root, filepath.FromSlash(rel)))
	if err != nil {
		e.t.Fatal(err)
	}
	return string(data)
}

func (e *editor) open(rel, text string) {
	e.t.Helper()
	err := e.server.DidOpen(context.Background(), &protocol.DidOpenTextDocumentParams{
		TextDocument: protocol.TextDocumentItem{URI: e.uri(rel), LanguageID: "yaml", Version: 1, Text: text},
	})
	if err != nil {
		e.t.Fatal(err)
	}
}

func (e *editor) change(rel string, version int32, text string) {
	e.t.Helper()
	err := e.server.DidChange(context.Background(), &protocol.DidChangeTextDocumentParams{
		TextDocument:   protocol.VersionedTextDocumentIdentifier{TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: e.uri(rel)}, Version: version},
		ContentChanges: []protocol.TextDocumentContentChangeEvent{&protocol.TextDocumentContentChangeWholeDocument{Text: text}},
	})
	if err != nil {
		e.t.Fatal(err)
	}
}

// diagnostics are those of a file that the client holds at this moment.
func (e *editor) diagnostics(rel string) []protocol.Diagnostic {
	e.mu.Lock()
	defer e.mu.Unlock()
	if p := e.current[e.uri(rel)]; p != nil {
		return p.Diagnostics
	}
	return nil
}

// await waits until the diagnostics of a file are as wanted.
func (e *editor) await(what, rel string, ok func([]protocol.Diagnostic) bool) []protocol.Diagnostic {
	e.t.Helper()
	limit := time.After(2 * time.Minute)
	for {
		if ds := e.diagnostics(rel); ok(ds) {
			return ds
		}
		select {
		case <-e.news:
		case <-limit:
			e.t.Fatalf("%s: never; %s has %s", what, rel, words(e.diagnostics(rel)))
		}
	}
}

func words(ds []protocol.Diagnostic) string {
	var out []string
	for _, d := range ds {
		out = append(out, string(d.Code.(protocol.String)))
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func find(ds []protocol.Diagnostic, rule string) *protocol.Diagnostic {
	for i := range ds {
		if ds[i].Code == protocol.String(rule) {
			return &ds[i]
		}
	}
	return nil
}

func has(rule string) func([]protocol.Diagnostic) bool {
	return func(ds []protocol.Diagnostic) bool { return find(ds, rule) != nil }
}

const (
	shop   = "../../testdata/shop"
	orders = "deploy/orders.yaml"
	checks = "internal/store/store.go"
)

func TestDiagnosticsOnBothSides(t *testing.T) {
	e := open(t, shop)
	d := find(e.await("the finding in the manifest", orders, has("liveness-checks-dependency")), "liveness-checks-dependency")
	if d.Severity != protocol.DiagnosticSeverityError || !strings.HasSuffix(string(d.CodeDescription.Href), "/liveness-checks-dependency.md") {
		t.Errorf("severity %v, page %s", d.Severity, d.CodeDescription.Href)
	}
	line := strings.Split(e.read(orders), "\n")[d.Range.Start.Line]
	if got := line[d.Range.Start.Character:d.Range.End.Character]; got != "/healthz" {
		t.Errorf("the range holds %q", got)
	}
	if !slices.ContainsFunc(d.RelatedInformation, func(r protocol.DiagnosticRelatedInformation) bool {
		return r.Location.URI == e.uri(checks)
	}) {
		t.Errorf("no related place in the code: %+v", d.RelatedInformation)
	}
	other := find(e.await("the finding in the code", checks, has("liveness-checks-dependency")), "liveness-checks-dependency")
	if !slices.ContainsFunc(other.RelatedInformation, func(r protocol.DiagnosticRelatedInformation) bool {
		return r.Location.URI == e.uri(orders)
	}) {
		t.Errorf("no related place in the manifest: %+v", other.RelatedInformation)
	}
}

// Team policies report in the editor, in manifests and in code; a buffer of Rego counts before it is saved, and one that is broken is
// a finding in it.
func TestPolicies(t *testing.T) {
	root := clone(t, shop)
	rego := "package probelint.rules.pool\n\ndeny contains {\"msg\": \"asks a database\", \"at\": d} if {\n\tsome e in input.endpoints\n\tsome d in e.dependencies\n\td.kind == \"database\"\n}\n"
	if err := os.MkdirAll(filepath.Join(root, "policies"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "policies", "pool.rego"), []byte(rego), 0o600); err != nil {
		t.Fatal(err)
	}
	e := openWith(t, root, func(o *engine.Options) {
		o.Policies, o.LoadPolicies = []string{filepath.Join(root, "policies")}, policytest.Loader(policy.Options{})
	})
	e.await("the finding of the policy", checks, has("pool"))
	e.open("policies/pool.rego", strings.Replace(rego, `== "database"`, `== "queue"`, 1))
	e.await("the code without it", checks, func(ds []protocol.Diagnostic) bool { return find(ds, "pool") == nil })
	e.change("policies/pool.rego", 2, strings.Replace(rego, "d.kind", "d.kindd", 1))
	e.await("the fault in the policy", "policies/pool.rego", has("policy-failed"))
	e.change("policies/pool.rego", 3, rego)
	e.await("the finding again", checks, has("pool"))
	e.await("the policy without its fault", "policies/pool.rego", func(ds []protocol.Diagnostic) bool { return len(ds) == 0 })
}

// An edit of an unsaved buffer on one side makes findings go and come back on both.
func TestUnsavedBuffers(t *testing.T) {
	e := open(t, shop)
	text := e.read(orders)
	e.open(orders, text)
	e.await("the finding", orders, has("liveness-checks-dependency"))
	mended := strings.Replace(text, "path: /healthz", "path: /livez", 1)
	if mended == text {
		t.Fatal("the example has changed")
	}
	gone := func(ds []protocol.Diagnostic) bool { return find(ds, "liveness-checks-dependency") == nil }
	e.change(orders, 2, mended)
	e.await("the manifest without it", orders, gone)
	e.await("the code without it", checks, gone)
	e.change(orders, 3, text)
	e.await("the finding again", orders, has("liveness-checks-dependency"))

	code := e.read(checks)
	e.open(checks, code)
	e.change(checks, 2, strings.Replace(code, "return s.pool.Ping(ctx)", "return ctx.Err()", 1))
	e.await("the manifest without it", orders, gone)
	// closing the buffer without saving brings the file on disk back
	if err := e.server.DidClose(context.Background(), &protocol.DidCloseTextDocumentParams{TextDocument: protocol.TextDocumentIdentifier{URI: e.uri(checks)}}); err != nil {
		t.Fatal(err)
	}
	e.await("the finding again", orders, has("liveness-checks-dependency"))
}

func TestSyntaxErrorsAreFindings(t *testing.T) {
	e := open(t, shop)
	text := e.read(orders)
	e.open(orders, text)
	e.await("the finding", orders, has("liveness-checks-dependency"))
	e.change(orders, 2, strings.Replace(text, "path: /healthz", "path: [/healthz", 1))
	e.await("the syntax error", orders, has("unreadable-input"))
	e.change(orders, 3, text)
	e.await("the file that parses", orders, func(ds []protocol.Diagnostic) bool { return find(ds, "unreadable-input") == nil && len(ds) > 0 })
}

// place is the position of the nth byte of a word's first occurrence.
func place(t *testing.T, text, word string, n int) protocol.Position {
	t.Helper()
	i := strings.Index(text, word)
	if i < 0 {
		t.Fatalf("%q is not in the text", word)
	}
	i += n
	return protocol.Position{Line: uint32(strings.Count(text[:i], "\n")), Character: uint32(i - strings.LastIndexByte(text[:i], '\n') - 1)}
}

func TestHoverAndDefinition(t *testing.T) {
	e := open(t, shop)
	e.await("a first result", orders, has("liveness-checks-dependency"))
	ctx := context.Background()
	text := e.read(orders)
	at := protocol.TextDocumentPositionParams{TextDocument: protocol.TextDocumentIdentifier{URI: e.uri(orders)}, Position: place(t, text, "path: /healthz", 8)}
	h, err := e.server.Hover(ctx, &protocol.HoverParams{TextDocumentPositionParams: at})
	if err != nil || h == nil {
		t.Fatal("no hover on a probe", err)
	}
	got := h.Contents.(*protocol.MarkupContent).Value
	for _, want := range []string{"**liveness probe** of `Deployment/orders`", "restarted 20s to", "answered by", "asks PostgreSQL: fails with it"} {
		if !strings.Contains(got, want) {
			t.Errorf("the hover says\n%s\nwithout %q", got, want)
		}
	}
	d, err := e.server.Definition(ctx, &protocol.DefinitionParams{TextDocumentPositionParams: at})
	if err != nil {
		t.Fatal(err)
	}
	to, ok := d.(protocol.LocationSlice)
	if !ok || len(to) != 1 || !strings.HasSuffix(string(to[0].URI), "/internal/health/health.go") {
		t.Fatalf("the definition is %v", d)
	}

	back := protocol.TextDocumentPositionParams{TextDocument: protocol.TextDocumentIdentifier{URI: to[0].URI}, Position: to[0].Range.Start}
	h, err = e.server.Hover(ctx, &protocol.HoverParams{TextDocumentPositionParams: back})
	if err != nil || h == nil {
		t.Fatal("no hover on a handler", err)
	}
	if got := h.Contents.(*protocol.MarkupContent).Value; !strings.Contains(got, "the liveness probe of `Deployment/orders`, container `orders`: every 10s, answer within") {
		t.Errorf("the hover says\n%s", got)
	}
	d, err = e.server.Definition(ctx, &protocol.DefinitionParams{TextDocumentPositionParams: back})
	if err != nil {
		t.Fatal(err)
	}
	if to, ok := d.(protocol.LocationSlice); !ok || !slices.ContainsFunc(to, func(l protocol.Location) bool { return l.URI == e.uri(orders) }) {
		t.Errorf("the way back is %v", d)
	}
	// a place that is neither
	none := protocol.TextDocumentPositionParams{TextDocument: protocol.TextDocumentIdentifier{URI: e.uri(orders)}, Position: protocol.Position{}}
	if h, err := e.server.Hover(ctx, &protocol.HoverParams{TextDocumentPositionParams: none}); err != nil || h != nil {
		t.Errorf("hover on nothing: %v %v", h, err)
	}
}

const misspelt = `apiVersion: apps/v1
kind: Deployment
metadata: {name: x}
spec:
  selector: {matchLabels: {app: x}}
  template:
    metadata: {labels: {app: x}}
    spec:
      containers:
      - name: 😀x
        image: example.com/x
        readinessProbe:
          httpGet: {path: /readyz, port: 8080}
          periodSecond: 5
`

func TestQuickFix(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "x.yaml"), []byte(misspelt), 0o600); err != nil {
		t.Fatal(err)
	}
	e := openAt(t, root)
	d := find(e.await("the finding", "x.yaml", has("probe-field-invalid")), "probe-field-invalid")
	actions, err := e.server.CodeAction(context.Background(), &protocol.CodeActionParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: e.uri("x.yaml")}, Range: d.Range, Context: protocol.CodeActionContext{Diagnostics: []protocol.Diagnostic{*d}},
	})
	if err != nil || len(actions) == 0 {
		t.Fatal("no action", err)
	}
	a := actions[0].(*protocol.CodeAction)
	edits := a.Edit.Changes[e.uri("x.yaml")]
	if len(edits) != 1 || *a.Kind != protocol.CodeActionKindQuickFix {
		t.Fatalf("action %+v", a)
	}
	lines := strings.Split(misspelt, "\n")
	l := lines[edits[0].Range.Start.Line]
	lines[edits[0].Range.Start.Line] = l[:edits[0].Range.Start.Character] + edits[0].NewText + l[edits[0].Range.End.Character:]
	e.open("x.yaml", strings.Join(lines, "\n"))
	e.await("the file without it", "x.yaml", func(ds []protocol.Diagnostic) bool { return find(ds, "probe-field-invalid") == nil })
}

func TestShutdown(t *testing.T) {
	e := open(t, shop)
	ctx := context.Background()
	if err := e.server.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	if err := e.server.Exit(ctx); err != nil {
		t.Fatal(err)
	}
	if err := <-e.stopped; err != nil {
		t.Errorf("after shutdown and exit: %v", err)
	}
	e = open(t, shop)
	if err := e.server.Exit(ctx); err != nil {
		t.Fatal(err)
	}
	if err := <-e.stopped; err == nil {
		t.Error("an exit without a shutdown ends without an error")
	}
}
