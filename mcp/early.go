package mcp

import (
	"hash/maphash"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

const (
	// maxEarly bounds the cancellations that a session remembers because their requests have not come yet, and
	// earlyFor how long it does.
	maxEarly = 64
	earlyFor = 30 * time.Second
)

// early is what a session knows of ids whose messages may overtake each other, as those of HTTP do: a cancellation may
// be handled before the request that it is about. It is guarded by conn.mu.
type early struct {
	cancelled []earlyID // the oldest first
	// done are the requests that have ended last, so that a cancellation that comes too late does not hit a
	// later request with the same id. Clients should not use an id twice, and some do.
	done [8]uint64
	next int
}

// earlyID is the hash of an id that was cancelled, so that long ids cost no more than others.
type earlyID struct {
	hash uint64
	at   time.Time
}

var earlySeed = maphash.MakeSeed()

func earlyHash(key wire.ID) uint64 { return maphash.Comparable(earlySeed, key) }

// cancel remembers the cancellation of a request that is not there, unless it was.
func (e *early) cancel(key wire.ID, now time.Time) {
	h := earlyHash(key)
	if e == nil || slices.Contains(e.done[:], h) {
		return
	}
	e.forgetOld(now)
	if len(e.cancelled) == maxEarly {
		e.cancelled = slices.Delete(e.cancelled, 0, 1)
	}
	e.cancelled = append(e.cancelled, earlyID{h, now})
}

func (e *early) forgetOld(now time.Time) {
	e.cancelled = slices.DeleteFunc(e.cancelled, func(c earlyID) bool { return now.Sub(c.at) > earlyFor })
}

// take reports whether the request with an id was cancelled before it came.
func (e *early) take(key wire.ID, now time.Time) bool {
	if e == nil || len(e.cancelled) == 0 {
		return false
	}
	e.forgetOld(now)
	h := earlyHash(key)
	i := slices.IndexFunc(e.cancelled, func(c earlyID) bool { return c.hash == h })
	if i < 0 {
		return false
	}
	e.cancelled = slices.DeleteFunc(e.cancelled, func(c earlyID) bool { return c.hash == h })
	e.ended(key)
	return true
}

// ended notes that a request has been answered or cancelled.
func (e *early) ended(key wire.ID) {
	if e != nil {
		e.done[e.next] = earlyHash(key)
		e.next = (e.next + 1) % len(e.done)
	}
}

// cancelledEarly reports whether the request with an id was cancelled before it came.
func (c *conn) cancelledEarly(id wire.ID) bool {
	if c.early == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.early.take(idKey(id), time.Now())
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
