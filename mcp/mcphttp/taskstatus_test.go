package mcphttp_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/mcptask"
	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/replica/memory"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// newTaskFleet is newFleet for replicas with tasks in one store, and a tool "job" that goes on when proceed says
// so, and says when it was cancelled.
func newTaskFleet(t *testing.T, n int, store replica.SessionStore, proceed, ended chan struct{}) *fleet {
	t.Helper()
	f := newFleet(t, 0, store, nil)
	tasks := new(task.Memory)
	withJob := func(f *mcprt.Features) {
		withQuestions(f)
		job := mcprt.Tool{
			Entry: &protocol.Tool{Name: "job", InputSchema: []byte(`{"type":"object"}`)}, Task: mcprt.TaskRestart,
			Call: func(c *mcprt.Call, _ []byte) (mcprt.ToolResult, error) {
				(*mcp.Call)(c).SetStatus("half done")
				select {
				case <-proceed:
				case <-c.Done():
					ended <- struct{}{}
				}
				return mcprt.ToolResultOf(mcp.ToolText("done"), c.Err())
			},
		}
		f.Tasks = mcptask.Serve
		f.Tools = append(slices.Clone(f.Tools), job)
		for i := range f.Tools {
			if f.Tools[i].Entry.Name == "ask" {
				f.Tools[i].Task = mcprt.TaskRestart
			}
		}
	}
	for range n {
		opts := &mcp.Options{Keys: [][]byte{[]byte(sharedKey)}, Bus: replica.Over(f.bus), Tasks: task.Options{Store: tasks}}
		f.all = append(f.all, newRigWith(t, &mcphttp.Options{SessionStore: store}, opts, withJob))
	}
	return f
}

// job makes a task on one replica, and returns its id.
func (f *fleet) job(at int, s []string) string {
	f.t.Helper()
	return f.task(at, "job", s)
}

func (f *fleet) task(at int, tool string, s []string) string {
	f.t.Helper()
	w := f.all[at].do("POST", request("tools/call", `"name":"`+tool+`","arguments":{},"task":{}`), s...)
	_, id, ok := strings.Cut(w.Body.String(), `"taskId":"`)
	if !ok {
		f.t.Fatalf("no task: %d %s", w.Code, w.Body)
	}
	id, _, _ = strings.Cut(id, `"`)
	return id
}

// status reads events up to one that says that a task has a status.
func (l *live) status(t testing.TB, id, status string) {
	t.Helper()
	for {
		_, data := l.event()
		if data == "" {
			t.Fatalf("the stream has ended before %s of %s", status, id)
		}
		if strings.Contains(data, `"notifications/tasks/status"`) && strings.Contains(data, id) &&
			strings.Contains(data, `"status":"`+status+`"`) {
			return
		}
	}
}

// The client of a session is told of its tasks on its stream, whichever replica has made them, with a store of sessions
// and without one.
func TestTaskStatusElsewhere(t *testing.T) {
	for _, store := range []replica.SessionStore{nil, new(memory.Sessions)} {
		t.Run(fmt.Sprintf("%T", store), func(t *testing.T) {
			proceed, ended := make(chan struct{}), make(chan struct{}, 10)
			f := newTaskFleet(t, 3, store, proceed, ended)
			s := f.initialize(0, "2025-11-25")
			l := open(t, f.url(0), "GET", "", s...)
			if l.StatusCode != http.StatusOK {
				t.Fatalf("GET: %d %s", l.StatusCode, drain(l))
			}
			for at := range 3 {
				id := f.job(at, s)
				l.status(t, id, "working")
				proceed <- struct{}{}
				l.status(t, id, "completed")
				id = f.job(at, s)
				l.status(t, id, "working")
				want(t, f.all[(at+1)%3].do("POST", request("tasks/cancel", `"taskId":"`+id+`"`), s...), 200, `"cancelled"`)
				l.status(t, id, "cancelled")
				<-ended // although another replica was asked
			}
			if store == nil {
				return
			}
			// Another replica gets the stream, and tells what there is and what comes.
			id := f.job(2, s)
			l = open(t, f.url(1), "GET", "", s...)
			l.status(t, id, "working")
			proceed <- struct{}{}
			l.status(t, id, "completed")
			id = f.job(0, s)
			l.status(t, id, "working")
			want(t, f.all[2].do("POST", subscribeTo("r:///ä"), s...), 200)
			l.until(t, "r:///ä")
			want(t, f.all[2].do("POST", unsubscribeFrom("r:///ä"), s...), 200)
			proceed <- struct{}{}
			l.status(t, id, "completed")
		})
	}
}

// A client that polls, on any replica, gets the questions of its task on its stream, and answers to another replica.
func TestTaskAsksElsewhere(t *testing.T) {
	f := newTaskFleet(t, 3, new(memory.Sessions), nil, nil)
	s := f.initialize(0, "2025-11-25")
	l := open(t, f.url(1), "GET", "", s...)
	id := f.task(2, "ask", s)
	l.status(t, id, "input_required")
	for i := range 6 {
		want(t, f.all[i%3].do("POST", request("tasks/get", `"taskId":"`+id+`"`), s...), 200, `"input_required"`)
	}
	question := ""
	for !strings.Contains(question, "roots/list") {
		if _, question = l.event(); question == "" {
			t.Fatal("the stream has ended without a question")
		}
	}
	_, asks, _ := strings.Cut(question, `"id":"`)
	asks, _, _ = strings.Cut(asks, `"`)
	want(t, f.all[0].do("POST", `{"jsonrpc":"2.0","id":"`+asks+`","result":{"roots":[]}}`, s...), 202)
	l.status(t, id, "completed")
	want(t, f.all[2].do("POST", request("tasks/result", `"taskId":"`+id+`"`), s...), 200, "0 roots")
}
