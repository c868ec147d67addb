package relay

import (
	"math/rand/v2"
	"time"
)

const (
	strangeFor = 2 * beatGap // how long a frame with an unknown key is remembered
	quietAfter = 2 * beatGap // how long a replica that has been apart since its start still publishes
	quietLeast = 4 * beatGap // then it is quiet for this time and up to half as much more; doubled each time
	quietMost  = 2 * time.Minute
	answers    = 4 // about how many replicas answer a frame with an unknown key
	maxSkew    = 30 * time.Second
	maxAge     = 1e12 // milliseconds, for times that a peer states; 30 years
	maxClock   = 1e14 // milliseconds; 3,000 years
)

// State says whether requests may be sent to a replica, or why not.
type State uint8

// The states.
const (
	IsReady  State = iota // the others will learn of its changes
	Starting              // it has not heard itself and all others
	Blind                 // it has not heard itself for MaxBlind
	Apart                 // most of the others do not hear it, or it hears nobody and gets frames with an unknown key
	ClockOff              // its clock differs from that of most of the others
	Few                   // it hears fewer than half of Config.Expected
)

// State returns the state of this replica.
func (r *Relay) State() State {
	switch {
	case r.fenced.Load() || !r.ready.Load():
		r.mu.Lock()
		apart := r.isApartLocked(time.Now())
		r.mu.Unlock()
		switch {
		case apart:
			return Apart
		case r.fenced.Load():
			return Blind
		}
		return Starting
	case r.unheard.Load():
		return Apart
	case r.clockOff.Load():
		return ClockOff
	case 2*r.Heard() < r.Expected:
		return Few
	}
	return IsReady
}

// Ready reports whether requests may be sent to this replica.
func (r *Relay) Ready() bool {
	return r.joined() && !r.unheard.Load() && !r.clockOff.Load() && 2*r.Heard() >= r.Expected
}

// joined reports whether this replica is ready and not fenced: the others would notice if it made a change and could
// not publish it.
func (r *Relay) joined() bool { return r.ready.Load() && !r.fenced.Load() }

// warnUnready logs a new state that an operator has to repair.
func (r *Relay) warnUnready() {
	now := r.State()
	if now == r.state {
		return
	}
	switch r.state = now; now {
	case Apart:
		r.Log.Warn("mcp: not ready: the other replicas do not hear this one, or it cannot open what they say: " +
			"compare Options.Keys")
	case ClockOff:
		r.Log.Warn("mcp: not ready: the clock of this replica is more than 30 seconds off that of the others")
	case Few:
		r.Log.Warn("mcp: not ready: this replica hears fewer than half of the others", "heard", r.Heard(),
			"expected", r.Expected)
	}
}

// isApartLocked reports whether this replica and the others do not understand each other: most of the peers that it
// hears do not hear it, or it hears no peer and gets frames with a key that it does not have. In this state it proves
// nothing that the replica hears itself.
func (r *Relay) isApartLocked(now time.Time) bool {
	heard, hear := 0, 0
	for _, p := range r.peers {
		if p.isLive(now) && p.beaten && !p.fenced {
			heard++
			if p.listsMe {
				hear++
			}
		}
	}
	if heard == 0 {
		return now.Sub(r.strangeAt) < strangeFor
	}
	return 2*hear < heard
}

// isUnheard reports whether most of the peers that heard this replica once do not hear it any more. These peers will
// soon count it as lost. If it then makes a change, cannot publish it, and ends, nobody notices. Peers that never heard
// this replica do not count, because they may be apart themselves.
func isUnheard(r *Relay, now time.Time) bool {
	heard, hear := 0, 0
	for _, p := range r.peers {
		if p.isLive(now) && p.listed && !p.fenced {
			heard++
			if p.listsMe {
				hear++
			}
		}
	}
	return 2*hear < heard
}

// watchApartLocked makes a replica that has been apart since its start quiet most of the time. So it does not disturb
// replicas that were ready before. And of two replicas that start together with different keys, one gets ready.
func (r *Relay) watchApartLocked(now time.Time) {
	apart := !r.wasReady && r.isApartLocked(now)
	if apart {
		r.apartAt = now
	}
	switch {
	case r.quiet.Load() && now.Before(r.quietTo) && now.Sub(r.apartAt) < quietLeast:
	case r.quiet.Swap(false), !apart:
		r.apartFrom = time.Time{}
	case r.apartFrom.IsZero():
		r.apartFrom = now
	case now.Sub(r.apartFrom) > quietAfter:
		r.quietTime = max(quietLeast+rand.N(quietLeast/2), min(2*r.quietTime, quietMost)) //nolint:gosec // no secret
		r.quietTo = now.Add(r.quietTime)
		r.quiet.Store(true)
	}
}

// wallClock returns the time of the clock of this replica, for the comparison with others.
func (r *Relay) wallClock() time.Time { return time.Now().Add(r.clock) }

// compareClocksLocked finds out whether the clock of this replica is far from that of most others. If as many clocks
// are far from it as are near, the clock of the oldest replica decides.
func (r *Relay) compareClocksLocked(now time.Time) {
	near, ahead, behind := 1, 0, 0
	eldest, since := time.Duration(0), r.began
	for _, p := range r.peers {
		switch {
		case !p.isLive(now) || p.began.IsZero():
			continue
		case p.ahead > maxSkew:
			ahead++
		case p.ahead < -maxSkew:
			behind++
		default:
			near++
		}
		if p.began.Before(since) {
			eldest, since = p.ahead, p.began
		}
	}
	far := max(ahead, behind) - near - min(ahead, behind) // the clocks on one side, minus all others
	r.clockOff.Store(far > 0 || far == 0 && eldest.Abs() > maxSkew)
}
