package engine

import (
	"time"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// cancelledFor is how long a cancellation is remembered whose request has not come yet.
const cancelledFor = 30 * time.Second

// cancellations remembers cancellations of a session that come before their requests: over HTTP messages may overtake
// each other. If most is 0 it remembers nothing. It is guarded by Calls.mu.
type cancellations struct {
	waiting []cancelledID // the oldest first
	most    int32         // the limit of len(waiting)
	next    uint8         // place in ended
	// ended are the requests that ended last: a cancellation that comes too late for one of them must not cancel a later
	// request with the same id. Clients should not use an id twice, but some do.
	ended [8]uint32
}

// cancelledID is the hash of an id that was cancelled, so that long ids cost no more than others.
type cancelledID struct {
	hash uint32
	at   time.Duration // since start
}

// start is the time from which durations count.
var start = time.Now()

// idHash is FNV-1a of an id. Whoever finds two ids with one hash harms only a session of their own.
func idHash(key wire.ID) uint32 {
	var room [64]byte
	h := uint64(14695981039346656037)
	for _, c := range key.AppendJSON(room[:0]) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return uint32(h ^ h>>32)
}

// add remembers the cancellation of a request that is not in flight, unless a request with its id has ended recently.
func (e *cancellations) add(key wire.ID) {
	if e.most == 0 {
		return
	}
	h := idHash(key)
	for _, ended := range e.ended {
		if ended == h {
			return
		}
	}
	e.remove(h)
	if len(e.waiting) >= int(e.most) {
		e.waiting = append(e.waiting[:0], e.waiting[1:]...)
	}
	e.waiting = append(e.waiting, cancelledID{h, time.Since(start)})
}

// remove takes out the id with the hash h, and all ids that are too old. It reports whether the id was there.
func (e *cancellations) remove(h uint32) (found bool) {
	now := time.Since(start)
	left := e.waiting[:0]
	for _, c := range e.waiting {
		switch {
		case now-c.at > cancelledFor:
		case c.hash == h:
			found = true
		default:
			left = append(left, c)
		}
	}
	if e.waiting = left; len(left) == 0 {
		e.waiting = nil
	}
	return found
}

// take reports whether the request with an id was cancelled before it came, and forgets the cancellation.
func (e *cancellations) take(key wire.ID) bool {
	if len(e.waiting) == 0 || !e.remove(idHash(key)) {
		return false
	}
	e.end(key)
	return true
}

// end notes that a request was responded to or cancelled. A cancellation with the same id that came meanwhile was for
// this request, and is forgotten.
func (e *cancellations) end(key wire.ID) {
	if e.most == 0 {
		return
	}
	h := idHash(key)
	if len(e.waiting) > 0 {
		e.remove(h)
	}
	e.ended[e.next] = h
	e.next = (e.next + 1) % uint8(len(e.ended))
}
