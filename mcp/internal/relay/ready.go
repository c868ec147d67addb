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
	heard, hear := r.peers.hearing(now)
	if heard == 0 {
		return now.Sub(r.strangeAt) < strangeFor
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

// isDeafLocked reports whether this replica has not heard itself for so long that it cannot say who is silent.
func (r *Relay) isDeafLocked(now time.Time) bool { return now.Sub(r.echoAt) > deafAfter }

// updateReadyLocked makes the replica ready once all peers have said that they hear it, because then they notice if it
// makes a change and cannot publish it. The replica must also have heard itself twice: peers that it does not know yet
// answer its first beat.
func (r *Relay) updateReadyLocked(now time.Time) {
	if r.ready.Load() || r.echoes < 2 || r.fenced.Load() || !r.peers.allHear(now) {
		return
	}
	r.wasReady = true
	r.ready.Store(true)
}

// difference says since when the lists of peers differ from those of this replica, and whether the receiver was told.
type difference struct {
	since    time.Time // zero if they do not differ
	notified bool
	added    bool // what [Receiver.Differ] was given
	peers    int
}

// watch checks the peers, the echoes of this replica and the digests once in each watchGap, until the relay ends.
func (r *Relay) watch() {
	t := time.NewTicker(watchGap)
	defer t.Stop()
	for {
		select {
		case <-r.ctx.Done():
			return
		case <-t.C:
		}
		r.gapIn(resyncSoon, r.watchPeers())
		r.watchSelf()
		r.watchDigests()
		r.warnUnready()
	}
}

// watchPeers looks for peers that are silent or owe a resync, and updates what depends on whom this replica hears. It
// returns the reason for a resync; NoLoss for none.
func (r *Relay) watchPeers() Loss {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	loss, lost := r.peers.check(now, r.isDeafLocked(now), r.hearsFrom)
	r.counts.suspects.Add(int64(lost))
	r.live.Store(int64(r.peers.live(now)))
	r.clockOff.Store(r.peers.clockOff(now))
	r.updateReadyLocked(now)
	is := r.peers.isUnheard(now)
	r.unheard.Store(is && r.wasUnheard) // at two checks, so that one lost beat does not make the replica unready
	r.wasUnheard = is
	return loss
}

// watchSelf fences the replica if it has not heard itself for too long.
func (r *Relay) watchSelf() {
	r.mu.Lock()
	r.watchApartLocked(time.Now())
	blind := time.Since(r.amongAt)
	fences := blind > MaxBlind && !r.fenced.Swap(true)
	if fences {
		r.ready.Store(false)
		r.echoes = 0
		r.peers.unlist()
	}
	r.mu.Unlock()
	if blind > silence {
		r.counts.blind.Add(int64(watchGap))
	}
	if fences {
		r.Log.Error("mcp: this replica does not hear itself on the bus, or the others do not hear it: it ends the "+
			"streams of its clients, and is not ready until they do", "blind", blind.Round(time.Second))
		r.Receiver.Blind()
	}
}

// watchDigests compares the lists of the replicas. It calls [Receiver.Differ] when they have differed for differFor,
// and when they are equal again, because clients may have got a list from another replica meanwhile.
func (r *Relay) watchDigests() {
	mine := r.Receiver.Digests()
	r.mu.Lock()
	now := time.Now()
	d := &r.differs
	var added bool
	d.peers, added = r.peers.differing(mine, now)
	if d.peers > 0 && d.since.IsZero() {
		d.since = now
	}
	tell, warn, whose := false, false, d.peers
	switch {
	case d.peers == 0:
		tell, added = d.notified, d.added
		*d = difference{}
	case now.Sub(d.since) >= differFor && !(d.notified && (d.added || !added)):
		tell, warn = true, added
		d.notified, d.added = true, added
	}
	r.mu.Unlock()
	if warn {
		r.Log.Warn("mcp: replicas differ in the tools that were added at run time: "+
			"add and remove tools on each of them", "replicas", whose)
	}
	if tell {
		r.Receiver.Differ(added)
	}
}
