package redisbus_test

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/mcpgen/mcpgen/bus/redis"
	"github.com/mcpgen/mcpgen/internal/dev/broker"
	"github.com/mcpgen/mcpgen/mcp/task"
	"github.com/mcpgen/mcpgen/mcp/task/taskstoretest"
)

func newTasks(b *broker.Broker) func(t *testing.T) task.Store {
	return func(t *testing.T) task.Store {
		t.Helper()
		store, err := redisbus.NewTasks(connect(t, redis.Options{Addr: b.Addr}), "mcp:test")
		if err != nil {
			t.Fatal(err)
		}
		return store
	}
}

func TestTasks(t *testing.T) {
	taskstoretest.Run(t, newTasks(start(t)))
}

func TestTasksFaults(t *testing.T) {
	b := start(t)
	taskstoretest.RunFaults(t, newTasks(b), taskstoretest.Faults{
		Stop:   func(t *testing.T) { do(t, b.Kill) },
		Start:  func(t *testing.T) { do(t, func() error { return b.Start(t.Context()) }) },
		Pause:  func(t *testing.T) { do(t, b.Pause) },
		Resume: func(t *testing.T) { do(t, b.Resume) },
	})
}

func newTask(id string) *task.Record {
	now := task.Time(time.Now())
	return &task.Record{Head: task.Head{ID: id, Principal: "p", Status: task.Working, LeaseUntil: now,
		Expires: now.Add(time.Hour), Created: now, Updated: now}}
}

// A change that the client sends again, because it missed the answer, is made once and confirmed.
func TestTasksAgain(t *testing.T) {
	b := start(t)
	client := connect(t, redis.Options{Addr: b.Addr})
	client.AddHook(twice{connect(t, redis.Options{Addr: b.Addr})})
	store, err := redisbus.NewTasks(client, "mcp:test")
	if err != nil {
		t.Fatal(err)
	}
	limits := task.Limits{PerPrincipal: 1, Total: 1}
	r := newTask("A")
	if err := store.Create(limit(t), r, limits); err != nil {
		t.Fatal(err)
	}
	r.Message = "half way"
	if err := store.Swap(limit(t), &r.Head, nil, limits); err != nil {
		t.Error(err)
	}
	h, _, err := store.Claim(limit(t), task.Claim{Owner: "o", Now: r.LeaseUntil, Until: r.Expires})
	if err != nil || h.Fence != 1 || h.Message != "half way" {
		t.Errorf("%+v, %v", h, err)
	}
	if err := store.Create(limit(t), newTask("B"), limits); !errors.Is(err, task.ErrPrincipalFull) {
		t.Errorf("a second task of the principal: %v", err)
	}
}

// A server of Redis that has no memory left refuses a change and keeps what there is.
func TestTasksFull(t *testing.T) {
	b := start(t, "--maxmemory", "8mb", "--maxmemory-policy", "noeviction")
	store := newTasks(b)(t)
	limits := task.Limits{PerPrincipal: 100, Total: 100}
	r := newTask("A")
	if err := store.Create(limit(t), r, limits); err != nil {
		t.Fatal(err)
	}
	body := &task.Body{Checkpoint: make([]byte, 3<<20)}
	var err error
	for i := 0; i < 5 && err == nil; i++ {
		large := newTask("B" + strings.Repeat("B", i))
		large.Body = *body
		err = store.Create(limit(t), large, limits)
	}
	if !errors.Is(err, task.ErrFull) {
		t.Errorf("without memory: %v", err)
	}
	if h, err := store.Head(limit(t), "A"); err != nil || h.Version != r.Version {
		t.Errorf("%+v, %v", h, err)
	}
}

func TestNewTasksChecks(t *testing.T) {
	if _, err := redisbus.NewTasks(nil, "mcp"); err == nil {
		t.Error("no client is taken")
	}
	client := connect(t, redis.Options{})
	for _, prefix := range []string{"", "{mcp}"} {
		if _, err := redisbus.NewTasks(client, prefix); err == nil || !strings.Contains(err.Error(), "prefix") {
			t.Errorf("the prefix %q: %v", prefix, err)
		}
	}
}

// A task costs the same whether there are ten or thousands: the number of calls of Redis in a script does not grow.
func TestTasksCostTheSame(t *testing.T) {
	b := start(t)
	store := newTasks(b)(t)
	client := connect(t, redis.Options{Addr: b.Addr})
	limits := task.Limits{PerPrincipal: 10_000, Total: 10_000}
	create := func(prefix string, n int) {
		for i := range n {
			if err := store.Create(limit(t), newTask(prefix+strconv.Itoa(i)), limits); err != nil {
				t.Fatal(err)
			}
		}
	}
	calls := func(f func()) (n int) {
		t.Helper()
		do(t, func() error { return client.ConfigResetStat(limit(t)).Err() })
		f()
		info, err := client.Info(limit(t), "commandstats").Result()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`:calls=(\d+),`).FindAllStringSubmatch(info, -1) {
			k, err := strconv.Atoi(m[1])
			if err != nil {
				t.Fatal(err)
			}
			n += k
		}
		return n
	}
	few := calls(func() { create("X", 10) })
	create("Y", 2000)
	if many := calls(func() { create("Z", 10) }); many > few+10 {
		t.Errorf("ten tasks take %d commands when there are few, and %d when there are many", few, many)
	}
}

// A server of Redis that has no memory left lets tasks be claimed, renewed and ended, and removes what has expired.
func TestTasksWithoutMemory(t *testing.T) {
	b := start(t)
	store, client := newTasks(b)(t), connect(t, redis.Options{Addr: b.Addr})
	r, limits := newTask("A"), task.Limits{PerPrincipal: 100, Total: 100}
	if err := store.Create(limit(t), r, limits); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{{"maxmemory-policy", "noeviction"}, {"maxmemory", "1"}} {
		do(t, func() error { return client.ConfigSet(limit(t), c[0], c[1]).Err() })
	}
	if err := store.Create(limit(t), newTask("B"), limits); !errors.Is(err, task.ErrFull) {
		t.Errorf("Create returned %v", err)
	}
	h, _, err := store.Claim(limit(t), task.Claim{Owner: "o", Now: r.LeaseUntil, Until: r.Expires})
	if err != nil {
		t.Fatal(err)
	}
	for _, status := range []task.Status{task.Working, task.Completed} {
		h.Status = status
		if err := store.Swap(limit(t), h, &task.Body{}, limits); err != nil {
			t.Errorf("Swap to %s: %v", status, err)
		}
	}
	if n, err := store.Expire(limit(t), r.Expires, 100); n != 1 || err != nil {
		t.Errorf("Expire returned %d, %v", n, err)
	}
}
