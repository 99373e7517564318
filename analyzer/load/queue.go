package load

import "sync"

// queue hands nodes to workers until all of them are idle and none is left.
type queue struct {
	mu    sync.Mutex
	cond  *sync.Cond
	nodes []*node
	busy  int
}

func newQueue() *queue {
	q := &queue{}
	q.cond = sync.NewCond(&q.mu)
	return q
}

func (q *queue) push(n *node) {
	q.mu.Lock()
	q.nodes = append(q.nodes, n)
	q.mu.Unlock()
	q.cond.Signal()
}

// drain runs do on every node that is pushed, with the given number of workers, and returns when the queue is empty and
// nobody is at work.
func (q *queue) drain(workers int, do func(*node)) {
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			for {
				for len(q.nodes) == 0 && q.busy > 0 {
					q.cond.Wait()
				}
				if len(q.nodes) == 0 {
					q.cond.Broadcast()
					return
				}
				n := q.nodes[len(q.nodes)-1]
				q.nodes = q.nodes[:len(q.nodes)-1]
				q.busy++
				q.mu.Unlock()
				do(n)
				q.mu.Lock()
				q.busy--
			}
		})
	}
	wg.Wait()
}
