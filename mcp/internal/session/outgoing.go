package session

import (
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/transport"
)

// outgoing has the outbox for notifications that belong to no request, and the subscriptions of a conn.
type outgoing struct {
	out     *pubsub.Outbox
	streams *pubsub.Streams

	sources Sources // of the subscriptions of the session; nil is the key of the source for tasks
}

// Sources are the sources of the subscriptions of a session or a listen, one for each resource. The zero value is ready
// to use. It is safe for concurrent use.
type Sources struct {
	mu  sync.Mutex
	all map[*feature.Resource]*pubsub.Source
}

// Of returns the source of the subscriptions to r. It calls open to make the source only the first time.
func (s *Sources) Of(r *feature.Resource, open func() *pubsub.Source) *pubsub.Source {
	s.mu.Lock()
	defer s.mu.Unlock()
	source := s.all[r]
	if source == nil {
		source = open()
		if s.all == nil {
			s.all = make(map[*feature.Resource]*pubsub.Source)
		}
		s.all[r] = source
	}
	return source
}

// lazyOutgoing makes the outgoing of a conn when it is first needed. A session without subscriptions and without a
// stream never needs it.
type lazyOutgoing struct {
	to     transport.Conn // nil if nothing can be written
	made   atomic.Pointer[outgoing]
	mu     sync.Mutex // held while it is made
	paused bool       // it is made paused; set before the first message
	closed bool       // guarded by mu
	// initialized is 0 until the client of a session is ready, then what [pubsub.Hub.ListChanges] returned at that time,
	// plus 1. Guarded by mu.
	initialized uint64
}

// opened returns the outgoing of the conn; nil if it was not made yet.
func (o *lazyOutgoing) opened() *outgoing { return o.made.Load() }

// Outbox returns the outbox through which all messages of c leave. The first call makes it.
func (c *Conn) Outbox() *pubsub.Outbox { return c.openOutgoing().out }

// Streams returns the subscriptions of c. The first call makes them.
func (c *Conn) Streams() *pubsub.Streams { return c.openOutgoing().streams }

// Sources returns the sources of the subscriptions of the session.
func (c *Conn) Sources() *Sources { return &c.openOutgoing().sources }

// HasOutgoing reports whether c may have subscriptions or a stream of notifications. If it is false, c has none, and no
// work for them is needed.
func (c *Conn) HasOutgoing() bool { return c.outgoing.opened() != nil }

// Notifies reports whether the transport can carry notifications that belong to no request.
func (c *Conn) Notifies() bool { return c.outgoing.to != nil }

func (c *Conn) openOutgoing() *outgoing {
	if o := c.outgoing.made.Load(); o != nil {
		return o
	}
	c.outgoing.mu.Lock()
	defer c.outgoing.mu.Unlock()
	if o := c.outgoing.made.Load(); o != nil {
		return o
	}
	o := c.newOutgoing()
	if c.outgoing.initialized > 0 {
		c.openSession(o, c.outgoing.initialized-1)
	}
	if c.outgoing.closed {
		o.close()
	}
	c.outgoing.made.Store(o)
	return o
}

// newOutgoing makes an outgoing. A failed write ends c, and the subscriptions with it.
func (c *Conn) newOutgoing() *outgoing {
	limits, t := c.host.Limits, c.outgoing.to
	if named, ok := t.(clientNamer); ok {
		limits.Client = named.Client()
	}
	o := new(outgoing)
	o.out = c.host.Hub.NewOutbox(t, c.host.UpdateDelay, func(err error) {
		c.writeFailed(err)
		_ = t.Close()
	})
	if c.outgoing.paused {
		o.out.Pause()
	}
	o.streams = c.host.Hub.NewStreams(o.out, limits)
	return o
}

// clientNamer is a transport.Conn that names the client for whose share of the limits its subscriptions count. The
// subscriptions of a transport.Conn without this method count for nobody.
type clientNamer interface{ Client() string }

// MarkInitialized says that the client has finished the handshake: from this time the client gets notifications about
// lists. It does nothing the second time.
func (c *Conn) MarkInitialized() {
	c.outgoing.mu.Lock()
	defer c.outgoing.mu.Unlock()
	if c.outgoing.initialized > 0 {
		return
	}
	since := c.host.Hub.ListChanges()
	c.outgoing.initialized = since + 1
	if o := c.outgoing.made.Load(); o != nil {
		c.openSession(o, since)
	}
}

// openSession opens the stream of the session in o. The stream announces changes of lists that are newer than since, a
// result of [pubsub.Hub.ListChanges].
func (c *Conn) openSession(o *outgoing, since uint64) {
	o.streams.OpenSession(c.host.Encoder(c, c.Revision()), c.host.Lists(), since)
}

// closeOutgoing ends the subscriptions and all writing, also for an outgoing that is made after it.
func (c *Conn) closeOutgoing() {
	c.outgoing.mu.Lock()
	c.outgoing.closed = true
	o := c.outgoing.made.Load()
	c.outgoing.mu.Unlock()
	if o != nil {
		o.close()
	}
}

func (o *outgoing) close() {
	o.streams.Close(false)
	o.out.Close(transport.ErrClosed)
}

// writeFailed ends c after the transport has failed to write, and logs the error.
func (c *Conn) writeFailed(err error) {
	unread := errors.Is(err, os.ErrDeadlineExceeded)
	if unread {
		c.countUnread()
	}
	panicked, isPanic := errors.AsType[*pubsub.WriterError](err)
	switch {
	case isPanic:
		c.host.PanickedWriter(panicked.Value, panicked.Stack)
	case errors.Is(err, io.ErrClosedPipe): // the client has left, as clients do, or the transport says more
		c.Log.Debug("mcp: connection ended", "err", err)
	case unread:
		c.Log.Warn("mcp: client does not read: connection ended", "err", err)
	case !errors.Is(err, transport.ErrClosed):
		c.Log.Info("mcp: connection ended", "err", err)
	}
	c.fail(err)
}

// PanickedWriter logs and counts a panic in the code of a transport.
func (h *Host) PanickedWriter(value any, stack []byte) {
	h.Counts.Panicked[labels.PanicTransport].Add(1)
	h.Log.Error("mcp: panic in a transport that writes", "panic", value, "stack", string(stack))
}

// countUnread counts a connection whose client has not read in time.
func (c *Conn) countUnread() { c.host.Counts.Closed[labels.ClosedUnread].Add(1) }
