// Command orders serves the orders and carts of the shop.
package main

import (
	"context"
	"log"

	"example.com/shop/internal/cart"
	"example.com/shop/internal/config"
	"example.com/shop/internal/health"
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
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	db, err := store.Open(ctx, cfg.DatabaseURL)
	if err != nil {
		return err
	}
	defer db.Close()
	carts := cart.Open(cfg.RedisAddr)
	defer carts.Close()

	monitor := health.NewMonitor(cfg.PingTimeout)
	monitor.Add("postgres", db)
	monitor.Add("redis", carts)
	go monitor.AwaitFirst(ctx)
	return serve.Run(cfg.Addr, httpapi.NewRouter(db, carts, monitor), monitor.Drain)
}
