package deliver

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/webhook/lease"
)

// shard is a shard that this replica has. The lock of the engine guards it.
type shard struct {
	beat     uint64
	renewed  time.Time
	loaded   bool // all of its subscriptions were read from the store
	draining bool // no more attempts are started
	flying   int  // attempts under way
}

// shards has the shards of this replica. The lock of the engine, mu, guards the fields below it.
type shards struct {
	entered chan struct{}             // gets a signal when shards were taken over
	save    func(ctx context.Context) // saves the progress of subscriptions
	left    func(lost int)            // is called after shards were given up; lost of them were not renewed in time

	mu    *sync.Mutex
	held  map[int]*shard
	taken int64 // counts shards that were taken over
}

var _ lease.Holder = (*shards)(nil)

func newShards(mu *sync.Mutex) *shards {
	return &shards{entered: make(chan struct{}, 1), mu: mu, held: map[int]*shard{}}
}

// numbersLocked returns the numbers of the shards that are loaded; if loaded is false, of those that are not.
func (h *shards) numbersLocked(loaded bool) (numbers []int) {
	for n, sh := range h.held {
		if sh.loaded == loaded {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers
}

// Held implements [lease.Holder].
func (h *shards) Held() map[int]uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	beats := make(map[int]uint64, len(h.held))
	for n, sh := range h.held {
		beats[n] = sh.beat
	}
	return beats
}

// Renewed implements [lease.Holder].
func (h *shards) Renewed(beats map[int]uint64, at time.Time) {
	h.mu.Lock()
	had := len(h.held)
	for n, sh := range h.held {
		if beat := beats[n]; beat > 0 {
			sh.beat, sh.renewed = beat, at
		} else {
			delete(h.held, n)
		}
	}
	lost := had - len(h.held)
	h.mu.Unlock()
	h.left(lost)
}

// Drain implements [lease.Holder].
func (h *shards) Drain(keep int) (free []int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, n := range slices.Sorted(maps.Keys(h.held)) {
		sh := h.held[n]
		if sh.draining = i >= keep; sh.draining && sh.flying == 0 {
			free = append(free, n)
		}
	}
	return free
}

// Leave implements [lease.Holder].
func (h *shards) Leave(ctx context.Context, numbers []int) map[int]uint64 {
	h.save(ctx)
	beats := map[int]uint64{}
	h.mu.Lock()
	for _, n := range numbers {
		if sh := h.held[n]; sh != nil {
			beats[n] = sh.beat
			delete(h.held, n)
		}
	}
	h.mu.Unlock()
	h.left(0)
	return beats
}

// Enter implements [lease.Holder].
func (h *shards) Enter(beats map[int]uint64, at time.Time) {
	h.mu.Lock()
	for n, beat := range beats {
		h.held[n] = &shard{beat: beat, renewed: at}
		h.taken++
	}
	h.mu.Unlock()
	signal(h.entered)
}

// Lapse implements [lease.Holder].
func (h *shards) Lapse(before time.Time) {
	h.mu.Lock()
	had := len(h.held)
	maps.DeleteFunc(h.held, func(_ int, sh *shard) bool { return sh.renewed.Before(before) })
	lost := had - len(h.held)
	h.mu.Unlock()
	h.left(lost)
}
