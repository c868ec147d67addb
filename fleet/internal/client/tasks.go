package client

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/verdict"
)

// TaskClient creates tasks through a balancer, asks about them until they have ended, answers what they ask, listens to
// some of them and cancels some.
type TaskClient struct {
	Conn  *TaskConn
	Judge *verdict.Tasks
	// Name is a part of the keys of its tasks.
	Name   string
	Random *rand.Rand
	// Hold says when it must not create tasks.
	Hold func() bool
	// Pause is the time between two tasks, about.
	Pause time.Duration

	mu sync.Mutex // held while a session is replaced
}

// maxOpen is how many tasks one client has at a time.
const maxOpen = 24

// Run creates tasks until ctx ends.
func (t *TaskClient) Run(ctx context.Context) {
	room := make(chan struct{}, maxOpen)
	var all sync.WaitGroup
	defer all.Wait()
	t.conn(ctx, "")
	for n := 0; sleep(ctx, t.Pause/2+time.Duration(t.Random.Int64N(int64(t.Pause)))); n++ {
		if t.Hold() {
			continue
		}
		tool := []string{"job", "job_once", "job_once", "job_asks"}[t.Random.IntN(4)]
		key := fmt.Sprintf("%s %s %d", tool, t.Name, n)
		c := t.conn(ctx, "")
		id, err := c.Create(ctx, Job{Tool: tool, Key: key, Millis: t.Random.IntN(2_500), Steps: t.Random.IntN(6)})
		if err != nil {
			t.lost(ctx, c, err)
			continue
		}
		t.Judge.Created(id, key, tool == "job_once")
		p := pursuit{TaskClient: t, id: id, listed: t.Random.IntN(8) == 0}
		if t.Random.IntN(8) == 0 {
			p.cancel = time.Duration(1 + t.Random.Int64N(int64(2*time.Second)))
		}
		room <- struct{}{}
		stay, stop := context.WithCancel(ctx)
		if c.Revision == Modern && t.Random.IntN(2) == 0 {
			all.Go(func() { t.listen(stay, id) })
		}
		all.Go(func() {
			defer func() { <-room }()
			defer stop()
			p.follow(ctx)
		})
	}
}

// Start makes one task at a replica, and follows it and listens to it until it has ended. Nothing happens to the
// replica of one that is safe.
func (t *TaskClient) Start(ctx context.Context, at *TaskConn, job Job, safe bool) error {
	id, err := at.Create(ctx, job)
	if err != nil {
		return err
	}
	t.Judge.Created(id, job.Key, job.Tool == "job_once")
	if safe {
		t.Judge.Safe(id)
	}
	go func() {
		stay, stop := context.WithCancel(ctx)
		defer stop()
		go t.listen(stay, id)
		p := pursuit{TaskClient: t, id: id}
		p.follow(ctx)
	}()
	return nil
}

// conn returns the conn of the present session. One that begins with not is replaced.
func (t *TaskClient) conn(ctx context.Context, not string) *TaskConn {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.Conn.Revision != Modern && t.Conn.Session == not {
		next := *t.Conn
		next.begin(ctx)
		t.Conn = &next
	}
	return t.Conn
}

// lost opens another session if an error says that there is none any more.
func (t *TaskClient) lost(ctx context.Context, c *TaskConn, err error) {
	if c.Session != "" && gone(err) {
		t.conn(ctx, c.Session)
	}
}

// listen follows a task on listens, one after the other, until it is told how the task has ended.
func (t *TaskClient) listen(ctx context.Context, id string) {
	c := t.conn(ctx, "")
	for told := false; !told && ctx.Err() == nil; {
		n := -1
		_ = c.Listen(ctx, []string{id}, func(granted []string) {
			if !slices.Contains(granted, id) {
				t.Judge.Unknown(id)
				return
			}
			n = t.Judge.Listening(id)
		}, func(now Task) bool {
			end, _ := c.ended(ctx, now)
			t.Judge.Told(n, now.ID, end)
			told = end != nil
			return !told
		})
		if ctx.Err() == nil || told {
			t.Judge.Broken(n)
		}
		sleep(ctx, 100*time.Millisecond)
	}
}

// pursuit is what becomes of a task.
type pursuit struct {
	*TaskClient
	id     string
	cancel time.Duration // when to ask that it ends; 0 means never
	listed bool          // look for it in the list
}

// follow asks about a task until it has ended, and a few times later.
func (p *pursuit) follow(ctx context.Context) {
	begun := time.Now()
	for ended := 0; ended < 3 && sleep(ctx, 300*time.Millisecond); {
		c := p.conn(ctx, "")
		if p.cancel > 0 && time.Since(begun) > p.cancel {
			p.Judge.Cancel(p.id)
			if c.Cancel(ctx, p.id) == nil {
				p.cancel = 0
			}
		}
		seen := p.Judge.Asking(p.id)
		end, err := p.ask(ctx, c)
		if unknown(err) {
			p.Judge.Unknown(p.id)
			return
		}
		if err != nil {
			p.lost(ctx, c, err)
			continue
		}
		seen(end)
		if end != nil {
			ended++
		}
	}
	for p.Judge.Waits(p.id) && sleep(ctx, 300*time.Millisecond) {
		continue // the listen stays open; what it is never told is found when all are judged
	}
}

// ask asks about a task once, and answers what it asks.
func (p *pursuit) ask(ctx context.Context, c *TaskConn) (*verdict.TaskEnd, error) {
	now, err := c.Get(ctx, p.id)
	if err != nil {
		return nil, err
	}
	if now.Status == "input_required" && c.Revision == Modern {
		for _, key := range now.Questions {
			if err := c.Answer(ctx, p.id, key); err != nil {
				return nil, err
			}
		}
	} else if now.Status == "input_required" {
		_, _ = c.Result(ctx, p.id, c) // what has come of it is seen when the client asks again
	}
	if p.listed && c.Revision != Modern {
		ids, err := c.List(ctx)
		if err != nil {
			return nil, err
		}
		p.Judge.Listed(p.id, ids)
		p.listed = false
	}
	return c.ended(ctx, now)
}
