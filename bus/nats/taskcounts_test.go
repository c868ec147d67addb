package natsbus_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/bus/nats"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// metered counts the requests of a handle.
type metered struct {
	jetstream.JetStream

	mu       sync.Mutex
	requests map[string]int
}

func (m *metered) note(request string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests[request]++
}

func (m *metered) Publish(
	ctx context.Context, subject string, data []byte, o ...jetstream.PublishOpt,
) (*jetstream.PubAck, error) {
	m.note("publish")
	return m.JetStream.Publish(ctx, subject, data, o...)
}

func (m *metered) PublishMsg(
	ctx context.Context, msg *nats.Msg, o ...jetstream.PublishOpt,
) (*jetstream.PubAck, error) {
	m.note("publish")
	return m.JetStream.PublishMsg(ctx, msg, o...)
}

func (m *metered) Stream(ctx context.Context, name string) (jetstream.Stream, error) {
	s, err := m.JetStream.Stream(ctx, name)
	return &meteredStream{s, m}, err
}

type meteredStream struct {
	jetstream.Stream

	m *metered
}

func (s *meteredStream) Info(ctx context.Context, o ...jetstream.StreamInfoOpt) (*jetstream.StreamInfo, error) {
	s.m.note("list")
	return s.Stream.Info(ctx, o...)
}

func (s *meteredStream) GetLastMsgForSubject(ctx context.Context, subject string) (*jetstream.RawStreamMsg, error) {
	s.m.note("get")
	return s.Stream.GetLastMsgForSubject(ctx, subject)
}

