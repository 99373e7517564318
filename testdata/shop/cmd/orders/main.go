// Command orders serves the orders and carts of the shop.
package main

import (
	"context"
	"log"

	"example.com/shop/internal/cart"
	"example.com/shop/internal/config"
	"example.com/shop/internal/httpapi"
	"example.com/shop/internal/serve"
	"example.com/shop/internal/store"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	cfg, err := config.Load()
	if err != nil {
		return err
	}
	db, err := store.Open(context.Background(), cfg.DatabaseURL)
	if err != nil {
		return err
	}
	defer db.Close()
	carts := cart.Open(cfg.RedisAddr)
	defer carts.Close()
	return serve.Run(cfg.Addr, httpapi.NewRouter(db, carts, cfg.PingTimeout))
}
