package exchange

import (
	"context"
	"errors"
	"io"
	"runtime/debug"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	_ "github.com/mcpgen/mcpgen/mcp/keys" // a transport has many clients
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Server is an [mcp.Server], or a generated server, which embeds one.
type Server interface{ Base() *mcp.Server }

// ResponseWriter is the way back for one message. Its methods are never called at the same time, and not after the
// message was handled. They must not keep msg.
type ResponseWriter interface {
	// Notify sends a message that comes before the response: progress, a log message, a question, or an update of a
	// subscriptions/listen. If the transport buffers, it flushes.
	Notify(msg []byte) error
	// Respond sends the response at once, because the handler may go on. code is the code of a JSON-RPC error, and 0 for
	// a result and for the responses of a batch.
	Respond(msg []byte, code int) error
}

// LargeWriter is a [ResponseWriter] that takes a large response in pieces, so that it is never in memory as a whole.
type LargeWriter interface {
	// RespondLarge is Respond for a large message, which has size bytes. msg.WriteTo writes the message and may be called
	// at most once.
	RespondLarge(msg io.WriterTo, size, code int) error
}

// Message is a message of a client, or a batch of them.
type Message struct{ envelope session.Envelope }

// Parse reads a message. If text is not valid, the function that handles the message responds with the error. The
// message keeps text until it was handled.
func Parse(text []byte) *Message { return &Message{session.OpenEnvelope(text)} }

// StandsAlone reports whether m is of a revision without sessions, and so for [Handle].
func (m *Message) StandsAlone() bool {
	_, declared := m.envelope.DeclaredVersion()
	return declared
}

// Opens reports whether m opens a session, and so must be the first message of a new [Session].
func (m *Message) Opens() bool {
	first := &m.envelope.Message
	return !m.StandsAlone() && first.IsRequest() && string(first.Method) == protocol.MethodInitialize
}

// Handle handles a message outside of sessions. caller is the sender. Handle returns when it has responded to w, or
// when the end of ctx has cancelled the request; a notification gets no response. A subscriptions/listen goes on until
// ctx ends, the caller expires or the server closes. Handlers see the values of ctx. A message that needs a session
// gets an error.
func Handle(ctx context.Context, srv Server, caller mcp.Caller, m *Message, w ResponseWriter) {
	e := &m.envelope
	fault := e.Fault
	switch {
	case fault != nil:
	case !m.StandsAlone():
		fault = wire.NewError(wire.CodeInvalidRequest,
			"invalid request: no session: send initialize first, or name the revision in params._meta")
	default:
		if fault = e.MetaFault(); fault == nil {
			fault = e.VersionFault()
		}
	}
	if fault != nil {
		refuse(m, w, fault)
		return
	}
	host := server.HostOf((*server.Server)(srv.Base()))
	host.Exchange(ctx, e, call.Caller(caller), writerOf(host, w))
}

// refuse responds with an error, unless m is a notification or a response.
func refuse(m *Message, w ResponseWriter, fault *wire.Error) {
	if e := &m.envelope; e.Fault != nil || e.Batch || e.Message.IsRequest() {
		_ = w.Respond(wire.AppendError(nil, e.Message.ID, false, fault), fault.Code)
	}
}

// writer has only the two methods of the interface: the server tests a ResponseWriter for optional methods, and one of
// the same name must not count by accident. A panic of Notify or Respond becomes an error, because the server calls
// them on its own goroutines too.
type writer struct {
	host *session.Host
	to   ResponseWriter
}

// Notify implements [call.ResponseWriter].
func (w writer) Notify(frame []byte) error {
	return w.guard(func() error { return w.to.Notify(frame) })
}

// Respond implements [call.ResponseWriter].
func (w writer) Respond(frame []byte, code int) error {
	return w.guard(func() error { return w.to.Respond(frame, code) })
}

// errPanicked is the error of a ResponseWriter that has panicked.
var errPanicked = errors.New("exchange: panic in a ResponseWriter")

func (w writer) guard(write func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			w.host.PanickedWriter(v, debug.Stack())
			err = errPanicked
		}
	}()
	return write()
}

// largeWriter is a [writer] to a [LargeWriter].
type largeWriter struct {
	writer
	large LargeWriter
}

func writerOf(h *session.Host, w ResponseWriter) call.ResponseWriter {
	if large, ok := w.(LargeWriter); ok {
		return largeWriter{writer{h, w}, large}
	}
	return writer{h, w}
}

// RespondLarge implements engine.LargeWriter.
func (w largeWriter) RespondLarge(frame []byte, large *engine.Large, code int, _ bool) error {
	msg := &pieces{frame, large.Inserts}
	return w.guard(func() error { return w.large.RespondLarge(msg, wire.SizeOf(frame, large.Inserts), code) })
}

// pieces is a message that is encoded while it is written.
type pieces struct {
	frame   []byte
	inserts []wire.Insert
}

// WriteTo implements io.WriterTo.
func (p *pieces) WriteTo(w io.Writer) (n int64, err error) {
	err = wire.WriteInserts(p.frame, p.inserts, func(piece []byte) error {
		written, err := w.Write(piece)
		n += int64(written)
		return err
	})
	return n, err
}
