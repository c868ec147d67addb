package natsbus_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/bus/nats"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// hooked calls functions around requests.
type hooked struct {
	jetstream.JetStream

	listed atomic.Pointer[func()] // after a look at keys
	gets   atomic.Pointer[func()] // before a read
	puts   atomic.Pointer[func()] // before a record of a task is written
}

func (h *hooked) PublishMsg(
	ctx context.Context, msg *nats.Msg, o ...jetstream.PublishOpt,
) (*jetstream.PubAck, error) {
	if !strings.HasPrefix(msg.Subject, "$KV.tasks.c.") && !strings.HasPrefix(msg.Subject, "$KV.tasks.n.") {
		call(&h.puts)
	}
	return h.JetStream.PublishMsg(ctx, msg, o...)
}

func (h *hooked) Stream(ctx context.Context, name string) (jetstream.Stream, error) {
	s, err := h.JetStream.Stream(ctx, name)
	return &hookedStream{s, h}, err
}

type hookedStream struct {
	jetstream.Stream

	h *hooked
}

func call(f *atomic.Pointer[func()]) {
	if f := f.Load(); f != nil {
		(*f)()
	}
}

func (s *hookedStream) Info(ctx context.Context, o ...jetstream.StreamInfoOpt) (*jetstream.StreamInfo, error) {
	info, err := s.Stream.Info(ctx, o...)
	call(&s.h.listed)
	return info, err
}

func (s *hookedStream) GetLastMsgForSubject(ctx context.Context, subject string) (*jetstream.RawStreamMsg, error) {
	call(&s.h.gets)
	return s.Stream.GetLastMsgForSubject(ctx, subject)
}

