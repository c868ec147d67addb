package server

import (
	"context"
	"crypto/rand"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/task"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// taskQuestions sends the questions of tasks to a client of 2025-11-25.
type taskQuestions struct {
	c    *session.Conn
	call *call.Call // with which the client waits for the result; nil sends them among the notifications
}

// send sends a question.
func (x taskQuestions) send(frame []byte) error {
	if x.call != nil {
		return x.call.Send(frame)
	}
	x.c.Send(frame)
	return nil
}

// withdraw takes a question of a task back that has no answer.
func (x taskQuestions) withdraw(p *engine.ClientRequest, id string) {
	if !x.c.Requests.Withdraw(p) {
		return // responded to meanwhile
	}
	frame := call.CancelledFrame(p, era.NewestLegacy, &protocol.NotificationMetaObject{Extra: related(id)})
	if x.call != nil {
		x.call.SendLater(frame)
		return
	}
	x.c.Send(frame)
}

// ask sends the open questions of a task as requests, and returns the answers. The error says that there will be none.
func (x taskQuestions) ask(ctx context.Context, r *task.Record) (answers wire.Map[protocol.InputResponse], err error) {
	c, rev := x.c, era.NewestLegacy
	ctx, stop := context.WithTimeoutCause(ctx, c.Shared.AskTimeout, content.ErrNoAnswer)
	defer stop()
	questions := asked(r)
	pending := make([]*engine.ClientRequest, 0, len(questions))
	next := 0
	defer func() {
		for _, p := range pending[next:] {
			x.withdraw(p, r.ID)
		}
	}()
	for _, q := range questions {
		relate(q.Value, r.ID)
		p := c.Requests.New(c.QuestionPrefix())
		b := append(wire.AppendID([]byte(`{"jsonrpc":"2.0","id":`), p.ID), ',')
		if err := x.send(append(b, q.Value.AppendJSON(nil, rev)[1:]...)); err != nil {
			c.Requests.Withdraw(p)
			return nil, err
		}
		pending = append(pending, p)
	}
	for i, q := range questions {
		select {
		case text := <-pending[i].Response():
			next = i + 1
			answer := answerOf(q.Value, text, pending[i].Failed(), rev)
			if answer == nil {
				return nil, content.ErrNoAnswer
			}
			answers.Set(q.Name, answer)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-c.Ended.Done():
			return nil, content.ErrNoAnswer
		}
	}
	return answers, nil
}

// relate puts the id of a task into the _meta of a question.
func relate(q protocol.InputRequest, id string) {
	switch q := q.(type) {
	case *protocol.ElicitRequest:
		switch p := q.Params.(type) {
		case *protocol.ElicitRequestFormParams:
			p.Meta = &protocol.RequestMetaObject{Extra: related(id)}
		case *protocol.ElicitRequestURLParams:
			p.Meta = &protocol.RequestMetaObject{Extra: related(id)}
			p.ElicitationID = rand.Text()
		}
	case *protocol.CreateMessageRequest:
		q.Params.Meta = &protocol.RequestMetaObject{Extra: related(id)}
	case *protocol.ListRootsRequest:
		q.Params = new(protocol.ListRootsRequestParams)
		allocate(&q.Params.Meta).Extra = related(id)
	}
}

// allocate sets p to a new value and returns it. The type of a _meta may differ between revisions.
func allocate[T any](p **T) *T {
	*p = new(T)
	return *p
}

// answerOf reads the response to a question; nil if it is no answer. A client that cannot show a question to its user
// has closed it.
func answerOf(q protocol.InputRequest, text []byte, failed bool, rev protocol.Revision) protocol.InputResponse {
	var v call.AnswerDecoder
	switch q.(type) {
	case *protocol.ElicitRequest:
		if failed {
			return &protocol.ElicitResult{Action: protocol.ElicitActionCancel}
		}
		v = new(protocol.ElicitResult)
	case *protocol.CreateMessageRequest:
		v = new(protocol.CreateMessageResult)
	case *protocol.ListRootsRequest:
		v = new(protocol.ListRootsResult)
	}
	d := wire.NewDecoder(text)
	if failed || v == nil {
		return nil
	}
	if v.DecodeJSON(&d, rev); d.Err() != nil {
		return nil
	}
	return v
}
