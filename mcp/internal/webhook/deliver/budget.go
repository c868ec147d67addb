package deliver

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/fair"
)

// failing is the number of failures in a row after which a host gets only one attempt at a time.
const failing = 3

// slots limits how many attempts run at once for a host, for a caller, or in all.
type slots struct {
	most, taken int
	queue       []*sub // subscriptions that wait for a slot
	// Only of a host: how many attempts have failed in a row, and in the minute that began at the time minute.
	row, failures int
	minute        time.Time
}

func (s *slots) free() bool {
	if s.row >= failing {
		return s.taken == 0
	}
	return s.taken < s.most
}

// idle reports whether the slots can be forgotten: nobody uses them or waits, and no failures are remembered.
func (s *slots) idle(now time.Time) bool {
	return s.taken == 0 && len(s.queue) == 0 && now.Sub(s.minute) > time.Minute
}

func of(in map[string]*slots, name string, most int) *slots {
	s := in[name]
	if s == nil {
		s = &slots{most: most}
		in[name] = s
	}
	return s
}

// budget decides which attempts may run. The lock of the engine guards it.
type budget struct {
	perHost, perPrincipal, failures int
	all                             slots
	hosts, callers                  map[string]*slots
	short                           []*slots // of callers that wait because scarce returned true
}

func newBudget(o Options) budget {
	return budget{
		perHost: o.PerHost, perPrincipal: o.PerPrincipal, failures: o.FailuresPerHost, all: slots{most: o.InFlight},
		hosts: map[string]*slots{}, callers: map[string]*slots{},
	}
}

// scarce reports whether too few slots are left for a caller to get one more. So callers whose callbacks hang leave
// some slots to callers that have none.
func (b *budget) scarce(caller *slots) bool {
	left, reserved := int64(b.all.most-b.all.taken), int64(b.all.most/fair.Newcomers)
	return caller.taken > 0 && fair.Scarce(int64(caller.taken+1), left, reserved)
}

// needs returns the slots that an attempt for a subscription takes: of its host, of its caller and of all.
func (b *budget) needs(s *sub) [3]*slots {
	return [3]*slots{
		of(b.hosts, s.host, b.perHost), of(b.callers, s.def.Principal, b.perPrincipal), &b.all,
	}
}

// reserve takes the slots for an attempt. If ok is false, the subscription has to wait: until pass returns it, or, if
// again is not zero, until that time.
func (b *budget) reserve(s *sub, now time.Time) (ok bool, again time.Time) {
	needs := b.needs(s)
	host := needs[0]
	if now.Sub(host.minute) >= time.Minute {
		host.minute, host.failures = now, 0
	}
	if host.failures >= b.failures {
		return false, host.minute.Add(time.Minute)
	}
	for _, n := range needs {
		if !n.free() {
			s.wait(n)
			return false, time.Time{}
		}
	}
	if caller := needs[1]; b.scarce(caller) {
		s.wait(caller)
		if !slices.Contains(b.short, caller) {
			b.short = append(b.short, caller)
		}
		return false, time.Time{}
	}
	for _, n := range needs {
		n.taken++
	}
	return true, time.Time{}
}

// release gives the slots back.
func (b *budget) release(s *sub, r *result) {
	needs := b.needs(s)
	for _, n := range needs {
		n.taken--
	}
	switch host := needs[0]; {
	case r.accepted(), r.refused(): // the host answers in time
		host.row = 0
	case r.word != "":
		host.row++
		host.failures++
	}
}

// pass returns the subscriptions that wait for slots of s and may go on now. It is called after each pump, so that a
// subscription which is woken and then has to wait for other slots does not keep its turn.
func (b *budget) pass(s *sub) (next []*sub) {
	for _, n := range [3]*slots{b.hosts[s.host], b.callers[s.def.Principal], &b.all} {
		if n != nil && n.free() && !(n == b.callers[s.def.Principal] && b.scarce(n)) {
			next = n.first(next)
		}
	}
	return append(next, b.passShort()...)
}

// passShort is pass for subscriptions that wait because slots are scarce. Those of the caller with the fewest slots
// come first.
func (b *budget) passShort() []*sub {
	b.short = slices.DeleteFunc(b.short, func(n *slots) bool { return len(n.queue) == 0 })
	if len(b.short) == 0 || !b.all.free() {
		return nil
	}
	least := slices.MinFunc(b.short, func(x, y *slots) int { return cmp.Compare(x.taken, y.taken) })
	if !least.free() || b.scarce(least) {
		return nil
	}
	return least.first(nil)
}

// first takes the first waiting subscription out of the queue, and appends it.
func (s *slots) first(to []*sub) []*sub {
	for len(s.queue) > 0 {
		x := s.queue[0]
		s.queue = s.queue[1:]
		x.waits = nil
		if !x.gone {
			return append(to, x)
		}
	}
	return to
}

// tidy forgets hosts and callers whose slots are idle.
func (b *budget) tidy(now time.Time) {
	for _, all := range []map[string]*slots{b.hosts, b.callers} {
		maps.DeleteFunc(all, func(_ string, s *slots) bool { return s.idle(now) })
	}
}

// wait puts a subscription in a queue, unless it is in one.
func (s *sub) wait(n *slots) {
	if s.waits == nil {
		s.waits = n
		n.queue = append(n.queue, s)
	}
}

// leave takes a subscription out of the queue in which it waits.
func (s *sub) leave() {
	if s.waits != nil {
		s.waits.queue = slices.DeleteFunc(s.waits.queue, func(x *sub) bool { return x == s })
		s.waits = nil
	}
}
