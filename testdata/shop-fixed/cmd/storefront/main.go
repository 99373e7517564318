// Command storefront renders the pages of the shop from the orders service.
package main

import (
	"io"
	"log"
	"net/http"
	"time"

	"example.com/shop/internal/config"
	"example.com/shop/internal/health"
	"example.com/shop/internal/serve"
)

type front struct {
	orders string
	client *http.Client
}

func main() {
	cfg, err := config.Load()
	if err != nil {
		log.Fatal(err)
	}
	f := &front{orders: cfg.OrdersURL, client: &http.Client{Timeout: 5 * time.Second}}
	state := &health.State{}
	state.Warm()

	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", health.Live)
	mux.HandleFunc("GET /readyz", state.Ready)
	mux.HandleFunc("GET /orders/{id}", f.order)
	if err := serve.Run(cfg.Addr, mux, state.Drain); err != nil {
		log.Fatal(err)
	}
}

func (f *front) order(w http.ResponseWriter, r *http.Request) {
	req, err := http.NewRequestWithContext(r.Context(), http.MethodGet, f.orders+"/v1/orders/"+r.PathValue("id"), nil)
	if err != nil {
		http.Error(w, "bad order", http.StatusBadRequest)
		return
	}
	resp, err := f.client.Do(req)
	if err != nil {
		http.Error(w, "no orders", http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body)
}
