package deliver

import (
	"context"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
)

// name is the name of an event, with the subscriptions to it. An idle subscription has read all events that there were.
// The host is asked once for all idle subscriptions which of them match new events. The others are busy, and read on by
// themselves. The lock of the engine guards it.
type name struct {
	subs, busy map[*sub]struct{}
	head       event.Position // up to here idle subscriptions have all events; zero before the first is idle
	looking    bool           // a goroutine looks for more
}

// names has the names of all subscriptions. The lock of the engine, mu, guards the fields below it.
type names struct {
	run   *running
	queue *queue
	waker chan struct{} // gets a signal when a name is woken

	mu    *sync.Mutex
	all   map[string]*name
	woken map[string]bool // names to look at; true if somebody has said that there is more
}

func newNames(mu *sync.Mutex, run *running, q *queue) *names {
	return &names{
		run: run, queue: q, waker: make(chan struct{}, 1), mu: mu, all: map[string]*name{}, woken: map[string]bool{},
	}
}

// enterLocked adds a subscription to its name.
func (ns *names) enterLocked(s *sub) {
	n := ns.all[s.def.Name]
	if n == nil {
		n = &name{subs: map[*sub]struct{}{}, busy: map[*sub]struct{}{}}
		ns.all[s.def.Name] = n
	}
	s.name = n
	n.subs[s], n.busy[s] = struct{}{}, struct{}{}
}

// leaveLocked removes a subscription from its name.
func (ns *names) leaveLocked(s *sub) {
	delete(s.name.subs, s)
	delete(s.name.busy, s)
	if len(s.name.subs) == 0 && ns.all[s.def.Name] == s.name {
		delete(ns.all, s.def.Name)
	}
}

// wake says that there may be new events of a name. It does not block.
func (ns *names) wake(word string) {
	ns.mu.Lock()
	ns.woken[word] = true
	ns.mu.Unlock()
	signal(ns.waker)
}

// tick looks at all names, so that an event of another replica is found even if its signal is lost.
func (ns *names) tick() {
	ns.mu.Lock()
	for word := range ns.all {
		if !ns.woken[word] {
			ns.woken[word] = false
		}
	}
	ns.mu.Unlock()
	signal(ns.waker)
}

// loop looks at names that were woken, each on one goroutine at a time.
func (ns *names) loop() {
	for ns.run.wait(ns.waker, 0) {
		ns.mu.Lock()
		for word, said := range ns.woken {
			n := ns.all[word]
			if n != nil && n.looking {
				continue
			}
			delete(ns.woken, word)
			if n != nil {
				n.looking = true
				ns.run.loops.Go(func() { ns.look(word, n, said) })
			}
		}
		ns.mu.Unlock()
	}
}

// look looks for new events of a name. It wakes the idle subscriptions that match one. It wakes the busy ones if there
// is a new event, or if said is set, as after a signal. No subscription becomes idle meanwhile, because look might have
// passed over it already.
func (ns *names) look(word string, n *name, said bool) {
	defer signal(ns.waker)
	changed := said
	for more := true; more; {
		ns.mu.Lock()
		head := n.head
		ns.mu.Unlock()
		m, err := event.Match{}, error(nil)
		if head != (event.Position{}) {
			ctx, cancel := context.WithTimeout(ns.run.life, patience)
			m, err = ns.run.host.Match(ctx, word, head)
			cancel()
		}
		ns.mu.Lock()
		if err == nil {
			changed = changed || m.After != head
			ns.matchedLocked(n, &m)
		}
		if more = m.More && err == nil; !more {
			ns.lookedLocked(n, changed)
		}
		ns.mu.Unlock()
		if err != nil {
			ns.run.complain("a webhook cannot read events", err)
		}
	}
}

// matchedLocked wakes the subscriptions that have a match.
func (ns *names) matchedLocked(n *name, m *event.Match) {
	wake := func(s *sub) {
		if s.name == n && s.idle {
			s.stir()
			ns.queue.pushLocked(s)
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

// lookedLocked is called when look has seen all events. Subscriptions that have read as far become idle. The others go
// on to read if changed is set, or if they have not read as far.
func (ns *names) lookedLocked(n *name, changed bool) {
	n.looking = false
	now := time.Now()
	for s := range n.busy {
		if s.rest() || !changed && (!s.known || s.to == n.head) {
			continue
		}
		s.more = true
		if s.active(now) {
			ns.queue.pushLocked(s)
		}
	}
}
