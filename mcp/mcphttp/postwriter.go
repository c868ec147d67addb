package mcphttp

import (
	"context"
	"net/http"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/eventlog"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/sessions"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// postWriter sends the response to one POST: a single JSON message, or a stream as soon as another message comes before
// the response.
type postWriter struct {
	limits.Request
	w       http.ResponseWriter
	modern  bool                // a request of 2026-07-28: the code of an error decides the status
	listens bool                // the request is subscriptions/listen or events/stream
	of      *sessions.Session   // the session of the request; nil if the stream of its response cannot be resumed
	log     *eventlog.Log       // of the stream, if it can be resumed; nil until it is needed
	first   func() *web.Refusal // called before anything is sent; its result becomes failed; nil for nothing
	asked   context.Context     // of the request
	ctx     context.Context     // the same as asked if the client, which has a session, may come back; else nil
	stream  *eventlog.Stream    // nil before the first Notify
	stop    func() bool         // ends the wait for the end of ctx; nil if there is none
	opts    *Options
	opener  *eventlog.Opener
	id      wire.ID // of the request

	answered bool
	busy     bool         // there was no room for the request
	body     int64        // pending bytes that the body counts as, if listens is set
	status   int          // of the response; 0 for the usual one
	failed   *web.Refusal // sent instead of the response; nil for none

	challenge string // of Options.StepUp, for a caller who lacks scopes
}

// Optional methods that the server uses besides those of call.ResponseWriter. Package engine finds these by type
// assertion, so that other writers need not have them. Package session finds three more: NotifyInTwo, ReleaseRequest
// and Client; package call finds Origin.
var (
	_ engine.Flusher     = (*postWriter)(nil)
	_ engine.LargeWriter = (*postWriter)(nil)
	_ engine.Leaver      = (*postWriter)(nil)
	_ engine.Waiter      = (*postWriter)(nil)
	_ engine.Forbidder   = (*postWriter)(nil)
	_ engine.Refuser     = (*postWriter)(nil)
	_ engine.Room        = (*postWriter)(nil)
)

// ReleaseRequest gives back the pending bytes of the body of a stream, which the server needs no longer.
func (p *postWriter) ReleaseRequest() {
	if p.body > 0 {
		p.Admission.Give(p.Usage, limits.PendingBytes, p.body)
		p.body = 0
	}
}

// Notify implements call.ResponseWriter.
func (p *postWriter) Notify(frame []byte) error { return p.NotifyInTwo(frame, nil) }

// NotifyInTwo is Notify for a message in two parts. Other streams may share the bytes of rest.
func (p *postWriter) NotifyInTwo(frame, rest []byte) error {
	p.announce()
	if p.stream == nil {
		p.begin()
	}
	if p.log != nil {
		p.log.Add(append(frame, rest...))
		return nil // a client that has gone may come back
	}
	return p.stream.EventInTwo(frame, rest)
}

// announce calls p.first once, and is called before anything is sent.
func (p *postWriter) announce() {
	if p.first != nil {
		p.failed = p.first()
		p.first = nil
	}
}

// begin makes the response a stream. If the stream can be resumed, its connection is closed when the client leaves, and
// does not wait for the handler.
func (p *postWriter) begin() {
	kind := labels.StreamResponse
	if p.listens {
		kind = labels.NumStreams
	}
	p.stream = p.opener.Open(p.w, kind, p.Usage)
	if p.of == nil {
		return
	}
	p.reply().Attach(p.stream, 0)
	if p.of.Primes() {
		p.log.Prime()
	}
	p.stop = context.AfterFunc(p.ctx, p.stream.HangUp)
}

// reply returns the log of the response stream, which it makes when called first. p.of must not be nil.
func (p *postWriter) reply() *eventlog.Log {
	if p.log == nil {
		p.log = p.of.Streams().NewReply()
	}
	return p.log
}

// Wait implements call.Waiter.
func (p *postWriter) Wait() (gone <-chan struct{}, resume func(), err error) {
	if p.of == nil {
		return nil, func() {}, nil
	}
	if err := p.BeginWait(); err != nil {
		return nil, nil, err
	}
	left, over := make(chan struct{}), make(chan struct{})
	log := p.reply()
	go func() {
		if log.AwaitLoss(p.opts.ResumeTimeout, over) {
			close(left)
		}
	}()
	return left, func() { close(over); p.EndWait() }, nil
}

// Refuse implements engine.Refuser.
func (p *postWriter) Refuse() { p.busy = true }

// Forbid implements engine.Forbidder.
func (p *postWriter) Forbid(granted []string, needs [][]string) {
	if p.opts.StepUp != nil {
		p.challenge = p.opts.StepUp(p.asked, granted, needs)
	}
}

// Respond implements call.ResponseWriter.
func (p *postWriter) Respond(frame []byte, code int) error { return p.respond(frame, nil, code) }

// RespondLarge implements engine.LargeWriter.
func (p *postWriter) RespondLarge(frame []byte, large *engine.Large, code int, now bool) error {
	if now {
		return p.respondNow(frame, large, code)
	}
	return p.respond(frame, large, code)
}

func (p *postWriter) respond(frame []byte, large *engine.Large, code int) error {
	p.answered = true
	p.announce()
	if p.stream != nil {
		if p.log != nil {
			p.log.End(frame, large, p.id)
			return nil
		}
		return p.stream.Event(nil, frame, large)
	}
	status := http.StatusOK
	switch {
	case p.busy:
		status = http.StatusServiceUnavailable
	case p.challenge != "":
		status = http.StatusForbidden
		p.w.Header().Set("WWW-Authenticate", p.challenge)
	case p.modern:
		status = statusOf(code)
	case p.status != 0:
		status = p.status
	}
	if p.failed != nil {
		fault := wire.NewError(wire.CodeInternal, p.failed.Text)
		status, frame, large = p.failed.Status, wire.AppendError(nil, p.id, false, fault), nil
	}
	n, of := int64(len(frame)), large
	if p.Admission.TakeUnread(p.Usage, n, large) {
		defer p.Admission.GiveUnread(p.Usage, n, of)
	} else {
		status, frame, large = http.StatusServiceUnavailable, wire.AppendError(nil, p.id, false, limits.ErrUnread), nil
	}
	if status == http.StatusServiceUnavailable {
		p.w.Header().Set("Retry-After", web.RetryAfter)
	}
	if large == nil {
		return web.WriteJSON(web.Progressing(p.w, p.opts.AnswerTimeout, len(frame)), status, frame)
	}
	size := wire.SizeOf(frame, large.Inserts)
	web.WriteHead(p.w, status, size)
	to := web.Progressing(p.w, p.opts.AnswerTimeout, size)
	return wire.WriteInserts(frame, large.Inserts, func(piece []byte) error {
		_, err := to.Write(piece)
		return err
	})
}

// Await implements engine.Room. The wait ends when the client leaves, although a client with a session may come back.
func (p *postWriter) Await(n int64, ended <-chan struct{}) bool {
	var left <-chan struct{}
	if p.ctx != nil {
		left = p.ctx.Done()
	}
	return p.AwaitTurn(n, ended, left)
}

// HasLeft implements engine.Leaver.
func (p *postWriter) HasLeft() bool {
	return p.ctx != nil && p.ctx.Err() != nil && (p.log == nil || !p.log.HasReader())
}

// RespondNow is Respond for a handler that still runs, maybe for long. The response is sent at once, and the client is
// told not to use the connection again.
func (p *postWriter) RespondNow(frame []byte, code int) error { return p.respondNow(frame, nil, code) }

func (p *postWriter) respondNow(frame []byte, large *engine.Large, code int) error {
	if p.stream == nil {
		p.w.Header().Set("Connection", "close")
		web.EndSoon(p.w, p.opts.AnswerTimeout)
	}
	if err := p.respond(frame, large, code); err != nil || p.stream != nil {
		return err
	}
	return http.NewResponseController(p.w).Flush()
}

// statusOf returns the HTTP status of a modern response; code is that of its error, or 0. Errors of handlers have
// status 200. Other statuses are only for errors from which clients learn what kind of server this is.
func statusOf(code int) int {
	switch code {
	case wire.CodeMethodNotFound:
		return http.StatusNotFound
	case protocol.CodeMissingRequiredClientCapability:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// close ends the response, after the server has called all other methods.
func (p *postWriter) close() {
	if p.stop != nil {
		p.stop()
	}
	if p.stream != nil {
		p.stream.Release()
	}
	if p.log != nil {
		p.log.Finish()
	}
}
