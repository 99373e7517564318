// Command storefront renders the pages of the shop from the orders service.
package main

import (
	"fmt"
	"io"
	"log"
	"net/http"

	"example.com/shop/internal/config"
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
	f := &front{orders: cfg.OrdersURL, client: &http.Client{}}

	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", f.ready)
	mux.HandleFunc("GET /orders/{id}", f.order)
	if err := serve.Run(cfg.Addr, mux); err != nil {
		log.Fatal(err)
	}
}

// ready reads a known order, because without orders there is nothing to show.
func (f *front) ready(w http.ResponseWriter, _ *http.Request) {
	resp, err := f.client.Get(f.orders + "/v1/orders/sample")
	if err != nil {
		log.Print("readiness: ", err)
		http.Error(w, "no orders", http.StatusServiceUnavailable)
		return
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		http.Error(w, "no orders", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
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
