package relay

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
)

// peer is what this replica knows of another one. It is guarded by Relay.mu.
type peer struct {
	at      instant
	heard   time.Time
	seen    time.Time // when another peer has heard it last, by the beats of that peer
	missing bool      // it was silent for too long, and no replica has taken its place
	told    time.Time // when the last resync because of its silence was planned
	direct  bool      // this replica has heard it itself
	beaten  bool      // a beat of it was heard
	listsMe bool      // by its last beats, it had heard this replica within hush
	listed  bool      // listsMe was true once
	fenced  bool      // as its last beat says
	asked   time.Time // when its last beat with flagAsks came
	bye     bool
	taken   bool      // it has said bye, and another replica has taken its place
	owes    time.Time // when it began to owe a resync, because no place was free for it; zero if it owes none
	digests Digests
	began   time.Time     // when it began, by its own beats; zero if they do not say
	ahead   time.Duration // how far its clock is ahead of the clock of this replica; not used if began is zero
}

// isLostAgain reports whether p, which is missing, must cause another resync. It must if other replicas heard p less
// than silence before the last resync because of p, or after it: p may have made further changes. watchGap makes up for
// the time that a beat takes on its way.
func (p *peer) isLostAgain(now time.Time) bool {
	return now.Sub(p.told) > silence && p.told.Sub(p.seen) < silence-watchGap
}

// difference says since when the lists of peers differ from those of this replica, and whether the receiver was told.
type difference struct {
	since    time.Time // zero if they do not differ
	notified bool
	added    bool // what [Receiver.Differ] was given
	peers    int
}

// isLive reports whether this replica has heard p lately.
func (p *peer) isLive(now time.Time) bool { return p.direct && !p.bye && now.Sub(p.heard) < silence }

// knows reports whether this replica knows a peer with this id that may still run.
func (r *Relay) knows(id origin) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.peers[id]
	return p != nil && !p.bye && !(p.missing && time.Since(p.heard) > 2*MaxBlind)
}

// suspect returns the peer with this id. It adds an unknown peer, which counts as missing if it is not heard within
// silence. It returns nil for the id of this replica, and for an unknown peer if there are too many. Relay.mu must be
// locked.
func suspect(r *Relay, id origin, now time.Time) *peer {
	p := r.peers[id]
	if p == nil && id != r.origin && len(r.peers) < maxPeers {
		p = &peer{heard: now}
		r.peers[id] = p
	}
	return p
}

// addHearsayLocked updates the peers that f says its sender has heard: that they exist, and when they were heard.
func (r *Relay) addHearsayLocked(f *frame, now time.Time) {
	for i, id := range f.heard {
		p := suspect(r, id, now)
		if p == nil || i >= len(f.heardAgo) {
			continue
		}
		if seen := now.Add(-millis(f.heardAgo[i])); seen.After(p.seen) {
			p.seen = seen
		}
	}
}

// millis returns a time that a peer has stated in milliseconds, or maxAge if that is less.
func millis(n uint64) time.Duration { return time.Duration(min(n, maxAge)) * time.Millisecond }

// addHeard lists in f, a beat, the peers that this replica hears: all that have lately asked for it, and at most
// maxListed of the others, chosen at random. Once all replicas have started, few ask. If each beat listed all peers,
// the traffic would grow with the square of their number.
func (r *Relay) addHeard(f *frame) {
	most := r.listed
	if most == 0 {
		most = maxListed
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	var others []origin
	for id, p := range r.peers {
		switch {
		case !p.isLive(now):
		case now.Sub(p.asked) < silence:
			f.heard = append(f.heard, id)
		default:
			others = append(others, id)
		}
	}
	if len(others) > most {
		rand.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] }) //nolint:gosec // no secret
		others = others[:most]
		f.flags |= flagPart
	}
	if isDeaf(r, now) || now.Sub(r.hearsFrom) < hush {
		f.flags |= flagPart // peers that are not listed may have sent frames meanwhile
	}
	f.heard = append(f.heard, others...)
	for _, id := range f.heard {
		f.heardAgo = append(f.heardAgo, uint64(now.Sub(r.peers[id].heard).Milliseconds()))
	}
}

// says reports whether f says that its sender has heard the peer with this id within hush.
func (f *frame) says(id origin) bool {
	i := slices.Index(f.heard, id)
	return i >= 0 && (i >= len(f.heardAgo) || millis(f.heardAgo[i]) <= hush)
}

// isDeaf reports whether this replica has not heard itself for so long that it cannot say who is silent.
func isDeaf(r *Relay, now time.Time) bool { return now.Sub(r.echoAt) > deafAfter }

// countLocked sets r.live to the number of replicas that are heard, including this one.
func (r *Relay) countLocked(now time.Time) {
	n := int64(1)
	for _, p := range r.peers {
		if p.isLive(now) {
			n++
		}
	}
	r.live.Store(n)
}

// updateReadyLocked makes the replica ready once all peers have said that they hear it, because then they notice if it
// makes a change and cannot publish it. The replica must also have heard itself twice: peers that it does not know yet
// answer its first beat. Fenced peers do not count, because they resync when they hear again.
func (r *Relay) updateReadyLocked() {
	if r.ready.Load() || r.echoes < 2 || r.fenced.Load() {
		return
	}
	now := time.Now()
	for _, p := range r.peers {
		if !p.listsMe && !p.bye && !p.fenced && now.Sub(p.heard) < silence {
			return
		}
	}
	r.wasReady = true
	r.ready.Store(true)
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

// watchPeers looks for peers that are silent or owe a resync. It returns the reason for a resync; NoLoss for none. A
// silent peer may have made a change that it never published.
func (r *Relay) watchPeers() (loss Loss) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	deaf := isDeaf(r, now)
	for id, p := range r.peers {
		if p.isDue(now) && !r.without.newcomer() {
			loss = max(loss, LostStart)
		}
		silent := now.Sub(p.heard)
		switch {
		case p.bye:
			if silent > silence {
				delete(r.peers, id)
			}
		case p.missing:
			if silent > keepLost {
				delete(r.peers, id)
			}
			if !deaf && p.isLostAgain(now) && r.without != ruleOthers {
				p.told, loss = now, max(loss, LostHalf)
			}
		case !deaf && min(silent, now.Sub(r.hearsFrom)) > silence:
			p.missing, p.told = true, now
			if r.leavePlaceLocked(p) {
				delete(r.peers, id)
			}
			r.counts.suspects.Add(1)
			if !r.without.silence() {
				loss = max(loss, LostPeer)
			}
		}
	}
	r.countLocked(now)
	r.compareClocksLocked(now)
	r.updateReadyLocked()
	is := isUnheard(r, now)
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
		for _, p := range r.peers {
			p.listsMe = false
		}
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
	d.peers = 0
	added := false
	for _, p := range r.peers {
		if p.isLive(now) && p.beaten && p.digests != mine && !failpoint.On("relay-digests-ignored") {
			d.peers++
			added = added || p.digests.Added != mine.Added
		}
	}
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
