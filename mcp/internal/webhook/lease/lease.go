// Package lease divides the shards of a store of subscriptions among replicas. A replica takes its leases again and
// again, which changes their beat. If a replica sees with its own clock that the leases of another one have not changed
// for a while, it takes the other one for dead, and takes some of them. So the clocks of replicas need not agree.
package lease

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
)

// places is how many replicas can register by a lease.
const places = 64

// Holder is the engine that has the shards of a replica. Its methods are called by one goroutine.
type Holder interface {
	// Held returns the beats of the shards that it has.
	Held() map[int]uint64
	// Renewed is called when leases were renewed. beats has the new beats of their shards; all other shards are given up.
	Renewed(beats map[int]uint64, at time.Time)
	// Drain keeps the first n shards, and starts nothing more for the others. Of the others it returns those for which
	// nothing runs any more, so that they can be given up.
	Drain(n int) (free []int)
	// Leave gives up shards, after saving what there is to save. It returns their beats.
	Leave(ctx context.Context, shards []int) map[int]uint64
	// Enter takes over shards. It returns at once.
	Enter(beats map[int]uint64, at time.Time)
	// Lapse gives up the shards whose last renewal was before the given time.
	Lapse(before time.Time)
}

// Lessor takes and gives up shards, so that each replica has its share. Only one goroutine uses it.
type Lessor struct {
	store  event.Store
	owner  string
	silent time.Duration
	holder Holder
	seen   map[string]sight
	place  event.Lease // by which others know of this replica
}

// sight is a lease, and when this replica last saw it change.
type sight struct {
	event.Lease

	since time.Time
}

// New returns a lessor for an owner, whose name must be unique. silent is how long a lease must not have changed before
// others may take it.
func New(store event.Store, owner string, silent time.Duration, h Holder) *Lessor {
	return &Lessor{store: store, owner: owner, silent: silent, holder: h, seen: map[string]sight{}}
}

func shardName(n int) string { return fmt.Sprintf("shard/%02d", n) }
func placeName(n int) string { return fmt.Sprintf("replica/%02d", n) }

// shardOf returns the number of the shard of a lease, or -1.
func shardOf(name string) (n int) {
	if _, err := fmt.Sscanf(name, "shard/%d", &n); err != nil || n < 0 || n >= event.Shards {
		return -1
	}
	return n
}

// Turn looks at the leases once. It must be called several times within the time after which other replicas count this
// one as dead.
func (l *Lessor) Turn(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, l.silent/2)
	defer cancel()
	now := time.Now()
	leases, err := l.store.Leases(ctx)
	if err == nil {
		replicas := l.look(leases, now)
		err = l.renew(ctx, now)
		if err == nil {
			err = l.share(ctx, now, (event.Shards+replicas-1)/replicas)
		}
	}
	l.holder.Lapse(time.Now().Add(-l.silent * 2 / 3))
	return err
}

// look notes the present leases, and returns how many replicas are alive, this one included.
func (l *Lessor) look(leases []event.Lease, now time.Time) int {
	seen := make(map[string]sight, len(leases))
	for _, x := range leases {
		if seen[x.Name] = l.seen[x.Name]; seen[x.Name].Lease != x {
			seen[x.Name] = sight{x, now}
		}
	}
	l.seen = seen // without leases that the store has lost
	replicas := 1
	for n := range places {
		if l.alive(placeName(n), now) {
			replicas++
		}
	}
	return replicas
}

// alive reports whether another replica has a lease and renews it.
func (l *Lessor) alive(name string, now time.Time) bool {
	x := l.seen[name]
	return x.Owner != "" && x.Owner != l.owner && now.Sub(x.since) < l.silent
}

// take takes leases, and returns the beats of those that it got.
func (l *Lessor) take(ctx context.Context, leases []event.Lease) (beats map[string]uint64, err error) {
	if len(leases) == 0 {
		return nil, nil
	}
	taken, err := l.store.Take(ctx, leases)
	beats = make(map[string]uint64, len(taken))
	for _, x := range taken {
		l.seen[x.Name] = sight{x, time.Now()}
		beats[x.Name] = x.Beat
	}
	return beats, err
}

// shards returns the beats of the leases that are shards.
func shards(beats map[string]uint64) map[int]uint64 {
	out := make(map[int]uint64, len(beats))
	for name, beat := range beats {
		if n := shardOf(name); n >= 0 {
			out[n] = beat
		}
	}
	return out
}

// renew renews the place and the shards of this replica, and gives up those that it has lost.
func (l *Lessor) renew(ctx context.Context, now time.Time) error {
	var mine []event.Lease
	for n, beat := range l.holder.Held() {
		mine = append(mine, event.Lease{Name: shardName(n), Owner: l.owner, Beat: beat})
	}
	l.findPlace(now)
	if l.place.Name != "" {
		mine = append(mine, l.place)
	}
	beats, err := l.take(ctx, mine)
	if err != nil {
		return err
	}
	if l.place.Beat = beats[l.place.Name]; l.place.Beat == 0 {
		l.place = event.Lease{} // another one has it: look for a new one in the next turn
	}
	l.holder.Renewed(shards(beats), now)
	return nil
}

// findPlace chooses a lease by which this replica registers, if it has none.
func (l *Lessor) findPlace(now time.Time) {
	for n := 0; l.place.Name == "" && n < places; n++ {
		if name := placeName(n); !l.alive(name, now) {
			l.place = event.Lease{Name: name, Owner: l.owner, Beat: l.seen[name].Beat}
		}
	}
}

// share gives up shards if this replica has more than its share, and takes free shards if it has fewer. quota is how
// many shards its share is.
func (l *Lessor) share(ctx context.Context, now time.Time, quota int) error {
	held := l.holder.Held()
	if err := l.release(ctx, l.holder.Drain(quota)); err != nil {
		return err
	}
	var want []event.Lease
	for n := range event.Shards {
		name := shardName(n)
		if _, mine := held[n]; len(held)+len(want) < quota && !mine && !l.alive(name, now) {
			want = append(want, event.Lease{Name: name, Owner: l.owner, Beat: l.seen[name].Beat})
		}
	}
	beats, err := l.take(ctx, want)
	if err != nil {
		return err
	}
	if len(beats) > 0 {
		l.holder.Enter(shards(beats), now)
	}
	return nil
}

// release makes shards free, so that others need not wait for their leases.
func (l *Lessor) release(ctx context.Context, numbers []int) error {
	if len(numbers) == 0 {
		return nil
	}
	var free []event.Lease
	for n, beat := range l.holder.Leave(ctx, numbers) {
		free = append(free, event.Lease{Name: shardName(n), Beat: beat})
	}
	_, err := l.take(ctx, free)
	return err
}

// GiveBack makes all shards and the place of this replica free, at the end.
func (l *Lessor) GiveBack(ctx context.Context) error {
	var numbers []int
	for n := range l.holder.Held() {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	err := l.release(ctx, numbers)
	if place := l.place; err == nil && place.Name != "" {
		place.Owner = ""
		_, err = l.store.Take(ctx, []event.Lease{place})
	}
	return err
}
