// Package store keeps orders and deliveries in PostgreSQL.
package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Store is the connection pool and the queries that run on it.
type Store struct {
	pool *pgxpool.Pool
}

// Order is one row of the orders table.
type Order struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Cents  int64  `json:"cents"`
}

// Open prepares a pool. It connects on first use.
func Open(ctx context.Context, url string) (*Store, error) {
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("opening the pool: %w", err)
	}
	return &Store{pool: pool}, nil
}

// Close waits for the connections in use and closes the pool.
func (s *Store) Close() { s.pool.Close() }

// Ping takes a connection and asks the server for a sign of life.
func (s *Store) Ping(ctx context.Context) error {
	return s.pool.Ping(ctx)
}

// Order reads one order.
func (s *Store) Order(ctx context.Context, id string) (Order, error) {
	rows, err := s.pool.Query(ctx, `SELECT id, status, cents FROM orders WHERE id = $1`, id)
	if err != nil {
		return Order{}, fmt.Errorf("reading order %s: %w", id, err)
	}
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[Order])
}

// Keep writes one event.
func (s *Store) Keep(ctx context.Context, event []byte) error {
	_, err := s.pool.Exec(ctx, `INSERT INTO outbox (event) VALUES ($1)`, event)
	return err
}

// Delivered reports whether the customer was told about an order.
func (s *Store) Delivered(ctx context.Context, order string) (bool, error) {
	var ok bool
	err := s.pool.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM deliveries WHERE order_id = $1)`, order).Scan(&ok)
	return ok, err
}

// MarkDelivered writes up to one batch of deliveries and returns its size.
func (s *Store) MarkDelivered(ctx context.Context, batch int) (int64, error) {
	tag, err := s.pool.Exec(ctx, `
		WITH next AS (SELECT id FROM outbox WHERE sent_at IS NULL ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED)
		UPDATE outbox SET sent_at = now() WHERE id IN (SELECT id FROM next)`, batch)
	return tag.RowsAffected(), err
}
