package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/client"
	"github.com/mcpgen/mcpgen/fleet/serve"
)

// long is a job whose process ends meanwhile: its first run saves three steps, which a later run leaves out.
func long(key string) client.Job {
	return client.Job{Tool: "job", Key: key, Millis: 1_600, Steps: 16, Hold: 3}
}

// holds waits until the first run of a long job has saved its steps.
func (r *replicas) holds(c *client.TaskConn, id string) {
	r.t.Helper()
	r.until(func() error {
		now, err := c.Get(r.t.Context(), id)
		if err == nil && now.Message != "holds" {
			err = fmt.Errorf("%s is %s, %q", id, now.Status, now.Message)
		}
		return err
	})
}

// taken checks that another process has gone on with a job, and not from its start. It returns when that began.
func (r *replicas) taken(key string, first serve.JobRun) {
	r.t.Helper()
	got := r.runs(key, 2)
	if got[0] != first || got[1].PID == first.PID || got[1].Step != 3 {
		r.t.Errorf("%s: runs %+v", key, got)
	}
}

// kill kills a replica whose handlers work. What must not run twice is interrupted, and another one goes on with the
// rest, which open listens and later requests learn.
func kill(r *replicas) {
	a, b, c := r.conn(0), r.conn(1), r.conn(2)
	again := r.create(a, long("goes on"))
	once := r.create(a, client.Job{Tool: "job_once", Key: "is interrupted", Millis: 60_000})
	first := r.runs("goes on", 1)[0]
	r.runs("is interrupted", 1)
	listen := r.listen(c, again, once)
	r.holds(b, again)
	r.Replicas[0].Kill()
	begun := time.Now()
	if got := listen.until(once, "failed"); got.Text != "interrupted" {
		r.t.Errorf("%+v", got)
	}
	r.t.Logf("interrupted %v after the kill", time.Since(begun).Round(time.Millisecond))
	r.taken("goes on", first)
	r.t.Logf("taken over %v after the kill", time.Since(begun).Round(time.Millisecond))
	if got := r.becomes(b, again, "completed"); got.Text != "done goes on" {
		r.t.Errorf("%+v", got)
	}
	listen.until(again, "completed")
	if got := r.known(b, once); got.Status != "failed" || got.Text != "interrupted" {
		r.t.Errorf("%+v", got)
	}
	if got := r.runs("is interrupted", 1); len(got) != 1 {
		r.t.Errorf("a task that must not run twice has begun %d times", len(got))
	}
	if err := r.Replicas[0].Start(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
}

// rolling replaces all replicas, one after the other, while clients of both revisions make tasks through the balancer.
func rolling(r *replicas) {
	again := r.create(r.conn(0), long("moves"))
	once := r.create(r.conn(0), client.Job{Tool: "job_once", Key: "ends with its process", Millis: 60_000})
	first := r.runs("moves", 1)[0]
	r.runs("ends with its process", 1)
	ctx, stop := context.WithCancel(r.t.Context())
	made := make(chan map[string]string)
	enough := make(chan struct{})
	go func() { made <- r.createAll(ctx, 10, enough) }()
	r.holds(r.conn(1), again)
	for i, rep := range r.Replicas {
		begun := time.Now()
		if i == 0 {
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				rep.Stop(15 * time.Second)
				r.t.Logf("the process ends %v after it was asked to", time.Since(begun).Round(time.Millisecond))
			}()
			r.taken("moves", first)
			r.t.Logf("taken over %v after its process was asked to end", time.Since(begun).Round(time.Millisecond))
			<-ended
		} else {
			rep.Stop(15 * time.Second)
		}
		if err := rep.Start(r.t.Context()); err != nil {
			r.t.Fatal(err)
		}
		if err := rep.AwaitReady(r.t.Context(), patience); err != nil {
			r.t.Fatal(err)
		}
	}
	select {
	case <-enough:
	case <-time.After(patience):
		r.t.Error("no ten tasks were made meanwhile")
	}
	stop()
	all := <-made
	all[again] = "moves"
	for id, key := range all {
		if got := r.becomes(r.conn(1), id, "completed"); got.Text != "done "+key {
			r.t.Errorf("%+v, want that of %s", got, key)
		}
	}
	if got := r.becomes(r.conn(2), once, "failed"); got.Text != "interrupted" {
		r.t.Errorf("%+v", got)
	}
	r.t.Logf("%d tasks", len(all))
}

// createAll makes short tasks through the balancer, and returns the keys of those that were confirmed, by their ids. It
// closes enough when there are n of them.
func (r *replicas) createAll(ctx context.Context, n int, enough chan<- struct{}) map[string]string {
	all := map[string]string{}
	modern, older := client.NewTaskConn(r.URL(), client.Modern, r.seen), r.session("")[0].At(r.URL())
	for i := 0; ctx.Err() == nil; i++ {
		key := fmt.Sprint("meanwhile ", i)
		c := []*client.TaskConn{modern, older}[i%2]
		id, err := c.Create(ctx, client.Job{Tool: "job", Key: key, Millis: 400})
		if err == nil {
			if all[id] = key; len(all) == n {
				close(enough)
			}
		} else if ctx.Err() == nil {
			r.t.Logf("%s, %s: %v", key, c.Revision, err)
		}
		time.Sleep(100 * time.Millisecond)
	}
	return all
}
