// Command outbox takes events from the other services and keeps them until they are delivered.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"sync/atomic"

	"example.com/shop/internal/config"
	"example.com/shop/internal/serve"
	"example.com/shop/internal/store"
)

// busy is the number of events at once from which on more would only wait for each other.
const busy = 200

type outbox struct {
	db       *store.Store
	inflight atomic.Int64
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
	o := &outbox{db: db}

	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", o.health)
	mux.HandleFunc("POST /events", o.accept)
	if err := serve.Run(cfg.Addr, mux); err != nil {
		log.Fatal(err)
	}
}

// health sends new events elsewhere while this instance has enough to do.
func (o *outbox) health(w http.ResponseWriter, _ *http.Request) {
	if o.inflight.Load() > busy {
		http.Error(w, "busy", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}

func (o *outbox) accept(w http.ResponseWriter, r *http.Request) {
	o.inflight.Add(1)
	defer o.inflight.Add(-1)
	event, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<10))
	if err != nil {
		http.Error(w, "event too large", http.StatusRequestEntityTooLarge)
		return
	}
	if err := o.db.Keep(r.Context(), event); err != nil {
		log.Print("keeping an event: ", err)
		http.Error(w, "not kept", http.StatusBadGateway)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}
