// Package cart keeps shopping carts in Redis.
package cart

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// Carts is the Redis client behind the carts.
type Carts struct {
	rdb *redis.Client
}

// Open prepares a client that honours the deadline of a context.
func Open(addr string) *Carts {
	return &Carts{rdb: redis.NewClient(&redis.Options{Addr: addr, ContextTimeoutEnabled: true})}
}

// Close closes the connections.
func (c *Carts) Close() error { return c.rdb.Close() }

// Ping asks the server for a sign of life.
func (c *Carts) Ping(ctx context.Context) error {
	return c.rdb.Ping(ctx).Err()
}

// Items returns the articles in a customer's cart.
func (c *Carts) Items(ctx context.Context, customer string) ([]string, error) {
	return c.rdb.SMembers(ctx, "cart:"+customer).Result()
}
