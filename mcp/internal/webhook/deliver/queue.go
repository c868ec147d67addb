package deliver

import (
	"container/heap"
	"sync"
	"time"
)

// queue has the subscriptions that are to be pumped, now or at a time. The lock of the engine guards it.
type queue struct {
	some   *sync.Cond // signalled when list gets an element or the queue is closed; L is the lock of the engine
	list   []*sub
	timers timers
	alarm  *time.Timer // for the first of timers; nil before start
	closed bool
}

func newQueue(mu *sync.Mutex) *queue { return &queue{some: sync.NewCond(mu)} }

// startLocked starts the timer of the queue.
func (q *queue) startLocked() { q.alarm = time.AfterFunc(time.Hour, q.ring) }

// closeLocked closes the queue. It reports whether it was closed before.
func (q *queue) closeLocked() (was bool) {
	was, q.closed = q.closed, true
	if q.alarm != nil {
		q.alarm.Stop()
	}
	q.some.Broadcast()
	return was
}

// next waits for a subscription and takes it out of the queue. It returns nil once the queue is closed.
func (q *queue) next() *sub {
	q.some.L.Lock()
	defer q.some.L.Unlock()
	for len(q.list) == 0 && !q.closed {
		q.some.Wait()
	}
	if q.closed {
		return nil
	}
	s := q.list[0]
	q.list[0] = nil
	q.list = q.list[1:]
	s.queued = false
	return s
}

// pushLocked puts a subscription in the queue, unless it is there.
func (q *queue) pushLocked(s *sub) {
	if s.queued || s.gone || q.closed {
		return
	}
	s.queued = true
	q.list = append(q.list, s)
	q.some.Signal()
}

// stir queues subscriptions, and makes them look for new events. The caller must not hold the lock.
func (q *queue) stir(all []*sub) {
	q.some.L.Lock()
	defer q.some.L.Unlock()
	for _, s := range all {
		s.stir()
		q.pushLocked(s)
	}
}

// dueLocked sets the time at which a subscription is pumped; the zero time means never.
func (q *queue) dueLocked(s *sub, at time.Time) {
	switch {
	case at.IsZero() || s.gone:
		if s.timer > 0 {
			heap.Remove(&q.timers, s.timer-1)
		}
		return
	case s.timer > 0:
		s.due = at
		heap.Fix(&q.timers, s.timer-1)
	default:
		s.due = at
		heap.Push(&q.timers, s)
	}
	if q.timers[0] == s && !q.closed {
		q.alarm.Reset(max(time.Until(at), 0))
	}
}

// ring pushes the subscriptions that are due.
func (q *queue) ring() {
	q.some.L.Lock()
	defer q.some.L.Unlock()
	now := time.Now()
	for len(q.timers) > 0 && !q.timers[0].due.After(now) {
		s, _ := heap.Pop(&q.timers).(*sub)
		q.pushLocked(s)
	}
	if len(q.timers) > 0 && !q.closed {
		q.alarm.Reset(time.Until(q.timers[0].due))
	}
}

// timers are subscriptions in the order in which they are due.
type timers []*sub

func (t timers) Len() int           { return len(t) }
func (t timers) Less(i, j int) bool { return t[i].due.Before(t[j].due) }
func (t timers) Swap(i, j int) {
	t[i], t[j] = t[j], t[i]
	t[i].timer, t[j].timer = i+1, j+1
}

// Push implements [heap.Interface].
func (t *timers) Push(x any) {
	s, _ := x.(*sub)
	*t = append(*t, s)
	s.timer = len(*t)
}

// Pop implements [heap.Interface].
func (t *timers) Pop() any {
	last := len(*t) - 1
	s := (*t)[last]
	(*t)[last] = nil
	*t = (*t)[:last]
	s.timer = 0
	return s
}
