package session

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/counters"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/transport"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// connection is a transport.Conn that [Host.Serve] serves.
//
// Messages are read by one goroutine at a time, the leader (see [engine.ReaderLease]), which does everything that must
// happen in the order of the messages before it runs code of the user: parsing, the era, the handshake, the table of
// calls, cancellation, and the places of subscriptions.
type connection struct {
	Conn
	t        transport.Conn
	lease    engine.ReaderLease
	replaced sync.Pool // of *leader: those that have finished their requests while another one leads
	room     *engine.Pool
	pending  []pendingItem // the messages of a batch still to be handled; only the leader uses it
}

var _ call.Responder = (*connection)(nil)

func newConnection(ctx context.Context, h *Host, t transport.Conn) *connection {
	counts := &h.Counts
	room := engine.NewPool(call.ConnRoom, &counts.Answers, &counts.Refused[labels.RefusedBytes])
	c := &connection{t: t, room: room}
	c.open(context.WithoutCancel(ctx), h, t)
	c.EndsListen = true
	c.lease.Init(func() { go newLeader(c).run() }, func() bool { return c.Calls.Room(h.MaxInFlight) })
	return c
}

// Notify implements [call.Responder].
func (c *connection) Notify(frame []byte, of engine.Request) error {
	late := false
	err := c.Outbox().Write(append(frame, '\n'), func() bool {
		late = !of.Running()
		return !late
	})
	if err != nil {
		c.fail(err)
		return err
	}
	if late {
		return engine.ErrEnded
	}
	return nil
}

// Respond implements [call.Responder].
func (c *connection) Respond(frame []byte, _ int, of engine.Request) []byte { return c.send(frame, of) }

// RespondNow implements [call.Responder].
func (c *connection) RespondNow(frame []byte, _ int, of engine.Request) { c.send(frame, of) }

// Discard implements [call.Responder].
func (c *connection) Discard() {}

// Flush implements [call.Responder].
func (c *connection) Flush() {}

// Room implements [call.Responder].
func (c *connection) Room() engine.Room { return c.room }

// Wait implements [call.Responder]: a client that leaves ends the connection.
func (c *connection) Wait() (gone <-chan struct{}, resume func(), err error) {
	return nil, func() {}, nil
}

// Ordered implements [call.Responder].
func (c *connection) Ordered() bool { return true }

func (c *connection) Sender() *call.Caller { return c.LastCaller() }

// whyClosed returns why our side of the connection was closed: nil, or the error of a write after which the transport
// has closed the connection. It finds the error even if the write has not returned yet.
func (c *connection) whyClosed() error {
	select {
	case <-c.Ended.Done():
		return c.cause
	default:
		return c.Outbox().Err()
	}
}

// Serve serves the client of t until the connection ends, as mcp.Server.Serve describes. All its requests have the
// given caller.
func (h *Host) Serve(ctx context.Context, t transport.Conn, who call.Caller) error {
	release, ok := h.Stay()
	if !ok {
		_ = t.Close()
		return ErrServerClosed
	}
	defer release()
	h.Counts.Serving.Add(1)
	defer h.Counts.Serving.Add(-1)

	var signal <-chan struct{}
	if os.Getenv("MCP_TRACE") == "1" {
		t = transport.Trace(t, os.Stderr)
	}
	if stopper, ok := t.(transport.Stopper); ok {
		signal = stopper.Stopped()
	}
	c := newConnection(ctx, h, t)
	c.keepCaller(&who)
	return c.serve(ctx.Done(), signal, h.Stopping())
}

// finalWriteTimeout is how long a client may take to read its last messages once the grace period is over.
const finalWriteTimeout = time.Second

// errUnread is what Serve returns if the client did not read until the end.
var errUnread = errors.New("mcp: the client did not read its last messages")

// serve runs the connection until its input ends, it dies, or a channel is closed: done when the context of Serve ends,
// signal when the process gets a signal, closing when the server closes. Each channel may be nil.
func (c *connection) serve(done, signal, closing <-chan struct{}) error {
	c.lease.Lead()
	var hurry <-chan struct{}
	select {
	case <-c.Ended.Done():
		hurry = signal
	case <-done:
		c.end(nil)
	case <-signal:
		c.end(nil)
	case <-closing:
		c.end(nil)
	}
	c.Calls.Stop()
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		c.windDown(hurry)
	}()
	t := time.NewTimer(c.host.Grace + finalWriteTimeout)
	defer t.Stop()
	err := c.cause
	select {
	case <-finished:
	case <-t.C:
		// A write may wait in the kernel for a client that does not read, and Close cannot interrupt it.
		c.Log.Warn("mcp: client does not read: its last messages are lost")
		err = errUnread
	}
	_ = c.t.Close()
	return err
}

