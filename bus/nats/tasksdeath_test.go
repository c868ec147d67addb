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
					name := fmt.Sprintf("%s of %d bytes, dead at %d, after it: %v", change, size, n, after)
					died = dieAt(t, name, js, healthy, change, size, &mortal{js, n, after})
				}
			}
		}
	}
}

// dieAt lets a process die in a change, and reports whether it did before the change was done.
func dieAt(
	t *testing.T, name string, js jetstream.JetStream, healthy *natsbus.Tasks, change string, size int, m *mortal,
) bool {
	t.Helper()
	dying, err := natsbus.NewTasks(m, "tasks", natsbus.TasksOptions{})
	if err != nil {
		t.Fatal(err)
	}
	now := task.Time(time.Now())
	limits := task.Limits{PerPrincipal: 1000, Total: 1000}
	r := &task.Record{ID: fmt.Sprintf("A%d", rand.Uint64()), Principal: fmt.Sprintf("p%d", rand.Uint64()),
		Status: task.Working, LeaseUntil: now, Expires: now.Add(time.Hour), Checkpoint: make([]byte, size)}
	before := *r
	if change != "create" {
		if err := healthy.Create(limit(t), r, limits); err != nil {
			t.Fatal(err)
		}
		before = *r
	}
	now = now.Add(time.Second)
	switch change {
	case "create":
		err = dying.Create(limit(t), r, limits)
	case "complete":
		r.Status, r.Result = task.Completed, []byte(`[]`)
		err = dying.Swap(limit(t), r)
	case "ask":
		r.Status, r.Asked = task.InputRequired, []byte(`[]`)
		err = dying.Swap(limit(t), r)
	case "renew":
		r.LeaseUntil = now.Add(time.Minute)
		err = dying.Swap(limit(t), r)
	case "take":
		r.Lease("a", now.Add(time.Minute))
		_, err = dying.Claim(limit(t), "a", now, now.Add(time.Minute))
	case "expire":
		_, err = dying.Expire(limit(t), now.Add(2*time.Hour), 10)
	}
	if err != nil && !errors.Is(err, errDead) {
		t.Fatalf("%s: %v", name, err)
	}
	got, gone := healthy.Get(limit(t), r.ID)
	switch {
	case errors.Is(gone, task.ErrNotFound):
		if change != "create" && change != "expire" || change == "create" && err == nil {
			t.Fatalf("%s: the task is lost", name)
		}
		if list, err := healthy.List(limit(t), r.Principal, "", 10); err != nil || len(list) > 0 {
			t.Fatalf("%s: there is no task, and List returned %d and %v", name, len(list), err)
		}
	case gone != nil:
		t.Fatalf("%s: %v", name, gone)
	default:
		intact(t, name, healthy, got, &before, r, now)
	}
	for {
		n, err := healthy.Expire(limit(t), now.Add(3*time.Hour), 100)
		if err != nil {
			t.Fatalf("%s: Expire: %v", name, err)
		}
		if n == 0 {
			break
		}
	}
	stream, failed := js.Stream(limit(t), "KV_tasks")
	if failed != nil {
		t.Fatal(failed)
	}
	info, failed := stream.Info(limit(t), jetstream.WithSubjectFilter("$KV.tasks.*."+r.ID+".>"))
	if failed != nil {
		t.Fatal(failed)
	}
	if n := len(info.State.Subjects); n > 0 && gone == nil {
		t.Errorf("%s: %d keys are left of a task that has expired: %v", name, n, info.State.Subjects)
	}
	return m.left <= 0 || err != nil
}

// intact checks a task that is there after a change that may have been made.
func intact(t *testing.T, name string, s *natsbus.Tasks, got, before, after *task.Record, now time.Time) {
	t.Helper()
	same := func(r *task.Record) bool {
		return got.Status == r.Status && got.LeaseUntil.Equal(r.LeaseUntil) && got.Fence == r.Fence &&
			len(got.Checkpoint) == len(r.Checkpoint)
	}
	if !same(before) && !same(after) {
		t.Fatalf("%s: neither the record of before nor that of after: %+v", name, got)
	}
	if list, err := s.List(limit(t), got.Principal, "", 10); err != nil || len(list) != 1 {
		t.Fatalf("%s: List returned %d and %v", name, len(list), err)
	}
	r, err := s.Claim(limit(t), "next", now, now.Add(time.Minute))
	if claimable := got.Claimable(now); claimable != (err == nil) {
		t.Fatalf("%s: Claim returned %v, and the task is claimable: %v", name, err, claimable)
	}
	if err == nil {
		got = r
	}
	got.Status, got.Result = task.Completed, []byte(`["end"]`)
	if err := s.Swap(limit(t), got); err != nil {
		t.Fatalf("%s: Swap afterwards: %v", name, err)
	}
	if r, err := s.Get(limit(t), got.ID); err != nil || string(r.Result) != `["end"]` {
		t.Fatalf("%s: Get afterwards: %v", name, err)
	}
}
