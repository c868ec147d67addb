package auth

import (
	"context"
	"crypto/sha256"
	"net/netip"
	"slices"
	"sync"
	"time"
)

const (
	// newcomers is the part of all places that is for clients that have none: one of as many.
	newcomers = 16
	// stuckAfter is how many places in a row come back late until nobody waits for one any more, and how many clients
	// without a mark have one each at a time from then on, to find out whether that is over. lateFor is how long a client
	// is marked that was late, and maxLate how many of these are known.
	stuckAfter = 8
	lateFor    = 10 * time.Minute
	maxLate    = 10_000
)

// places bounds how much of something is under way, and shares it among clients as mcphttp shares requests: one has
// half at most, and less once little is left. Clients that were late have half of it together, so that they cannot keep
// out the others. While all are late, a few have places, and nobody waits. It is safe for concurrent use.
type places struct {
	most int
	late *cache[struct{}] // the clients that were late

	mu      sync.Mutex
	taken   int
	shares  map[netip.Addr]*share // of clients that have a place, or wait for one
	waiting []*waiter             // in the order in which they have come
	given   int                   // places so far

	lateTaken int // places of clients that were late
	lateNow   int // places in a row that came back late
}

// share is what one client has.
type share struct {
	taken, waiting int
	last           int // what given was when it got its last place; 0 for none
	late           bool
}

// waiter waits for a place.
type waiter struct {
	client netip.Addr
	came   chan struct{} // closed when there is one, or gone
	gone   bool          // because nobody waits any more
}

func newPlaces(most int) *places {
	return &places{most: most, late: newCache[struct{}](maxLate), shares: make(map[netip.Addr]*share)}
}

// take takes a place for a client, which give gives back. It is false if the client has its share. One without an
// address cannot be told from others, and has all.
func (p *places) take(of netip.Addr) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.takeLocked(of)
}

func (p *places) takeLocked(of netip.Addr) bool {
	c := p.shareLocked(of)
	defer p.forgetLocked(of)
	if !p.isFreeLocked(of, c) {
		return false
	}
	p.given++
	p.addLocked(c, 1)
	c.last = p.given
	return true
}

func (p *places) addLocked(c *share, n int) {
	p.taken += n
	c.taken += n
	if c.late {
		p.lateTaken += n
	}
}

// isFreeLocked reports whether there is a place for a client.
func (p *places) isFreeLocked(of netip.Addr, c *share) bool {
	left := p.most - p.taken
	switch {
	case left == 0:
		return false
	case p.isStuckLocked() && c.late:
		return p.lateTaken == 0
	case p.isStuckLocked():
		return c.taken == 0 && p.taken-p.lateTaken < stuckAfter
	case c.late && p.lateTaken >= p.most/2:
		return false
	}
	if c.taken == 0 || !of.IsValid() {
		return true
	}
	return c.taken < p.most/2 && c.taken < 4*(left-p.most/newcomers)
}

// shareLocked returns the share of a client, which may be a new one.
func (p *places) shareLocked(of netip.Addr) *share {
	c := p.shares[of]
	if c == nil {
		c = new(share)
		_, c.late = p.late.get(placeKey(of))
		p.shares[of] = c
	}
	return c
}

func placeKey(of netip.Addr) [sha256.Size]byte { return sha256.Sum256(of.AsSlice()) }

// isStuckLocked reports whether places come back late only.
func (p *places) isStuckLocked() bool { return p.lateNow >= stuckAfter }

// note says how it went for a client, before it gives its place back. One without an address is not marked.
func (p *places) note(of netip.Addr, late bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !late {
		p.lateNow = 0
		return
	}
	p.lateNow++
	if of.IsValid() {
		p.late.put(placeKey(of), struct{}{}, time.Now().Add(lateFor))
		if c := p.shares[of]; !c.late {
			c.late = true
			p.lateTaken += c.taken
		}
	}
}

// forgetLocked removes a client that has nothing.
func (p *places) forgetLocked(of netip.Addr) {
	if c := p.shares[of]; c.taken == 0 && c.waiting == 0 {
		delete(p.shares, of)
	}
}

// await is take that waits for a place until ctx ends, or all are late.
func (p *places) await(ctx context.Context, of netip.Addr) bool {
	p.mu.Lock()
	if p.takeLocked(of) {
		p.mu.Unlock()
		return true
	}
	if p.isStuckLocked() {
		p.mu.Unlock()
		return false
	}
	mine := &waiter{client: of, came: make(chan struct{})}
	p.waiting = append(p.waiting, mine)
	p.shareLocked(of).waiting++
	p.mu.Unlock()
	select {
	case <-mine.came:
		return !mine.gone
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.waiting, mine)
	if i < 0 {
		return !mine.gone // it came at the same time
	}
	p.leaveLocked(i)
	p.forgetLocked(of)
	return false
}

// leaveLocked takes a waiter out of the line.
func (p *places) leaveLocked(i int) {
	p.shares[p.waiting[i].client].waiting--
	p.waiting = slices.Delete(p.waiting, i, i+1)
}

// give gives a place back. Of those that wait, the client that has got its last one the longest ago comes next, so that
// nobody waits behind all that another has begun. Who gets none while all are late is sent away.
func (p *places) give(of netip.Addr) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.addLocked(p.shares[of], -1)
	p.forgetLocked(of)
	for {
		next, last := -1, 0
		for i, w := range p.waiting {
			if c := p.shares[w.client]; (next < 0 || c.last < last) && p.isFreeLocked(w.client, c) {
				next, last = i, c.last
			}
		}
		if next < 0 {
			break
		}
		w := p.waiting[next]
		p.takeLocked(w.client)
		p.leaveLocked(next)
		close(w.came)
	}
	for p.isStuckLocked() && len(p.waiting) > 0 {
		w := p.waiting[0]
		p.leaveLocked(0)
		p.forgetLocked(w.client)
		w.gone = true
		close(w.came)
	}
}
