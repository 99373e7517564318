// Package health answers the probes of every command of the shop.
package health

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// State is what a process knows about itself.
type State struct {
	warm     atomic.Bool
	draining atomic.Bool
}

// Warm marks the end of the start-up work.
func (s *State) Warm() { s.warm.Store(true) }

// Drain marks the beginning of the end.
func (s *State) Drain() { s.draining.Store(true) }

func (s *State) status() int {
	if !s.warm.Load() || s.draining.Load() {
		return http.StatusServiceUnavailable
	}
	return http.StatusOK
}

// Live answers as long as the process can answer at all. A restart cures nothing else.
func Live(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	io.WriteString(w, "ok\n")
}

// Ready answers whether this process takes traffic.
func (s *State) Ready(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(s.status())
}

// Pinger is a dependency that can be asked for a sign of life.
type Pinger interface {
	Ping(ctx context.Context) error
}

type check struct {
	name string
	dep  Pinger
}

// Monitor is a State that also reports the dependencies, which all replicas share: they inform people and
// decide nothing, since taking every replica out of rotation helps nobody.
type Monitor struct {
	State
	timeout time.Duration
	checks  []check
}

// NewMonitor returns a monitor that gives all dependencies together this time to answer.
func NewMonitor(timeout time.Duration) *Monitor {
	return &Monitor{timeout: timeout}
}

// Add puts a dependency under watch.
func (m *Monitor) Add(name string, dep Pinger) {
	m.checks = append(m.checks, check{name, dep})
}

// AwaitFirst returns when every dependency has answered once, and marks the process warm.
func (m *Monitor) AwaitFirst(ctx context.Context) {
	for ctx.Err() == nil {
		if m.allAnswer(ctx) {
			m.Warm()
			return
		}
		time.Sleep(time.Second)
	}
}

// Ready answers whether this process takes traffic, with the dependencies in the body.
func (m *Monitor) Ready(w http.ResponseWriter, r *http.Request) {
	words := m.report(r.Context())
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(m.status())
	if err := json.NewEncoder(w).Encode(words); err != nil {
		slog.Warn("writing the answer", "error", err)
	}
}

func (m *Monitor) allAnswer(ctx context.Context) bool {
	for _, word := range m.report(ctx) {
		if word != "ok" {
			return false
		}
	}
	return true
}

// report asks all dependencies side by side under one deadline.
func (m *Monitor) report(ctx context.Context) map[string]string {
	ctx, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	answers := make([]string, len(m.checks))
	var wg sync.WaitGroup
	for i, c := range m.checks {
		wg.Go(func() {
			answers[i] = "ok"
			if err := c.dep.Ping(ctx); err != nil {
				slog.Warn("dependency does not answer", "name", c.name, "error", err)
				answers[i] = "unreachable"
			}
		})
	}
	wg.Wait()
	words := make(map[string]string, len(m.checks))
	for i, c := range m.checks {
		words[c.name] = answers[i]
	}
	return words
}
