package deliver

import (
	"context"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
)

// page is how many subscriptions are read from the store at once.
const page = 500

// loader reads the subscriptions of this replica's shards from the store, and follows the changes that others make. The
// lock of the engine, mu, guards the fields below it.
type loader struct {
	run     *running
	store   event.Store
	every   time.Duration // how often changes are looked for
	shards  *shards
	apply   func(found ...event.Stored)
	tick    func()        // is called each time that changes are looked for
	changed chan struct{} // gets a signal when the store has changed

	mu    *sync.Mutex
	after uint64 // the version up to which changes of loaded shards are known
	loads int    // counts the times that shards were loaded
}

func newLoader(mu *sync.Mutex, run *running, o Options, h *shards) *loader {
	return &loader{run: run, store: o.Store, every: o.Poll, shards: h, changed: make(chan struct{}, 1), mu: mu}
}

// poll reads the changes in the store.
func (l *loader) poll() {
	for l.run.wait(l.changed, l.every) {
		l.tick()
		l.mu.Lock()
		shards, loads, after := l.shards.numbersLocked(true), l.loads, l.after
		l.mu.Unlock()
		if len(shards) == 0 {
			continue
		}
		last, _ := l.all(shards, after)
		l.mu.Lock()
		if loads == l.loads { // else there may be changes before last that were not asked for
			l.after = last
		}
		l.mu.Unlock()
	}
}

// load loads the shards that were taken over. That may take longer than a lease lasts; Engine.turn renews the leases
// meanwhile.
func (l *loader) load() {
	for l.run.wait(l.shards.entered, 0) {
		for l.some() {
			if !l.run.wait(nil, time.Second) {
				return
			}
		}
	}
}

// some loads all shards that are not loaded. It reports whether to try again, because the store has failed.
func (l *loader) some() (again bool) {
	l.mu.Lock()
	numbers, after := l.shards.numbersLocked(false), l.after
	taken := make([]*shard, len(numbers))
	for i, n := range numbers {
		taken[i] = l.shards.held[n]
	}
	l.mu.Unlock()
	if len(numbers) == 0 {
		return false
	}
	last, ok := l.all(numbers, 0)
	if !ok {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	// poll goes back to this version: if it has come further meanwhile, then without the changes of these shards.
	if l.after = after; len(l.shards.numbersLocked(true)) == 0 {
		l.after = last
	}
	l.loads++
	for _, sh := range taken {
		sh.loaded = true
	}
	return false
}

// all applies the subscriptions of shards that have changed since the version seen, and returns the newest version that
// it has seen. ok is false if the store has failed.
func (l *loader) all(shards []int, seen uint64) (last uint64, ok bool) {
	for {
		ctx, cancel := context.WithTimeout(l.run.life, patience)
		found, err := l.store.Changed(ctx, shards, seen, page)
		cancel()
		if err != nil {
			l.run.complain("the store of subscriptions fails", err)
			return seen, false
		}
		l.apply(found...)
		if len(found) > 0 {
			seen = found[len(found)-1].Subscription.Version
		}
		if len(found) < page {
			return seen, true
		}
	}
}
