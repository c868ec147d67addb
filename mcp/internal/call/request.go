package call

import (
	"context"
	"errors"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// codeRejected is the code with which clients say that their user has refused (client/sampling).
const codeRejected = -1

// withdraw cancels a request to the client. The cancellation is sent as the request was or, once the call has ended,
// among the notifications.
func (c *Call) withdraw(r *engine.ClientRequest) {
	if !c.req.Conn.Requests.Withdraw(r) {
		return // responded to meanwhile
	}
	c.SendLater(CancelledFrame(r, c.rev, nil))
}

// CancelledFrame returns the notification that a request to the client is cancelled. meta is its _meta; nil for none.
func CancelledFrame(r *engine.ClientRequest, rev protocol.Revision, meta *protocol.NotificationMetaObject) []byte {
	p := protocol.CancelledNotificationParams{RequestID: r.ID, Meta: meta}
	return append(p.AppendJSON(wire.AppendNotification(nil, protocol.MethodNotificationsCancelled), rev), '}')
}

// SendLater is [Call.Send], but after the response it sends the message among the notifications.
func (c *Call) SendLater(frame []byte) {
	if errors.Is(c.Send(frame), engine.ErrEnded) {
		c.req.Conn.Owner.Send(frame)
	}
}

// askByRequest sends the questions as requests, and waits for the responses to all.
func (c *Call) askByRequest(ctx context.Context, questions []Question) error {
	gone, resume, err := c.Wait()
	if err != nil {
		return err
	}
	defer resume()
	ctx, stop := context.WithTimeoutCause(ctx, c.req.Conn.Shared.AskTimeout, content.ErrNoAnswer)
	defer stop()
	var pending []pendingQuestion
	defer func() {
		for _, p := range pending {
			c.withdraw(p.ClientRequest)
			p.answered(content.ErrNoAnswer)
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
		defer c.req.Conn.Shared.Counts.Asked(kindOfQuestion(q))()
		r := c.req.Conn.Requests.New(c.req.Conn.Owner.QuestionPrefix())
		answered := observeQuestion(ctx, c, r.ID, input)
		b := append(wire.AppendID([]byte(`{"jsonrpc":"2.0","id":`), r.ID), ',')
		if err := c.Send(append(b, input.AppendJSON(nil, c.rev)[1:]...)); err != nil {
			c.req.Conn.Requests.Withdraw(r)
			answered(err)
			return err
		}
		pending = append(pending, pendingQuestion{r, answered})
	}
	for _, q := range questions {
		if err := c.await(ctx, pending[0].ClientRequest, q, gone); err != nil {
			return err
		}
		pending[0].answered(q.base().err)
		pending = pending[1:]
	}
	return nil
}

// pendingQuestion is a question that is sent, and the function that tells the observer of its answer.
type pendingQuestion struct {
	*engine.ClientRequest
	answered func(err error)
}

// Wait counts the call as waiting for a person, instead of as running, until resume is called. gone is closed when the
// client leaves; nil means that only Conn.Ended tells of that. The error says why the client cannot be asked.
func (c *Call) Wait() (gone <-chan struct{}, resume func(), err error) {
	counts := &c.req.Conn.Shared.Counts
	first, ok := c.req.Conn.Calls.BeginWait(c, c.req.Conn.Shared.MaxQuestions)
	if !ok {
		counts.Refused[labels.RefusedQuestions].Add(1)
		return nil, nil, errTooManyQuestions
	}
	if first {
		counts.Waiting.Add(1)
		countWait(c, true)
	}
	end := func() {
		if c.req.Conn.Calls.EndWait(c) {
			counts.Waiting.Add(-1)
			countWait(c, false)
		}
	}
	gone, back, err := c.req.Responder.Wait()
	if err != nil {
		end()
		return nil, nil, err
	}
	return gone, func() { back(); end() }, nil
}

// errTooManyQuestions is the error for a handler that asks more than Options.MaxQuestions allows.
var errTooManyQuestions = content.Public(errors.New("too many questions are open: try again later"))

// await waits for the response to one question. It returns an error if there will be none.
func (c *Call) await(ctx context.Context, r *engine.ClientRequest, q Question, gone <-chan struct{}) error {
	select {
	case response := <-r.Response():
		q.base().err = c.readResponse(r, response, q)
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-c.Done():
		return c.Err()
	case <-c.req.Conn.Ended.Done():
		return content.ErrNoAnswer
	case <-gone:
		return content.ErrNoAnswer
	}
}

// readResponse reads the response to a question. Its error is what the Answer method of the question returns.
func (c *Call) readResponse(r *engine.ClientRequest, response []byte, q Question) error {
	if r.Failed() {
		d := wire.NewDecoder(response)
		var e wire.Error
		e.DecodeJSON(&d)
		if e.Code == codeRejected {
			return content.ErrDeclined
		}
		return content.Public(&ClientError{e.Code, e.Message})
	}
	return take(q, response, c.rev)
}

// take gives q an answer in the form of rev. The error is what the Answer method of q returns.
func take(q Question, answer []byte, rev protocol.Revision) error {
	d := wire.NewDecoder(answer)
	err := q.take(&d, rev)
	if err == nil || errors.Is(err, content.ErrDeclined) || errors.Is(err, content.ErrCancelled) {
		return err
	}
	return &AnswerError{q.base().key, err}
}
