package mcphttp

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxEvents and maxEventBytes bound what is kept of one stream for a client that comes back.
	maxEvents     = 256
	maxEventBytes = 1 << 20
)

// eventLog is the memory of one stream of a session: its last events, and the response that they
// are written to at present, if any.
type eventLog struct {
	name string // unique in its session

	// to is the response that events are written to; nil for none. It is stored with mu held.
	to   atomic.Pointer[stream]
	next atomic.Uint64 // number of the event after the last one; the first is 1; stored with mu held
	turn atomic.Uint64 // of the request that has the newest response

	mu     sync.Mutex
	events [][]byte
	bytes  int
	sent   uint64 // number of the last event that was written to a response
	begun  bool   // there was a response
	done   bool   // nothing follows
	over   chan struct{}
	came   chan struct{} // closed when the next response comes; nil while nothing waits for it
}

func newEventLog(name string) *eventLog {
	l := &eventLog{name: name, over: make(chan struct{})}
	l.next.Store(1)
	return l
}

// add keeps an event, and writes it if there is a response to write it to.
func (l *eventLog) add(frame []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	frame = bytes.Clone(frame)
	l.events = append(l.events, frame)
	l.bytes += len(frame)
	for len(l.events) > 1 && (len(l.events) > maxEvents || l.bytes > maxEventBytes) {
		l.bytes -= len(l.events[0])
		l.events = append(l.events[:0:0], l.events[1:]...)
	}
	number := l.next.Add(1) - 1
	if l.to.Load() != nil {
		l.writeLocked(number, frame)
	}
}

// writeLocked writes an event to the response at hand. If that fails, there is none any more.
func (l *eventLog) writeLocked(number uint64, frame []byte) {
	if err := l.to.Load().event(l.name+"-"+strconv.FormatUint(number, 10), frame); err != nil {
		l.to.Store(nil)
		return
	}
	l.sent = max(l.sent, number)
}

// attach writes what follows event number after to s, now and from now on. It is false if that is
// not known any more, or never was.
func (l *eventLog) attach(s *stream, after uint64) bool {
	l.interrupt()
	l.mu.Lock()
	defer l.mu.Unlock()
	if after < l.forgottenLocked() || after >= l.next.Load() {
		return false
	}
	l.attachLocked(s, after)
	return true
}

// attachUnsent is attach for a client that does not say what it has received: s gets what was written to no response
// before. again says that there was one, whose client may have missed the end of it.
func (l *eventLog) attachUnsent(s *stream) (again bool) {
	l.interrupt()
	l.mu.Lock()
	defer l.mu.Unlock()
	again = l.begun
	l.attachLocked(s, max(l.sent, l.forgottenLocked()))
	return again
}

func (l *eventLog) attachLocked(s *stream, after uint64) {
	if old := l.to.Load(); old != nil {
		old.close()
	}
	l.to.Store(s)
	l.begun = true
	if l.came != nil {
		close(l.came)
		l.came = nil
	}
	first := l.forgottenLocked() + 1
	for number := after + 1; number < l.next.Load() && l.to.Load() != nil; number++ {
		l.writeLocked(number, l.events[number-first])
	}
}

// prime gives the client an id to resume from, as an event without a message.
func (l *eventLog) prime() {
	if l.last() == 0 {
		l.add(nil)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.to.Load() != nil {
		l.writeLocked(l.next.Load()-1, nil)
	}
}

// interrupt makes a write to the response at hand fail, if one is under way: its client may have vanished, and whoever
// comes in its place does not wait for that.
func (l *eventLog) interrupt() {
	if old := l.to.Load(); old != nil {
		old.interrupt()
	}
}

// vacate ends the response at hand, if there is one, and waits until the request that has it is done. It is false if
// ctx ends before.
func (l *eventLog) vacate(ctx context.Context) bool {
	old := l.to.Load()
	if old == nil {
		return true
	}
	old.interrupt()
	old.close()
	select {
	case <-old.left:
		return true
	case <-ctx.Done():
		return false
	}
}

// awaitLoss waits until there has been no response for as long as patience, from now on or since the last response has
// ended. It is false if over is closed before.
func (l *eventLog) awaitLoss(patience time.Duration, over <-chan struct{}) bool {
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
		var dropped <-chan struct{}
		if s.request != nil {
			dropped = s.request.Done()
		}
		select {
		case <-over:
			return false
		case <-dropped:
		case <-s.gone:
		}
		l.detach(s)
		t.Reset(patience)
	}
}

// present returns the response that events are written to. If there is none, came is closed when there is.
func (l *eventLog) present() (s *stream, came <-chan struct{}) {
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

// detach parts from s.
func (l *eventLog) detach(s *stream) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.to.CompareAndSwap(s, nil)
}

// last returns the number of the last event.
func (l *eventLog) last() uint64 { return l.next.Load() - 1 }

// forgotten returns the number of the last event that is not kept any more; 0 if all are.
func (l *eventLog) forgotten() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.forgottenLocked()
}

func (l *eventLog) forgottenLocked() uint64 { return l.next.Load() - uint64(len(l.events)) - 1 }

// hasReader reports whether events are written to a response.
func (l *eventLog) hasReader() bool { return l.to.Load() != nil }

// finish says that nothing follows.
func (l *eventLog) finish() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.done {
		l.done = true
		close(l.over)
	}
}

// ReadMessage, WriteMessage and Close make the log of the notifications a transport.Conn; see server.Session.

// ReadMessage implements transport.Conn. It is never called.
func (l *eventLog) ReadMessage(buf []byte) ([]byte, error) { return buf[:0], errGone }

// WriteMessage implements transport.Conn.
func (l *eventLog) WriteMessage(frame []byte) error {
	l.add(bytes.TrimSuffix(frame, []byte("\n")))
	return nil
}

// Close implements transport.Conn.
func (l *eventLog) Close() error {
	l.finish()
	return nil
}

// parseEventID returns the stream and the number of an event id.
func parseEventID(id string) (name string, number uint64, ok bool) {
	name, text, ok := strings.Cut(id, "-")
	if !ok || len(text) == 0 || strings.Trim(text, "0123456789") != "" {
		return "", 0, false
	}
	number, err := strconv.ParseUint(text, 10, 63)
	return name, number, err == nil && number > 0
}