// windDown ends subscriptions and waits for running requests, but no longer than [Conn.drain] does with hurry. It may
// block for as long as the client does not read.
func (c *connection) windDown(hurry <-chan struct{}) {
	c.Streams().Close(c.cause == nil)
	c.drain(hurry)
	c.abandon()
	c.Outbox().Close(transport.ErrClosed)
}

// leader is the worker of the goroutine that reads a connection. It reads a message, handles it, and reads the next one
// unless another leader was started meanwhile.
type leader struct {
	*Worker
	from     *connection
	in       []byte // buffer, kept from message to message
	returned bool   // set at the end of run; false in deferred functions if runtime.Goexit ends the goroutine
}

// pendingItem is a message of a batch that is still to be handled.
type pendingItem struct {
	text      []byte
	batch     *engine.Batch
	responder *call.BatchItem
}

// newLeader returns a leader of c: one that was replaced before and has finished its request, if there is one. Its
// buffers are made. A leader with new ones may take so long for a large response that it is replaced again, and so on.
func newLeader(c *connection) *leader {
	l, _ := c.replaced.Get().(*leader)
	if l == nil {
		w := newWorker(c.host, &c.Conn)
		w.Responder, w.lease = c, &c.lease
		l = &leader{from: c, Worker: w}
	}
	l.leads, l.returned = true, false
	return l
}

// run handles messages until the input ends or another leader was started.
func (l *leader) run() {
	defer l.exit()
	for l.leads && l.step() {
	}
	l.returned = true
}

// exit starts another leader if a handler has ended this goroutine, and keeps l for newLeader if another one leads.
func (l *leader) exit() {
	switch {
	case !l.returned && l.leads:
		l.from.lease.Lead()
	case l.returned && !l.leads:
		l.from.replaced.Put(l)
	}
}

// step handles the next message and reports whether there may be more.
func (l *leader) step() bool {
	if len(l.from.pending) > 0 {
		l.nextItem()
		return true
	}
	text, err := l.from.t.ReadMessage(l.in)
	l.in = text[:0]
	lost, survives := errors.AsType[*transport.MessageError](err)
	if err != nil && !survives {
		l.inputEnded(err)
		return false
	}
	if !l.Conn.Calls.Accept(1) {
		return false
	}
	defer l.Conn.Calls.Handled()
	l.Number = counters.MethodInvalid // until it is known
	switch {
	case err != nil:
		l.refuse(wire.ID{}, false, lost.Err)
		return true
	case wire.IsBatch(text):
		l.openBatch(text)
	default:
		m, bad := wire.ParseMessage(text, engine.Limits)
		l.handle(text, &m, bad)
	}
	if cap(l.in) > MaxSpare {
		l.in = nil
		l.params.ResetParams(nil, nil)
	}
	return true
}

// inputEnded ends the connection because ReadMessage has returned err, which is no error of a single message.
func (l *leader) inputEnded(err error) {
	switch {
	case errors.Is(err, io.EOF):
		err = nil
	case errors.Is(err, transport.ErrClosed):
		err = l.from.whyClosed()
	}
	l.Conn.end(err)
}

// openBatch makes the messages of a batch the next ones to be handled. It need not ask again for each message whether
// batches are allowed: only one revision has them, and a message of a batch cannot change it.
func (l *leader) openBatch(text []byte) {
	texts, bad := l.splitBatch(text)
	if bad != nil {
		l.refuse(wire.ID{}, false, bad)
		return
	}
	// The items outlive the buffer: another leader may handle them.
	b := engine.NewBatch(l.from, len(texts))
	for _, t := range texts {
		l.from.pending = append(l.from.pending, pendingItem{bytes.Clone(t), b, call.NewBatchItem(b, l.from)})
	}
	l.Conn.Calls.AcceptMore(len(texts))
}

// nextItem handles the next message of a batch.
func (l *leader) nextItem() {
	item := l.from.pending[0]
	l.from.pending = l.from.pending[1:]
	defer l.Conn.Calls.Handled()
	defer item.responder.Discard()
	l.Responder, l.inBatch = item.responder, true
	m, bad := wire.ParseChecked(item.text)
	l.handleItem(item.batch, item.text, &m, bad)
	l.Responder, l.inBatch = l.from, false
}
