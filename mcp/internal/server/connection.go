package server

import (
	"context"
	"errors"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/transport"
)

// connection is a transport.Conn that [Server.Serve] serves.
//
// Messages are read by one goroutine at a time, the leader (see [engine.ReaderLease]), which does everything that must
// happen in the order of the messages before it runs code of the user: parsing, the era, the handshake, the table of
// calls, cancellation, and the places of subscriptions.
type connection struct {
	conn
	t       transport.Conn
	lease   engine.ReaderLease
	room    *engine.Pool
	pending []pendingItem // the rest of the batch being read; belongs to the leader
}

var _ call.Responder = (*connection)(nil)

func newConnection(ctx context.Context, s *Server, t transport.Conn) *connection {
	counts := &s.shared.Counts
	room := engine.NewPool(call.ConnRoom, &counts.Answers, &counts.Refused[labels.RefusedBytes])
	c := &connection{t: t, room: room}
	c.open(context.WithoutCancel(ctx), s, t) // whoever has the whole process has all that there is
	c.endsListen = true
	c.lease.Init(func() { go newLeader(c).run() }, func() bool { return c.Calls.Room(s.shared.MaxInFlight) })
	return c
}

// Notify implements [responder].
func (c *connection) Notify(frame []byte, of engine.Request) error {
	late := false
	err := c.outbox().Write(append(frame, '\n'), func() bool {
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

// Respond implements [responder].
func (c *connection) Respond(frame []byte, _ int, of engine.Request) []byte { return c.send(frame, of) }

// RespondNow implements [responder].
func (c *connection) RespondNow(frame []byte, _ int, of engine.Request) { c.send(frame, of) }

// Discard implements [responder].
func (c *connection) Discard() {}

// Flush implements [responder].
func (c *connection) Flush() {}

// Room implements [responder].
func (c *connection) Room() engine.Room { return c.room }

// Wait implements [responder]: a client that leaves ends the connection.
func (c *connection) Wait() (gone <-chan struct{}, resume func(), err error) {
	return nil, func() {}, nil
}

// Ordered implements [responder].
func (c *connection) Ordered() bool { return true }

func (c *connection) Sender() *call.Caller { return c.legacy.latest.Load() }

// whyClosed returns why our side of the connection has been closed: nil, or the error of a write that the transport has
// closed it after. That write may not have returned yet.
func (c *connection) whyClosed() error {
	select {
	case <-c.Ended.Done():
		return c.cause
	default:
		return c.outbox().Err()
	}
}

// finalWriteTimeout is how long the client may take, after the grace period, for what is still to be written.
const finalWriteTimeout = time.Second

// errUnread is what Serve returns if the client did not read until the end.
var errUnread = errors.New("mcp: the client did not read its last messages")

// serve runs the connection until its input ends, it dies, or one of the channels is closed: of the
// context of Serve, of a signal to the process, of Close of the server. A nil channel never is.
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
	t := time.NewTimer(c.s.grace + finalWriteTimeout)
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

// windDown ends what is open and waits for what is being handled. It returns only if the client reads.
func (c *connection) windDown(hurry <-chan struct{}) {
	c.streams().Close(c.cause == nil)
	c.drain(hurry)
	c.abandon()
	c.outbox().Close(transport.ErrClosed)
}
