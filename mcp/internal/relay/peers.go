package relay

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
)

const (
	maxSkew  = 30 * time.Second
	maxAge   = 1e12 // milliseconds, for times that a peer states; 30 years
	maxClock = 1e14 // milliseconds; 3,000 years
)

// peers is what one replica knows of the others: when each was heard, whether it says that it hears this one, and the
// places that ended replicas have left. Its methods get the time. They take no lock, send nothing, log nothing and plan
// no resync: they return what the [Relay] has to do. It is guarded by Relay.mu.
type peers struct {
	self    origin    // of this replica
	began   time.Time // when this replica began
	without rule
	all     map[origin]*peer
}

// peer is what this replica knows of another one.
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

// isLive reports whether this replica has heard p lately.
func (p *peer) isLive(now time.Time) bool { return p.direct && !p.bye && now.Sub(p.heard) < silence }

// isLostAgain reports whether p, which is missing, must cause another resync. It must if other replicas heard p less
// than silence before the last resync because of p, or after it: p may have made further changes. watchGap makes up for
// the time that a beat takes on its way.
func (p *peer) isLostAgain(now time.Time) bool {
	return now.Sub(p.told) > silence && p.told.Sub(p.seen) < silence-watchGap
}

// news is what a frame of a peer means for this replica, beside what [peers] keeps of it.
type news struct {
	loss Loss // why changes were missed; NoLoss for none
	// ignored says that the frame does not count for its sender: it is late or repeated, or its sender is unknown and
	// there are too many peers. What it says of others is kept.
	ignored bool
	first   bool // it is the first frame of its sender that this replica hears
	answer  bool // its sender may not know that this replica hears it
}

// take updates the sender of f, and the peers that the sender hears, by what f says. wall is the time by the clock of
// this replica, for the comparison with others.
func (ps *peers) take(f *frame, now, wall time.Time) (n news) {
	ps.addHearsay(f, now)
	at, p := instant{f.epoch, f.seq}, ps.all[f.from]
	if p == nil {
		if len(ps.all) >= maxPeers {
			return news{loss: LostFrame, ignored: true}
		}
		p = new(peer)
		ps.all[f.from] = p
	}
	var missed bool
	switch {
	case !p.direct:
		n.first = true
		missed = at != instant{1, 1} && ps.without != ruleSeq && !failpoint.On("relay-first-frame")
		if f.flags&flagBye == 0 && ps.takePlace(p, now) {
			n.loss = LostStart
		}
	case at.epoch > p.at.epoch:
		missed = ps.without != ruleEpoch
	case at.isAfter(p.at):
		missed = at.seq != p.at.seq+1 && ps.without != ruleSeq
		if at.seq == p.at.seq+2 && failpoint.On("relay-gap-of-one") {
			missed = false
		}
	default: // repeated, or late: a later frame has come before, and the gap has counted as a loss
		return news{ignored: true}
	}
	if missed {
		n.loss = LostFrame
	}
	n.answer = p.direct && now.Sub(p.heard) > hush // it is heard again
	p.at, p.heard, p.missing, p.direct = at, now, false, true
	if f.flags&flagBye != 0 {
		p.bye, p.taken = true, ps.leavePlace(p)
	}
	if f.flags&flagBeat != 0 {
		ps.takeBeat(p, f, now, wall)
		n.answer = n.answer || !p.listsMe && !p.fenced
	}
	return n
}

// addHearsay updates the peers that f says its sender has heard: that they exist, and when they were heard.
func (ps *peers) addHearsay(f *frame, now time.Time) {
	for i, id := range f.heard {
		p := ps.suspect(id, now)
		if p == nil || i >= len(f.heardAgo) {
			continue
		}
		if seen := now.Add(-millis(f.heardAgo[i])); seen.After(p.seen) {
			p.seen = seen
		}
	}
}

// suspect returns the peer with this id. It adds an unknown peer, which counts as missing if it is not heard within
// silence. It returns nil for the id of this replica, and for an unknown peer if there are too many.
func (ps *peers) suspect(id origin, now time.Time) *peer {
	p := ps.all[id]
	if p == nil && id != ps.self && len(ps.all) < maxPeers {
		p = &peer{heard: now}
		ps.all[id] = p
	}
	return p
}

// takeBeat updates p by what f, a beat of p, says.
func (ps *peers) takeBeat(p *peer, f *frame, now, wall time.Time) {
	p.beaten, p.digests = true, f.digests
	p.listsMe = p.listsMe && f.flags&flagPart != 0 || f.says(ps.self)
	p.listed = p.listed || p.listsMe
	p.fenced = f.flags&flagFenced != 0
	if f.flags&flagAsks != 0 {
		p.asked = now
	}
	if f.clock != 0 {
		p.began = now.Add(-millis(f.age))
		p.ahead = time.UnixMilli(int64(min(f.clock, maxClock))).Sub(wall)
	}
}

// says reports whether f says that its sender has heard the peer with this id within hush.
func (f *frame) says(id origin) bool {
	i := slices.Index(f.heard, id)
	return i >= 0 && (i >= len(f.heardAgo) || millis(f.heardAgo[i]) <= hush)
}

