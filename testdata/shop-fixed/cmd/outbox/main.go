// Command outbox watches the backlog of events that other services wait for.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"sync/atomic"
	"time"

	"example.com/shop/internal/config"
	"example.com/shop/internal/health"
	"example.com/shop/internal/serve"
	"example.com/shop/internal/store"
)

type relay struct {
	db      *store.Store
	state   health.State
	backlog atomic.Int64
}

func main() {
	cfg, err := config.Load()
	if err != nil {
		log.Fatal(err)
	}
	db, err := store.Open(context.Background(), cfg.DatabaseURL)
	if err != nil {
		log.Fatal(err)
	}
	r := &relay{db: db}
	go r.watch(5 * time.Second)

	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", health.Live)
	mux.HandleFunc("GET /readyz", r.state.Ready)
	mux.HandleFunc("GET /backlog", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, r.backlog.Load())
	})
	if err := serve.Run(cfg.Addr, mux, r.state.Drain); err != nil {
		log.Fatal(err)
	}
}

// watch counts the backlog, and takes traffic once that of the last stop is worked off.
func (r *relay) watch(every time.Duration) {
	for range time.Tick(every) {
		ctx, cancel := context.WithTimeout(context.Background(), every)
		n, err := r.db.Unsent(ctx)
		cancel()
		if err != nil {
			log.Print("reading the outbox: ", err)
			continue
		}
		r.backlog.Store(int64(n))
		if n == 0 {
			r.state.Warm()
		}
	}
}
