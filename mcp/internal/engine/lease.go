package engine

import (
	"sync/atomic"
	"time"
)

// readyFor is how many terms a follower takes over at once after one was slow: as many calls as may be in flight.
const readyFor = 256

// slowAfter is how long the leader may run code of the user before a follower takes over reading.
const slowAfter = time.Millisecond

// stuckAfter is how many checks in a row a slow leader stays the leader while there is no room for a further request.
// Mostly a request ends before that and makes room. If none ends, a follower must read, because the next messages may
// be cancellations, pings and responses.
const stuckAfter = 250

// ReaderLease says which goroutine of a connection reads its messages: the leader, which also handles what it has read.
// Handing each request to another goroutine would cost several times as much as the request. Only if code of the user
// takes longer than slowAfter does a follower become the leader; the former leader then just finishes its request.
//
// One timer for each connection watches all requests: it starts with the first code of the user after a pause, and
// checks every slowAfter until it finds the leader idle. So a busy connection pays for the timer at most a thousand
// times a second, and not for each request.
//
// After a slow term, a follower takes over each of the next readyFor terms as soon as it begins. Otherwise a hundred
// slow calls would delay the message behind them by a hundred times slowAfter.
type ReaderLease struct {
	// term is odd while the leader runs code of the user. Leave and Transfer both make it even, and only one of them
	// succeeds.
	term        atomic.Uint64
	watched     atomic.Bool // the timer is running; who has set this may use the fields below
	seen        uint64      // term at the last check
	waited      int         // checks in a row that found the leader slow and no room
	timer       *time.Timer
	startLeader func() // starts a leader
	room        func() bool
	// ready is how many of the next terms are transferred at once; only the leader lowers it.
	ready atomic.Int32
}

// Init sets the two functions. startLeader starts a new leader. room reports whether one more request may be in flight:
// if not, no follower reads on, unless the requests at hand are stuck. It must be called before all other methods.
func (l *ReaderLease) Init(startLeader func(), room func() bool) {
	l.startLeader, l.room = startLeader, room
	l.timer = time.AfterFunc(time.Hour, l.check)
	l.timer.Stop()
}

// Lead starts a leader. The caller knows that there is none: at the start, or because it was the leader itself and its
// goroutine ends.
func (l *ReaderLease) Lead() { l.startLeader() }

// Enter says that the leader begins to run code of the user, and returns the number of its term.
func (l *ReaderLease) Enter() (term uint64) {
	term = l.term.Add(1)
	if l.ready.Load() > 0 && l.room() {
		l.ready.Add(-1)
		l.Transfer(term)
		return term
	}
	if !l.watched.Load() && l.watched.CompareAndSwap(false, true) {
		l.watch(term)
	}
	return term
}

// Leave says that the code of the user in a term has returned. It reports whether the caller is still the leader.
func (l *ReaderLease) Leave(term uint64) bool { return l.term.CompareAndSwap(term, term+1) }

// Transfer makes a follower the leader at once, unless the term has ended.
func (l *ReaderLease) Transfer(term uint64) {
	if l.Leave(term) {
		l.startLeader()
	}
}

// watch sets the timer for the next check, which is about term. Only the goroutine that has set watched may call it.
func (l *ReaderLease) watch(term uint64) {
	l.seen = term
	l.timer.Reset(slowAfter)
}

// check is the function of the timer: it replaces a leader whose term is the same as at the last check. Slow calls
// often follow each other, so the next terms are transferred at once.
func (l *ReaderLease) check() {
	term := l.term.Load()
	if term%2 == 1 {
		switch {
		case term != l.seen:
			l.waited = 0
		case l.waited >= stuckAfter || l.room():
			l.waited = 0
			l.ready.Store(readyFor)
			l.Transfer(term)
		default:
			l.waited++
		}
		l.watch(term)
		return
	}
	l.watched.Store(false)
	// Whoever entered after the load above has seen the timer running and relies on it.
	if term = l.term.Load(); term%2 == 1 && l.watched.CompareAndSwap(false, true) {
		l.watch(term)
	}
}
