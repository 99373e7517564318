package lsp

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/probelint/probelint/internal/engine"
	"github.com/probelint/probelint/internal/source"
)

// loop runs after each change, once the client has been quiet for the debounce time. A change ends the run that is under
// way: its results would be about a text that is gone.
func (s *server) loop(ctx context.Context) {
	var now *job
	defer func() { now.stop() }()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.kicks:
		}
		now.cancel()
		for quiet := false; !quiet; {
			select {
			case <-ctx.Done():
				return
			case <-s.kicks:
			case <-time.After(s.options.Debounce):
				quiet = true
			}
		}
		now.stop()
		now = start(ctx, s.runAll)
	}
}

// job is a run in the background.
type job struct {
	end  context.CancelFunc
	done chan struct{}
}

func start(ctx context.Context, do func(context.Context)) *job {
	ctx, cancel := context.WithCancel(ctx)
	j := &job{cancel, make(chan struct{})}
	go func() {
		defer close(j.done)
		do(ctx)
	}()
	return j
}

func (j *job) cancel() {
	if j != nil {
		j.end()
	}
}

// stop ends the job and waits for it.
func (j *job) stop() {
	if j != nil {
		j.end()
		<-j.done
	}
}

func (s *server) runAll(ctx context.Context) {
	s.mu.Lock()
	folders := slices.Clone(s.folders)
	s.mu.Unlock()
	for _, f := range folders {
		if ctx.Err() != nil || s.isDown() {
			return
		}
		s.run(ctx, f)
	}
}

// run judges one folder and publishes what it finds.
func (s *server) run(ctx context.Context, f *folder) {
	o, err := s.options.Configure(f.root)
	if err != nil {
		s.complain(ctx, f, err)
		return
	}
	o.WorkingDir, o.Paths, o.Keep = f.root, []string{f.root}, f.keep
	if o.Root == "" {
		o.Root = source.FindRoot(f.root, f.root)
	}
	s.mu.Lock()
	edits := s.edits
	o.Overlay = s.overlay(o.Root)
	s.mu.Unlock()
	r, err := engine.Run(ctx, o)
	var nothing *engine.NothingCheckedError
	switch {
	case ctx.Err() != nil:
		return
	case errors.As(err, &nothing):
		r = nil // an empty folder is no failure in an editor
	case err != nil:
		s.complain(ctx, f, err)
		return
	}
	s.mu.Lock()
	if edits != s.edits {
		s.mu.Unlock()
		return // a newer run is on its way
	}
	f.result, f.said = r, ""
	s.mu.Unlock()
	s.publish(ctx, f, r)
	go f.keep.Warm()
}

// overlay is the text of the open buffers below a root, by their paths relative to it.
func (s *server) overlay(root string) map[string][]byte {
	out := map[string][]byte{}
	for u, d := range s.docs {
		if rel, ok := relative(root, u); ok {
			out[rel] = []byte(d.text)
		}
	}
	return out
}

func relative(root string, u uri.URI) (string, bool) {
	if !u.IsFile() {
		return "", false
	}
	rel, err := filepath.Rel(root, u.FsPath())
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// complain shows a failure once, not after each key.
func (s *server) complain(ctx context.Context, f *folder, err error) {
	msg := fmt.Sprintf("probelint: %s: %v", filepath.Base(f.root), err)
	s.mu.Lock()
	again := f.said == msg
	f.said = msg
	s.mu.Unlock()
	if !again {
		_ = s.client.ShowMessage(ctx, &protocol.ShowMessageParams{Type: protocol.MessageTypeError, Message: msg})
	}
}
