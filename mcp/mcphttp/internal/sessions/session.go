package sessions

import (
	"bytes"
	"io"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/eventlog"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
)

// Session is one session of a client of an older revision. To save memory, what only some sessions need is made when it
// is needed.
type Session struct {
	ID    string        // "" before initialize is answered
	Usage *limits.Usage // of the client for which it counts; only the subject that has opened it may use it
	of    *Set
	MCP   *session.Session
	// Elsewhere passes a notification on to the process that has the notification stream, and reports whether it has sent
	// it there. It returns false if this process has the stream, or if the notification could not be sent. A nil Elsewhere
	// means that no other process can have it. It must be set before the first message.
	Elsewhere func(frame []byte) bool

	mu     sync.Mutex
	using  int32 // requests and streams under way
	closed bool
	// Adopted says that the session began in another process, and that only what its id says is known about it. It does
	// not change.
	Adopted bool
	idle    time.Duration     // when using became 0 last, counted from start
	open    *eventlog.Streams // nil before the first
	ended   chan struct{}     // closed when closed is set; nil while nobody waits for it
}

// primedSince is the first revision in which streams begin with an event that has only an id to resume from.
const primedSince = protocol.Revision20251125

// Primes reports whether streams begin with an event that has no message, only an id to resume from.
func (x *Session) Primes() bool { return x.MCP.Revision() >= primedSince }

// Streams returns the streams of x.
func (x *Session) Streams() *eventlog.Streams {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.open == nil {
		x.open = eventlog.NewStreams(x.of.admit, x.Usage, x.of.resumeTimeout, x.of.prefix)
		if x.closed {
			x.open.End()
		}
	}
	return x.open
}

// HasStreams returns the streams of x; nil if there were none.
func (x *Session) HasStreams() *eventlog.Streams {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.open
}

// ReadMessage, WriteMessage, WriteUpdate and Close make a session the transport.Conn of its notifications; see
// session.Session.

// ReadMessage implements transport.Conn. It is never called.
func (x *Session) ReadMessage(buf []byte) ([]byte, error) { return buf[:0], io.ErrClosedPipe }

// WriteMessage implements transport.Conn. The message is kept for a client that has no stream, or has lost it.
func (x *Session) WriteMessage(frame []byte) error {
	frame = bytes.TrimSuffix(frame, []byte("\n"))
	if x.Elsewhere == nil || !x.Elsewhere(frame) {
		x.Streams().Notifications.Add(frame)
	}
	return nil
}

// WriteUpdate implements pubsub.UpdateWriter. An update is not kept, because a new stream announces everything that may
// have changed.
func (x *Session) WriteUpdate(frame []byte, rest *pubsub.Rest) error {
	x.Streams().Notifications.Pass(bytes.TrimSuffix(append(frame, rest.Text()...), []byte("\n")))
	return nil
}

// Close implements transport.Conn.
func (x *Session) Close() error { return nil }

// Client returns the name of the client of x, by which the server counts subscriptions.
func (x *Session) Client() string { return x.Usage.Name() }

// Use counts one more use of x, until Done is called. It returns false if x belongs to another subject, or is closed.
func (x *Session) Use(subject string) bool {
	if x.Usage.Subject() != subject {
		return false
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return false
	}
	x.using++
	return true
}

// Done ends one use of x.
func (x *Session) Done() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.using--; x.using == 0 {
		x.idle = time.Since(start)
	}
}

// UsedSince reports whether x is in use, or was in use after the time t.
func (x *Session) UsedSince(t time.Time) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.using > 0 && !failpoint.On("session-stream-no-use") || start.Add(x.idle).After(t)
}

// UpdateDelivery resumes the delivery of updates if there is a notification stream, and else pauses it. Call it after a
// stream was attached to the notifications or detached. It looks at the present state, so that a stream that ends late
// does not pause its successor.
func (x *Session) UpdateDelivery() {
	x.Streams().UpdateDelivery(x.MCP.Resume, x.MCP.Pause)
}

// close closes x to new requests if check returns true. x.mu is held while check runs. If close returns true, the
// caller must call end. It returns false if x stays open or is closed already.
func (x *Session) close(check func() bool) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed || !check() {
		return false
	}
	x.closed = true
	if x.ended != nil {
		close(x.ended)
	}
	return true
}

// Over reports whether x has ended. It may still be in use.
func (x *Session) Over() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.closed
}

// WhenEnded returns a channel that is closed when x has ended.
func (x *Session) WhenEnded() <-chan struct{} {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ended == nil {
		x.ended = make(chan struct{})
		if x.closed {
			close(x.ended)
		}
	}
	return x.ended
}

// closeIdle is close for a session that nobody uses. check gets x.idle.
func (x *Session) closeIdle(check func(idle time.Duration) bool) bool {
	return x.close(func() bool { return x.using == 0 && check(x.idle) })
}

// Announce begins a notification stream that was attached. If its client may have missed changes, it is told that all
// lists and all resources that it has subscribed to may have changed.
func (x *Session) Announce(missed bool) {
	if x.Primes() {
		x.Streams().Notifications.Prime()
	}
	if missed {
		x.MCP.Resync()
	}
	x.UpdateDelivery()
}

// isUsed reports whether there are requests or streams of x.
func (x *Session) isUsed() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.using > 0
}
