package server

import (
	"context"
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/transport"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Session is the legacy session of one client whose messages a carrier brings one by one, each
// with a way back of its own. What belongs to no request, the news, leaves through a stream that may
// be there or not. It is safe for concurrent use.
type Session struct{ c *conn }

// NewSession returns a session that no message has come in yet. Its news go to news, of which only
// WriteMessage is called, never twice at the same time; it must not block for long. They are held
// back until [Session.Hear]. Whoever makes a session closes it.
func (s *Server) NewSession(news transport.Conn) (*Session, error) {
	c := newConn(context.Background(), s, news)
	c.early = &early{most: s.maxInFlight}
	c.out.mute(true)
	if !s.carry(c) {
		return nil, ErrServerClosed
	}
	return &Session{c}, nil
}

// Revision returns what the session has negotiated; 0 before initialize.
func (x *Session) Revision() protocol.Revision { return x.c.session() }

// Handle handles one message or batch of who. It returns when all of it was answered on p or was
// cancelled; what needs no answer gets none. The end of ctx does not cancel requests: clients of
// these revisions may come back for their answer. Handlers see the values of ctx.
func (x *Session) Handle(ctx context.Context, e *Envelope, who Caller, p Port) {
	w, _ := x.c.s.workers.Get().(*worker)
	if w == nil {
		w = new(worker)
	}
	w.c, w.base = x.c, ctx
	l := &lane{caller: who, port: p}
	x.c.speaks(l)
	defer l.close()
	if e.Batch {
		w.takeBatch(e.text, l)
	} else {
		w.take(e, l)
	}
	w.c, w.base = nil, nil
	x.c.s.workers.Put(w)
}

// takeBatch handles the messages of a batch one after the other.
func (w *worker) takeBatch(text []byte, l *lane) {
	w.lane = l
	defer func() { w.lane = nil }()
	if !w.c.accept() {
		if !w.c.closed() {
			w.refuse(wire.ID{}, false, errShutdown)
		}
		return
	}
	defer w.c.handled()
	texts, bad := w.splitBatch(text)
	if bad != nil {
		w.refuse(wire.ID{}, false, bad)
		return
	}
	w.c.cancelInBatch(texts)
	b := &batch{c: w.c, lane: l, left: len(texts), frames: []byte{'['}}
	w.handleParts(b, texts)
	w.part = nil
}

// handleParts handles the messages of b that are left, also if the code of a user ends the goroutine.
func (w *worker) handleParts(b *batch, texts [][]byte) {
	done := 0
	defer func() {
		if done < len(texts) {
			w.part.finish()
			w.handleParts(b, texts[done+1:])
		}
	}()
	for ; done < len(texts); done++ {
		w.part = &part{text: texts[done], batch: b}
		m, bad := wire.ParseChecked(texts[done])
		w.handle(texts[done], &m, bad)
		w.part.finish()
	}
}

// Hear says whether the stream of the news has a reader now. While it has none, notifications of changes are held
// back. What is held back is not lost: there is one notification at most for each resource and list, however often it
// changes.
func (x *Session) Hear(there bool) { x.c.out.mute(!there) }

// Renew sets the caller of the session to who, as Handle does for each message. A carrier calls it when a client opens
// the stream of the news, which is no message. Notifications that were held back because the caller had expired are
// sent; a subscription to a resource that who may not read ends before its next notification.
func (x *Session) Renew(who Caller) { x.c.speaks(&lane{caller: who}) }

// Remind notifies the client that each resource it has subscribed to, and each list, may have changed. A carrier calls
// it when earlier notifications may have been lost.
func (x *Session) Remind() { x.c.streams.remind() }

// Busy reports whether a request of the session is being handled.
func (x *Session) Busy() bool {
	x.c.mu.Lock()
	defer x.c.mu.Unlock()
	return x.c.running+len(x.c.waiting) > 0
}

// Close ends the session: its requests are cancelled, its subscriptions end. No code of the user begins for a request
// of it afterwards; Handle returns without an answer.
func (x *Session) Close() {
	c := x.c
	c.end(nil)
	c.cancelAll()
	c.stop()
	c.streams.close(false)
	c.out.close()
	c.s.drop(c)
}

// endCarried ends a connection that a carrier feeds, because the server closes. Requests may go on for a
// while, and nobody waits for them afterwards. A listen ends by itself unless its subscription is never answered.
func (s *Server) endCarried(c *conn) {
	c.stop()
	c.drain(nil)
	if c.alone {
		select {
		case <-c.quiet:
		default:
			c.abandon()
		}
		return
	}
	c.abandon()
	if c.out != nil {
		(&Session{c}).Close()
		return
	}
	s.drop(c)
}

// remind marks all subs of the legacy session.
func (t *streams) remind() { t.remindOf(func(*sub) bool { return true }) }

// remindOf marks those subs of the legacy session that fit. fits is called under out.mu.
func (t *streams) remindOf(fits func(u *sub) bool) {
	t.out.mu.Lock()
	subs := slices.DeleteFunc(t.legacy.subsLocked(), func(u *sub) bool { return !fits(u) })
	t.out.mu.Unlock()
	for _, u := range subs {
		u.mark()
	}
}
