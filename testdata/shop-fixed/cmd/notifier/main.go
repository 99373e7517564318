// Command notifier tells customers about their orders.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"time"

	"example.com/shop/internal/config"
	"example.com/shop/internal/health"
	"example.com/shop/internal/serve"
	"example.com/shop/internal/store"
)

func main() {
	cfg, err := config.Load()
	if err != nil {
		log.Fatal(err)
	}
	db, err := store.Open(context.Background(), cfg.DatabaseURL)
	if err != nil {
		log.Fatal(err)
	}
	state := &health.State{}
	go deliver(db, state)

	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", health.Live)
	mux.HandleFunc("GET /readyz", state.Ready)
	mux.HandleFunc("GET /v1/deliveries/{order}", func(w http.ResponseWriter, r *http.Request) {
		done, err := db.Delivered(r.Context(), r.PathValue("order"))
		if err != nil {
			log.Print("reading a delivery: ", err)
			http.Error(w, "not available", http.StatusBadGateway)
			return
		}
		fmt.Fprintln(w, done)
	})
	if err := serve.Run(cfg.Addr, mux, state.Drain); err != nil {
		log.Fatal(err)
	}
}

// deliver works in batches, and takes traffic once the first one went through.
func deliver(db *store.Store, state *health.State) {
	for range time.Tick(time.Second) {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		if _, err := db.MarkDelivered(ctx, 50); err != nil {
			log.Print("delivering: ", err)
		} else {
			state.Warm()
		}
		cancel()
	}
}
