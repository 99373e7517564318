package engine

import (
	"context"

	"github.com/probelint/probelint/internal/manifest"
	"github.com/probelint/probelint/internal/source"
)

// loadGo reads and analyses the Go code of dirs.
func loadGo(ctx context.Context, set *source.Set, dirs []string, offline bool) (*goSide, error) {
	return &goSide{}, ctx.Err()
}

// join fills what the manifest side learns from the Go side.
func join(in *input, o *Options, m *manifest.Result, code *guarded) {
}
