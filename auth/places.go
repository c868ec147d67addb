package auth

import (
	"context"
	"net/netip"
	"slices"
	"sync"
)

// newcomers is the part of all places that is for clients that have none: one of as many.
const newcomers = 16

// places bounds how much of something is under way, and shares it among clients as mcphttp shares requests: one has
// half at most, and less once little is left. It is safe for concurrent use.
type places struct {
	most int

	mu      sync.Mutex
	taken   int
	shares  map[netip.Addr]*share // of clients that have a place, or wait for one
	waiting []*waiter             // in the order in which they have come
	given   int                   // places so far
}

// share is what one client has.
type share struct {
	taken, waiting int
	last           int // what given was when it got its last place; 0 for none
}

// waiter waits for a place.
type waiter struct {
	client netip.Addr
	came   chan struct{} // closed when there is one
}

func newPlaces(most int) *places { return &places{most: most, shares: make(map[netip.Addr]*share)} }

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
	p.taken++
	p.given++
	c.taken, c.last = c.taken+1, p.given
	return true
}

// isFreeLocked reports whether there is a place for a client.
func (p *places) isFreeLocked(of netip.Addr, c *share) bool {
	left := p.most - p.taken
	if left == 0 || c.taken == 0 || !of.IsValid() {
		return left > 0
	}
	return c.taken < p.most/2 && c.taken < 4*(left-p.most/newcomers)
}

// shareLocked returns the share of a client, which may be a new one.
func (p *places) shareLocked(of netip.Addr) *share {
	c := p.shares[of]
	if c == nil {
		c = new(share)
		p.shares[of] = c
	}
	return c
}

// forgetLocked removes a client that has nothing.
func (p *places) forgetLocked(of netip.Addr) {
	if c := p.shares[of]; c.taken == 0 && c.waiting == 0 {
		delete(p.shares, of)
	}
}

// await is take that waits for a place until ctx ends.
func (p *places) await(ctx context.Context, of netip.Addr) bool {
	p.mu.Lock()
	if p.takeLocked(of) {
		p.mu.Unlock()
		return true
	}
	mine := &waiter{of, make(chan struct{})}
	p.waiting = append(p.waiting, mine)
	p.shareLocked(of).waiting++
	p.mu.Unlock()
	select {
	case <-mine.came:
		return true
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.waiting, mine)
	if i < 0 {
		return true // it came at the same time
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
// nobody waits behind all that another has begun.
func (p *places) give(of netip.Addr) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken--
	p.shares[of].taken--
	p.forgetLocked(of)
	for {
		next, last := -1, 0
		for i, w := range p.waiting {
			if c := p.shares[w.client]; (next < 0 || c.last < last) && p.isFreeLocked(w.client, c) {
				next, last = i, c.last
			}
		}
		if next < 0 {
			return
		}
		w := p.waiting[next]
		p.takeLocked(w.client)
		p.leaveLocked(next)
		close(w.came)
	}
}
