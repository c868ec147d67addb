package server

import (
	"context"
	"errors"
	"sync"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/task"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// errAskedNoMore ends questions whose task has ended or was answered by another request.
var errAskedNoMore = errors.New("mcp: the task does not ask this any more")

// ask asks the client what a task asks, and gives the answers to the task. It ends early, without an error, if the
// task does not ask that any more: it was cancelled, has expired, or another request has answered it.
func (t *tasks) ask(ctx context.Context, x taskQuestions, id string) error {
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

// askedTasks are the tasks of 2025-11-25 whose questions are on their way to a client, by their ids.
type askedTasks struct {
	mu    sync.Mutex
	tasks map[string]*askedTask // nil before the first
}

// askedTask is one of them. It is forgotten once it is idle.
type askedTask struct {
	waiting int                // requests for the result, which ask by themselves
	stop    context.CancelFunc // of the questions among the notifications; nil if there are none
}

// waitFor says that a request waits for the result of a task, and asks what the task asks: from now on nobody else
// does. done says that it does not any more.
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

// begin begins questions among the notifications that stop ends. It is false if somebody asks them already.
func (x *askedTasks) begin(id string, stop context.CancelFunc) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.tasks[id] != nil {
		return false
	}
	x.addLocked(id).stop = stop
	return true
}

// end says that these questions are over.
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

// askWhoPolls sends the questions of a task among the notifications of a session, on stdio or on its GET stream, after
// the client has asked for the state again although it knew that the task waits for input. It should have asked for the
// result then, which brings the questions; but clients of 2025-11-25 should expect them on any stream
// (basic/utilities/tasks, input required status), and some only poll. At most one client is asked for a task at a time,
// until one asks for the result.
func (t *tasks) askWhoPolls(c *session.Conn, id string) {
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

// pollsAgain reports whether the client of a session has polled one of its tasks for input since it was last called
// with false, which begins anew.
func (t *tasks) pollsAgain(c *session.Conn, id string, polls bool) (again bool) {
	if !c.HasOutgoing() {
		return false
	}
	x, _ := t.sourceOf(c).Authorizer.(*sessionTasks)
	x.mu.Lock()
	defer x.mu.Unlock()
	i := x.indexLocked(taskTopic + id)
	if i < 0 {
		return false
	}
	again = x.tasks[i].polled
	x.tasks[i].polled = polls
	return again
}
