package session

import (
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/transport"
)

// Outgoing has the outbox of a [Conn], through which all its messages leave, and its subscriptions. They are made when
// they are first needed: a session without subscriptions and without a stream never needs them. It is safe for
// concurrent use.
type Outgoing struct {
	to   transport.Conn // nil if nothing can be written
	conn *Conn          // of which it is a part: notifications are encoded for it, and it ends when a write fails
	made atomic.Pointer[madeOutgoing]
	mu   sync.Mutex // held while both are made

	paused bool // the outbox is made paused; set before the first message
	closed bool // guarded by mu

	// EndsListen says that the client gets notifications/cancelled at the end of a listen, besides its result. The
	// specification has two texts about the end of a listen: one asks for a result, the other for a cancellation where
	// requests share a connection. It is set before the first message.
	EndsListen bool

	// initialized is 0 until the client of a session is ready, then what [pubsub.Hub.ListChanges] returned at that time,
	// plus 1. Guarded by mu.
	initialized uint64
}

// madeOutgoing is what an [Outgoing] makes when it is needed.
type madeOutgoing struct {
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

// Outbox returns the outbox through which all messages leave. The first call makes it.
func (o *Outgoing) Outbox() *pubsub.Outbox { return o.get().out }

// Streams returns the subscriptions. The first call makes them.
func (o *Outgoing) Streams() *pubsub.Streams { return o.get().streams }

// Sources returns the sources of the subscriptions of the session.
func (o *Outgoing) Sources() *Sources { return &o.get().sources }

// HasOutgoing reports whether there may be subscriptions or a stream of notifications. If it is false, there are none,
// and no work for them is needed.
func (o *Outgoing) HasOutgoing() bool { return o.made.Load() != nil }

// Notifies reports whether the transport can carry notifications that belong to no request.
func (o *Outgoing) Notifies() bool { return o.to != nil }

// get returns what o has made, and makes it the first time.
func (o *Outgoing) get() *madeOutgoing {
	if m := o.made.Load(); m != nil {
		return m
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if m := o.made.Load(); m != nil {
		return m
	}
	m := o.makeBoth()
	if o.initialized > 0 {
		o.openSession(m, o.initialized-1)
	}
	if o.closed {
		m.close()
	}
	o.made.Store(m)
	return m
}

// makeBoth makes the outbox and the subscriptions. A failed write ends the conn, and the subscriptions with it.
func (o *Outgoing) makeBoth() *madeOutgoing {
	h, limits := o.conn.host, o.conn.host.Limits
	if named, ok := o.to.(clientNamer); ok {
		limits.Client = named.Client()
	}
	out := h.Hub.NewOutbox(o.to, h.UpdateDelay, func(err error) {
		o.conn.writeFailed(err)
		_ = o.to.Close()
	})
	if o.paused {
		out.Pause()
	}
	return &madeOutgoing{out: out, streams: h.Hub.NewStreams(out, limits)}
}

// clientNamer is a transport.Conn that names the client for whose share of the limits its subscriptions count. The
// subscriptions of a transport.Conn without this method count for nobody.
type clientNamer interface{ Client() string }

// MarkInitialized says that the client has finished the handshake: from this time the client gets notifications about
// lists. It does nothing the second time.
func (o *Outgoing) MarkInitialized() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.initialized > 0 {
		return
	}
	since := o.conn.host.Hub.ListChanges()
	o.initialized = since + 1
	if m := o.made.Load(); m != nil {
		o.openSession(m, since)
	}
}

// openSession opens the stream of the session in m. The stream announces changes of lists that are newer than since, a
// result of [pubsub.Hub.ListChanges].
func (o *Outgoing) openSession(m *madeOutgoing, since uint64) {
	h := o.conn.host
	m.streams.OpenSession(h.Encoder(o.conn, o.conn.Revision()), h.Lists(), since)
}

// holdUpdates holds notifications of changes back from the beginning, until [Session.Resume]. It is called only before
// the first message.
func (o *Outgoing) holdUpdates() { o.paused = true }

// closeOutgoing ends the subscriptions and all writing, also if they are made after it.
func (o *Outgoing) closeOutgoing() {
	o.mu.Lock()
	o.closed = true
	m := o.made.Load()
	o.mu.Unlock()
	if m != nil {
		m.close()
	}
}

func (m *madeOutgoing) close() {
	m.streams.Close(false)
	m.out.Close(transport.ErrClosed)
}