// millis returns a time that a peer has stated in milliseconds, or maxAge if that is less.
func millis(n uint64) time.Duration { return time.Duration(min(n, maxAge)) * time.Millisecond }

// check looks for peers that are silent or owe a resync, and forgets those that ended or were lost long ago. It returns
// the reason for a resync, NoLoss for none, and how many peers are lost now. A silent peer may have made a change that
// it never published. While this replica is deaf it loses nobody. hearsFrom is when it was deaf last.
func (ps *peers) check(now time.Time, deaf bool, hearsFrom time.Time) (loss Loss, lost int) {
	for id, p := range ps.all {
		if p.isDue(now) && !ps.without.newcomer() {
			loss = max(loss, LostStart)
		}
		silent := now.Sub(p.heard)
		switch {
		case p.bye:
			if silent > silence {
				delete(ps.all, id)
			}
		case p.missing:
			if silent > keepLost {
				delete(ps.all, id)
			}
			if !deaf && p.isLostAgain(now) && ps.without != ruleOthers {
				p.told, loss = now, max(loss, LostHalf)
			}
		case !deaf && min(silent, now.Sub(hearsFrom)) > silence:
			p.missing, p.told = true, now
			if ps.leavePlace(p) {
				delete(ps.all, id)
			}
			lost++
			if !ps.without.silence() {
				loss = max(loss, LostPeer)
			}
		}
	}
	return loss, lost
}

// unlist forgets that peers have heard this replica: they have to say it again.
func (ps *peers) unlist() {
	for _, p := range ps.all {
		p.listsMe = false
	}
}

// list adds to f, a beat, the peers that this replica hears: all that have lately asked for it, and of the others at
// most the given number, chosen at random. Once all replicas have started, few ask. If each beat listed all peers, the
// traffic would grow with the square of their number.
func (ps *peers) list(f *frame, most int, now time.Time) {
	var others []origin
	for id, p := range ps.all {
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
	f.heard = append(f.heard, others...)
	for _, id := range f.heard {
		f.heardAgo = append(f.heardAgo, uint64(now.Sub(ps.all[id].heard).Milliseconds()))
	}
}

// live returns the number of replicas that are heard, including this one.
func (ps *peers) live(now time.Time) int {
	n := 1
	for _, p := range ps.all {
		if p.isLive(now) {
			n++
		}
	}
	return n
}

// missing returns the number of peers that are missing.
func (ps *peers) missing() int {
	n := 0
	for _, p := range ps.all {
		if p.missing {
			n++
		}
	}
	return n
}

// mayRun reports whether there is a peer with this id that may still run.
func (ps *peers) mayRun(id origin, now time.Time) bool {
	p := ps.all[id]
	return p != nil && !p.bye && !(p.missing && now.Sub(p.heard) > 2*MaxBlind)
}

// allHear reports whether all peers have said that they hear this replica. Fenced peers do not count, because they
// resync when they hear again, nor do those that have ended or are silent.
func (ps *peers) allHear(now time.Time) bool {
	for _, p := range ps.all {
		if !p.listsMe && !p.bye && !p.fenced && now.Sub(p.heard) < silence {
			return false
		}
	}
	return true
}

// hearing returns the number of peers that this replica hears, and how many of these hear it. Peers without a beat and
// fenced ones do not count.
func (ps *peers) hearing(now time.Time) (heard, hear int) {
	for _, p := range ps.all {
		if p.isLive(now) && p.beaten && !p.fenced {
			heard++
			if p.listsMe {
				hear++
			}
		}
	}
	return heard, hear
}

// isUnheard reports whether most of the peers that heard this replica once do not hear it any more. These peers will
// soon count it as lost. If it then makes a change, cannot publish it, and ends, nobody notices. Peers that never heard
// this replica do not count, because they may be apart themselves.
func (ps *peers) isUnheard(now time.Time) bool {
	heard, hear := 0, 0
	for _, p := range ps.all {
		if p.isLive(now) && p.listed && !p.fenced {
			heard++
			if p.listsMe {
				hear++
			}
		}
	}
	return 2*hear < heard
}

// clockOff reports whether the clock of this replica is far from that of most others. If as many clocks are far from it
// as are near, the clock of the oldest replica decides.
func (ps *peers) clockOff(now time.Time) bool {
	near, ahead, behind := 1, 0, 0
	eldest, since := time.Duration(0), ps.began
	for _, p := range ps.all {
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
	return far > 0 || far == 0 && eldest.Abs() > maxSkew
}

// differing returns the number of peers whose lists differ from those of this replica, whose digests are mine. added is
// true if some of them differ in the tools that were added at run time.
func (ps *peers) differing(mine Digests, now time.Time) (n int, added bool) {
	for _, p := range ps.all {
		if p.isLive(now) && p.beaten && p.digests != mine && !failpoint.On("relay-digests-ignored") {
			n++
			added = added || p.digests.Added != mine.Added
		}
	}
	return n, added
}
