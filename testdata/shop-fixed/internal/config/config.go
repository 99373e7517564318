// Package config reads the environment that deploy/ sets.
package config

import (
	"fmt"
	"os"
	"time"
)

// Config is what the commands of the shop need to start.
type Config struct {
	Addr        string
	DatabaseURL string
	RedisAddr   string
	OrdersURL   string
	// PingTimeout bounds one dependency check of the readiness endpoint.
	PingTimeout time.Duration
}

// Load reads the environment. The defaults are for a developer's machine.
func Load() (Config, error) {
	c := Config{
		Addr:        str("HTTP_ADDR", ":8080"),
		DatabaseURL: str("DATABASE_URL", "postgres://localhost:5432/shop"),
		RedisAddr:   str("REDIS_ADDR", "localhost:6379"),
		OrdersURL:   str("ORDERS_URL", "http://localhost:8080"),
	}
	var err error
	if c.PingTimeout, err = time.ParseDuration(str("PING_TIMEOUT", "1s")); err != nil {
		return Config{}, fmt.Errorf("reading PING_TIMEOUT: %w", err)
	}
	return c, nil
}

func str(key, fallback string) string {
	if v := os.Getenv(key); v != "" {
		return v
	}
	return fallback
}
