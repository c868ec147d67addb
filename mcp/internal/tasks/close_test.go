package tasks_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/replica/memory"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// lastingStore is a store that outlasts a server.
type lastingStore struct{ task.Store }

// A server of two that closes in a rolling update: its tasks that may run again run at the other one at once, and the
// client gets the result there.
func TestTaskMovesWhenServerCloses(t *testing.T) {
	for name, c := range map[string]struct {
		bus    bool
		within time.Duration
	}{"bus": {true, time.Second}, "polls": {false, 7 * time.Second}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				bus, shared := new(memory.Bus), lastingStore{new(task.Memory)}
				server := func() *taskServer {
					o := &server.Options{Logger: noLog, Tasks: task.Options{Store: shared}, Keys: [][]byte{make([]byte, 32)}}
					if c.bus {
						o.Bus = replica.Over(bus)
					}
					return newTaskServer(t, o)
				}
				a, b := server(), server()
				time.Sleep(time.Minute)
				ca, cb := newHarness(t, a.Server), newHarness(t, b.Server)
				id, once := ca.createTask("work"), ca.createTask("once")
				<-a.started
				<-a.started
				began := time.Now()
				go func() {
					time.Sleep(5 * time.Second)
					a.finish <- struct{}{} // the one that may not run again has the time of grace
				}()
				closed := make(chan struct{})
				go func() {
					defer close(closed)
					_ = a.Close()
				}()
				if got := <-b.started; got != id || time.Since(began) > c.within {
					t.Errorf("the task %s runs again after %v, want %s", got, time.Since(began), id)
				}
				<-closed
				if took := time.Since(began); took > 6*time.Second {
					t.Errorf("closed after %v", took)
				}
				b.finish <- struct{}{}
				time.Sleep(time.Second)
				contains(t, cb.getTask(id), `"status":"completed"`, `"text":"done`)
				contains(t, cb.getTask(once), `"status":"completed"`, `"text":"done`)
				cb.cancel()
			})
		})
	}
}

// Who waits for the result of a task learns at once that the server closes: another process has it later.
func TestTaskResultWhileClosing(t *testing.T) {
	inSession(t, &server.Options{Logger: noLog, Tasks: task.Options{Store: lastingStore{new(task.Memory)}}},
		func(st *taskServer, c *harness) {
			for id, tool := range map[string]string{"2": "work", "3": "once"} {
				task := c.createLegacy(tool)
				<-st.started
				c.send(request(id, "tasks/result", `"taskId":"`+task+`"`))
			}
			time.Sleep(time.Second)
			c.recvAll()
			go func() { _ = st.Close() }()
			contains(t, c.recvAll(), `"id":2,"error":{"code":-32603`, `"id":3,"error":{"code":-32603`)
			st.finish <- struct{}{}
		})
}

// A task that must not run twice, and whose handler does not end within the grace, was interrupted.
func TestTaskInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := lastingStore{new(task.Memory)}
		server := func() *taskServer {
			return newTaskServer(t, &server.Options{Logger: noLog, Keys: [][]byte{make([]byte, 32)},
				Tasks: task.Options{Store: shared}})
		}
		a, b := server(), server()
		ca, cb := newHarness(t, a.Server), newHarness(t, b.Server)
		id := ca.createTask("once")
		<-a.started
		_ = a.Close()
		contains(t, cb.getTask(id), `"status":"failed"`, `"statusMessage":"interrupted"`)
		cb.cancel()
	})
}
