// Package health answers the probes of the orders service.
package health

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// verdictTTL keeps the probes from loading the dependencies.
const verdictTTL = 15 * time.Second

// Pinger is a dependency that can be asked for a sign of life.
type Pinger interface {
	Ping(ctx context.Context) error
}

type check struct {
	name string
	dep  Pinger
}

// Monitor asks the dependencies of the service.
type Monitor struct {
	timeout time.Duration
	checks  []check

	mu        sync.Mutex
	checkedAt time.Time
	verdict   error
}

// NewMonitor returns a monitor that gives each dependency the same time to answer.
func NewMonitor(timeout time.Duration) *Monitor {
	return &Monitor{timeout: timeout}
}

// Add puts a dependency under watch.
func (m *Monitor) Add(name string, dep Pinger) {
	m.checks = append(m.checks, check{name, dep})
}

// Live tells whether db still answers.
func Live(db Pinger) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), time.Second)
		defer cancel()
		answer(w, db.Ping(ctx))
	}
}

// Ready tells whether every dependency answers.
func (m *Monitor) Ready(w http.ResponseWriter, r *http.Request) {
	answer(w, m.cached(r.Context()))
}

func (m *Monitor) cached(ctx context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if time.Since(m.checkedAt) < verdictTTL {
		return m.verdict
	}
	m.verdict = m.run(ctx)
	m.checkedAt = time.Now()
	return m.verdict
}

func (m *Monitor) run(ctx context.Context) error {
	for _, c := range m.checks {
		if err := m.ask(ctx, c.dep); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

func (m *Monitor) ask(ctx context.Context, dep Pinger) error {
	ctx, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	return dep.Ping(ctx)
}

func answer(w http.ResponseWriter, err error) {
	if err != nil {
		slog.Warn("health check failed", "error", err)
		http.Error(w, "unhealthy", http.StatusServiceUnavailable)
		return
	}
	io.WriteString(w, "ok\n")
}
