package relay

import (
	"math/rand/v2"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
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
			suspect(r, f.from, time.Now()) // so that Direct knows the sender, even if its first frame was lost
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
		defer r.beatSoon()
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
		if wasDeaf = isDeaf(r, now); wasDeaf {
			r.hearsFrom = now
		}
		r.echo, r.echoAt = at, now
		if !r.isApartLocked(now) {
			r.amongAt = now
			r.echoes++
			wasFenced = r.fenced.Swap(false)
			r.updateReadyLocked()
		}
	}
	r.mu.Unlock()
	if wasFenced {
		r.Log.Info("mcp: this replica hears itself on the bus again")
		r.beatSoon()
	}
	if wasDeaf || wasFenced {
		r.gapIn(resyncSettled, LostBus)
	}
}

// receiveFrom updates the sender of f, and the peers that the sender hears, by what f says. It returns the reason why
// changes were missed; NoLoss for none.
func (r *Relay) receiveFrom(f *frame) (loss Loss) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	r.addHearsayLocked(f, now)
	at, p := instant{f.epoch, f.seq}, r.peers[f.from]
	if p == nil {
		if len(r.peers) >= maxPeers {
			return LostFrame
		}
		p = new(peer)
		r.peers[f.from] = p
	}
	var missed bool
	switch {
	case !p.direct: // its first frame
		missed = at != instant{1, 1} && r.without != ruleSeq && !failpoint.On("relay-first-frame")
		if f.flags&flagBye == 0 && r.takePlaceLocked(p, now) {
			loss = LostStart
		}
		if r.apartFrom = (time.Time{}); r.quiet.Swap(false) {
			r.quietTo = now // the peer may be able to open the frames of this replica
		}
		defer r.beatSoon() // tells the peer that it is heard
	case at.epoch > p.at.epoch:
		missed = r.without != ruleEpoch
	case at.isAfter(p.at):
		missed = at.seq != p.at.seq+1 && r.without != ruleSeq
		if at.seq == p.at.seq+2 && failpoint.On("relay-gap-of-one") {
			missed = false
		}
	default:
		return NoLoss // repeated, or late: a later frame has come before, and the gap has counted as a loss
	}
	if p.direct && now.Sub(p.heard) > hush && now.Sub(r.greeted) >= eagerGap {
		r.greeted = now
		defer r.beatSoon() // tells the peer that it is heard again
	}
	p.at, p.heard, p.missing, p.direct = at, now, false, true
	if f.flags&flagBye != 0 {
		p.bye, p.taken = true, r.leavePlaceLocked(p)
	}
	if f.flags&flagBeat != 0 {
		takeBeat(r, p, f, now)
		if !p.listsMe && !p.fenced && now.Sub(r.greeted) >= eagerGap {
			r.greeted = now
			defer r.beatSoon()
		}
		r.countLocked(now)
		r.compareClocksLocked(now)
	}
	r.updateReadyLocked()
	if missed {
		return LostFrame
	}
	return loss
}

// takeBeat updates p by what f, a beat of p, says.
func takeBeat(r *Relay, p *peer, f *frame, now time.Time) {
	p.beaten, p.digests = true, f.digests
	p.listsMe = p.listsMe && f.flags&flagPart != 0 || f.says(r.origin)
	p.listed = p.listed || p.listsMe
	p.fenced = f.flags&flagFenced != 0
	if f.flags&flagAsks != 0 {
		p.asked = now
	}
	if f.clock != 0 {
		p.began = now.Add(-millis(f.age))
		p.ahead = time.UnixMilli(int64(min(f.clock, maxClock))).Sub(r.wallClock())
	}
}
