package lsp

import (
	"context"
	"fmt"
	"io"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/probelint/probelint/internal/engine"
	"github.com/probelint/probelint/internal/lint"
)

// Options are what the command line knows better than the server.
type Options struct {
	// Configure makes the options of a run of one workspace folder, an absolute directory, from its configuration.
	Configure func(root string) (engine.Options, error)
	// Show is the lowest level published. The zero value stands for Info.
	Show lint.Level
	// Version of the program.
	Version string
	// Debounce is how long the server waits for further edits; zero is 200 ms.
	Debounce time.Duration
}

// Serve answers one client until it says exit, hangs up, or the context ends. An error tells of a broken stream, or of an
// exit without a shutdown before it, for which the protocol wants exit code 1.
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	if o.Debounce == 0 {
		o.Debounce = 200 * time.Millisecond
	}
	if o.Show == lint.Off {
		o.Show = lint.Info
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := newServer(o)
	conn := jsonrpc2.NewConn(jsonrpc2.NewHeaderStream(stdio{in, out}), jsonrpc2.WithCodec(codec{}))
	s.client = protocol.ClientDispatcher(conn)
	s.exit = cancel
	conn.Go(ctx, protocol.CancelHandler(ordered(protocol.ServerHandler(s, jsonrpc2.MethodNotFoundHandler))))
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		s.loop(ctx)
	}()
	select {
	case <-ctx.Done():
	case <-conn.Done():
	}
	cancel()
	s.giveUp()
	<-finished
	if s.exited && !s.isDown() {
		return ErrNoShutdown
	}
	if err := conn.Err(); err != nil && !s.exited {
		return fmt.Errorf("talking to the editor: %w", err)
	}
	return nil
}

// ordered keeps notifications in the order in which the client sent them, since each edit is about the text that the one
// before it left; requests run beside them.
func ordered(h jsonrpc2.Handler) jsonrpc2.Handler {
	return func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		if req.IsCall() {
			jsonrpc2.Async(ctx)
		}
		return h(ctx, req)
	}
}

// codec is that of protocol.NewServer, which the library does not export.
type codec struct{}

func (codec) Marshal(v any) ([]byte, error) {
	if raw, ok := v.(jsonrpc2.RawMessage); ok {
		if raw == nil {
			return []byte("null"), nil
		}
		return raw, nil
	}
	return protocol.Marshal(v)
}

func (codec) Unmarshal(data []byte, v any) error {
	if raw, ok := v.(*jsonrpc2.RawMessage); ok {
		*raw = append(jsonrpc2.RawMessage(nil), data...)
		return nil
	}
	return protocol.Unmarshal(data, v)
}

// stdio is a stream that closes nothing: the process owns its standard streams.
type stdio struct {
	io.Reader
	io.Writer
}

// Close does nothing.
func (stdio) Close() error { return nil }
