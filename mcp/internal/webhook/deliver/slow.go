package deliver

import (
	"sync"
	"time"
)

// Limits of slow reads. A slow read does not hold up the queue, because another goroutine takes over.
const (
	soon     = 100 * time.Millisecond // a read that lasts longer is slow, as with a slow policy
	mostSlow = 128                    // slow reads at once; a further one holds up the queue
	slowEach = 4                      // slow reads at once of one principal; then its other subscriptions wait
)

// slowReads counts the slow reads. The lock of the engine, mu, guards the fields below it.
type slowReads struct {
	queue *queue
	more  func() // starts another goroutine that reads

	mu   *sync.Mutex
	all  int
	each map[string]int // by principal
}

func newSlowReads(mu *sync.Mutex, q *queue) *slowReads {
	return &slowReads{queue: q, mu: mu, each: map[string]int{}}
}

// mayLocked reports whether a read may begin for a principal.
func (w *slowReads) mayLocked(principal string) bool { return w.each[principal] < slowEach }

// step is one read. If it is slow, another goroutine takes over the queue.
type step struct {
	of        *slowReads
	principal string
	timer     *time.Timer
	// Guarded by the lock of the engine: whether the read has ended, and whether another goroutine has taken over.
	ended, done bool
}

// begin begins a read for a principal.
func (w *slowReads) begin(principal string) *step {
	x := &step{of: w, principal: principal}
	x.timer = time.AfterFunc(soon, x.late)
	return x
}

// late starts another goroutine for the queue, unless too many reads are slow.
func (x *step) late() {
	w := x.of
	w.mu.Lock()
	defer w.mu.Unlock()
	if x.ended || w.queue.closed || w.all == mostSlow {
		return
	}
	x.done = true
	w.each[x.principal]++
	w.all++
	w.more()
}

// endLocked ends a read. It reports whether another goroutine has taken over the queue.
func (x *step) endLocked() bool {
	x.timer.Stop()
	if x.ended = true; !x.done {
		return false
	}
	w := x.of
	w.all--
	if w.each[x.principal]--; w.each[x.principal] == 0 {
		delete(w.each, x.principal)
	}
	return true
}
