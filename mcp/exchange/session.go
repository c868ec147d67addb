package exchange

import (
	"bytes"
	"context"
	"io"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Session is the session of a client of a revision before 2026-07-28. It is safe for concurrent use. The transport that
// makes one must close it.
type Session struct {
	of   *session.Session
	host *session.Host
}

// NewSession returns a session before its first message. notify sends a notification that belongs to no request, such
// as an update of a resource. The session calls notify once at a time, and not before [Session.Resume]. notify must not
// block for long, and must not keep msg. An error of notify ends the session. NewSession fails if srv is closed.
func NewSession(srv Server, notify func(msg []byte) error) (*Session, error) {
	host := server.HostOf((*server.Server)(srv.Base()))
	s, err := host.NewSession(notifications(notify))
	if err != nil {
		return nil, err
	}
	return &Session{s, host}, nil
}

// Handle handles a message. caller is the sender. Handle returns when all requests in the message were responded to or
// cancelled; notifications and responses get no response. The end of ctx cancels nothing. Handlers see the values of
// ctx.
func (s *Session) Handle(ctx context.Context, caller mcp.Caller, m *Message, w ResponseWriter) {
	e := &m.envelope
	fault := e.Fault
	switch {
	case fault != nil:
	case m.StandsAlone():
		fault = wire.NewError(wire.CodeInvalidRequest, "invalid request: the revision of the message has no sessions")
	case e.Batch && s.of.Revision() != protocol.Revision20250326:
		fault = wire.NewError(wire.CodeInvalidRequest, "invalid request: the revision of this session has no batches")
	}
	if fault != nil {
		refuse(m, w, fault)
		return
	}
	s.of.Handle(ctx, e, call.Caller(caller), writerOf(s.host, w))
}

// Revision returns the revision that the session has negotiated; 0 before that, and after an initialize that was
// refused.
func (s *Session) Revision() protocol.Revision { return s.of.Revision() }

// Resume lets notifications through. Of the notifications that were held back, it sends at most one for each resource
// and list.
func (s *Session) Resume() { s.of.Resume() }

// Pause holds notifications back, because nobody reads them.
func (s *Session) Pause() { s.of.Pause() }

// Resync notifies the client that each resource it has subscribed to, and each list, may have changed. It is for a
// client that comes back and may have lost notifications.
func (s *Session) Resync() { s.of.Resync() }

// Ended returns a channel that is closed when the session has ended, by Close, with the server or after an error of
// notify.
func (s *Session) Ended() <-chan struct{} { return s.of.Ended() }

// Close ends the session: its requests are cancelled, and its subscriptions end.
func (s *Session) Close() { s.of.Close() }

// notifications is a function as the connection that a session of the server writes to.
type notifications func(msg []byte) error

// ReadMessage implements transport.Conn. It is never called.
func (notifications) ReadMessage(buf []byte) ([]byte, error) { return buf[:0], io.EOF }

// WriteMessage implements transport.Conn.
func (n notifications) WriteMessage(msg []byte) error { return n(bytes.TrimSuffix(msg, []byte("\n"))) }

// Close implements transport.Conn.
func (notifications) Close() error { return nil }
