package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/probelint/probelint/internal/engine"
)

// ErrNoShutdown says that the client ended the server without asking it to shut down first.
var ErrNoShutdown = errors.New("the editor sent exit without shutdown")

// server holds the buffers, the folders and the newest results. Its methods answer requests side by side.
type server struct {
	protocol.UnimplementedServer
	options Options
	client  protocol.Client
	exit    func()
	kicks   chan struct{} // something changed

	mu      sync.Mutex
	folders []*folder
	docs    map[uri.URI]*document
	edits   int // counts changes of any buffer or file
	watch   bool
	down    bool
	exited  bool
}

// document is an open buffer.
type document struct {
	version int32
	text    string
}

// folder is one workspace folder.
type folder struct {
	root string
	keep *engine.Keep
	// result is that of the newest run that ended; nil before the first.
	result *engine.Result
	// published are the files that the client holds diagnostics for.
	published map[uri.URI]bool
	said      string // the last failure that was shown
}

func newServer(o Options) *server {
	return &server{options: o, docs: map[uri.URI]*document{}, kicks: make(chan struct{}, 1)}
}

func (s *server) isDown() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.down
}

// Initialize takes the folders and says what the server can do.
func (s *server) Initialize(_ context.Context, p *protocol.InitializeParams) (*protocol.InitializeResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	folders, _ := p.WorkspaceFolders.Get()
	for _, f := range folders {
		s.addFolder(f.URI)
	}
	if len(s.folders) == 0 && p.RootURI != nil { //nolint:staticcheck // editors without workspace folders send it alone
		s.addFolder(*p.RootURI) //nolint:staticcheck // as above
	}
	if w := p.Capabilities.Workspace; w != nil && w.DidChangeWatchedFiles != nil {
		s.watch = truth(w.DidChangeWatchedFiles.DynamicRegistration)
	}
	full := protocol.TextDocumentSyncKindFull
	yes := true
	return &protocol.InitializeResult{
		ServerInfo: protocol.ServerInfo{Name: "probelint", Version: protocol.NewOptional(s.options.Version)},
		Capabilities: protocol.ServerCapabilities{
			TextDocumentSync:   &protocol.TextDocumentSyncOptions{OpenClose: &yes, Change: &full, Save: protocol.Boolean(true)},
			HoverProvider:      protocol.Boolean(true),
			DefinitionProvider: protocol.Boolean(true),
			CodeActionProvider: &protocol.CodeActionOptions{CodeActionKinds: []protocol.CodeActionKind{protocol.CodeActionKindQuickFix, fixAll}},
			Workspace: &protocol.WorkspaceOptions{WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{
				Supported: &yes, ChangeNotifications: protocol.Boolean(true),
			}},
		},
	}, nil
}

func truth(b *bool) bool { return b != nil && *b }

// addFolder takes a folder that lies on disk, once.
func (s *server) addFolder(u uri.URI) {
	if !u.IsFile() {
		return
	}
	root := filepath.Clean(u.FsPath())
	for _, f := range s.folders {
		if f.root == root {
			return
		}
	}
	s.folders = append(s.folders, &folder{root: root, keep: &engine.Keep{}, published: map[uri.URI]bool{}})
}

// Initialized asks for word of files that change outside of the editor, and begins.
func (s *server) Initialized(ctx context.Context, _ *protocol.InitializedParams) error {
	s.changed()
	s.mu.Lock()
	watch := s.watch
	s.mu.Unlock()
	if !watch {
		return nil
	}
	type watcher struct {
		GlobPattern string `json:"globPattern"`
	}
	options, err := json.Marshal(map[string][]watcher{"watchers": {
		{"**/*.{yaml,yml,json,tpl,go}"}, {"**/{go.mod,go.sum,go.work,Dockerfile*,*.Dockerfile}"},
	}})
	if err != nil {
		return err
	}
	// The answer of the client can be read only once this handler has returned.
	go func() {
		_ = s.client.RegisterCapability(context.WithoutCancel(ctx), &protocol.RegistrationParams{Registrations: []protocol.Registration{
			{ID: "files", Method: "workspace/didChangeWatchedFiles", RegisterOptions: options},
		}})
	}()
	return nil
}

