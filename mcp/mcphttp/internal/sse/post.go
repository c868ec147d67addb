package sse

import (
	"bytes"
	"context"
	"errors"
	"net/http"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/eventlog"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// post is the message of one POST, with the resources that it holds until release.
type post struct {
	t       *Handler
	x       *streamSession
	who     mcp.Caller
	usage   *limits.Usage
	body    limits.Body
	e       session.Envelope
	counted bool // as a request that is handled, or as a notification that runs code of the program
	// declined is the error that the session sends in place of handling the message; nil if it handles the message.
	declined *wire.Error
}

// post handles POST: one message, or a batch. The response to a request is written to the stream of the session, maybe
// before the POST is answered.
func (t *Handler) post(w http.ResponseWriter, r *http.Request, who mcp.Caller) {
	x, why := t.sessionOf(r, who)
	if why != nil {
		web.HangUp(w, r)
		web.Refuse(w, why)
		return
	}
	m := &post{t: t, x: x, who: who, usage: t.admit.Client(r, who.Subject)}
	if m.body, why = t.bodies.Read(w, r, m.usage); why != nil {
		m.release()
		web.HangUp(w, r)
		web.Refuse(w, why)
		return
	}
	m.e = session.OpenEnvelope(m.body.Text())
	if fault := m.fault(); fault != nil {
		web.AnswerError(w, http.StatusBadRequest, &m.e, fault, t.counts)
		m.release()
		return
	}
	m.declined = m.decline(r)
	if m.e.Message.IsRequest() || m.e.Batch || server.HostOf(t.srv).Notifies(&m.e) {
		if why := m.admit(); why != nil {
			m.release()
			web.Refuse(w, why)
			return
		}
		go m.handle(r.Context())
	} else {
		m.handle(r.Context()) // before the 202, so that a cancellation or a response has had its effect
	}
	w.WriteHeader(http.StatusAccepted)
}

// sessionOf returns the session that a POST names, in use until Done is called. If another subject has opened the
// session, the refusal says that it does not exist.
func (t *Handler) sessionOf(r *http.Request, who mcp.Caller) (*streamSession, *web.Refusal) {
	if why := web.IsJSON(r); why != nil {
		t.counts.Refused[labels.RefusedMediaType].Add(1)
		return nil, why
	}
	ids := r.URL.Query()[query]
	if len(ids) != 1 || ids[0] == "" {
		return nil, web.NewRefusal(http.StatusBadRequest, "the query must have one "+query+
			": open a stream with GET, and use the URI in its first event")
	}
	v, _ := t.open.Load(ids[0])
	x, _ := v.(*streamSession)
	if x == nil || !x.Use(who.Subject) {
		return nil, web.NewRefusal(http.StatusNotFound, "the session does not exist: sessions end with their streams")
	}
	x.renew(who)
	return x, nil
}

// decline returns why the session cannot handle a message; nil if it can. The error is sent on the stream, and the POST
// gets status 202. After such an error, a client that has tried a revision without sessions continues with initialize;
// after status 400, some clients would give up. A client that has opened its stream again, as EventSource does by
// itself, learns that it must initialize.
func (m *post) decline(r *http.Request) *wire.Error {
	if _, declared := m.e.DeclaredVersion(); declared || web.IsModern(r) {
		return wire.NewError(wire.CodeMethodNotFound, "method not found: "+onlyLegacy)
	}
	if m.x.MCP.Revision() != 0 { // initialized; before that, fault has refused batches
		return nil
	}
	switch string(m.e.Message.Method) {
	case protocol.MethodInitialize, protocol.MethodPing:
		return nil
	}
	return wire.NewError(wire.CodeInvalidParams,
		"invalid params: not initialized: each stream is a new session, which begins with initialize")
}

// fault returns why a message is refused with status 400; nil if it is not.
func (m *post) fault() *wire.Error {
	if m.e.Fault != nil {
		return m.e.Fault
	}
	if m.e.Batch && m.x.MCP.Revision() != protocol.Revision20250326 {
		return wire.NewError(wire.CodeInvalidRequest, "invalid request: the revision of this session has no batches")
	}
	return nil
}

// admit counts m as a request that is handled. It refuses m instead if the client has too many requests, or has to read
// first: it has too many unread bytes, or unread refusals in place of responses.
func (m *post) admit() *web.Refusal {
	a, of := m.t.admit, m.x.Usage
	if a.IsFull(of, limits.PendingBytes) || m.x.owed.wait() {
		return m.t.admit.TooMany(limits.PendingBytes)
	}
	if m.counted = a.Take(m.usage, limits.Requests, 1); !m.counted {
		return m.t.admit.TooMany(limits.Requests)
	}
	return nil
}

// handle handles the message, and releases it.
func (m *post) handle(ctx context.Context) {
	defer m.release() // also if the code of a user ends the goroutine
	if m.declined != nil {
		if m.e.Message.IsRequest() {
			_ = m.x.events.Put(wire.AppendError(nil, m.e.Message.ID, false, m.declined), nil) // or nobody reads
		}
		return
	}
	t, u := m.t, m.usage
	p := &responseWriter{Request: limits.NewRequest(t.admit, u), stream: m.x.events, id: m.e.Message.ID, owed: &m.x.owed}
	m.x.MCP.Handle(ctx, &m.e, call.Caller(m.who), p)
}

// release gives back what the message holds.
func (m *post) release() {
	if m.counted {
		m.t.admit.Give(m.usage, limits.Requests, 1)
	}
	m.t.bodies.Release(m.usage, m.body)
	m.t.admit.Drop(m.usage)
	m.x.Done()
}

// responseWriter writes to the stream of the session what the server sends while it handles one POST.
type responseWriter struct {
	limits.Request
	stream *eventlog.Stream
	id     wire.ID // of the request
	owed   *owedRefusals
}

// Notify implements call.ResponseWriter.
func (p *responseWriter) Notify(frame []byte) error { return p.stream.Message(frame) }

// Respond implements call.ResponseWriter. A response for which there is no room becomes an error, and does not end the
// session.
func (p *responseWriter) Respond(frame []byte, _ int) error { return p.respond(frame, nil) }

// RespondLarge implements engine.LargeWriter.
func (p *responseWriter) RespondLarge(frame []byte, large *engine.Large, _ int, _ bool) error {
	return p.respond(frame, large)
}

func (p *responseWriter) respond(frame []byte, large *engine.Large) error {
	err := p.stream.Put(frame, large)
	if errors.Is(err, eventlog.ErrBudget) {
		return p.owed.put(wire.AppendError(nil, p.id, false, limits.ErrUnread))
	}
	return err
}

// RespondNow implements engine.Flusher.
func (p *responseWriter) RespondNow(frame []byte, code int) error { return p.Respond(frame, code) }

// Wait implements call.Waiter. gone is closed when the stream ends, because the session ends with it.
func (p *responseWriter) Wait() (gone <-chan struct{}, resume func(), err error) {
	if err := p.BeginWait(); err != nil {
		return nil, nil, err
	}
	return p.stream.Ended(), p.EndWait, nil
}

// Await implements engine.Room.
func (p *responseWriter) Await(n int64, ended <-chan struct{}) bool {
	return p.AwaitTurn(n, ended, p.stream.Ended())
}

// HasLeft implements engine.Leaver.
func (p *responseWriter) HasLeft() bool {
	select {
	case <-p.stream.Ended():
		return true
	default:
		return false
	}
}

// trimLine drops the newline that messages of a connection end with.
func trimLine(frame []byte) []byte { return bytes.TrimSuffix(frame, []byte("\n")) }
