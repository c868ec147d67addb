package tasks_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// faultyStore is a store that does something else instead of its work, while it has a fault.
type faultyStore struct {
	task.Memory
	fault atomic.Pointer[func(ctx context.Context) error] // instead of each call; the call is made if it returns nil
}

func (s *faultyStore) failsWith(f func(ctx context.Context) error) { s.fault.Store(&f) }

func (s *faultyStore) do(ctx context.Context) error {
	if f := s.fault.Load(); f != nil {
		return (*f)(ctx)
	}
	return nil
}

func (s *faultyStore) Create(ctx context.Context, r *task.Record, limits task.Limits) error {
	if err := s.do(ctx); err != nil {
		return err
	}
	return s.Memory.Create(ctx, r, limits)
}

func (s *faultyStore) Get(ctx context.Context, id string) (*task.Record, error) {
	if err := s.do(ctx); err != nil {
		return nil, err
	}
	return s.Memory.Get(ctx, id)
}

func (s *faultyStore) Head(ctx context.Context, id string) (*task.Head, error) {
	if err := s.do(ctx); err != nil {
		return nil, err
	}
	return s.Memory.Head(ctx, id)
}

func (s *faultyStore) Swap(ctx context.Context, h *task.Head, b *task.Body, limits task.Limits) error {
	if err := s.do(ctx); err != nil {
		return err
	}
	return s.Memory.Swap(ctx, h, b, limits)
}

func (s *faultyStore) Claim(ctx context.Context, c task.Claim) (*task.Head, uint64, error) {
	if err := s.do(ctx); err != nil {
		return nil, 0, err
	}
	return s.Memory.Claim(ctx, c)
}

func (s *faultyStore) List(ctx context.Context, principal, after string, limit int) ([]*task.Head, error) {
	if err := s.do(ctx); err != nil {
		return nil, err
	}
	return s.Memory.List(ctx, principal, after, limit)
}

// taskRequests are requests about a task, by the method, for a client of 2026-07-28 and for a session of 2025-11-25.
func taskRequests(id string) (modern, legacy map[string]string) {
	about := `"taskId":"` + id + `"`
	return map[string]string{
			"tools/call":   withTasks("9", "tools/call", `"name":"work"`),
			"tasks/get":    withTasks("9", "tasks/get", about),
			"tasks/update": withTasks("9", "tasks/update", about+`,"inputResponses":{}`),
			"tasks/cancel": withTasks("9", "tasks/cancel", about),
		}, map[string]string{
			"tools/call":   request("9", "tools/call", `"name":"work","task":{}`),
			"tasks/get":    request("9", "tasks/get", about),
			"tasks/result": request("9", "tasks/result", about),
			"tasks/cancel": request("9", "tasks/cancel", about),
			"tasks/list":   request("9", "tasks/list", ""),
		}
}

// A store that fails, or hangs and does not even notice that it should return, gives an error to those who ask, in
// time, and nothing is lost.
func TestTaskStoreFails(t *testing.T) {
	t.Attr("requirements", "task-errors")
	hang := make(chan struct{})
	for name, fault := range map[string]func(ctx context.Context) error{
		"fails":  func(context.Context) error { return errors.New("the secret of the store") },
		"hangs":  func(context.Context) error { <-hang; return errors.New("late") },
		"panics": func(context.Context) error { panic("the secret of the store") },
		"waits":  func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				hang = make(chan struct{})
				store := new(faultyStore)
				st := newTaskServer(t, &server.Options{Logger: noLog, Tasks: task.Options{Store: store}})
				c, old := newHarness(t, st.Server), newAskedSession(t, st.Server)
				id := c.createTask("work")
				<-st.started
				synctest.Wait()
				store.failsWith(fault)
				modern, legacy := taskRequests(id)
				for h, all := range map[*harness]map[string]string{c: modern, old: legacy} {
					for method, text := range all {
						began := time.Now()
						got := h.ask(text)
						contains(t, got, `"id":9,"error":{"code":-32603`)
						if slow := strings.Contains(got, "the store of tasks is slow"); slow != (name == "hangs" || name == "waits") {
							t.Errorf("%s: %s", method, got)
						}
						if strings.Contains(got, "secret") {
							t.Errorf("%s: %s", method, got)
						}
						if d := time.Since(began); d > 10*time.Second {
							t.Errorf("%s took %v", method, d)
						}
					}
				}
				if n := server.Stats(st.Server); n.Refusals["task_store"] != 2 || n.Tasks.StoreErrors == 0 {
					t.Errorf("%d refusals, %d errors", n.Refusals["task_store"], n.Tasks.StoreErrors)
				}
				store.fault.Store(nil)
				close(hang)
				synctest.Wait()
				contains(t, c.getTask(id), `"taskId":"`+id+`"`)
				st.finish <- struct{}{}
				synctest.Wait()
				time.Sleep(time.Minute)
				contains(t, c.getTask(id), `"status":"completed"`)
				c.cancel()
				old.cancel()
			})
		})
	}
}