// Shutdown ends all work.
func (s *server) Shutdown(context.Context) error {
	s.mu.Lock()
	s.down = true
	s.mu.Unlock()
	s.giveUp()
	return nil
}

// giveUp ends what is being read, which outlasts the run that began it.
func (s *server) giveUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.folders {
		f.keep.Close()
	}
}

// Exit ends the server.
func (s *server) Exit(context.Context) error {
	s.mu.Lock()
	s.exited = true
	s.mu.Unlock()
	s.exit()
	return nil
}

// DidOpen takes a buffer.
func (s *server) DidOpen(_ context.Context, p *protocol.DidOpenTextDocumentParams) error {
	s.mu.Lock()
	s.docs[p.TextDocument.URI] = &document{p.TextDocument.Version, p.TextDocument.Text}
	s.mu.Unlock()
	s.changed()
	return nil
}

// DidChange takes the new text of a buffer.
func (s *server) DidChange(_ context.Context, p *protocol.DidChangeTextDocumentParams) error {
	s.mu.Lock()
	d := s.docs[p.TextDocument.URI]
	if d == nil {
		s.mu.Unlock()
		return jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s was not opened", p.TextDocument.URI)
	}
	text := d.text
	for _, c := range p.ContentChanges {
		switch c := c.(type) {
		case *protocol.TextDocumentContentChangeWholeDocument:
			text = c.Text
		case *protocol.TextDocumentContentChangePartial: // a client that sends them although it was asked for whole texts
			start, end := offset(text, c.Range.Start), offset(text, c.Range.End)
			if start <= end {
				text = text[:start] + c.Text + text[end:]
			}
		}
	}
	s.docs[p.TextDocument.URI] = &document{p.TextDocument.Version, text}
	s.mu.Unlock()
	s.changed()
	return nil
}

// DidSave runs again: build files, policies and configuration are read from disk.
func (s *server) DidSave(context.Context, *protocol.DidSaveTextDocumentParams) error {
	s.changed()
	return nil
}

// DidClose forgets a buffer.
func (s *server) DidClose(_ context.Context, p *protocol.DidCloseTextDocumentParams) error {
	s.mu.Lock()
	delete(s.docs, p.TextDocument.URI)
	s.mu.Unlock()
	s.changed()
	return nil
}

// DidChangeWatchedFiles runs again.
func (s *server) DidChangeWatchedFiles(context.Context, *protocol.DidChangeWatchedFilesParams) error {
	s.changed()
	return nil
}

// DidChangeConfiguration runs again. Settings lie in the folders' .probelint.yaml.
func (s *server) DidChangeConfiguration(context.Context, *protocol.DidChangeConfigurationParams) error {
	s.changed()
	return nil
}

// DidChangeWorkspaceFolders adds and removes folders.
func (s *server) DidChangeWorkspaceFolders(ctx context.Context, p *protocol.DidChangeWorkspaceFoldersParams) error {
	s.mu.Lock()
	var stale []uri.URI
	for _, gone := range p.Event.Removed {
		root := filepath.Clean(gone.URI.FsPath())
		for i, f := range s.folders {
			if f.root == root {
				s.folders = append(s.folders[:i:i], s.folders[i+1:]...)
				f.keep.Close()
				for u := range f.published {
					stale = append(stale, u)
				}
				break
			}
		}
	}
	for _, f := range p.Event.Added {
		s.addFolder(f.URI)
	}
	s.mu.Unlock()
	for _, u := range stale {
		_ = s.client.PublishDiagnostics(ctx, &protocol.PublishDiagnosticsParams{URI: u, Diagnostics: []protocol.Diagnostic{}})
	}
	s.changed()
	return nil
}

// SetTrace is accepted: there is nothing to trace.
func (s *server) SetTrace(context.Context, *protocol.SetTraceParams) error { return nil }

// changed wakes the loop.
func (s *server) changed() {
	s.mu.Lock()
	s.edits++
	s.mu.Unlock()
	select {
	case s.kicks <- struct{}{}:
	default:
	}
}
