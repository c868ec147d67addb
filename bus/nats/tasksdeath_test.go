package natsbus_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/bus/nats"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// mortal is a process that dies at one of its requests: before it is sent, or after it was carried out.
type mortal struct {
	jetstream.JetStream

	left  int // requests until it dies
	after bool
}

var errDead = errors.New("the process is dead")

// request sends a request unless the process is dead.
func (m *mortal) request(send func() error) error {
	m.left--
	switch {
	case m.left > 0:
		return send()
	case m.left == 0 && m.after:
		_ = send()
	}
	return errDead
}

func (m *mortal) Publish(
	ctx context.Context, subject string, data []byte, o ...jetstream.PublishOpt,
) (ack *jetstream.PubAck, err error) {
	return ack, m.request(func() error {
		a, err := m.JetStream.Publish(ctx, subject, data, o...)
		if a != nil {
			ack = new(*a)
		}
		return err
	})
}

func (m *mortal) PublishMsg(
	ctx context.Context, msg *nats.Msg, o ...jetstream.PublishOpt,
) (ack *jetstream.PubAck, err error) {
	err = m.request(func() error {
		ack, err = m.JetStream.PublishMsg(ctx, msg, o...)
		return err
	})
	return ack, err
}

func (m *mortal) Stream(ctx context.Context, name string) (jetstream.Stream, error) {
	s, err := m.JetStream.Stream(ctx, name)
	return &mortalStream{s, m}, err
}

type mortalStream struct {
	jetstream.Stream

	process *mortal
}

func (s *mortalStream) Purge(ctx context.Context, o ...jetstream.StreamPurgeOpt) error {
	return s.process.request(func() error { return s.Stream.Purge(ctx, o...) })
}

func (s *mortalStream) DeleteMsg(ctx context.Context, seq uint64) error {
	return s.process.request(func() error { return s.Stream.DeleteMsg(ctx, seq) })
}

var roomy = task.Limits{PerPrincipal: 1000, Total: 1000}

// death is a change in which a process dies.
type death struct {
	t       *testing.T
	js      jetstream.JetStream
	healthy *natsbus.Tasks
	change  string
	size    int // of the record, about
	process *mortal
	now     time.Time
	name    string
}

