package call

import (
	"context"
	"errors"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/stats"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// countWait notes for [Waited] that a wait begins or, if begins is false, ends.
func countWait(c *Call, begins bool) {
	if c.req.Conn.Shared.Observer == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.extraLocked().wait.turn(begins)
}

// observeQuestion tells the observer that the server asks the client, and adds to the question what the observer wants
// to send along. The caller must call answered with the outcome of the question.
func observeQuestion(ctx context.Context, c *Call, id wire.ID, q protocol.InputRequest) (answered func(err error)) {
	conn := c.req.Conn
	if conn.Shared.Observer == nil {
		return func(error) {}
	}
	ctx = Observe(ctx, conn, &askedOperation{c, id, q}, nil)
	carryTo(ctx, conn, c.rev, q)
	return func(err error) { Observe(ctx, conn, nil, askedOutcome{err}) }
}

// askedOperation implements [stats.Operation] for a question.
type askedOperation struct {
	call *Call
	id   wire.ID
	q    protocol.InputRequest
}

func (o *askedOperation) Kind() stats.OperationKind { return stats.OperationAsked }

func (o *askedOperation) Method() string {
	switch o.q.(type) {
	case *protocol.CreateMessageRequest:
		return protocol.MethodSamplingCreateMessage
	case *protocol.ListRootsRequest:
		return protocol.MethodRootsList
	}
	return protocol.MethodElicitationCreate
}

func (o *askedOperation) Target() string { return "" }

func (o *askedOperation) ID() string { return o.id.String() }

func (o *askedOperation) Meta(string) string { return "" }

func (o *askedOperation) Revision() string { return o.call.rev.String() }

func (o *askedOperation) Session() string { return SessionName(o.call.req.Conn, o.call.rev) }

func (o *askedOperation) HTTP() bool { return ExchangeOf(o.call.req.Responder) != nil }

// askedOutcome implements [stats.Outcome] for a question; err is what has become of it.
type askedOutcome struct{ err error }

func (o askedOutcome) Fault() (code int, message string) {
	if failure, ok := errors.AsType[*ClientError](o.err); ok {
		return failure.Code, failure.Message
	}
	return 0, ""
}

func (o askedOutcome) ToolError() bool { return false }

// Cancelled reports whether the client gave no answer. Declining is an answer, and so is one that does not fit.
func (o askedOutcome) Cancelled() bool {
	if o.err == nil || errors.Is(o.err, content.ErrDeclined) || errors.Is(o.err, content.ErrCancelled) {
		return false
	}
	_, unfit := errors.AsType[*AnswerError](o.err)
	code, _ := o.Fault()
	return !unfit && code == 0
}

func (o askedOutcome) Denied() bool { return false }

func (o askedOutcome) Waited() time.Duration { return 0 }

// carryTo is [Carry] for the metadata of a question.
func carryTo(ctx context.Context, c *Conn, rev protocol.Revision, input protocol.InputRequest) {
	with := func(meta *protocol.RequestMetaObject) *protocol.RequestMetaObject {
		var own protocol.RequestMetaObject
		if meta != nil {
			own = *meta
		}
		Carry(ctx, c, &own.Extra)
		if len(own.Extra) == 0 {
			return meta
		}
		return &own
	}
	switch q := input.(type) {
	case *protocol.CreateMessageRequest:
		q.Params.Meta = with(q.Params.Meta)
	case *protocol.ElicitRequest:
		switch p := q.Params.(type) {
		case *protocol.ElicitRequestFormParams:
			p.Meta = with(p.Meta)
		case *protocol.ElicitRequestURLParams:
			p.Meta = with(p.Meta)
		}
	case *protocol.ListRootsRequest: // of a legacy session, without params so far
		var meta protocol.MetaObject
		if Carry(ctx, c, &meta.Extra); len(meta.Extra) > 0 {
			// The type of the member differs between revisions to come; its JSON does not.
			b := append(meta.AppendJSON([]byte(`{"_meta":`), rev), '}')
			d, params := wire.NewDecoder(b), new(protocol.ListRootsRequestParams)
			if params.DecodeJSON(&d, rev); d.Err() == nil {
				q.Params = params
			}
		}
	}
}
