package tasks

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
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
	call *call.Call // the tasks/result that waits, if any; nil sends the questions among the notifications
}

// send sends a question.
func (x taskQuestions) send(frame []byte) error {
	if x.call != nil {
		return x.call.Send(frame)
	}
	x.c.Send(frame)
	return nil
}

// withdraw cancels a question of a task that has no answer yet.
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

// ask sends the open questions of a task as requests, and returns the answers. On an error it withdraws the questions
// that are still open and returns no answers; a later call may ask them again.
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

// relate sets the _meta of a question, which names the task.
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

// answerOf decodes text, the response to a question; nil if it is no answer. failed says that the response is an error.
// An error for a form or a URL counts as cancelled: the client cannot show the question to its user.
func answerOf(q protocol.InputRequest, text []byte, failed bool, rev protocol.Revision) protocol.InputResponse {
	var v interface {
		protocol.InputResponse
		DecodeJSON(d *wire.Decoder, rev protocol.Revision)
	}
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

// errAskedNoMore ends questions whose task has ended or was answered by another request.
var errAskedNoMore = errors.New("mcp: the task does not ask this any more")

// ask sends the questions of a task to the client, and gives the answers to the task. It ends early, without an error,
// if the questions are not open any more: the task was cancelled, has expired, or another request has answered them.
func (t *Tasks) ask(ctx context.Context, x taskQuestions, id string) error {
	r, err := t.engine.Get(ctx, id)
	if err != nil {
		return err
	}
	if r.Status != task.InputRequired {
		return nil
	}
	open, end := context.WithCancelCause(ctx)
	defer end(nil)
	asked := visibleOf(&r.Head)
	go func() {
		_, _ = t.engine.Wait(open, id, func(now *task.Head) bool { return visibleOf(now) != asked })
		end(errAskedNoMore)
	}()
	answers, err := x.ask(open, r)
	switch {
	case errors.Is(err, errAskedNoMore):
		return nil
	case err != nil:
		return err
	}
	object := wire.AppendUnionMap(nil, era.OldestModern, answers, protocol.AppendInputResponse)
	return t.engine.Update(ctx, id, func(r *task.Record) bool { return mergeAnswers(r, object) })
}

// askedTasks has the tasks of 2025-11-25 whose questions are being sent to a client, by their ids.
type askedTasks struct {
	mu    sync.Mutex
	tasks map[string]*askedTask // nil before the first
}

// askedTask is an element of askedTasks. It is removed once it is idle.
type askedTask struct {
	waiting int                // requests for the result, which ask by themselves
	stop    context.CancelFunc // of the questions among the notifications; nil if there are none
}

// waitFor notes that a request waits for the result of a task. Until done is called, that request sends the questions
// of the task; questions on other streams end.
func (x *askedTasks) waitFor(id string) (done func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	p := x.tasks[id]
	if p == nil {
		p = x.addLocked(id)
	}
	p.waiting++
	if p.stop != nil {
		p.stop()
	}
	return func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		p.waiting--
		x.forgetLocked(id, p)
	}
}

// begin notes that the questions of a task are sent among the notifications of a session; stop ends that. It returns
// false if they are being sent already, or if a request waits for the result and so sends them.
func (x *askedTasks) begin(id string, stop context.CancelFunc) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.tasks[id] != nil {
		return false
	}
	x.addLocked(id).stop = stop
	return true
}

// end undoes begin.
func (x *askedTasks) end(id string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	p := x.tasks[id]
	p.stop()
	p.stop = nil
	x.forgetLocked(id, p)
}

func (x *askedTasks) addLocked(id string) *askedTask {
	if x.tasks == nil {
		x.tasks = make(map[string]*askedTask)
	}
	p := new(askedTask)
	x.tasks[id] = p
	return p
}

func (x *askedTasks) forgetLocked(id string, p *askedTask) {
	if p.waiting == 0 && p.stop == nil {
		delete(x.tasks, id)
	}
}

// askWhoPolls sends the questions of a task among the notifications of a session, on stdio or on its GET stream. It
// does so if the client polls the state again although it knows that the task waits for input. Such a client should ask
// for the result, which brings the questions, but some clients only poll. Clients of 2025-11-25 must expect the
// questions on any stream (basic/utilities/tasks, input required status). The questions go to one client at a time, and
// only until a client asks for the result.
func (t *Tasks) askWhoPolls(c *session.Conn, id string) {
	if !t.pollsAgain(c, id, true) {
		return
	}
	ctx, stop := context.WithCancel(c.Context)
	if !t.asked.begin(id, stop) {
		stop()
		return
	}
	go func() {
		defer t.asked.end(id)
		if err := t.ask(ctx, taskQuestions{c: c}, id); err != nil {
			c.Log.Debug("mcp: no answer to the questions of a task", "err", err)
		}
	}()
}

// pollsAgain reports whether the client has polled a task earlier while the task waited for input. If polls is set, the
// present request is such a poll and is noted; if not, earlier polls are forgotten.
func (t *Tasks) pollsAgain(c *session.Conn, id string, polls bool) (again bool) {
	if !c.HasOutgoing() {
		return false
	}
	x := t.of(c)
	x.mu.Lock()
	defer x.mu.Unlock()
	i := x.indexLocked(id)
	if i < 0 {
		return false
	}
	again = x.tasks[i].polled
	x.tasks[i].polled = polls
	return again
}

// mergeAnswers moves the questions that object answers from r.Asked to r.Answers. It ignores answers without an open
// question, and answers of the wrong kind. It reports whether r is to be stored: it is false if nothing has changed or
// the answers are too long.
func mergeAnswers(r *task.Record, object []byte) (changed bool) {
	open, answers := asked(r), decodeAnswers(r.Answers)
	if failpoint.On("task-answers-partial-lost") {
		answers = nil
	}
	left := make(wire.Map[protocol.InputRequest], 0, len(open))
	for _, question := range open {
		raw, ok := wire.Lookup(object, question.Name)
		d := wire.NewDecoder(raw)
		if ok {
			answer := protocol.DecodeInputResponse(&d, era.OldestModern)
			if ok = d.Err() == nil && answersKind(question.Value, answer); ok {
				answers.Set(question.Name, answer)
				changed = true
				continue
			}
		}
		left = append(left, question)
	}
	if !changed {
		return false
	}
	r.Asked = nil
	if len(left) > 0 {
		r.Asked = wire.AppendUnionMap(nil, era.OldestModern, left, protocol.AppendInputRequest)
	}
	r.Answers = wire.AppendUnionMap(nil, era.OldestModern, answers, protocol.AppendInputResponse)
	return len(r.Answers) <= call.MaxState
}

// answersKind reports whether an answer is of the kind that a question asks for.
func answersKind(question protocol.InputRequest, answer protocol.InputResponse) bool {
	var ok bool
	switch question.(type) {
	case *protocol.ElicitRequest:
		_, ok = answer.(*protocol.ElicitResult)
	case *protocol.CreateMessageRequest:
		_, ok = answer.(*protocol.CreateMessageResult)
	case *protocol.ListRootsRequest:
		_, ok = answer.(*protocol.ListRootsResult)
	}
	return ok
}
