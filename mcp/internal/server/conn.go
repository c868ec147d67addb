package server

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/transport"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// conn is one connection that is being served.
//
// Messages are read by one goroutine at a time, the leader (see lead), which does everything that
// must happen in the order of the messages before it runs code of the user: parsing, the era, the
// handshake, the table of calls, cancellation, and the places of subscriptions.
type conn struct {
	s   *Server
	t   transport.Conn
	out *outbox
	log *slog.Logger
	ctx context.Context // of Serve; handlers see its values, not its end

	streams *streams
	lead    lead
	caller  Caller                 // of Serve; who sends through a lane is told by that
	serial  uint64                 // tells conns apart; 0 for one that carries a single request
	latest  atomic.Pointer[lane]   // of who has used a session last whose carrier brings messages
	lapsed  atomic.Bool            // updates of that session wait until its caller is known again
	guarded atomic.Bool            // it has subscribed to what not everybody may see
	client  atomic.Pointer[string] // name and version, as the client of the legacy session says
	alone   bool                   // it carries one listen and nothing else
	pending []*part                // rest of the batch being read; belongs to the leader

	abilities atomic.Uint32 // an Ability: what the client of the legacy session has declared
	revision  atomic.Uint32 // of the legacy session; 0 before initialize
	logLevel  atomic.Int64  // a slog.Level: what the legacy session wants to hear

	mu       sync.Mutex // a leaf: nothing else is locked or called under it
	calls    map[wire.ID]*Call
	early    *early      // nil where messages are handled in the order in which they were sent
	over     *wire.Error // why no further request is handled; nil while they are
	running  int         // calls whose handler has not returned, and does not wait for a person
	busy     int         // messages that are being handled
	stopping bool        // no further message is handled

	inquiries   map[wire.ID]*inquiry // questions to the client; nil before the first
	waiting     map[*Call]int        // questions of calls that wait; they are not running meanwhile
	lastInquiry int64
	quiet       chan struct{}

	ending sync.Once
	ended  chan struct{} // input has ended or the conn is dead
	cause  error         // of the end; read it after ended
	dying  sync.Once
	dead   chan struct{} // nothing can be written any more
}

// serials are the serial numbers of conns, in all servers of the process.
var serials atomic.Uint64

func newConn(ctx context.Context, s *Server, t transport.Conn) *conn {
	c := &conn{
		serial: serials.Add(1),
		s:      s, t: t, log: s.log, ctx: context.WithoutCancel(ctx),
		calls: make(map[wire.ID]*Call),
		quiet: make(chan struct{}),
		ended: make(chan struct{}),
		dead:  make(chan struct{}),
	}
	if n, ok := t.(transport.Named); ok && n.Name() != "" {
		c.log = s.log.With("transport", n.Name())
	}
	c.logLevel.Store(int64(logNothing))
	c.out = newOutbox(t, c.log)
	c.openStreams()
	s.open()
	c.lead.init(func() { go newWorker(c).run() })
	return c
}

// session returns the revision that the legacy session has negotiated; 0 if there is none.
func (c *conn) session() protocol.Revision { return protocol.Revision(c.revision.Load()) }

// end says that nothing more can be read or, with an error, that the conn is dead.
func (c *conn) end(cause error) {
	c.ending.Do(func() {
		c.cause = cause
		close(c.ended)
	})
}

// fail says that nothing can be written any more, so that nobody is left to work for.
func (c *conn) fail(err error) {
	c.end(err)
	c.dying.Do(func() { close(c.dead) })
}

// whyClosed returns why our side of the conn has been closed: nil, or the error of a write that the transport has
// closed it after. That write may not have returned yet.
func (c *conn) whyClosed() error {
	select {
	case <-c.ended:
		return c.cause
	default:
		return c.out.fate()
	}
}

// accept counts a message as being handled. It is false once the conn is stopping.
func (c *conn) accept() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopping {
		return false
	}
	c.busy++
	return true
}

// handled says that a message is done with: answered, if it wants an answer.
func (c *conn) handled() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy--
	if c.stopping && c.busy == 0 {
		close(c.quiet)
	}
}

// stop makes the conn handle no further message. quiet is closed when those at hand are done.
func (c *conn) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.stopping && c.busy == 0 {
		close(c.quiet)
	}
	c.stopping = true
}

// idKey makes all spellings of an id equal.
func idKey(id wire.ID) wire.ID { return id.Canonical() }

// inFlight reports whether id belongs to a request that is still to be answered.
func (c *conn) inFlight(id wire.ID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.calls) == 0 {
		return false
	}
	return c.calls[idKey(id)] != nil
}

