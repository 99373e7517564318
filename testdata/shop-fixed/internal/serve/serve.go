// Package serve runs an HTTP server until the process is told to stop.
package serve

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Run serves h on addr until SIGTERM, calls drain, and lets the requests in flight end.
func Run(addr string, h http.Handler, drain func()) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	srv := &http.Server{Addr: addr, Handler: h, ReadHeaderTimeout: 5 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- srv.ListenAndServe() }()
	select {
	case err := <-failed:
		return fmt.Errorf("serving on %s: %w", addr, err)
	case <-ctx.Done():
	}
	drain()
	end, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	return srv.Shutdown(end)
}
