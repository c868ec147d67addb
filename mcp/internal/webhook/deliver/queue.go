package deliver

import (
	"container/heap"
	"context"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
)

// name is an event with its subscriptions. The host is asked once for all that are idle which of them have a match; the
// others are busy, and read by themselves.
type name struct {
	subs, busy map[*sub]struct{}
	head       event.Position // up to here the idle ones have everything; zero if there was none yet
	looking    bool           // a goroutine looks for more
}

// nameLocked returns a name, which is made if it is not there.
func nameLocked(e *Engine, word string) *name {
	n := e.names[word]
	if n == nil {
		n = &name{subs: map[*sub]struct{}{}, busy: map[*sub]struct{}{}}
		e.names[word] = n
	}
	return n
}

// Wake says that there may be new events of a name. It does not block.
func (e *Engine) Wake(word string) {
	e.mu.Lock()
	e.woken[word] = true
	e.mu.Unlock()
	signal(e.waker)
}

// tickLocked has all names looked at: an event that another replica has appended need not wait for a signal that does
// not come.
func tickLocked(e *Engine) {
	for word := range e.names {
		if !e.woken[word] {
			e.woken[word] = false
		}
	}
	signal(e.waker)
}

// wake has woken names looked at, each by one goroutine at a time.
func (e *Engine) wake() {
	for e.wait(e.waker, 0) {
		e.mu.Lock()
		for word, said := range e.woken {
			n := e.names[word]
			if n != nil && n.looking {
				continue
			}
			delete(e.woken, word)
			if n != nil {
				n.looking = true
				e.loops.Go(func() { look(e, word, n, said) })
			}
		}
		e.mu.Unlock()
	}
}

// look wakes those of a name that have a match, and those that are busy if somebody has said that there is more, or if
// there is. While it looks nobody becomes idle, because it may have missed them.
func look(e *Engine, word string, n *name, said bool) {
	defer signal(e.waker)
	changed := said
	for more := true; more; {
		e.mu.Lock()
		head := n.head
		e.mu.Unlock()
		m, err := event.Match{}, error(nil)
		if head != (event.Position{}) {
			ctx, cancel := context.WithTimeout(e.life, patience)
			m, err = e.host.Match(ctx, word, head)
			cancel()
		}
		e.mu.Lock()
		if err == nil {
			changed = changed || m.After != head
			matchedLocked(e, n, &m)
		}
		if more = m.More && err == nil; !more {
			lookedLocked(e, n, changed)
		}
		e.mu.Unlock()
		if err != nil {
			e.complain("a webhook cannot read events", err)
		}
	}
}

// matchedLocked has those read that have a match.
func matchedLocked(e *Engine, n *name, m *event.Match) {
	wake := func(s *sub) {
		if s.name == n && s.idle {
			s.stir()
			e.pushLocked(s)
		}
	}
	for _, tag := range m.Tags {
		if s, ok := tag.(*sub); ok {
			wake(s)
		}
	}
	if m.All {
		for s := range n.subs {
			wake(s)
		}
	}
	n.head = m.After
}

// lookedLocked is called when there is no more to look at. Those that have read it by themselves are idle then.
func lookedLocked(e *Engine, n *name, changed bool) {
	n.looking = false
	now := time.Now()
	for s := range n.busy {
		if s.rest() || !changed && (!s.known || s.to == n.head) {
			continue
		}
		s.more = true
		if e.activeLocked(s, now) {
			e.pushLocked(s)
		}
	}
}

// readLocked is called when a subscription has read all that there was: from now on the name looks for it.
func readLocked(s *sub) {
	if s.name.head == (event.Position{}) && s.known && !s.more {
		s.name.head = s.to
	}
	s.rest()
}

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
		s.stir()
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