// Whenever a process dies in the middle of a change, the record is that of before or that of after, it is found by all
// methods, and what is left over goes with it.
func TestTasksDeath(t *testing.T) {
	b := start(t, "")
	js, err := jetstream.New(connect(t, b.Addr))
	if err != nil {
		t.Fatal(err)
	}
	healthy, err := natsbus.NewTasks(js, "tasks", natsbus.TasksOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := healthy.Expire(limit(t), time.Now(), 1); err != nil { // makes the bucket
		t.Fatal(err)
	}
	for _, size := range []int{10, 450 << 10} {
		for _, change := range []string{"create", "complete", "ask", "renew", "take", "expire"} {
			for _, after := range []bool{false, true} {
				for n, died := 1, true; died; n++ {
					d := death{
						t: t, js: js, healthy: healthy, change: change, size: size, process: &mortal{js, n, after},
						now:  task.Time(time.Now()),
						name: fmt.Sprintf("%s of %d bytes, dead at %d, after it: %v", change, size, n, after),
					}
					died = d.happens()
				}
			}
		}
	}
}

// happens lets the process die, and reports whether it did before the change was done.
func (d *death) happens() bool {
	d.t.Helper()
	dying, err := natsbus.NewTasks(d.process, "tasks", natsbus.TasksOptions{})
	if err != nil {
		d.t.Fatal(err)
	}
	limits := roomy
	r := &task.Record{Body: task.Body{Checkpoint: make([]byte, d.size)}, Head: task.Head{
		ID: fmt.Sprintf("A%d", rand.Uint64()), Principal: fmt.Sprintf("p%d", rand.Uint64()),
		Status: task.Working, LeaseUntil: d.now, Expires: d.now.Add(time.Hour),
	}}
	if d.change != "create" {
		if err := d.healthy.Create(limit(d.t), r, limits); err != nil {
			d.t.Fatal(err)
		}
	}
	before := *r
	switch d.now = d.now.Add(time.Second); d.change {
	case "create":
		err = dying.Create(limit(d.t), r, limits)
	case "complete":
		r.Status, r.Result = task.Completed, []byte(`[]`)
		err = dying.Swap(limit(d.t), &r.Head, &r.Body, limits)
	case "ask":
		r.Status, r.Asked = task.InputRequired, []byte(`[]`)
		err = dying.Swap(limit(d.t), &r.Head, &r.Body, limits)
	case "renew":
		r.LeaseUntil = d.now.Add(time.Minute)
		err = dying.Swap(limit(d.t), &r.Head, nil, limits)
	case "take":
		r.Lease("a", d.now.Add(time.Minute))
		_, _, err = dying.Claim(limit(d.t), task.Claim{Owner: "a", Now: d.now, Until: d.now.Add(time.Minute)})
	case "expire":
		_, err = dying.Expire(limit(d.t), d.now.Add(2*time.Hour), 10)
	}
	if err != nil && !errors.Is(err, errDead) {
		d.t.Fatalf("%s: %v", d.name, err)
	}
	got, gone := d.healthy.Get(limit(d.t), r.ID)
	switch {
	case errors.Is(gone, task.ErrNotFound):
		if d.change != "create" && d.change != "expire" || d.change == "create" && err == nil {
			d.t.Fatalf("%s: the task is lost", d.name)
		}
		if list, err := d.healthy.List(limit(d.t), r.Principal, "", 10); err != nil || len(list) > 0 {
			d.t.Fatalf("%s: there is no task, and List returned %d and %v", d.name, len(list), err)
		}
	case gone != nil:
		d.t.Fatalf("%s: %v", d.name, gone)
	default:
		d.intact(got, &before, r)
	}
	d.empty(r.ID, gone == nil)
	return d.process.left <= 0 || err != nil
}

// intact checks a task that is there after a change that may have been made.
func (d *death) intact(got, before, after *task.Record) {
	d.t.Helper()
	same := func(r *task.Record) bool {
		return got.Status == r.Status && got.LeaseUntil.Equal(r.LeaseUntil) && got.Fence == r.Fence &&
			len(got.Checkpoint) == len(r.Checkpoint)
	}
	if !same(before) && !same(after) {
		d.t.Fatalf("%s: neither the record of before nor that of after: %+v", d.name, got)
	}
	if list, err := d.healthy.List(limit(d.t), got.Principal, "", 10); err != nil || len(list) != 1 {
		d.t.Fatalf("%s: List returned %d and %v", d.name, len(list), err)
	}
	h, _, err := d.healthy.Claim(limit(d.t), task.Claim{Owner: "next", Now: d.now, Until: d.now.Add(time.Minute)})
	if claimable := got.Claimable(d.now, 0); claimable != (err == nil) {
		d.t.Fatalf("%s: Claim returned %v, and the task is claimable: %v", d.name, err, claimable)
	}
	if err == nil {
		got.Head = *h
	}
	got.Status, got.Result = task.Completed, []byte(`["end"]`)
	if err := d.healthy.Swap(limit(d.t), &got.Head, &got.Body, roomy); err != nil {
		d.t.Fatalf("%s: Swap afterwards: %v", d.name, err)
	}
	if r, err := d.healthy.Get(limit(d.t), got.ID); err != nil || string(r.Result) != `["end"]` {
		d.t.Fatalf("%s: Get afterwards: %v", d.name, err)
	}
}

// empty lets all tasks expire. Nothing is left of one that was there.
func (d *death) empty(id string, was bool) {
	d.t.Helper()
	for {
		n, err := d.healthy.Expire(limit(d.t), d.now.Add(3*time.Hour), 100)
		if err != nil {
			d.t.Fatalf("%s: Expire: %v", d.name, err)
		}
		if n == 0 {
			break
		}
	}
	stream, err := d.js.Stream(limit(d.t), "KV_tasks")
	if err != nil {
		d.t.Fatal(err)
	}
	info, err := stream.Info(limit(d.t), jetstream.WithSubjectFilter("$KV.tasks.*."+id+".>"))
	if err != nil {
		d.t.Fatal(err)
	}
	if n := len(info.State.Subjects); n > 0 && was {
		d.t.Errorf("%s: %d keys are left of a task that has expired: %v", d.name, n, info.State.Subjects)
	}
}