func newMetered(t *testing.T) (*metered, *natsbus.Tasks) {
	t.Helper()
	js, err := jetstream.New(connect(t, start(t, "").Addr))
	if err != nil {
		t.Fatal(err)
	}
	m := &metered{JetStream: js, requests: make(map[string]int)}
	for _, js := range []jetstream.JetStream{js, m} {
		store, err := natsbus.NewTasks(js, "tasks", natsbus.TasksOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if js == m {
			return m, store
		}
		if _, err := store.Expire(limit(t), time.Now(), 1); err != nil { // makes the bucket
			t.Fatal(err)
		}
	}
	panic("unreachable")
}

func taskOf(id, principal string, bytes int) *task.Record {
	now := task.Time(time.Now())
	return &task.Record{
		Head: task.Head{ID: id, Principal: principal, Status: task.Working, Tool: "t",
			Created: now, Updated: now, LeaseUntil: now, Expires: now.Add(time.Hour)},
		Body: task.Body{Args: []byte(`"` + strings.Repeat("x", bytes) + `"`)},
	}
}

// Creating a task takes the same requests however many there are, and lists nothing.
func TestTasksCreateCosts(t *testing.T) {
	m, store := newMetered(t)
	limits := task.Limits{PerPrincipal: 10_000, Total: 100_000, Bytes: 1 << 40}
	for n := range 500 {
		clear(m.requests)
		if err := store.Create(limit(t), taskOf(fmt.Sprint("A", n), "p", 10), limits); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(m.requests); n > 0 && got != "map[get:3 publish:4]" {
			t.Fatalf("the requests after %d tasks are %s", n, got)
		}
	}
}

// Counters that say too much, because a process has died, are right again after the next look for expired tasks.
func TestTasksCountAnew(t *testing.T) {
	m, store := newMetered(t)
	limits := task.Limits{PerPrincipal: 3, Total: 10, Bytes: 1 << 30}
	for i, p := range []string{"p", "q", "r"} {
		if err := store.Create(limit(t), taskOf(fmt.Sprint("A", i), p, 1<<20), limits); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []string{"c.p", "n.all"} {
		if _, err := m.JetStream.Publish(limit(t), "$KV.tasks."+key, []byte(`{"Tasks":10,"Bytes":4096}`)); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range []string{"p", "s"} {
		if err := store.Create(limit(t), taskOf("B"+strings.ToUpper(p), p, 10), limits); !errors.Is(err, task.ErrFull) {
			t.Errorf("%s: %v", p, err)
		}
	}
	if n, err := store.Expire(limit(t), time.Now(), 1); n != 0 || err != nil {
		t.Fatalf("Expire returned %d, %v", n, err)
	}
	for _, p := range []string{"p", "s"} {
		if err := store.Create(limit(t), taskOf("C"+strings.ToUpper(p), p, 10), limits); err != nil {
			t.Errorf("%s: %v", p, err)
		}
	}
	stream, err := m.JetStream.Stream(limit(t), "KV_tasks")
	if err != nil {
		t.Fatal(err)
	}
	msg, err := stream.GetLastMsgForSubject(limit(t), "$KV.tasks.n.all")
	if err != nil {
		t.Fatal(err)
	}
	var all task.Holding
	if err := json.Unmarshal(msg.Data, &all); err != nil || all.Tasks != 5 || all.Bytes>>20 != 3 {
		t.Errorf("%+v, %v", all, err)
	}
}

// What a process that has died has left of a task that has ended makes no room, and is not looked for again and again.
func TestTasksRoomOfTheDead(t *testing.T) {
	m, store := newMetered(t)
	limits := task.Limits{PerPrincipal: 3, Total: 3}
	ended := taskOf("A", "p", 10)
	ended.Status = task.Completed
	for _, r := range []*task.Record{ended, taskOf("B", "q", 10), taskOf("C", "r", 10)} {
		if err := store.Create(limit(t), r, limits); err != nil {
			t.Fatal(err)
		}
	}
	stream, err := m.JetStream.Stream(limit(t), "KV_tasks")
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.DeleteMsg(limit(t), ended.Version); err != nil { // its entry and the counters are as before
		t.Fatal(err)
	}
	clear(m.requests)
	if err := store.Create(limit(t), taskOf("D", "s", 10), limits); !errors.Is(err, task.ErrFull) {
		t.Errorf("Create returned %v", err)
	}
	if n := m.requests["list"]; n > 2 {
		t.Errorf("%d looks at all tasks", n)
	}
}

// Tasks of an older release count, also if one of them ends before the first is created, and are counted once for all
// who create tasks.
func TestTasksOfOlderReleaseCount(t *testing.T) {
	m, store := newMetered(t)
	const old, creators = 200, 20
	for i := range old {
		r := taskOf(fmt.Sprint("A", i), "p", 10)
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		for key, data := range map[string][]byte{
			fmt.Sprintf("w.%s.%d.p.%d", r.ID, r.LeaseUntil.UnixMilli(), r.Expires.UnixMilli()): nil, "t." + r.ID: text,
		} {
			if _, err := m.JetStream.Publish(limit(t), "$KV.tasks."+key, data); err != nil {
				t.Fatal(err)
			}
		}
	}
	limits := task.Limits{PerPrincipal: old, Total: old + creators}
	h, err := store.Head(limit(t), "A0")
	if err != nil {
		t.Fatal(err)
	}
	h.Status = task.Completed
	if err := store.Swap(limit(t), h, &task.Body{}, limits); err != nil {
		t.Fatal(err)
	}
	clear(m.requests)
	var all sync.WaitGroup
	for i := range creators {
		all.Go(func() {
			if err := store.Create(limit(t), taskOf(fmt.Sprint("B", i), fmt.Sprint("q", i), 10), limits); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := m.requests["get"]; n > 2*old+creators*100 {
		t.Errorf("%d reads", n)
	}
	if err := store.Create(limit(t), taskOf("C", "p", 10), limits); !errors.Is(err, task.ErrPrincipalFull) {
		t.Errorf("Create returned %v", err)
	}
}

// The records of the first release, small and large, are found, and count. What it finds of a newer one it can read, or
// does not take for a record.
func TestTasksOfOlderRelease(t *testing.T) {
	m, store := newMetered(t)
	put := func(key string, data []byte, header nats.Header) {
		t.Helper()
		msg := &nats.Msg{Subject: "$KV.tasks." + key, Data: data, Header: header}
		if _, err := m.JetStream.PublishMsg(limit(t), msg); err != nil {
			t.Fatal(err)
		}
	}
	for id, bytes := range map[string]int{"A": 10, "B": 900 << 10} {
		r := taskOf(id, "p", bytes)
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		put(fmt.Sprintf("w.%s.%d.p.%d", id, r.LeaseUntil.UnixMilli(), r.Expires.UnixMilli()), nil, nil)
		if bytes < 512<<10 {
			put("t."+id, text, nil)
			continue
		}
		put("d."+id+".W.0", text[:512<<10], nil)
		put("d."+id+".W.1", text[512<<10:], nil)
		put("t."+id, nil, nats.Header{"Mcp-Task-Chunks": {"2", "W"}})
	}
	limits := task.Limits{PerPrincipal: 3, Total: 10, Bytes: 1 << 30}
	if list, err := store.List(limit(t), "p", "", 3); err != nil || len(list) != 2 {
		t.Fatalf("List returned %d, %v", len(list), err)
	}
	if err := store.Create(limit(t), taskOf("C", "p", 900<<10), limits); err != nil {
		t.Fatal(err)
	}
	if err := store.Create(limit(t), taskOf("D", "p", 10), limits); !errors.Is(err, task.ErrPrincipalFull) {
		t.Errorf("Create of a fourth: %v", err)
	}
	for range 3 {
		h, _, err := store.Claim(limit(t), task.Claim{Owner: "a", Now: time.Now(), Until: time.Now().Add(time.Minute)})
		if err != nil {
			t.Fatal(err)
		}
		r, err := store.Get(limit(t), h.ID)
		if want := map[string]int{"A": 12, "B": 900<<10 + 2, "C": 900<<10 + 2}[h.ID]; err != nil || len(r.Args) != want {
			t.Errorf("%s: %d bytes of arguments, %v", h.ID, len(r.Args), err)
		}
	}
	stream, err := m.JetStream.Stream(limit(t), "KV_tasks")
	if err != nil {
		t.Fatal(err)
	}
	for id, readable := range map[string]bool{"A": true, "C": false} {
		msg, err := stream.GetLastMsgForSubject(limit(t), "$KV.tasks.t."+id)
		if err != nil {
			t.Fatal(err)
		}
		var r struct{ Args json.RawMessage }
		if err := json.Unmarshal(msg.Data, &r); (err == nil) != readable || readable && len(r.Args) != 12 {
			t.Errorf("%s: %d bytes of arguments, %v", id, len(r.Args), err)
		}
	}
}
