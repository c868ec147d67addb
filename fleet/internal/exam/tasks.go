package exam

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/client"
	"github.com/mcpgen/mcpgen/fleet/internal/verdict"
	"github.com/mcpgen/mcpgen/fleet/serve"
)

func (p *paper) taskConn(i int, revision string) *client.TaskConn {
	c := client.NewTaskConn(p.Front, revision, p.seen)
	c.User = p.user
	if i >= 0 {
		c = c.At(p.Replicas[i])
	}
	return c
}

// slowly is how much longer than an update things of tasks may take, which go through the store several times.
const slowly = 2

// tasks follows tasks from other replicas than the one that has made them.
func tasks(p *paper) {
	for i, at := range p.perm() {
		order := p.perm()
		tool := []string{"job", "job_once", "job_asks"}[i%3]
		key := p.key(tool)
		job := client.Job{Tool: tool, Key: key, Millis: 1_200, Steps: 4}
		id, err := p.taskConn(at, client.Modern).Create(p.ctx, job)
		p.mustf(err, "create at replica %d", at)
		p.knownTask(id, at)
		watch := p.watchTask(order[0], id)
		if tool == "job_asks" {
			p.answer(id, order)
		}
		p.endOfTask(id, key, order[0], watch)
		p.ranOnce(key)
		watch.stop()
	}
}

// knownTask asks all replicas for a task that was just made, and as somebody else.
func (p *paper) knownTask(id string, at int) {
	for i := range p.Replicas {
		if _, err := p.taskConn(i, client.Modern).Get(p.ctx, id); err != nil {
			p.wrongf(verdict.TaskGone, id, "replica %d, made at replica %d: %v", i, at, err)
		}
		c := p.taskConn(i, client.Modern)
		c.User = "stranger"
		if t, err := c.Get(p.ctx, id); err == nil {
			p.wrongf(verdict.TaskForeign, id, "replica %d tells somebody else: %s", i, t.Status)
		}
		if err := c.Cancel(p.ctx, id); err == nil {
			if t, err := p.taskConn(i, client.Modern).Get(p.ctx, id); err == nil && t.Status == "cancelled" {
				p.wrongf(verdict.TaskForeign, id, "replica %d lets somebody else cancel it", i)
			}
		}
	}
}

// watched is what a listen was told of a task.
type watched struct {
	mu   sync.Mutex
	told []client.Task
	stop func()
}

func (w *watched) last() (client.Task, int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	messages := map[string]bool{}
	for _, t := range w.told {
		messages[t.Message] = true
	}
	if len(w.told) == 0 {
		return client.Task{}, 0
	}
	return w.told[len(w.told)-1], len(messages)
}

