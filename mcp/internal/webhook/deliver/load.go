package deliver

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
)

// page is how many subscriptions are loaded at once.
const page = 500

// shard is one of those of this replica.
type shard struct {
	beat     uint64
	renewed  time.Time
	loaded   bool // all of its subscriptions were
	draining bool // nothing more is started
	flying   int  // attempts
}

// poll takes what has changed in the store, and has all names looked at.
func (e *Engine) poll() {
	for e.wait(e.poller, e.o.Poll) {
		e.mu.Lock()
		tickLocked(e)
		shards, loads, after := numbersLocked(e, true), e.loads, e.after
		e.mu.Unlock()
		if len(shards) == 0 {
			continue
		}
		last, _ := e.loadAll(shards, after)
		e.mu.Lock()
		if loads == e.loads { // else there may be changes before last that were not asked for
			e.after = last
		}
		e.mu.Unlock()
	}
}

// numbersLocked returns the numbers of the shards that are loaded, or of those that are not.
func numbersLocked(e *Engine, loaded bool) (numbers []int) {
	for n, sh := range e.shards {
		if sh.loaded == loaded {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers
}

// load loads shards that were taken over. That may take longer than a lease, which turn renews meanwhile.
func (e *Engine) load() {
	for e.wait(e.loader, 0) {
		for loadSome(e) {
			if !e.wait(nil, time.Second) {
				return
			}
		}
	}
}

// loadSome loads all shards that are not loaded, and reports whether to try it again because the store has failed.
func loadSome(e *Engine) (again bool) {
	e.mu.Lock()
	numbers, after := numbersLocked(e, false), e.after
	taken := make([]*shard, len(numbers))
	for i, n := range numbers {
		taken[i] = e.shards[n]
	}
	e.mu.Unlock()
	if len(numbers) == 0 {
		return false
	}
	last, ok := e.loadAll(numbers, 0)
	if !ok {
		return true
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	// What poll looks for begins here: it may be further, but has not asked for the changes of these shards.
	if e.after = after; len(numbersLocked(e, true)) == 0 {
		e.after = last
	}
	e.loads++
	for _, sh := range taken {
		sh.loaded = true
	}
	return false
}

// loadAll takes the subscriptions of shards that have changed after a version, and returns the last version.
func (e *Engine) loadAll(shards []int, after uint64) (last uint64, ok bool) {
	for {
		ctx, cancel := context.WithTimeout(e.life, patience)
		found, err := e.store.Changed(ctx, shards, after, page)
		cancel()
		if err != nil {
			e.complain("the store of subscriptions fails", err)
			return after, false
		}
		e.Apply(found...)
		if len(found) > 0 {
			after = found[len(found)-1].Subscription.Version
		}
		if len(found) < page {
			return after, true
		}
	}
}

// Apply takes subscriptions as they are in the store. Without progress only what is known is changed. Those of other
// replicas are left to them, who find them in the store.
func (e *Engine) Apply(found ...event.Stored) {
	for _, f := range found {
		if f.Damage != nil {
			e.complain("a subscription cannot be read, and nothing is delivered until its client refreshes it", f.Damage,
				"id", f.Subscription.ID)
		}
	}
	var changed []string
	e.mu.Lock()
	for _, f := range found {
		if e.applyLocked(f) {
			changed = append(changed, f.Subscription.ID)
		}
	}
	e.mu.Unlock()
	forget(e.host, changed)
}

// applyLocked reports whether the host has to forget what it keeps for the subscription.
func (e *Engine) applyLocked(f event.Stored) bool {
	def := f.Subscription
	s, sh := e.subs[def.ID], e.shards[def.Shard]
	switch {
	case s != nil && s.def.Version >= def.Version:
		return false
	case sh == nil, def.State == event.Ended:
		if s != nil {
			e.dropLocked(s)
		}
		return s != nil
	case s != nil && s.def.Birth == def.Birth:
		e.rights.Forget(def.Principal)
		was := s.suspended()
		s.def = def
		if was {
			s.revive()
		}
		s.stir()
		s.settle()
	case f.Progress == nil:
		return false
	default:
		if s != nil {
			e.dropLocked(s)
		}
		s = load(f, sh)
		e.subs[def.ID] = s
		s.name = nameLocked(e, def.Name)
		s.name.subs[s], s.name.busy[s] = struct{}{}, struct{}{}
	}
	e.pushLocked(s)
	return true
}

// dropLocked forgets a subscription. What flies for it has no consequences any more.
func (e *Engine) dropLocked(s *sub) {
	s.gone = true
	s.leave()
	e.dueLocked(s, time.Time{})
	delete(e.dirty, s)
	if e.subs[s.def.ID] == s {
		delete(e.subs, s.def.ID)
	}
	if s.known {
		e.host.Unwatch(s)
	}
	delete(s.name.subs, s)
	delete(s.name.busy, s)
	if len(s.name.subs) == 0 && e.names[s.def.Name] == s.name {
		delete(e.names, s.def.Name)
	}
}

// Held implements [lease.Holder].
func (e *Engine) Held() map[int]uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	beats := make(map[int]uint64, len(e.shards))
	for n, sh := range e.shards {
		beats[n] = sh.beat
	}
	return beats
}

// Renewed implements [lease.Holder].
func (e *Engine) Renewed(beats map[int]uint64, at time.Time) {
	e.mu.Lock()
	had := len(e.shards)
	for n, sh := range e.shards {
		if beat := beats[n]; beat > 0 {
			sh.beat, sh.renewed = beat, at
		} else {
			delete(e.shards, n)
		}
	}
	lost := had - len(e.shards)
	e.mu.Unlock()
	e.sweep(lost)
}

// Drain implements [lease.Holder].
func (e *Engine) Drain(keep int) (free []int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, n := range slices.Sorted(maps.Keys(e.shards)) {
		sh := e.shards[n]
		if sh.draining = i >= keep; sh.draining && sh.flying == 0 {
			free = append(free, n)
		}
	}
	return free
}

// Leave implements [lease.Holder].
func (e *Engine) Leave(ctx context.Context, shards []int) map[int]uint64 {
	e.saveAll(ctx)
	beats := map[int]uint64{}
	e.mu.Lock()
	for _, n := range shards {
		if sh := e.shards[n]; sh != nil {
			beats[n] = sh.beat
			delete(e.shards, n)
		}
	}
	e.mu.Unlock()
	e.sweep(0)
	return beats
}

// Enter implements [lease.Holder].
func (e *Engine) Enter(beats map[int]uint64, at time.Time) {
	e.mu.Lock()
	for n, beat := range beats {
		e.shards[n] = &shard{beat: beat, renewed: at}
		e.stats.ShardsTaken++
	}
	e.mu.Unlock()
	signal(e.loader)
}

// Lapse implements [lease.Holder].
func (e *Engine) Lapse(before time.Time) {
	e.mu.Lock()
	had := len(e.shards)
	maps.DeleteFunc(e.shards, func(_ int, sh *shard) bool { return sh.renewed.Before(before) })
	lost := had - len(e.shards)
	e.mu.Unlock()
	e.sweep(lost)
}

// sweep forgets the subscriptions of shards that are not of this replica any more. Some are lost when their leases could
// not be renewed in time, as with a slow store or machine: that is logged.
func (e *Engine) sweep(lost int) {
	if lost > 0 {
		e.log.Warn("leases of webhooks are lost: another replica delivers, and repeats what was on its way", "shards", lost)
	}
	var dropped []string
	e.mu.Lock()
	for _, s := range e.subs {
		if e.shards[s.def.Shard] != s.shard {
			dropped = append(dropped, s.def.ID)
			e.dropLocked(s)
		}
	}
	e.mu.Unlock()
	forget(e.host, dropped)
}