// register enters a call into the table. It fails if too many are there already, or one with the same
// id: messages that carriers bring may come at the same time. It fails with errDropped if nobody wants an answer, because
// the client has cancelled the request already or has ended c.
func (c *conn) register(call *Call) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := idKey(call.id)
	switch {
	case c.over != nil:
		return c.over
	case c.early.take(key):
		return errDropped
	case c.running >= c.s.maxInFlight:
		return errBusy
	case c.calls[key] != nil:
		return errDuplicate
	}
	c.running++
	c.calls[key] = call
	return nil
}

// close makes register refuse every further request; errDropped for no answer.
func (c *conn) close(why *wire.Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over == nil {
		c.over = why
	}
}

// closed reports whether the client has ended c, so that it wants no answer.
func (c *conn) closed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.over == errDropped
}

// forget frees the id of a call that was answered or cancelled.
func (c *conn) forget(call *Call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if key := idKey(call.id); c.calls[key] == call {
		delete(c.calls, key)
		c.early.ended(key)
	}
}

// release says that the handler of a call has returned.
func (c *conn) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running--
}

// cancel ends the request with the given id without an answer.
func (c *conn) cancel(id wire.ID) {
	c.mu.Lock()
	call := c.calls[idKey(id)]
	if call == nil {
		c.early.cancel(idKey(id))
	}
	c.mu.Unlock()
	if call == nil || !call.state.CompareAndSwap(callRunning, callCancelled) {
		return // answered already, or never seen: the client may not know yet
	}
	if c.streams != nil {
		c.streams.cancel(call.id)
	}
	c.forget(call)
	if call.part != nil {
		call.part.finish()
	}
	call.end(context.Canceled)
}

// lastWords is how long the client may take, after the grace period, for what is still to be written.
const lastWords = time.Second

// errUnread is what Serve returns if the client did not read until the end.
var errUnread = errors.New("mcp: the client did not read its last messages")

// serve runs the conn until its input ends, it dies, or one of the channels is closed: of the
// context of Serve, of a signal to the process, of Close of the server. A nil channel never is.
func (c *conn) serve(done, signal, closing <-chan struct{}) error {
	c.lead.promote()
	var hurry <-chan struct{}
	select {
	case <-c.ended:
		hurry = signal
	case <-done:
		c.end(nil)
	case <-signal:
		c.end(nil)
	case <-closing:
		c.end(nil)
	}
	c.stop()
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		c.windDown(hurry)
	}()
	t := time.NewTimer(c.s.grace + lastWords)
	defer t.Stop()
	err := c.cause
	select {
	case <-finished:
	case <-t.C:
		// A write may wait in the kernel for a client that does not read, and Close cannot interrupt it.
		c.log.Warn("mcp: client does not read: its last messages are lost")
		err = errUnread
	}
	_ = c.t.Close()
	return err
}

// windDown ends what is open and waits for what is being handled. It returns only if the client reads.
func (c *conn) windDown(hurry <-chan struct{}) {
	c.streams.close(c.cause == nil)
	c.drain(hurry)
	c.abandon()
	c.out.close()
}

// drain waits for the requests at hand, but not longer than the grace period, nor after hurry: a client that has closed
// our input and goes on to signals does not wait for answers any more.
func (c *conn) drain(hurry <-chan struct{}) {
	t := time.NewTimer(c.s.grace)
	defer t.Stop()
	select {
	case <-c.quiet:
	case <-c.dead:
	case <-hurry:
	case <-t.C:
	}
}

// abandon answers what is still unanswered in place of its handler, and ends the contexts.
func (c *conn) abandon() {
	c.close(errShutdown)
	c.mu.Lock()
	left := make([]*Call, 0, len(c.calls))
	for _, call := range c.calls {
		left = append(left, call)
	}
	c.mu.Unlock()
	for _, call := range left {
		if call.state.Load() != callRunning { // and its answer may be under way to a client that does not read
			call.end(context.Canceled)
			continue
		}
		call.preempt(context.Canceled, func(*callMore) { c.refuse(call) })
	}
	for _, call := range left {
		if call.part != nil {
			call.part.batch.flush()
		}
	}
	if len(left) > 0 {
		c.log.Warn("mcp: requests abandoned", "count", len(left))
	}
}

// refuse answers a call in place of its handler.
func (c *conn) refuse(call *Call) {
	frame := wire.AppendError(nil, call.id, false, errShutdown)
	switch {
	case call.part != nil:
		call.part.batch.add(frame)
	case call.lane != nil:
		call.lane.answerNow(frame, errShutdown.Code)
	default:
		c.send(frame)
	}
}

// send writes one message and returns its buffer. If that fails, the conn is dead.
func (c *conn) send(frame []byte) []byte {
	frame = append(frame, '\n')
	if err := c.out.respond(frame, nil); err != nil {
		c.fail(err)
	}
	return frame
}