// watchTask listens to a task at a replica.
func (p *paper) watchTask(at int, id string) *watched {
	w := &watched{stop: func() {}}
	inbox, err := p.taskConn(at, client.Modern).Conn.Listen(p.ctx, map[string]any{"taskIds": []string{id}})
	p.mustf(err, "listen to a task at replica %d", at)
	w.stop = inbox.Close
	go func() {
		for p.ctx.Err() == nil {
			got, ended := inbox.Got(client.Is("notifications/tasks"))
			w.mu.Lock()
			w.told = w.told[:0]
			for _, m := range got {
				if m.Task.ID != id {
					p.wrongf(verdict.TaskForeign, m.Task.ID, "on a listen for %s", id)
				}
				w.told = append(w.told, m.Task)
			}
			w.mu.Unlock()
			if ended != nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	}()
	return w
}

// answer waits at one replica until a task asks, and answers at another one.
func (p *paper) answer(id string, order []int) {
	var asked client.Task
	asks := func() bool {
		var err error
		asked, err = p.taskConn(order[0], client.Modern).Get(p.ctx, id)
		return err == nil && len(asked.Questions) == 2
	}
	if !p.until(asks) {
		p.wrongf(verdict.TaskOpen, id, "it never asks: %+v", asked)
		panic(errOver)
	}
	for i, key := range asked.Questions {
		at := order[(i+1)%len(order)] // each at another one
		p.mustf(p.taskConn(at, client.Modern).Answer(p.ctx, id, key), "answer at replica %d", at)
	}
}

// endOfTask waits until all replicas and the listen say that a task is done.
func (p *paper) endOfTask(id, key string, at int, watch *watched) {
	within := slowly*p.bound() + 1_200*time.Millisecond
	begun := time.Now()
	for time.Since(begun) < within {
		if t, _ := watch.last(); t.Ended() && t.ID != "" {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	told, messages := watch.last()
	if told.ID == "" || !told.Ended() {
		p.wrongf(verdict.TaskUntold, id, "key %s: the listen at replica %d has got %+v within %v", key, at, told, within)
	} else if messages < 2 {
		p.wrongf(verdict.TaskUntold, id, "key %s: a listen that saw it run was told no status message on the way", key)
	}
	for i := range p.Replicas {
		t, err := p.taskConn(i, client.Modern).Get(p.ctx, id)
		if err != nil || t.Status != "completed" || t.Text != verdict.Result(key) || t.Message != "finished "+key {
			p.wrongf(verdict.TaskWrong, id, "key %s, replica %d: %+v, %v", key, i, t, err)
		}
	}
	forgotten, err := p.State.Forgotten(p.ctx)
	p.mustf(err, "checkpoints")
	if text, lost := forgotten[key]; lost {
		p.wrongf(verdict.TaskForgotten, id, "key %s: %s", key, text)
	}
}

// midway begins to follow a task that runs and says nothing new: who listens gets its present state first, and so does
// the stream of the session that has made it.
func midway(p *paper) {
	holds := func(m client.Incoming) bool { return m.Task.Status == "working" && m.Task.Message == "holds" }
	for i, at := range p.perm() {
		revision := []string{client.Modern, "2025-11-25"}[i%2]
		c := p.taskConn(at, revision)
		if revision != client.Modern {
			var err error
			c.Session, err = c.Open(p.ctx)
			p.mustf(err, "initialize at replica %d", at)
		}
		id, err := c.Create(p.ctx, client.Job{Tool: "job", Key: p.key("job"), Millis: 400, Steps: 4, Hold: 2})
		p.mustf(err, "create at replica %d", at)
		if !p.until(func() bool { t, err := c.Get(p.ctx, id); return err == nil && t.Message == "holds" }) {
			p.wrongf(verdict.TaskOpen, id, "made at replica %d, and does not get so far within %v", at, p.bound())
			continue
		}
		time.Sleep(slowly * time.Second)                        // who polls knows
		for _, follows := range append(p.perm(), p.perm()...) { // the second one finds that somebody follows it there
			var inbox *client.Inbox
			if revision == client.Modern {
				inbox, err = c.At(p.Replicas[follows]).Conn.Listen(p.ctx, map[string]any{"taskIds": []string{id}})
			} else {
				inbox, err = c.At(p.Replicas[follows]).Stream(p.ctx, c.Session, "")
			}
			p.mustf(err, "follow a task at replica %d", follows)
			if _, err := inbox.Await(p.ctx, p.bound(), holds); err != nil {
				p.wrongf(verdict.TaskUntold, id, "%s: the present state of a task that was made at replica %d, at replica %d: %v",
					revision, at, follows, err)
				return
			}
		}
		p.mustf(c.Cancel(p.ctx, id), "cancel")
	}
}

// legacyTasks follows tasks of sessions.
func legacyTasks(p *paper) {
	for _, at := range p.perm() {
		order := p.perm()
		c := p.taskConn(at, "2025-11-25")
		var err error
		c.Session, err = c.Open(p.ctx)
		p.mustf(err, "initialize at replica %d", at)
		stream, err := c.At(p.Replicas[order[0]]).Stream(p.ctx, c.Session, "")
		p.mustf(err, "stream at replica %d", order[0])
		key := p.key("job_asks")
		id, err := c.Create(p.ctx, client.Job{Tool: "job_asks", Key: key, Millis: 800, Steps: 2})
		p.mustf(err, "create at replica %d", at)
		last := order[len(order)-1]
		text, err := c.At(p.Replicas[last]).Result(p.ctx, id, c.At(p.Replicas[order[0]]))
		if err != nil || text != verdict.Result(key) {
			p.wrongf(verdict.TaskWrong, id, "tasks/result at replica %d: %q, %v", last, text, err)
		}
		ended := func(m client.Incoming) bool {
			return m.Method == "notifications/tasks/status" && m.Task.ID == id && m.Task.Status == "completed"
		}
		if _, err := stream.Await(p.ctx, slowly*p.bound(), ended); err != nil {
			p.wrongf(verdict.TaskUntold, id, "the stream at replica %d of a session whose task was made at replica %d: %v",
				order[0], at, err)
		}
		ids, err := c.At(p.Replicas[last]).List(p.ctx)
		p.mustf(err, "tasks/list")
		if !slices.Contains(ids, id) {
			p.wrongf(verdict.TaskGone, id, "not among the %d tasks of replica %d", len(ids), last)
		}
		p.failure(c)
		stream.Close()
	}
}

// failure makes a task that fails, and looks for the reason.
func (p *paper) failure(c *client.TaskConn) {
	id, err := c.Create(p.ctx, client.Job{Tool: "job", Key: p.key("job"), Millis: -1})
	p.mustf(err, "create")
	var t client.Task
	if !p.until(func() bool { t, err = c.Get(p.ctx, id); return err == nil && t.Ended() }) || t.Status != "failed" ||
		!strings.Contains(t.Message, "it takes no time") {
		p.wrongf(verdict.TaskWrong, id, "a task that fails says %q: %+v, %v", "it takes no time", t, err)
	}
}

// cancelled cancels tasks at another replica than the one that runs them.
func cancelled(p *paper) {
	for _, at := range p.perm() {
		key := p.key("job")
		id, err := p.taskConn(at, client.Modern).Create(p.ctx, client.Job{Tool: "job", Key: key, Millis: 40_000, Steps: 40})
		p.mustf(err, "create at replica %d", at)
		running := func() bool {
			began, _, err := p.State.JobRuns(p.ctx, key)
			return err == nil && len(began) == 1
		}
		if !p.until(running) {
			p.wrongf(verdict.TaskOpen, id, "made at replica %d, and does not run within %v", at, p.bound())
			continue
		}
		p.pause(time.Second)
		other := p.perm()[0]
		p.mustf(p.taskConn(other, client.Modern).Cancel(p.ctx, id), "cancel at replica %d", other)
		since := time.Now()
		for i := range p.Replicas {
			if t, err := p.taskConn(i, client.Modern).Get(p.ctx, id); err != nil || t.Status != "cancelled" {
				p.wrongf(verdict.TaskWrong, id, "cancelled at replica %d, and replica %d says %s, %v", other, i, t.Status, err)
			}
		}
		p.stopped(id, key, since)
	}
}

// noticed is the time in which the owner of a task must notice that it was cancelled. The documents promise less than
// half of it.
const noticed = 1_200 * time.Millisecond

// stopped waits until it is known when the handler of a task has ended that was cancelled at an instant.
func (p *paper) stopped(id, key string, since time.Time) {
	var ended []serve.JobRun
	var err error
	known := func() bool {
		_, ended, err = p.State.JobRuns(p.ctx, key)
		return err == nil && len(ended) > 0
	}
	if !p.untilWithin(5, known) {
		p.wrongf(verdict.TaskWrong, id, "the handler of a task that was cancelled goes on: %v", errors.Join(err, p.ctx.Err()))
		return
	}
	if late := ended[0].At.Sub(since); late > p.pace.stretch(noticed) {
		p.wrongf(verdict.TaskWrong, id, "the handler of a task that was cancelled went on for %v", late)
	}
}
