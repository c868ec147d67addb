package taskrun

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// ErrBusy means that a caller has waited too long for its turn, or that too many of its principal wait already.
var ErrBusy = errors.New("taskrun: too many wait for their turn")

const (
	// turnWait is how long a caller waits for its turn.
	turnWait = 2 * time.Second
	// maxTurns is how many callers of one principal wait.
	maxTurns = 64
)

// turns bounds how many callers do something at the same time: most in all, half of them for one principal. The others
// wait. Next is who waits longest of the principal that has fewest turns, so that nobody waits behind all callers of
// another one.
type turns struct {
	most int

	mu      sync.Mutex
	taken   int
	of      map[string]int // turns that each principal has
	waiting []*caller      // those who wait longest first
}

// caller is one who waits.
type caller struct {
	principal string
	begins    chan struct{}
}

func newTurns(most int) *turns { return &turns{most: most, of: make(map[string]int)} }

// take waits for a turn, which the caller gives back with give. The error is [ErrBusy], or that of ctx.
func (t *turns) take(ctx context.Context, principal string) error {
	t.mu.Lock()
	w := &caller{principal, make(chan struct{})}
	before := 0
	for _, o := range t.waiting {
		if o.principal == principal {
			before++
		}
	}
	if before >= maxTurns {
		t.mu.Unlock()
		return ErrBusy
	}
	t.waiting = append(t.waiting, w)
	t.nextLocked()
	t.mu.Unlock()
	late := time.NewTimer(turnWait)
	defer late.Stop()
	err := ErrBusy
	select {
	case <-w.begins:
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-late.C:
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(t.waiting, w)
	if i < 0 {
		return nil // its turn has begun meanwhile
	}
	t.waiting = slices.Delete(t.waiting, i, i+1)
	return err
}

// give ends a turn of a principal.
func (t *turns) give(principal string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.taken--
	if t.of[principal]--; t.of[principal] == 0 {
		delete(t.of, principal)
	}
	t.nextLocked()
}

// nextLocked begins the turns for which there is room.
func (t *turns) nextLocked() {
	for t.taken < t.most {
		next := -1
		for i, w := range t.waiting {
			n := t.of[w.principal]
			if n < max(1, t.most/2) && (next < 0 || n < t.of[t.waiting[next].principal]) {
				next = i
			}
		}
		if next < 0 {
			return
		}
		w := t.waiting[next]
		t.waiting = slices.Delete(t.waiting, next, next+1)
		t.taken++
		t.of[w.principal]++
		close(w.begins)
	}
}
