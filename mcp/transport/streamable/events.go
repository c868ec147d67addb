package mcphttp

import (
	"bytes"
	"strconv"
	"strings"
	"sync"
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

	mu     sync.Mutex
	events [][]byte
	bytes  int
	next   uint64 // number of the event after the last one; the first is 1
	to     *stream
	done   bool // nothing follows
	over   chan struct{}
}

func newEventLog(name string) *eventLog {
	return &eventLog{name: name, next: 1, over: make(chan struct{})}
}

// add keeps an event, and writes it if somebody hears.
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
	l.next++
	if l.to != nil {
		l.writeLocked(l.next-1, frame)
	}
}

// writeLocked writes an event to the response at hand. If that fails, nobody hears any more.
func (l *eventLog) writeLocked(number uint64, frame []byte) {
	if err := l.to.event(l.name+"-"+strconv.FormatUint(number, 10), frame); err != nil {
		l.to = nil
	}
}

// attach writes what follows event number after to s, now and from now on. It is false if that is
// not known any more, or never was.
func (l *eventLog) attach(s *stream, after uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := l.next - uint64(len(l.events))
	if after+1 < first || after >= l.next {
		return false
	}
	if old := l.to; old != nil {
		old.close()
	}
	l.to = s
	for number := after + 1; number < l.next && l.to != nil; number++ {
		l.writeLocked(number, l.events[number-first])
	}
	return true
}

// detach parts from s.
func (l *eventLog) detach(s *stream) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.to == s {
		l.to = nil
	}
}

// last returns the number of the last event.
func (l *eventLog) last() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.next - 1
}

// forgotten returns the number of the last event that is not kept any more; 0 if all are.
func (l *eventLog) forgotten() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.next - uint64(len(l.events)) - 1
}

// heard reports whether somebody hears.
func (l *eventLog) heard() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to != nil
}

// finish says that nothing follows.
func (l *eventLog) finish() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.done {
		l.done = true
		close(l.over)
	}
}

// ReadMessage, WriteMessage and Close make the log of the news a transport.Conn; see mcp.Session.

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