// newHooked returns a store with hooks and one without for the same bucket, which exists.
func newHooked(t *testing.T) (h *hooked, store, other *natsbus.Tasks) {
	t.Helper()
	m, other := newMetered(t)
	h = &hooked{JetStream: m.JetStream}
	store, err := natsbus.NewTasks(h, "tasks", natsbus.TasksOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return h, store, other
}

// putOld writes n tasks as an older release does, which counts none.
func putOld(t *testing.T, js jetstream.JetStream, n int) {
	t.Helper()
	for i := range n {
		r := taskOf(fmt.Sprint("OLD", i), "p", 10)
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		for key, data := range map[string][]byte{
			fmt.Sprintf("w.%s.%d.p.%d", r.ID, r.LeaseUntil.UnixMilli(), r.Expires.UnixMilli()): nil, "t." + r.ID: text,
		} {
			if _, err := js.Publish(limit(t), "$KV.tasks."+key, data); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func expireNone(t *testing.T, store *natsbus.Tasks) {
	t.Helper()
	if n, err := store.Expire(limit(t), time.Now(), 10); n != 0 || err != nil {
		t.Fatalf("Expire returned %d, %v", n, err)
	}
}

// countOfAll returns how many tasks the counter of all says that there are.
func countOfAll(t *testing.T, js jetstream.JetStream) int {
	t.Helper()
	stream, err := js.Stream(limit(t), "KV_tasks")
	if err != nil {
		t.Fatal(err)
	}
	msg, err := stream.GetLastMsgForSubject(limit(t), "$KV.tasks.n.all")
	if err != nil {
		t.Fatal(err)
	}
	var all task.Holding
	if err := json.Unmarshal(msg.Data, &all); err != nil {
		t.Fatal(err)
	}
	return all.Tasks
}

// What is created while everything is counted anew is not forgotten.
func TestTasksCreatedDuringRecount(t *testing.T) {
	h, store, other := newHooked(t)
	if err := store.Create(limit(t), taskOf("A", "p", 10), roomy); err != nil {
		t.Fatal(err)
	}
	expireNone(t, store) // the count of the hour
	full := task.Limits{PerPrincipal: 3, Total: 1}
	if err := store.Create(limit(t), taskOf("B", "q", 10), full); !errors.Is(err, task.ErrFull) {
		t.Fatal(err)
	}
	looks := 0
	create := func() {
		if looks++; looks != 2 { // the first one is for what has expired
			return
		}
		for i := range 3 {
			if err := other.Create(limit(t), taskOf(fmt.Sprint("C", i), "p", 10), roomy); err != nil {
				t.Error(err)
			}
		}
	}
	h.listed.Store(&create)
	expireNone(t, store)
	h.listed.Store(nil)
	if looks < 2 {
		t.Fatal("nothing was counted anew")
	}
	expireNone(t, store)
	if n := countOfAll(t, h.JetStream); n != 4 {
		t.Errorf("%d tasks are counted, want 4", n)
	}
}

// A task that counts and is not written yet while everything is counted anew is missing until the next look only.
func TestTasksWrittenAfterRecount(t *testing.T) {
	h, slow, store := newHooked(t)
	if err := store.Create(limit(t), taskOf("A", "p", 10), roomy); err != nil {
		t.Fatal(err)
	}
	expireNone(t, store) // the count of the hour
	counted, proceed, created := make(chan struct{}), make(chan struct{}), make(chan error)
	wait := func() { counted <- struct{}{}; <-proceed; h.puts.Store(nil) }
	h.puts.Store(&wait)
	go func() { created <- slow.Create(limit(t), taskOf("B", "q", 10), roomy) }()
	<-counted
	full := task.Limits{PerPrincipal: 3, Total: 2}
	if err := store.Create(limit(t), taskOf("C", "r", 10), full); !errors.Is(err, task.ErrFull) {
		t.Fatal(err)
	}
	expireNone(t, store)
	if n := countOfAll(t, h.JetStream); n != 1 {
		t.Fatalf("%d tasks are counted, want 1: the other one is not written", n)
	}
	close(proceed)
	if err := <-created; err != nil {
		t.Fatal(err)
	}
	expireNone(t, store)
	if n := countOfAll(t, h.JetStream); n != 2 {
		t.Errorf("%d tasks are counted, want 2", n)
	}
}

// What an older release creates beside this one counts after an hour.
func TestTasksOfMixedReleasesCount(t *testing.T) {
	m, store := newMetered(t)
	limits := task.Limits{PerPrincipal: 7, Total: 7}
	if err := store.Create(limit(t), taskOf("A", "q", 10), limits); err != nil {
		t.Fatal(err)
	}
	expireNone(t, store)
	putOld(t, m.JetStream, 5)
	expireNone(t, store)
	clear(m.requests)
	expireNone(t, store)
	if n := m.requests["list"]; n != 1 {
		t.Errorf("%d looks at all keys within the hour", n)
	}
	stream, err := m.JetStream.Stream(limit(t), "KV_tasks")
	if err != nil {
		t.Fatal(err)
	}
	at, err := stream.GetLastMsgForSubject(limit(t), "$KV.tasks.n.at")
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.DeleteMsg(limit(t), at.Sequence); err != nil { // an hour later
		t.Fatal(err)
	}
	expireNone(t, store)
	if n := countOfAll(t, m.JetStream); n != 6 {
		t.Errorf("%d tasks are counted, want 6", n)
	}
}

// The first count goes on when nobody waits for it any more.
func TestTasksFirstCountIsLong(t *testing.T) {
	h, store, _ := newHooked(t)
	putOld(t, h.JetStream, 200)
	slow := func() { time.Sleep(50 * time.Millisecond) } // 16 at a time
	h.gets.Store(&slow)
	for i := range 100 {
		ctx, stop := context.WithTimeout(t.Context(), 400*time.Millisecond)
		err := store.Create(ctx, taskOf(fmt.Sprint("A", i), "q", 10), roomy)
		stop()
		if err == nil {
			return
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
	}
	t.Error("nobody can create a task")
}
