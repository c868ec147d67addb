package natsbus_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/bus/nats"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// later is a server whose clock is ahead.
type later struct {
	jetstream.JetStream

	by time.Duration
}

func (l *later) Stream(ctx context.Context, name string) (jetstream.Stream, error) {
	s, err := l.JetStream.Stream(ctx, name)
	return &laterStream{s, l.by}, err
}

type laterStream struct {
	jetstream.Stream

	by time.Duration
}

func (s *laterStream) Info(ctx context.Context, o ...jetstream.StreamInfoOpt) (*jetstream.StreamInfo, error) {
	info, err := s.Stream.Info(ctx, o...)
	if err == nil {
		info.TimeStamp = info.TimeStamp.Add(s.by)
	}
	return info, err
}

// What a process has written of a task, and died before the task was there, is removed after an hour by the clock of
// the server, and not before: until then it may be a writer that is slow.
func TestTasksOrphan(t *testing.T) {
	js, err := jetstream.New(connect(t, start(t, "").Addr))
	if err != nil {
		t.Fatal(err)
	}
	now := task.Time(time.Now())
	store := func(js jetstream.JetStream) *natsbus.Tasks {
		s, err := natsbus.NewTasks(js, "tasks", natsbus.TasksOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if _, err := store(js).Expire(limit(t), now, 1); err != nil { // makes the bucket
		t.Fatal(err)
	}
	left := func() int {
		stream, err := js.Stream(limit(t), "KV_tasks")
		if err != nil {
			t.Fatal(err)
		}
		info, err := stream.Info(limit(t), jetstream.WithSubjectFilter("$KV.tasks.*.ORPHAN.>"))
		if err != nil {
			t.Fatal(err)
		}
		return len(info.State.Subjects)
	}
	for name, look := range map[string]func(s *natsbus.Tasks) error{
		"Claim": func(s *natsbus.Tasks) error {
			_, _, err := s.Claim(limit(t), task.Claim{Owner: "a", Now: now, Until: now.Add(time.Minute)})
			return err
		},
		"Expire": func(s *natsbus.Tasks) error {
			_, err := s.Expire(limit(t), now.Add(2*time.Hour), 10)
			return err
		},
	} {
		r := &task.Record{
			Head: task.Head{ID: "ORPHAN", Principal: "p", Status: task.Working, LeaseUntil: now, Expires: now.Add(time.Hour)},
			Body: task.Body{Checkpoint: make([]byte, 1<<20)},
		}
		for n := 1; left() < 3; n++ { // an entry and two chunks
			if err := store(&mortal{js, n, false}).Create(limit(t), r, roomy); !errors.Is(err, errDead) {
				t.Fatalf("death %d: %v", n, err)
			}
		}
		for _, x := range []struct {
			age  time.Duration
			left bool
		}{{59 * time.Minute, true}, {61 * time.Minute, false}} {
			err := look(store(&later{js, x.age}))
			if err != nil && !errors.Is(err, task.ErrNotFound) {
				t.Errorf("%s after %v: %v", name, x.age, err)
			}
			if n := left(); n > 0 != x.left {
				t.Errorf("%s after %v: %d keys are left", name, x.age, n)
			}
		}
	}
}
