package tasks_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/internal/tasks"
	"github.com/mcpgen/mcpgen/mcp/mcptask"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// brokenStore is a store that fails while broken is set, and counts what it is asked for.
type brokenStore struct {
	task.Store
	broken atomic.Bool
	gets   atomic.Int64
}

func (b *brokenStore) Head(ctx context.Context, id string) (*task.Head, error) {
	if b.gets.Add(1); b.broken.Load() {
		return nil, errors.New("the store is away")
	}
	return b.Store.Head(ctx, id)
}

// A store fails while a task ends. Whoever follows the task, in this process and another, is told once it is back.
// A server that finds tasks in its store runs them once it is complete, with all that belongs to a task.
func TestTaskFoundAtStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, now := new(task.Memory), task.Time(time.Now())
		left := &task.Record{Head: task.Head{ID: "A1", Principal: "p", Tool: "job", Restart: true, Revision: "2026-07-28",
			Status: task.Working, Created: now, Updated: now, LeaseUntil: now, Expires: now.Add(time.Hour)}}
		left.Meta = []byte(`{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
			`"io.modelcontextprotocol/clientCapabilities":{}}`)
		if err := store.Create(t.Context(), left, task.Limits{PerPrincipal: 1, Total: 1}); err != nil {
			t.Fatal(err)
		}
		began := make(chan string, 1)
		job := feature.Tool{
			Entry: &protocol.Tool{Name: "job", InputSchema: []byte(`{"type":"object"}`)}, Task: feature.TaskRestart,
			Call: func(c *call.Call, _ []byte) (content.ToolResult, error) {
				began <- c.TaskID()
				return content.ToolText("done"), nil
			},
		}
		f := &feature.Features{
			Info: protocol.Implementation{Name: "t", Version: "1"}, Tools: []feature.Tool{job},
			Tasks: func(s *server.Server) error {
				err := mcptask.Serve(s)
				synctest.Wait() // who could run a task now would
				if len(began) > 0 {
					t.Error("it runs in a server that is not complete")
				}
				return err
			},
		}
		s, err := server.NewServer(f, &server.Options{Logger: noLog, Tasks: task.Options{Store: store}})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if len(began) != 1 || <-began != left.ID {
			t.Error("it does not run, or not as a task")
		}
		_ = s.Close()
	})
}

func TestTaskFollowedWhileStoreFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := new(task.Memory)
		one, two := &brokenStore{Store: shared}, &brokenStore{Store: shared}
		owner := newTaskServer(t, &server.Options{Logger: noLog, Tasks: task.Options{Store: one}})
		other := newTaskServer(t, &server.Options{Logger: noLog, Tasks: task.Options{Store: two}})
		creator, old := newHarness(t, owner.Server), newSession(t, owner.Server, protocol.Revision20251125)
		away := newHarness(t, other.Server)
		id := creator.createTask("work")
		<-owner.started
		legacy := old.createLegacy("work")
		<-owner.started
		listen := withTasks("6", "subscriptions/listen", `"notifications":{"taskIds":["`+id+`"]}`)
		for _, c := range []*harness{creator, away} {
			contains(t, c.ask(listen), `"taskIds":["`+id+`"]`)
			contains(t, c.recv(), `"status":"working"`)
		}
		contains(t, old.recv(), `"status":"working"`, "half done")
		one.broken.Store(true)
		two.broken.Store(true)
		close(owner.finish)
		time.Sleep(5 * time.Second)
		one.broken.Store(false)
		two.broken.Store(false)
		for _, c := range []*harness{creator, away} {
			contains(t, c.recv(), `"method":"notifications/tasks"`, `"status":"completed"`)
		}
		contains(t, old.recv(), `"method":"notifications/tasks/status"`, legacy, `"status":"completed"`)
		for _, c := range []*harness{creator, away, old} {
			c.cancel()
		}
	})
}

// Two changes of one millisecond are two changes for those who follow a task in another process.
func TestTaskChangesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := new(task.Memory)
		opts := &server.Options{Logger: noLog, Tasks: task.Options{Store: shared}}
		owner, other := newTaskServer(t, opts), newTaskServer(t, opts)
		creator, away := newHarness(t, owner.Server), newHarness(t, other.Server)
		id := creator.createTask("work")
		<-owner.started
		contains(t, away.ask(withTasks("6", "subscriptions/listen", `"notifications":{"taskIds":["`+id+`"]}`)), id)
		contains(t, away.recv(), `"status":"working"`)
		time.Sleep(10 * time.Second)
		h, err := shared.Head(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range []func(){
			func() { h.Updated, h.Message = task.Time(time.Now()), "nearly done" },
			func() { h.Status = task.Cancelled },
		} {
			change()
			if err := shared.Swap(t.Context(), h, nil, task.Limits{}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(5 * time.Second)
		}
		got := away.recv()
		for !strings.Contains(got, `"status":"cancelled"`) {
			contains(t, got, `"status":"working"`)
			got = away.recv()
		}
		contains(t, got, "nearly done")
		creator.cancel()
		away.cancel()
	})
}

// However many ids a listen names, few are looked for.
func TestTaskListenBound(t *testing.T) {
	t.Attr("requirements", "task-rate")
	store := &brokenStore{Store: new(task.Memory)}
	one(t, &server.Options{Logger: noLog, Tasks: task.Options{Store: store}}, func(_ *taskServer, c *harness) {
		var ids strings.Builder
		for i := range 10_000 {
			fmt.Fprintf(&ids, `"A%d",`, i)
		}
		before := store.gets.Load()
		ack := c.ask(withTasks("6", "subscriptions/listen", `"notifications":{"taskIds":[`+ids.String()+`"B"]}`))
		contains(t, ack, `"taskIds":[]`)
		if n := store.gets.Load() - before; n > tasks.MaxFollowed {
			t.Errorf("%d records were read for one listen, want at most %d", n, tasks.MaxFollowed)
		}
	})
}

// lateStore is a store that, while late is set, answers when nobody waits for it any more.
type lateStore struct {
	task.Store
	late atomic.Bool
}

func (l *lateStore) Head(ctx context.Context, id string) (*task.Head, error) {
	if l.late.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return l.Store.Head(ctx, id)
}

// A client that leaves while the store looks for the result that it waits for is no defect of the server.
func TestTaskResultLeftDuringGet(t *testing.T) {
	store := &lateStore{Store: new(task.Memory)}
	var log bytes.Buffer
	opts := &server.Options{Logger: slog.New(slog.NewTextHandler(&log, nil)), Tasks: task.Options{Store: store}}
	inSession(t, opts, func(st *taskServer, c *harness) {
		id := c.createLegacy("work")
		<-st.started
		c.send(request("2", "tasks/result", `"taskId":"`+id+`"`))
		c.recvAll()
		store.late.Store(true)
		close(st.finish)
		synctest.Wait() // it has ended, and the record is looked for
		_ = c.conn.Close()
		synctest.Wait()
		store.late.Store(false)
	})
	if strings.Contains(log.String(), "request failed") {
		t.Errorf("the log has %s", log.String())
	}
}
