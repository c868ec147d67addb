package sessions

import (
	"cmp"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
)

// roomBatch is how many idle sessions are ended at once at most, so that not every new session has to look at all
// sessions.
const roomBatch = 64

// takeRoom counts one more session of u. To make room it ends idle sessions of the client with the most sessions, those
// first that are idle longest. That client keeps a fair share: as many as each client would have if all had the same
// number. Clients that cannot be told apart count as one client, but make room for each other too. takeRoom returns
// false if u has all that it may have, or if there is no room.
func (t *Set) takeRoom(u *limits.Usage) bool {
	if !u.IsUnknown() && t.admit.IsFull(u, limits.Sessions) {
		return false
	}
	t.room.Lock()
	defer t.room.Unlock()
	return t.admit.Take(u, limits.Sessions, 1) || // somebody else has made room
		t.makeRoomLocked(u) && t.admit.Take(u, limits.Sessions, 1)
}

// makeRoomLocked ends idle sessions to make room for one of u, and reports whether it has ended any.
func (t *Set) makeRoomLocked(u *limits.Usage) bool {
	all := t.admit.All(limits.Sessions)
	of := map[*limits.Usage][]*Session{u: nil}
	for x := range t.table.all() {
		of[x.Usage] = append(of[x.Usage], x)
	}
	fair := max(int(all)/len(of), 1)
	holders := make([]*limits.Usage, 0, len(of))
	for holder := range of {
		holders = append(holders, holder)
	}
	slices.SortFunc(holders, func(a, b *limits.Usage) int { return cmp.Compare(len(of[b]), len(of[a])) })
	for i, holder := range holders {
		surplus := len(of[holder]) - fair
		if surplus <= 0 {
			break
		}
		if i+1 < len(holders) { // the holder keeps as many as the next one has
			surplus = min(surplus, max(len(of[holder])-len(of[holders[i+1]]), 1))
		}
		if t.endIdle(of[holder], min(surplus, roomBatch)) {
			return true
		}
	}
	return u.IsUnknown() && t.endIdle(of[u], min(len(of[u])/16+1, roomBatch))
}

// endIdle ends up to n idle sessions of a list, those first that are idle longest. It reports whether it has ended any.
func (t *Set) endIdle(list []*Session, n int) (ended bool) {
	type idle struct {
		x     *Session
		since time.Duration
	}
	var order []idle
	for _, x := range list {
		x.mu.Lock()
		if x.using == 0 && !x.closed {
			order = append(order, idle{x, x.idle})
		}
		x.mu.Unlock()
	}
	slices.SortFunc(order, func(a, b idle) int { return cmp.Compare(a.since, b.since) })
	for _, o := range order[:min(n, len(order))] {
		if o.x.closeIdle(func(since time.Duration) bool { return since == o.since }) {
			t.end(o.x)
			ended = true
		}
	}
	return ended
}
