package engine

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Room counts the bytes of responses, from before they are made until they are written.
type Room interface {
	// Take counts n bytes. It returns false if there is no room for so many.
	Take(n int64) bool
	// Await is Take for a request that has nothing yet: it waits its turn. It returns false if the wait takes too long,
	// ended is closed or the client has left.
	Await(n int64, ended <-chan struct{}) bool
	// Give ends the count of n bytes that Take or Await has counted.
	Give(n int64)
}

// ErrNoRoom is the response to a request for whose response there is no room.
var ErrNoRoom = Busy("there is no room for the response")

// Large has the large values of a response, which are not in its frame.
type Large struct {
	// Inserts are values that are encoded only while the frame is written. They are in use until the response was written.
	Inserts []wire.Insert
	// Held is how many bytes are counted in a [Room] for the response. Frame says that Held includes the bytes of the
	// frame.
	Held  int64
	Frame bool
}

// Whole returns the response as one text.
func (l *Large) Whole(frame []byte) []byte { return wire.WithInserts(frame, l.Inserts) }

// largeOf returns the large values of the response to a request; nil if there are none.
func largeOf(of Request) *Large {
	if of == nil {
		return nil
	}
	return of.Large()
}

// maxTurnWait is how long a request waits for its turn.
const maxTurnWait = 30 * time.Second

// Turns lets requests wait for room for their responses. Clients take turns, and the requests of one client keep their
// order. A waiting request holds little memory, which is counted elsewhere.
type Turns struct {
	// Take counts n bytes for a client. It is called with a lock held. If ok is false, own says that only the client's own
	// share is full: there may be room for other clients.
	Take func(client any, n int64) (ok, own bool)

	waiting atomic.Int32 // requests
	mu      sync.Mutex
	order   []any // clients with waiting requests, the next one first
	lines   map[any][]*queued
}

// queued is a waiting request.
type queued struct {
	n    int64
	came chan struct{} // closed when its bytes are counted
}

// Await waits until it is the client's turn, and counts n bytes for it. It returns false if one of the closing channels
// is closed first, or after maxTurnWait. There may be two such channels.
func (t *Turns) Await(client any, n int64, closing ...<-chan struct{}) bool {
	mine := t.join(client, n)
	if mine == nil {
		return true
	}
	timeout := time.NewTimer(maxTurnWait)
	defer timeout.Stop()
	var end [2]<-chan struct{}
	copy(end[:], closing)
	select {
	case <-mine.came:
		return true
	case <-end[0]:
	case <-end[1]:
	case <-timeout.C:
	}
	return !t.leave(client, mine)
}

// smallTurn is how many bytes a client without waiting requests may take out of turn: so few bytes do not delay the
// requests that wait for many.
const smallTurn = 1 << 20

// join counts n bytes at once and returns nil, or enters a request for them into the queue and returns it.
func (t *Turns) join(client any, n int64) *queued {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.lines[client]) == 0 && (len(t.order) == 0 || n <= smallTurn) {
		if ok, _ := t.Take(client, n); ok {
			return nil
		}
	}
	mine := &queued{n, make(chan struct{})}
	if t.lines == nil {
		t.lines = make(map[any][]*queued)
	}
	if len(t.lines[client]) == 0 {
		t.order = append(t.order, client)
	}
	t.lines[client] = append(t.lines[client], mine)
	t.waiting.Add(1)
	t.nextLocked() // a Gave that came before waiting was set has done nothing
	return mine
}

// leave removes a request from the queue. It returns false if its bytes were counted already.
func (t *Turns) leave(client any, mine *queued) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	line := t.lines[client]
	for i := range line {
		if line[i] == mine {
			t.setLineLocked(client, append(line[:i:i], line[i+1:]...))
			t.nextLocked() // other requests may have waited behind this one
			return true
		}
	}
	return false
}

// Gave says that a client has given back bytes, so that others may go on.
func (t *Turns) Gave() {
	if t.waiting.Load() == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.nextLocked()
}

// nextLocked counts the bytes of the requests whose turn it is. A request for which there is not enough room keeps the
// others waiting, unless only the share of its own client is full.
func (t *Turns) nextLocked() {
	for i := 0; i < len(t.order); {
		client := t.order[i]
		line := t.lines[client]
		ok, own := t.Take(client, line[0].n)
		switch {
		case ok:
			close(line[0].came)
			t.order = append(append(t.order[:i:i], t.order[i+1:]...), client)
			t.setLineLocked(client, line[1:])
			i = 0
		case own:
			i++
		default:
			return
		}
	}
}

// setLineLocked replaces the waiting requests of a client by line, which has one fewer.
func (t *Turns) setLineLocked(client any, line []*queued) {
	t.waiting.Add(-1)
	if len(line) > 0 {
		t.lines[client] = line
		return
	}
	delete(t.lines, client)
	for i := range t.order {
		if t.order[i] == client {
			t.order = append(t.order[:i:i], t.order[i+1:]...)
			return
		}
	}
}

// Pool is a [Room] of a fixed size for the responses of one client. A single response may be larger than the pool. Make
// one with [NewPool].
type Pool struct {
	turns Turns
	size  int64
	used  atomic.Int64
	all   *atomic.Int64 // also gets the bytes in use; nil for none
	deny  *atomic.Int64 // counts refusals; nil for none
}

// NewPool returns a pool. The pool adds the bytes in use to the counter inUse, and counts refusals in refused. Either
// may be nil.
func NewPool(size int64, inUse, refused *atomic.Int64) *Pool {
	p := &Pool{size: size, all: inUse, deny: refused}
	p.turns.Take = func(_ any, n int64) (ok, own bool) { return p.take(n), false }
	return p
}

// Take implements [Room].
func (p *Pool) Take(n int64) bool { return p.count(p.take(n)) }

// Await implements [Room].
func (p *Pool) Await(n int64, ended <-chan struct{}) bool {
	return p.count(p.turns.Await(nil, n, ended))
}

// count counts a refusal if ok is false, and returns ok.
func (p *Pool) count(ok bool) bool {
	if !ok && p.deny != nil {
		p.deny.Add(1)
	}
	return ok
}

func (p *Pool) take(n int64) bool {
	if before := p.used.Add(n) - n; before > 0 && before+n > p.size {
		p.used.Add(-n)
		return false
	}
	if p.all != nil {
		p.all.Add(n)
	}
	return true
}

// Give implements [Room].
func (p *Pool) Give(n int64) {
	p.used.Add(-n)
	if p.all != nil {
		p.all.Add(-n)
	}
	p.turns.Gave()
}
