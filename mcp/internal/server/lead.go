package server

import (
	"sync/atomic"
	"time"
)

// slowAfter is how long user code may keep the reader before another goroutine takes over reading.
const slowAfter = time.Millisecond

// lead says which goroutine of a conn reads: the leader, who handles what it has read itself.
// Handing a request to another goroutine would cost several times the request. Only if user code
// takes longer than slowAfter is a follower promoted, and the old leader just finishes its request.
//
// One timer per conn watches all requests: it is started by the first user code after a pause and
// then looks again every slowAfter until it finds the leader idle. A busy conn so pays for the
// timer a thousand times a second at most, not for every request.
type lead struct {
	// turn is odd while the leader runs user code. Leaving by itself and being replaced both make
	// it even, and only one of them succeeds.
	turn    atomic.Uint64
	watched atomic.Bool // the timer is running; its owner may use the fields below
	seen    uint64      // turn at the last look
	timer   *time.Timer
	promote func() // starts a new leader
}

// init sets what starts a new leader.
func (l *lead) init(promote func()) {
	l.promote = promote
	l.timer = time.AfterFunc(time.Hour, l.look)
	l.timer.Stop()
}

// enter tells that the leader begins to run user code, and returns the number of its turn.
func (l *lead) enter() uint64 {
	turn := l.turn.Add(1)
	if !l.watched.Load() && l.watched.CompareAndSwap(false, true) {
		l.watch(turn)
	}
	return turn
}

// leave tells that the user code of a turn has returned. It reports whether the caller still leads.
func (l *lead) leave(turn uint64) bool { return l.turn.CompareAndSwap(turn, turn+1) }

// hand replaces the leader at once if turn is still going on.
func (l *lead) hand(turn uint64) {
	if l.leave(turn) {
		l.promote()
	}
}

// watch looks again after slowAfter.
func (l *lead) watch(turn uint64) {
	l.seen = turn
	l.timer.Reset(slowAfter)
}

// look is the timer's function: it replaces a leader whose turn is the same as at the last look.
func (l *lead) look() {
	turn := l.turn.Load()
	if turn%2 == 1 {
		if turn == l.seen {
			l.hand(turn)
		}
		l.watch(turn)
		return
	}
	l.watched.Store(false)
	// Whoever entered after the look above has seen the timer running and relies on it.
	if turn = l.turn.Load(); turn%2 == 1 && l.watched.CompareAndSwap(false, true) {
		l.watch(turn)
	}
}
