package jobs

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/client"
)

// TestJobs runs three processes in each way.
func TestJobs(t *testing.T) {
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel() // they wait most of the time
			r := start(t, w)
			for _, test := range []struct {
				name string
				run  func(*replicas)
			}{
				{"ends", ends}, {"questions", questions}, {"cancellation", cancellation}, {"session", session},
				{"rolling restart", rolling}, {"kill", kill},
			} {
				if slices.Contains([]string{"kill", "rolling restart"}, test.name) && !w.faults {
					continue // the same as in another way
				}
				ok := t.Run(test.name, func(t *testing.T) {
					own := *r
					own.t = t
					begun := time.Now()
					test.run(&own)
					t.Logf("%v", time.Since(begun).Round(time.Millisecond))
				})
				if !ok {
					return
				}
			}
		})
	}
}

// ends makes tasks on one replica. Another one knows them at once, and the third tells of their ends.
func ends(r *replicas) {
	a, b, c := r.conn(0), r.conn(1), r.conn(2)
	for _, e := range []struct {
		job          client.Job
		status, text string
	}{
		{client.Job{Tool: "job", Key: "short", Millis: 300}, "completed", "done short"},
		{client.Job{Tool: "job_once", Key: "none"}, "completed", "done none"},
		{client.Job{Tool: "job_once", Key: "fails", Millis: -1}, "completed", "it takes no time"},
		{client.Job{Tool: "job_once", Key: "stops", Millis: 60_000}, "cancelled", ""},
	} {
		id := r.create(a, e.job)
		r.known(b, id)
		listen := r.listen(c, id)
		if e.status == "cancelled" {
			r.runs(e.job.Key, 1)
			if err := b.Cancel(r.t.Context(), id); err != nil {
				r.t.Fatal(err)
			}
		} else {
			r.becomes(b, id, e.status)
		}
		known := time.Now()
		if got := listen.until(id, e.status); got.Text != e.text {
			r.t.Errorf("%s: told %+v, want %q", e.job.Key, got, e.text)
		}
		r.t.Logf("%s: told %v after another replica knew", e.job.Key, time.Since(known).Round(time.Millisecond))
		if got := r.known(b, id); got.Status != e.status || got.Text != e.text {
			r.t.Errorf("%s: %+v, want %s %q", e.job.Key, got, e.status, e.text)
		}
	}
}

// questions are answered through another replica than the one whose handler asks.
func questions(r *replicas) {
	a, b, c := r.conn(0), r.conn(1), r.conn(2)
	id := r.create(a, client.Job{Tool: "job_asks", Key: "asks", Millis: 10})
	listen := r.listen(c, id)
	if got := listen.until(id, "input_required"); !slices.Equal(got.Questions, []string{"go", "sure"}) {
		r.t.Errorf("asks %v", got.Questions)
	}
	for key, at := range map[string]*client.TaskConn{"go": b, "sure": c} {
		if err := at.Answer(r.t.Context(), id, key); err != nil {
			r.t.Fatal(err)
		}
	}
	if got := listen.until(id, "completed"); got.Text != "done asks" {
		r.t.Errorf("%+v", got)
	}
}

// cancellation through another replica ends the context of the handler.
func cancellation(r *replicas) {
	a, c := r.conn(0), r.conn(2)
	for _, tool := range []string{"job", "job_once"} {
		key := tool + " to cancel"
		id := r.create(a, client.Job{Tool: tool, Key: key, Millis: 60_000})
		if got := r.runs(key, 1); got[0].PID != r.Replicas[0].Process().PID() {
			r.t.Errorf("%s runs in %+v, and not where it was made", key, got)
		}
		begun := time.Now()
		if err := c.Cancel(r.t.Context(), id); err != nil {
			r.t.Fatal(err)
		}
		if got := r.known(r.conn(1), id); got.Status != "cancelled" {
			r.t.Errorf("%+v", got)
		}
		r.stops(key)
		r.t.Logf("%s: the context ends after %v", tool, time.Since(begun).Round(time.Millisecond))
	}
}

// session is a session of 2025-11-25 whose requests go to all replicas.
func session(r *replicas) {
	all := r.session("ann")
	ctx := r.t.Context()
	home := 0 // the replica that has begun a session has its stream, unless sessions are in a store
	if r.way.stored {
		home = 2
	}
	stream := r.statuses(all[home])
	for at, c := range all {
		key := "of a session " + string(rune('0'+at))
		id := r.create(c, client.Job{Tool: "job", Key: key, Millis: 700})
		r.known(all[(at+1)%3], id)
		if r.way.bus() || at == home {
			stream.until(id, "completed")
		}
		text, err := all[(at+2)%3].Result(ctx, id, all[(at+2)%3])
		if err != nil || text != "done "+key {
			r.t.Errorf("%s: %q, %v", key, text, err)
		}
		ids, err := all[(at+1)%3].List(ctx)
		if err != nil || !slices.Contains(ids, id) {
			r.t.Errorf("%s is not in the list %v, %v", id, ids, err)
		}
	}
	// What a task asks, its client gets from one replica, and answers to another one if these can tell each other.
	id := r.create(all[0], client.Job{Tool: "job_asks", Key: "asks a session", Millis: 10})
	answers := all[1]
	if r.way.bus() {
		answers = all[2]
	}
	if text, err := all[1].Result(ctx, id, answers); err != nil || text != "done asks a session" {
		r.t.Errorf("%q, %v", text, err)
	}
	id = r.create(all[0], client.Job{Tool: "job_once", Key: "cancelled by a session", Millis: 60_000})
	r.runs("cancelled by a session", 1)
	if err := all[2].Cancel(ctx, id); err != nil {
		r.t.Error(err)
	}
	r.stops("cancelled by a session")
	_, err := all[1].Result(ctx, id, all[1])
	if _, is := errors.AsType[*client.RPCError](err); !is {
		r.t.Errorf("the result of a cancelled task: %v", err)
	}
	other := r.session("eve")
	if _, err := other[1].Get(ctx, id); err == nil {
		r.t.Error("somebody else knows the task")
	}
}
