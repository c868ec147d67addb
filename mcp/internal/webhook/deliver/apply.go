package deliver

import (
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
)

// Apply takes subscriptions as the store has them now. An element without progress only changes a subscription that
// this replica has already. Subscriptions in shards of other replicas are skipped: those replicas read them from the
// store.
func (e *Engine) Apply(found ...event.Stored) {
	for _, f := range found {
		if f.Damage != nil {
			e.run.complain("a subscription cannot be read, and nothing is delivered until its client refreshes it", f.Damage,
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
	e.run.forget(changed)
}

// applyLocked is Apply for one subscription. It reports whether the host has to forget what it keeps for it.
func (e *Engine) applyLocked(f event.Stored) bool {
	def := f.Subscription
	s, sh := e.subs[def.ID], e.shards.held[def.Shard]
	switch {
	case s != nil && s.def.Version >= def.Version:
		return false
	case sh == nil, def.State == event.Ended:
		if s != nil {
			e.dropLocked(s)
		}
		return s != nil
	case s != nil && s.def.Birth == def.Birth:
		e.source.rights.Forget(def.Principal)
		was := s.suspended()
		s.def = def
		if was {
			s.revive()
		}
		s.stir()
		s.settle(s.def.State)
	case f.Progress == nil:
		return false
	default:
		if s != nil {
			e.dropLocked(s)
		}
		s = load(f, sh)
		e.subs[def.ID] = s
		e.names.enterLocked(s)
	}
	e.queue.pushLocked(s)
	return true
}

// dropLocked forgets a subscription. Attempts for it that are under way do not change it any more.
func (e *Engine) dropLocked(s *sub) {
	s.gone = true
	s.leave()
	e.queue.dueLocked(s, time.Time{})
	e.saver.forgetLocked(s)
	if e.subs[s.def.ID] == s {
		delete(e.subs, s.def.ID)
	}
	if s.known {
		e.run.host.Unwatch(s)
	}
	e.names.leaveLocked(s)
}

// sweep forgets the subscriptions of shards that this replica no longer has. lost is how many of these shards it lost
// because their leases were not renewed in time, as with a slow store or machine; that is logged.
func (e *Engine) sweep(lost int) {
	if lost > 0 {
		e.run.log.Warn("leases of webhooks are lost: another replica delivers, and repeats what was on its way",
			"shards", lost)
	}
	var dropped []string
	e.mu.Lock()
	for _, s := range e.subs {
		if e.shards.held[s.def.Shard] != s.shard {
			dropped = append(dropped, s.def.ID)
			e.dropLocked(s)
		}
	}
	e.mu.Unlock()
	e.run.forget(dropped)
}
