package relay

import (
	"math/rand/v2"
	"time"
)

// receive handles one frame that comes from the bus.
func (r *Relay) receive(sealed []byte) {
	if len(sealed) > maxFrame {
		r.counts.drop(dropSize)
		return
	}
	plain, err := r.Box.Open(sealed, r.purpose)
	if err != nil {
		r.unopened(sealed)
		return
	}
	f, err := parse(plain)
	switch {
	case err != nil: // of a replica of another version, which may have signalled a change
		r.counts.drop(dropForm)
		r.gapIn(resyncSoon, LostFrame)
		return
	case f.from == r.origin:
		r.receiveOwn(&f)
		return
	case f.flags&flagDirect != 0:
		r.counts.received.Add(1)
		if f.to == r.origin {
			r.mu.Lock()
			r.peers.suspect(f.from, time.Now()) // so that Direct knows the sender, even if its first frame was lost
			r.mu.Unlock()
			r.Receiver.Direct(f.from.String(), f.payload)
		}
		return
	}
	r.counts.received.Add(1)
	loss := r.receiveFrom(&f)
	if f.lists != 0 {
		r.Receiver.DeliverLists(f.lists)
	}
	for _, s := range f.signals {
		r.Receiver.Deliver(s)
	}
	r.gapIn(resyncSoon, loss)
}

// unopened counts a frame that cannot be opened. It logs the first frame with an unknown key. A few of the replicas
// that are ready answer a frame with an unknown key with a beat.
func (r *Relay) unopened(sealed []byte) {
	if r.Box.Knows(sealed) {
		r.counts.drop(dropForeign)
		return
	}
	r.counts.drop(dropKey)
	r.mu.Lock()
	now, warned := time.Now(), r.warned
	r.warned, r.strangeAt = true, now
	if r.joined() && now.Sub(r.greeted) >= eagerGap && rand.N(r.live.Load()) < answers { //nolint:gosec // no secret
		r.greeted = now // the beat tells a replica with a wrong key of its error before it gets ready
		defer r.pending.beatSoon()
	}
	r.mu.Unlock()
	if !warned {
		r.Log.Warn("mcp: frames on the bus are sealed with another key, and are dropped: " +
			"all replicas of a server need the same Options.Keys")
	}
}

// receiveOwn notes that a frame of this replica has come back.
func (r *Relay) receiveOwn(f *frame) {
	if f.flags&flagDirect != 0 {
		return
	}
	r.mu.Lock()
	at := instant{f.epoch, f.seq}
	wasDeaf, wasFenced := false, false
	if at.isAfter(r.echo) {
		now := time.Now()
		if wasDeaf = r.isDeafLocked(now); wasDeaf {
			r.hearsFrom = now
		}
		r.echo, r.echoAt = at, now
		if !r.isApartLocked(now) {
			r.amongAt = now
			r.echoes++
			wasFenced = r.fenced.Swap(false)
			r.updateReadyLocked(now)
		}
	}
	r.mu.Unlock()
	if wasFenced {
		r.Log.Info("mcp: this replica hears itself on the bus again")
		r.pending.beatSoon()
	}
	if wasDeaf || wasFenced {
		r.gapIn(resyncSettled, LostBus)
	}
}

// receiveFrom updates the sender of f, and the peers that the sender hears, by what f says. It returns the reason why
// changes were missed; NoLoss for none.
func (r *Relay) receiveFrom(f *frame) Loss {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	n := r.peers.take(f, now, r.wallClock())
	if n.ignored {
		return n.loss
	}
	if n.first {
		if r.apartFrom = (time.Time{}); r.quiet.Swap(false) {
			r.quietTo = now // the peer may be able to open the frames of this replica
		}
		defer r.pending.beatSoon() // tells the peer that it is heard
	}
	if n.answer && now.Sub(r.greeted) >= eagerGap {
		r.greeted = now
		defer r.pending.beatSoon() // likewise, but not too often
	}
	if f.flags&flagBeat != 0 {
		r.live.Store(int64(r.peers.live(now)))
		r.clockOff.Store(r.peers.clockOff(now))
	}
	r.updateReadyLocked(now)
	return n.loss
}
