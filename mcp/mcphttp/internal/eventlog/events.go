package eventlog

import (
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Log is one stream of a session: the response to which its events are written at present, if there is one, and the
// events that are kept for a client that comes back. retain.go decides what is kept, and for how long.
type Log struct {
	of     *Streams
	number int // of the stream in its session; 0 is the notification stream

	// to is the response that events are written to; nil for none. It is stored with mu held.
	to   atomic.Pointer[Stream]
	last atomic.Uint64 // number of the last event; the first is 1; stored with mu held

	mu    sync.Mutex
	sent  uint64        // number of the last event that was written to a response
	begun bool          // there was a response, or an event was passed while there was none
	came  chan struct{} // closed when the next response comes; nil while nothing waits for it

	over     chan struct{} // closed when nothing follows; nil for the notification stream
	retained               // guarded by of.mu
}

// Add writes an event to the response, if there is one. It keeps the event only afterwards, so that the event is not in
// memory twice while a slow client takes it.
func (l *Log) Add(frame []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	number := l.writeNextLocked(frame, nil)
	l.of.keep(l, event{number, frame})
}

// Pass writes an event without keeping it. A client that comes back is told of all possible changes anyway.
func (l *Log) Pass(frame []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.to.Load() == nil {
		l.begun = !failpoint.On("session-pass-forgotten") // the next client is told of all possible changes
		return
	}
	l.writeNextLocked(frame, nil)
}

// End is Add for the last event, the response to the request of the stream. If there is no room to keep it, a client
// that comes back gets an error with the id of the request.
func (l *Log) End(frame []byte, large *engine.Large, id wire.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if large != nil && wire.SizeOf(frame, large.Inserts) <= maxStreamBytes { // it may be kept
		frame, large = large.Whole(frame), nil
	}
	number := l.writeNextLocked(frame, large)
	if large != nil {
		l.of.admit.Deny(limits.RetainedBytes)
	}
	if (large != nil || !l.of.keep(l, event{number, frame})) && !id.IsZero() {
		l.of.keep(l, event{number, wire.AppendError(nil, id, false, errNotKept)})
	}
	l.of.finish(l, l.sent == number)
}

// errNotKept is sent to a client that comes back for a response which was too large to be kept.
var errNotKept = wire.NewError(wire.CodeInternal, "the response was not kept: send the request again")

// Prime gives the client an id to resume from, as an event without a message.
func (l *Log) Prime() { l.Pass(nil) }

// writeNextLocked numbers an event and writes it, if there is a response.
func (l *Log) writeNextLocked(frame []byte, large *engine.Large) (number uint64) {
	number = l.last.Add(1)
	if l.to.Load() != nil {
		l.writeLocked(number, frame, large)
	}
	return number
}

// writeLocked writes an event to the present response. If that fails, the stream has no response any more.
func (l *Log) writeLocked(number uint64, frame []byte, large *engine.Large) {
	id := func(b []byte) []byte { return l.appendID(b, number) }
	if err := l.to.Load().Event(id, frame, large); err != nil {
		l.to.Store(nil)
		return
	}
	l.sent = max(l.sent, number)
}

// appendID appends the id of an event, which no other event of the session has.
func (l *Log) appendID(b []byte, number uint64) []byte {
	b = strconv.AppendInt(append(b, l.of.prefix...), int64(l.number), 10)
	return strconv.AppendUint(append(b, '-'), number, 10)
}

// Attach makes s the response to which events are written from now on. seen is the number of the last event that the
// client has: this event and all before it are forgotten, and the kept events behind it are written to s first.
func (l *Log) Attach(s *Stream, seen uint64) {
	l.Interrupt()
	l.mu.Lock()
	defer l.mu.Unlock()
	if failpoint.On("session-event-repeated") {
		seen--
	}
	l.of.acknowledge(l, seen)
	l.attachLocked(s, seen)
}

// attachUnsent is Attach for a client that does not say which events it has: s gets the kept events that were written
// to no response before.
func (l *Log) attachUnsent(s *Stream) {
	l.Interrupt()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.attachLocked(s, l.sent)
}

func (l *Log) attachLocked(s *Stream, after uint64) {
	if old := l.to.Load(); old != nil {
		old.close()
	}
	l.to.Store(s)
	l.begun = true
	if l.came != nil {
		close(l.came)
		l.came = nil
	}
	for l.to.Load() != nil {
		e, ok := l.of.next(l, after)
		if !ok {
			break
		}
		l.writeLocked(e.number, e.frame, nil)
		after = e.number
	}
	if l.sent == l.last.Load() {
		l.of.delivered(l)
	}
}

// hasBegun reports whether events may have been passed while no client got them.
func (l *Log) hasBegun() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.begun
}

// Interrupt makes a write in progress fail: its client may have left, and the next stream must not wait for it.
func (l *Log) Interrupt() {
	if old := l.to.Load(); old != nil {
		old.interrupt()
	}
}

// AwaitLoss waits until l has had no response for as long as patience says, without a break. It returns false if the
// channel over is closed first.
func (l *Log) AwaitLoss(patience time.Duration, over <-chan struct{}) bool {
	t := time.NewTimer(patience)
	defer t.Stop()
	for {
		s, came := l.present()
		if s == nil {
			select {
			case <-over:
				return false
			case <-came:
				t.Reset(patience) // the response may have ended again already
			case <-t.C:
				return true
			}
			continue
		}
		select {
		case <-over:
			return false
		case <-s.gone:
		}
		l.Detach(s)
		t.Reset(patience)
	}
}

// present returns the response that events are written to. If there is none, came is closed when there is.
func (l *Log) present() (s *Stream, came <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.to.Load(); s != nil {
		return s, nil
	}
	if l.came == nil {
		l.came = make(chan struct{})
	}
	return nil, l.came
}

// Detach makes s no longer the response of the stream.
func (l *Log) Detach(s *Stream) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.to.CompareAndSwap(s, nil)
}

// BreakOff ends the present response, if there is one.
func (l *Log) BreakOff() {
	if old := l.to.Load(); old != nil {
		old.interrupt()
		old.close()
	}
}

// Completed returns a channel that is closed when no event follows; nil for the notification stream.
func (l *Log) Completed() <-chan struct{} { return l.over }

// Finish says that no event follows.
func (l *Log) Finish() { l.of.finish(l, true) }

// HasReader reports whether events are written to a response.
func (l *Log) HasReader() bool { return l.to.Load() != nil }
