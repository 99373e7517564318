package policy

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	opametrics "github.com/open-policy-agent/opa/v1/metrics"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// The limits of one query, which is all rules on one unit, or one rule where that failed. A query of a dozen rules takes
// well below a millisecond.
const (
	timeLimit = 2 * time.Second
	// grace is how long a query that was told to stop may take until it is left behind.
	grace = time.Second
	// memoryLimit is how far the heap may grow beyond twice what it was: so much it takes between two collections.
	memoryLimit = 512 << 20
	tick        = 10 * time.Millisecond
)

// watch stops queries that take too long or too much memory. It runs while there are queries.
type watch struct {
	base   uint64
	mu     sync.Mutex
	active map[*task]bool
	awake  bool
	free   []*evaluator
}

func newWatch() *watch { return &watch{base: heap(), active: map[*task]bool{}} }

// heap is how many bytes live and not yet collected objects take.
func heap() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	if s[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return s[0].Value.Uint64()
}

// task is one query that runs.
type task struct {
	stopper *stopper
	began   time.Time
	why     string // set by the watch before it stops the query
	stopped time.Time
	lost    chan struct{} // closed when it does not stop
	left    bool
}

// evaluator is a goroutine that runs queries one after the other. Its stack has grown to what they need.
type evaluator struct{ work chan func() }

func (w *watch) evaluator() *evaluator {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := len(w.free); n > 0 {
		e := w.free[n-1]
		w.free = w.free[:n-1]
		return e
	}
	e := &evaluator{work: make(chan func())}
	go func() {
		for f := range e.work {
			f()
		}
	}()
	return e
}

func (w *watch) start(t *task) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.active[t] = true
	if !w.awake {
		w.awake = true
		go w.look()
	}
}

func (w *watch) end(t *task, e *evaluator) (why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.active, t)
	if e != nil {
		w.free = append(w.free, e)
	}
	return t.why
}

// idle is how many ticks without a query the watch waits for the next one.
const idle = 50

func (w *watch) look() {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for quiet := 0; quiet < idle; {
		now := <-ticker.C
		w.mu.Lock()
		if len(w.active) == 0 {
			quiet++
		} else {
			quiet = 0
			w.tick(now)
		}
		w.mu.Unlock()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.active) > 0 {
		go w.look()
		return
	}
	w.awake = false
	for _, e := range w.free {
		close(e.work)
	}
	w.free = nil
}

func (w *watch) tick(now time.Time) {
	over := heap() > 2*w.base+memoryLimit
	for t := range w.active {
		took := now.Sub(t.began)
		switch {
		case !t.stopped.IsZero():
			if now.Sub(t.stopped) > grace && !t.left {
				t.left = true
				close(t.lost)
			}
			continue
		case took > timeLimit:
			t.why = fmt.Sprintf("did not end within %gs", timeLimit.Seconds())
		case over && took > 5*tick:
			t.why = fmt.Sprintf("took more than %d MiB of memory", memoryLimit>>20)
		default:
			continue
		}
		t.stopped = now
		t.stopper.Cancel()
	}
}

// noMetrics keeps the evaluator from timing itself.
var noMetrics = opametrics.NoOp()

// result is what a query yields.
type result struct {
	values []ast.Value // by entry; nil where undefined
	err    error
	errs   []topdown.Error // of builtins, which are undefined
	// why it was stopped, and at which line it was; abandoned: it did not stop.
	why       string
	at        *ast.Location
	abandoned bool
	panicked  any
}

// eval runs one query within the limits. trace finds the line that it spends its time at.
func (s *Set) eval(ctx context.Context, q *query, doc *ast.Term, trace bool) result {
	if !trace {
		return s.evalTraced(ctx, q, doc, nil)
	}
	tr := &hotLine{files: s}
	res := s.evalTraced(ctx, q, doc, tr)
	res.at = tr.line(res.err)
	return res
}

func (s *Set) evalTraced(ctx context.Context, q *query, doc *ast.Term, tr topdown.QueryTracer) result {
	if len(q.body) == 0 {
		return result{}
	}
	w := s.run.watch
	t := &task{stopper: &stopper{}, began: time.Now(), lost: make(chan struct{})}
	e := w.evaluator()
	done := make(chan result, 1)
	w.start(t)
	e.work <- func() { done <- s.evalHere(ctx, q, doc, t.stopper, tr) }
	var res result
	select {
	case res = <-done:
	case <-ctx.Done():
		w.halt(t)
		select {
		case res = <-done:
		case <-t.lost:
			w.end(t, nil)
			return result{err: ctx.Err(), abandoned: true}
		}
	case <-t.lost:
		why := w.end(t, nil)
		return result{err: context.DeadlineExceeded, why: why, at: t.stopper.at.Load(), abandoned: true}
	}
	res.why = w.end(t, e)
	if res.why != "" && res.err == nil {
		res.why = "" // it ended by itself meanwhile
	}
	if res.why != "" {
		runtime.GC() // the next query starts from what is alive
	}
	return res
}

// halt stops a query because the run ends.
func (w *watch) halt(t *task) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t.stopped.IsZero() {
		t.stopped = time.Now()
		t.stopper.Cancel()
	}
}

func (s *Set) evalHere(ctx context.Context, q *query, doc *ast.Term, stop *stopper, tr topdown.QueryTracer) (res result) {
	defer func() {
		if v := recover(); v != nil {
			res.err, res.panicked = fmt.Errorf("the evaluator failed: %v", v), v
		}
	}()
	query := topdown.NewQuery(q.body).WithQueryCompiler(q.compiler).WithCompiler(s.compiler).WithStore(s.store).WithTransaction(s.txn).
		WithInput(doc).WithCancel(stop).WithBuiltinErrorList(&res.errs).WithMetrics(noMetrics)
	if tr != nil {
		query = query.WithQueryTracer(tr).WithIndexing(false) // a rule that the index leaves out is not seen to read
	}
	res.values = make([]ast.Value, len(q.vars))
	res.err = query.Iter(ctx, func(qr topdown.QueryResult) error {
		for i, v := range q.vars {
			if t := qr[v]; t != nil {
				res.values[i] = t.Value
			}
		}
		return nil
	})
	return res
}

// hotLine counts where a query spends its time.
type hotLine struct {
	files *Set
	seen  map[*ast.Location]int
	last  *ast.Location
}

// Enabled, Config and TraceEvent make it a tracer of OPA.
func (h *hotLine) Enabled() bool { return true }

// Config asks for no variables.
func (h *hotLine) Config() topdown.TraceConfig { return topdown.TraceConfig{} }

// TraceEvent counts one step.
func (h *hotLine) TraceEvent(e topdown.Event) {
	if e.Op != topdown.EvalOp || e.Location == nil || h.files.files[e.Location.File] == nil {
		return
	}
	if h.seen == nil {
		h.seen = map[*ast.Location]int{}
	}
	h.seen[e.Location]++
	h.last = e.Location
}

// line is the place that most steps were at, of several the first one; where a builtin was refused the last place.
func (h *hotLine) line(err error) *ast.Location {
	if err == nil || len(h.seen) == 0 {
		return h.last
	}
	var limit *limitError
	if errors.As(err, &limit) {
		return h.last
	}
	var best *ast.Location
	for l, n := range h.seen {
		if best == nil || n > h.seen[best] || n == h.seen[best] && l.Compare(best) < 0 {
			best = l
		}
	}
	return best
}
