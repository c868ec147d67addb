package server

import (
	"context"
	"errors"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/stats"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// codeRejected is the code with which clients say that their user has refused (client/sampling).
const codeRejected = -1

// responded gives a response to the request of the server that it belongs to.
func (w *worker) responded(m *wire.Message) {
	if !w.c.requests.Respond(m) {
		w.c.log.Debug("mcp: answer to no request", "id", m.ID.String())
	}
}

// withdraw cancels the request to the client: where the request was sent, or, after
// the end of the request at hand, among the notifications.
func (c *Call) withdraw(r *engine.ClientRequest) {
	if !c.conn.requests.Withdraw(r) {
		return // responded to meanwhile
	}
	c.notifyLater(cancelledFrame(r, c.rev, nil))
}

// cancelledFrame is the notification that a request to the client is cancelled. meta says what that belongs to; nil
// says nothing.
func cancelledFrame(r *engine.ClientRequest, rev protocol.Revision, meta *protocol.NotificationMetaObject) []byte {
	p := protocol.CancelledNotificationParams{RequestID: r.ID, Meta: meta}
	return append(p.AppendJSON(wire.AppendNotification(nil, protocol.MethodNotificationsCancelled), rev), '}')
}

// notifyLater is notify for a message that may come after the response: among the notifications then.
func (c *Call) notifyLater(frame []byte) {
	if errors.Is(c.notify(frame), engine.ErrEnded) {
		c.conn.send(frame, nil)
	}
}

// askByRequest sends the questions as requests, and waits for the responses to all.
func (c *Call) askByRequest(ctx context.Context, questions []Question) error {
	gone, resume, err := c.wait()
	if err != nil {
		return err
	}
	defer resume()
	ctx, stop := context.WithTimeoutCause(ctx, c.conn.s.askTimeout, content.ErrNoAnswer)
	defer stop()
	var pending []*engine.ClientRequest
	defer func() {
		for _, r := range pending {
			c.withdraw(r)
		}
	}()
	for _, q := range questions {
		input, err := q.request(c.rev)
		if err != nil {
			return err
		}
		if visit, ok := q.(*URLQuestion); ok {
			visit.askedBy(c)
		}
		defer c.conn.s.counts.Asked(kindOfQuestion(q))()
		r := c.conn.requests.New(c.conn.questionPrefix())
		b := append(wire.AppendID([]byte(`{"jsonrpc":"2.0","id":`), r.ID), ',')
		if err := c.notify(append(b, input.AppendJSON(nil, c.rev)[1:]...)); err != nil {
			c.conn.requests.Withdraw(r)
			return err
		}
		pending = append(pending, r)
	}
	for _, q := range questions {
		if err := c.await(ctx, pending[0], q, gone); err != nil {
			return err
		}
		pending = pending[1:]
	}
	return nil
}

// wait counts the call among those that wait for a person, and not among those that are handled. gone is closed when
// the client has left; nil if that ends the conn. resume takes it back.
func (c *Call) wait() (gone <-chan struct{}, resume func(), err error) {
	counts := &c.conn.s.counts
	first, ok := c.conn.calls.BeginWait(c, c.conn.s.maxWaiting)
	if !ok {
		counts.Refused[stats.RefusedQuestions].Add(1)
		return nil, nil, errTooManyQuestions
	}
	if first {
		counts.Waiting.Add(1)
	}
	end := func() {
		if c.conn.calls.EndWait(c) {
			counts.Waiting.Add(-1)
		}
	}
	gone, back, err := c.responder.Wait()
	if err != nil {
		end()
		return nil, nil, err
	}
	return gone, func() { back(); end() }, nil
}

// errTooManyQuestions is what a handler gets that asks beyond Options.MaxQuestions.
var errTooManyQuestions = content.Public(errors.New("too many questions are open: try again later"))

// await waits for the response to one question. The error says that there will be none.
func (c *Call) await(ctx context.Context, r *engine.ClientRequest, q Question, gone <-chan struct{}) error {
	select {
	case response := <-r.Response():
		q.base().err = c.readResponse(r, response, q)
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-c.Done():
		return c.Err()
	case <-c.conn.ended.Done():
		return content.ErrNoAnswer
	case <-gone:
		return content.ErrNoAnswer
	}
}

// readResponse reads the response to a question, and returns what its Answer method will.
func (c *Call) readResponse(r *engine.ClientRequest, response []byte, q Question) error {
	d := wire.NewDecoder(response)
	if r.Failed() {
		var e wire.Error
		e.DecodeJSON(&d)
		if e.Code == codeRejected {
			return content.ErrDeclined
		}
		return content.Public(&ClientError{e.Code, e.Message})
	}
	v := q.response()
	v.DecodeJSON(&d, c.rev)
	err := d.Err()
	if err == nil {
		err = q.take(v)
	}
	return answerFault(q, err)
}

// answerFault is what Answer returns for an error of take.
func answerFault(q Question, err error) error {
	if err == nil || errors.Is(err, content.ErrDeclined) || errors.Is(err, content.ErrCancelled) {
		return err
	}
	return &AnswerError{q.base().key, err}
}
