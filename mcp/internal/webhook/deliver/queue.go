package deliver

import (
	"container/heap"
	"time"
)

// pushLocked puts a subscription in the queue, unless it is there.
func (e *Engine) pushLocked(s *sub) {
	if s.queued || s.gone || e.closed {
		return
	}
	s.queued = true
	e.queue = append(e.queue, s)
	e.some.Signal()
}

// push has subscriptions pumped.
func push(e *Engine, all []*sub) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range all {
		s.more = true
		e.pushLocked(s)
	}
}

// read pumps the subscriptions of the queue until the engine is closed, or another goroutine has stepped in.
func (e *Engine) read() {
	for {
		e.mu.Lock()
		for len(e.queue) == 0 && !e.closed {
			e.some.Wait()
		}
		if e.closed {
			e.mu.Unlock()
			return
		}
		s := e.queue[0]
		e.queue[0] = nil
		e.queue = e.queue[1:]
		s.queued = false
		e.mu.Unlock()
		if e.pump(s) {
			return
		}
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

// dueLocked has a subscription pumped at a time; never, for a zero time.
func (e *Engine) dueLocked(s *sub, at time.Time) {
	switch {
	case at.IsZero() || s.gone:
		if s.timer > 0 {
			heap.Remove(&e.timers, s.timer-1)
		}
		return
	case s.timer > 0:
		s.due = at
		heap.Fix(&e.timers, s.timer-1)
	default:
		s.due = at
		heap.Push(&e.timers, s)
	}
	if e.timers[0] == s && !e.closed {
		e.alarm.Reset(max(time.Until(at), 0))
	}
}

// ring pushes the subscriptions that are due.
func (e *Engine) ring() {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := time.Now()
	for len(e.timers) > 0 && !e.timers[0].due.After(now) {
		s, _ := heap.Pop(&e.timers).(*sub)
		e.pushLocked(s)
	}
	if len(e.timers) > 0 && !e.closed {
		e.alarm.Reset(time.Until(e.timers[0].due))
	}
}
