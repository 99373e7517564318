// Package httpapi is the HTTP interface of the orders service.
package httpapi

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"example.com/shop/internal/cart"
	"example.com/shop/internal/health"
	"example.com/shop/internal/store"
)

// NewRouter registers every route of the service.
func NewRouter(db *store.Store, carts *cart.Carts, pingTimeout time.Duration) http.Handler {
	monitor := health.NewMonitor(pingTimeout)
	monitor.Add("postgres", db)
	monitor.Add("redis", carts)

	r := chi.NewRouter()
	r.Use(middleware.RequestID, middleware.Recoverer)
	r.Get("/healthz", health.Live(db))
	r.Get("/readyz", monitor.Ready)
	r.Route("/v1", func(r chi.Router) {
		r.Use(middleware.Timeout(10 * time.Second))
		r.Get("/orders/{id}", getOrder(db))
		r.Get("/carts/{customer}", getCart(carts))
	})
	return r
}

func getOrder(db *store.Store) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		order, err := db.Order(r.Context(), chi.URLParam(r, "id"))
		if err != nil {
			slog.Error("order", "error", err)
			http.Error(w, "order not available", http.StatusBadGateway)
			return
		}
		writeJSON(w, order)
	}
}

func getCart(carts *cart.Carts) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		items, err := carts.Items(r.Context(), chi.URLParam(r, "customer"))
		if err != nil {
			slog.Error("cart", "error", err)
			http.Error(w, "cart not available", http.StatusBadGateway)
			return
		}
		writeJSON(w, items)
	}
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		slog.Error("writing the answer", "error", err)
	}
}
