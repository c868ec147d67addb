package server

import (
	"cmp"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/transport"
)

// outgoing is what the notifications of a conn leave through that belong to no request, and its subscriptions.
type outgoing struct {
	out     *pubsub.Outbox
	streams *pubsub.Streams

	mu      sync.Mutex
	sources map[*feature.Resource]*pubsub.Source // of the subscriptions of the session, nil for tasks; guarded by mu
}

// lazyOutgoing is the outgoing of a conn, which is made when it is needed: a session that has neither subscribed nor
// opened a stream does without.
type lazyOutgoing struct {
	to     transport.Conn // nil where nothing can leave
	made   atomic.Pointer[outgoing]
	mu     sync.Mutex // held while it is made
	paused bool       // it is made paused; set before the first message
	closed bool       // guarded by mu
	// initialized is what [pubsub.Hub.ListChanges] was when the client of a session was ready, and 1 more; 0 before.
	// Guarded by mu.
	initialized uint64
}

// opened returns the outgoing, nil if it was not made yet.
func (o *lazyOutgoing) opened() *outgoing { return o.made.Load() }

// outbox and streams return what is in the outgoing of c, which they make if need be.

func (c *conn) outbox() *pubsub.Outbox { return c.openOutgoing().out }

func (c *conn) streams() *pubsub.Streams { return c.openOutgoing().streams }

func (c *conn) openOutgoing() *outgoing {
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
func (c *conn) newOutgoing() *outgoing {
	opts, t := &c.s.opts, c.outgoing.to
	delay := max(cmp.Or(opts.UpdateDelay, defaultUpdateDelay), 0)
	limits := pubsub.Limits{
		URIs:    firstPositive(opts.MaxSubscriptions, defaultMaxSubscriptions),
		Listens: firstPositive(opts.MaxListens, defaultMaxListens),
	}
	if named, ok := t.(clientNamer); ok {
		limits.Client = named.Client()
	}
	o := new(outgoing)
	o.out = c.s.hub.NewOutbox(t, delay, func(err error) {
		c.writeFailed(err)
		_ = t.Close()
	})
	if c.outgoing.paused {
		o.out.Pause()
	}
	o.streams = c.s.hub.NewStreams(o.out, limits)
	return o
}

// clientNamer is a transport.Conn that knows whose subscriptions count together; else nobody's do.
type clientNamer interface{ Client() string }

// markInitialized begins the session: from now on its client hears of the lists.
func (c *conn) markInitialized() {
	c.outgoing.mu.Lock()
	defer c.outgoing.mu.Unlock()
	if c.outgoing.initialized > 0 {
		return
	}
	since := c.s.hub.ListChanges()
	c.outgoing.initialized = since + 1
	if o := c.outgoing.made.Load(); o != nil {
		c.openSession(o, since)
	}
}

// openSession opens the stream of the session in o. What has changed since counts as a change.
func (c *conn) openSession(o *outgoing, since uint64) {
	o.streams.OpenSession(&streamEncoder{c: c, rev: c.session()}, c.s.listsThatChange(), since)
}

// closeOutgoing ends the subscriptions and all writing.
func (c *conn) closeOutgoing() {
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
func (c *conn) writeFailed(err error) {
	unread := errors.Is(err, os.ErrDeadlineExceeded)
	if unread {
		c.countUnread()
	}
	switch {
	case errors.Is(err, io.ErrClosedPipe): // the client has left, as clients do, or the transport says more
		c.Log.Debug("mcp: connection ended", "err", err)
	case unread:
		c.Log.Warn("mcp: client does not read: connection ended", "err", err)
	case !errors.Is(err, transport.ErrClosed):
		c.Log.Info("mcp: connection ended", "err", err)
	}
	c.fail(err)
}
