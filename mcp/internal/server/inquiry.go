package server

import (
	"bytes"
	"context"
	"errors"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// codeRejected is the code with which clients say that their user has refused (client/sampling).
const codeRejected = -1

// inquiry is a question to the client of a legacy session, under way.
type inquiry struct {
	id     wire.ID
	answer chan []byte // gets one: a result, or with failed an error
	failed bool
}

// inquire enters a new inquiry into the table.
func (c *conn) inquire() *inquiry {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lastInquiry++
	q := &inquiry{id: wire.NumberID(c.lastInquiry), answer: make(chan []byte, 1)}
	if c.inquiries == nil {
		c.inquiries = make(map[wire.ID]*inquiry)
	}
	c.inquiries[q.id] = q
	return q
}

// takeInquiry takes the inquiry with an id out of the table; nil if it is not there.
func (c *conn) takeInquiry(id wire.ID) *inquiry {
	c.mu.Lock()
	defer c.mu.Unlock()
	q := c.inquiries[id]
	delete(c.inquiries, id)
	return q
}

// answered gives the answer to the inquiry that it belongs to.
func (c *conn) answered(m *wire.Message) {
	q := c.takeInquiry(idKey(m.ID))
	if q == nil {
		c.log.Debug("mcp: answer to no request", "id", m.ID.String())
		return
	}
	if q.failed = m.Error != nil; q.failed {
		q.answer <- bytes.Clone(m.Error)
	} else {
		q.answer <- bytes.Clone(m.Result)
	}
}

// withdraw tells the client that nobody waits for an answer any more: where it was asked, or, after
// the end of the request, among the news.
func (c *Call) withdraw(q *inquiry) {
	if c.conn.takeInquiry(q.id) == nil {
		return // answered meanwhile
	}
	p := protocol.CancelledNotificationParams{RequestID: q.id}
	b := p.AppendJSON(wire.AppendNotification(nil, protocol.MethodNotificationsCancelled), c.rev)
	c.tellLater(append(b, '}'))
}

// tellLater writes a message about this request: before its answer or, once it has ended, among the news.
func (c *Call) tellLater(frame []byte) {
	if errors.Is(c.tell(frame), errCallEnded) {
		c.conn.send(frame)
	}
}

// askNow sends the questions as requests, and waits for the answers to all.
func (c *Call) askNow(ctx context.Context, questions []Question) error {
	gone, resume, err := c.wait()
	if err != nil {
		return err
	}
	defer resume()
	ctx, stop := context.WithTimeoutCause(ctx, c.conn.s.askTimeout, ErrNoAnswer)
	defer stop()
	var open []*inquiry
	defer func() {
		for _, q := range open {
			c.withdraw(q)
		}
	}()
	for _, q := range questions {
		r, err := q.request(c.rev)
		if err != nil {
			return err
		}
		if visit, ok := q.(*URLQuestion); ok {
			visit.askedBy(c)
		}
		i := c.conn.inquire()
		b := append(wire.AppendID([]byte(`{"jsonrpc":"2.0","id":`), i.id), ',')
		if err := c.tell(append(b, r.AppendJSON(nil, c.rev)[1:]...)); err != nil {
			c.conn.takeInquiry(i.id)
			return err
		}
		open = append(open, i)
	}
	for _, q := range questions {
		if err := c.await(ctx, open[0], q, gone); err != nil {
			return err
		}
		open = open[1:]
	}
	return nil
}

// wait counts the call among those that wait for a person, and not among those that are handled. gone is closed when
// the client has left; nil if that ends the conn. resume takes it back.
func (c *Call) wait() (gone <-chan struct{}, resume func(), err error) {
	if !c.conn.beginWait(c) {
		return nil, nil, errTooManyQuestions
	}
	if c.lane == nil {
		return nil, func() { c.conn.endWait(c) }, nil
	}
	gone, tell, err := c.lane.wait()
	if err != nil {
		c.conn.endWait(c)
		return nil, nil, err
	}
	return gone, func() {
		tell()
		c.conn.endWait(c)
	}, nil
}

// errTooManyQuestions is what a handler gets that asks beyond Options.MaxWaiting.
var errTooManyQuestions = Public(errors.New("too many questions are open: try again later"))

// beginWait counts a question of call. It is false if too many requests wait already.
func (c *conn) beginWait(call *Call) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting == nil {
		c.waiting = make(map[*Call]int)
	}
	n := c.waiting[call]
	if n == 0 {
		if len(c.waiting) >= c.s.maxWaiting {
			return false
		}
		c.running--
	}
	c.waiting[call] = n + 1
	return true
}

// endWait takes back beginWait.
func (c *conn) endWait(call *Call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting[call]--; c.waiting[call] == 0 {
		delete(c.waiting, call)
		c.running++
	}
}

// await waits for the answer to one question. The error says that there will be none.
func (c *Call) await(ctx context.Context, i *inquiry, q Question, gone <-chan struct{}) error {
	select {
	case answer := <-i.answer:
		q.base().err = c.readAnswer(i, answer, q)
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-c.Done():
		return c.Err()
	case <-c.conn.ended:
		return ErrNoAnswer
	case <-gone:
		return ErrNoAnswer
	}
}

// readAnswer reads the answer to a question, and returns what its Answer method will.
func (c *Call) readAnswer(i *inquiry, answer []byte, q Question) error {
	d := wire.NewDecoder(answer)
	if i.failed {
		var e wire.Error
		e.DecodeJSON(&d)
		if e.Code == codeRejected {
			return ErrDeclined
		}
		return Public(&ClientError{e.Code, e.Message})
	}
	r := q.response()
	r.DecodeJSON(&d, c.rev)
	err := d.Err()
	if err == nil {
		err = q.take(r)
	}
	return answerFault(q, err)
}

// answerFault is what Answer returns for an error of take.
func answerFault(q Question, err error) error {
	if err == nil || errors.Is(err, ErrDeclined) || errors.Is(err, ErrDismissed) {
		return err
	}
	return &AnswerError{q.base().key, err}
}
