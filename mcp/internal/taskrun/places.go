package taskrun

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/fair"
)

// places decides whose tasks may run. It counts two things, for each principal and in total: running tasks, and the
// bytes that their handlers were given. It is guarded by Engine.mu.
//
// One principal has at most half of each, and no more than is fair ([fair.Scarce]). An eighth is reserved for
// principals without running tasks, so that a newcomer waits only for other newcomers.
type places struct {
	most [kinds]int64
	used [kinds]int64
	of   map[string]*[kinds]int64 // what each principal with running tasks uses
}

// What places counts.
const (
	kindTasks = iota
	kindBytes
	kinds
)

// maxRunningBytes is how many bytes the running handlers of tasks may have been given: arguments, as text and decoded,
// _meta, answers and checkpoints. A principal without running tasks may have a task of any size for which there is
// room.
const maxRunningBytes = 64 << 20

func newPlaces(tasks int) places {
	return places{most: [kinds]int64{int64(tasks), maxRunningBytes}, of: make(map[string]*[kinds]int64)}
}

// room reports whether a principal may run one more task whose handler gets the given number of bytes.
func (p *places) room(principal string, bytes int64) bool {
	own := p.of[principal]
	for kind, n := range [kinds]int64{1, bytes} {
		left := p.most[kind] - p.used[kind]
		if n > left {
			return false
		}
		if own == nil {
			continue
		}
		all := own[kind] + n
		if all > max(1, p.most[kind]/2) || fair.Scarce(all, left, p.reserved(kind)) {
			return false
		}
	}
	return true
}

// reserved returns how much of a kind is reserved for principals without running tasks: an eighth, but never the whole.
func (p *places) reserved(kind int) int64 { return min((p.most[kind]+7)/8, p.most[kind]-1) }

// take counts a running task of a principal.
func (p *places) take(principal string, bytes int64) {
	own := p.of[principal]
	if own == nil {
		own = new([kinds]int64)
		p.of[principal] = own
	}
	for kind, n := range [kinds]int64{1, bytes} {
		own[kind] += n
		p.used[kind] += n
	}
}

// give undoes a take of the same principal and number of bytes.
func (p *places) give(principal string, bytes int64) {
	own := p.of[principal]
	for kind, n := range [kinds]int64{1, bytes} {
		own[kind] -= n
		p.used[kind] -= n
	}
	if own[kindTasks] == 0 {
		delete(p.of, principal)
	}
}

// ErrBusy means that a caller has waited too long for its turn, or that too many of its principal wait already.
var ErrBusy = errors.New("taskrun: too many wait for their turn")

const (
	// turnWait is how long a caller waits for its turn.
	turnWait = 2 * time.Second
	// maxTurns limits how many callers of one principal wait.
	maxTurns = 64
)

// turns bounds how many callers do something at the same time. One principal has at most half of the turns. The other
// callers wait. The next turn goes to the principal that has the fewest turns, and there to the caller that waits
// longest, so that one principal cannot keep the others waiting.
type turns struct {
	most int // turns at the same time

	mu      sync.Mutex
	taken   int
	of      map[string]int // turns that each principal has
	waiting []*caller      // those who wait longest first
}

// caller is a caller that waits for its turn.
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
