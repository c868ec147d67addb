package deliver

import (
	"sync"
	"time"
)

// If a read lasts longer than the time soon, as with a slow policy, another goroutine takes over the queue, but for at
// most mostSlow reads at once: a further slow read holds up the queue. While slowEach such reads of a principal last,
// its other subscriptions wait.
const (
	soon     = 100 * time.Millisecond
	mostSlow = 128
	slowEach = 4
)

// slowReads counts the slow reads. The lock of the engine, mu, guards the fields below it.
type slowReads struct {
	queue *queue
	more  func() // begins another goroutine that reads

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
	// Guarded by the lock of the engine: whether the read has ended, and whether there is another goroutine.
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
