package cli

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// progress is one transient line on a terminal, shown from half a second on and gone before anything else is printed.
type progress struct {
	w     io.Writer // nil: no terminal
	start time.Time
	stop  chan struct{}
	done  sync.WaitGroup

	mu    sync.Mutex
	stage string
	// log is told how long each stage took; nil: nobody.
	log   func(stage string, took time.Duration)
	since time.Time // of the stage
}

const (
	progressDelay = 500 * time.Millisecond
	progressStep  = 200 * time.Millisecond
	clearLine     = "\r\x1b[K"
)

// startProgress shows the stages on w where that is a terminal that moves its cursor.
func (c *command) startProgress(quiet bool) *progress {
	p := &progress{start: time.Now(), stop: make(chan struct{}), stage: "starting"}
	if _, tty := terminal(c.Err); !tty || quiet || c.Getenv("TERM") == "dumb" {
		return p
	}
	p.w = c.Err
	p.done.Go(p.run)
	return p
}

// set names the stage that begins.
func (p *progress) set(stage string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.finish()
	p.stage, p.since = stage, time.Now()
}

// finish tells how long the stage took.
func (p *progress) finish() {
	if p.log != nil && !p.since.IsZero() {
		p.log(p.stage, time.Since(p.since))
	}
	p.since = time.Time{}
}

func (p *progress) run() {
	shown := false
	for wait := progressDelay; ; wait = progressStep {
		select {
		case <-p.stop:
			if shown {
				_, _ = io.WriteString(p.w, clearLine)
			}
			return
		case <-time.After(wait):
			shown = true
			p.mu.Lock()
			stage := p.stage
			p.mu.Unlock()
			_, _ = fmt.Fprintf(p.w, "%sprobelint: %s, %ds", clearLine, stage, int(time.Since(p.start).Seconds()))
		}
	}
}

// end takes the line away. It is called once.
func (p *progress) end() {
	close(p.stop)
	p.done.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.finish()
}
