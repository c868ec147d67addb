package server

import (
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// earlyFor is how long a session remembers cancellations whose requests have not come yet.
const earlyFor = 30 * time.Second

// early is what a session knows of ids whose messages may overtake each other, as those of HTTP do: a cancellation may
// be handled before the request that it is about. It is guarded by conn.mu.
type early struct {
	cancelled []earlyID // the oldest first, as many as requests may be in flight
	most      int       // of them
	// done are the requests that have ended last, so that a cancellation that comes too late does not hit a
	// later request with the same id. Clients should not use an id twice, and some do.
	done [8]uint64
	next int
}

// earlyID is the hash of an id that was cancelled, so that long ids cost no more than others.
type earlyID struct {
	hash uint64
	at   time.Duration // since began
}

// earlyHash is FNV-1a of an id. Whoever finds two ids with one hash harms nothing but the own session.
func earlyHash(key wire.ID) uint64 {
	var room [64]byte
	h := uint64(14695981039346656037)
	for _, c := range key.AppendJSON(room[:0]) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// cancel remembers the cancellation of a request that is not there, unless it was.
func (e *early) cancel(key wire.ID) {
	if e == nil {
		return
	}
	h := earlyHash(key)
	for _, done := range e.done {
		if done == h {
			return
		}
	}
	e.remove(h)
	if len(e.cancelled) >= e.most {
		e.cancelled = append(e.cancelled[:0], e.cancelled[1:]...)
	}
	e.cancelled = append(e.cancelled, earlyID{h, time.Since(began)})
}

// remove takes out an id, and those that are too old. It reports whether the id was there.
func (e *early) remove(h uint64) (found bool) {
	now := time.Since(began)
	left := e.cancelled[:0]
	for _, c := range e.cancelled {
		switch {
		case now-c.at > earlyFor:
		case c.hash == h:
			found = true
		default:
			left = append(left, c)
		}
	}
	e.cancelled = left
	return found
}

// take reports whether the request with an id was cancelled before it came.
func (e *early) take(key wire.ID) bool {
	if e == nil || len(e.cancelled) == 0 || !e.remove(earlyHash(key)) {
		return false
	}
	e.ended(key)
	return true
}

// ended notes that a request has been answered or cancelled. A cancellation that came meanwhile was for it.
func (e *early) ended(key wire.ID) {
	if e == nil {
		return
	}
	h := earlyHash(key)
	if len(e.cancelled) > 0 {
		e.remove(h)
	}
	e.done[e.next] = h
	e.next = (e.next + 1) % len(e.done)
}

// cancelledEarly reports whether the request with an id was cancelled before it came.
func (c *conn) cancelledEarly(id wire.ID) bool {
	if c.early == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.early.take(idKey(id))
}

// endedEarly notes the end of a request that was in no table.
func (c *conn) endedEarly(id wire.ID) {
	if c.early == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.early.ended(idKey(id))
}

// cancelInBatch handles the cancellations in a batch before its requests: these run one after the other, and one that
// has returned cannot be cancelled.
func (c *conn) cancelInBatch(texts [][]byte) {
	for _, text := range texts {
		m, bad := wire.ParseChecked(text)
		if bad != nil || !m.IsNotification() || string(m.Method) != protocol.MethodNotificationsCancelled {
			continue
		}
		raw, _ := wire.Lookup(m.Params, "requestId")
		d := wire.NewDecoder(raw)
		if id := d.ID(); d.Err() == nil {
			c.cancel(id)
		}
	}
}
