package tasks_test

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// auditText is an audit as text.
type auditText struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (a *auditText) Write(b []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.buf.Write(b)
}

// take returns the records since it was last called, without their times.
func (a *auditText) take() string {
	synctest.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.buf.String()
	a.buf.Reset()
	return s
}

func (a *auditText) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(a, &slog.HandlerOptions{ReplaceAttr: func(_ []string, x slog.Attr) slog.Attr {
		switch x.Key {
		case slog.TimeKey, slog.LevelKey, slog.MessageKey, "duration":
			return slog.Attr{}
		}
		return x
	}}))
}

// What changes a task leaves an audit record, and so does who follows one, with the first 16 characters of its id; who
// asks for its state leaves none. A task of somebody else is denied.
func TestTaskAudit(t *testing.T) {
	t.Attr("requirements", "task-suspicious task-audit")
	synctest.Test(t, func(t *testing.T) {
		shared, audit := new(task.Memory), new(auditText)
		server := func(who string) *taskServer {
			return newTaskServer(t, &server.Options{Logger: noLog, Audit: audit.logger(), Caller: call.Caller{Subject: who},
				Tasks: task.Options{Store: shared}})
		}
		st := server("ann")
		ann, bob := newHarness(t, st.Server), newHarness(t, server("bob").Server)
		id := ann.createTask("ask")
		expect := func(what, want string) {
			t.Helper()
			if got := audit.take(); got != want {
				t.Errorf("%s:\n%swant\n%s", what, got, want)
			}
		}
		record := func(who, client, method, target, end string) string {
			return "principal=" + who + " client=" + client + " method=" + method +
				" target=" + target + " decision=" + end + "\n"
		}
		called := record("ann", `""`, "tools/call", "ask", "allow status=ok")
		expect("a call that becomes a task, and its run", called+called)
		ann.getTask(id)
		expect("tasks/get", "")
		named := func(method, params string) string {
			info := `"io.modelcontextprotocol/clientInfo":{"name":"c","version":"2"}`
			return strings.Replace(withTasks("3", method, params), `"_meta":{`, `"_meta":{`+info+`,`, 1)
		}
		params := `"taskId":"` + id + `"`
		update := params + `,"inputResponses":{"first":{"action":"accept"}}`
		for _, x := range []struct{ method, params string }{{"tasks/update", update}, {"tasks/cancel", params}} {
			bob.ask(named(x.method, x.params))
			expect(x.method, record("bob", "c/2", x.method, id[:16], "deny status=-32602"))
			ann.ask(named(x.method, x.params))
			expect(x.method, record("ann", "c/2", x.method, id[:16], "allow status=ok"))
		}
		ann.ask(named("tasks/cancel", `"taskId":"nothing"`))
		expect("an unknown task", record("ann", "c/2", "tasks/cancel", "nothing", "allow status=-32602"))

		listen := named("subscriptions/listen", `"notifications":{"taskIds":["`+id+`"]}`)
		ann.send(listen)
		expect("a listen", record("ann", "c/2", "subscriptions/listen", id[:16], "allow status=ok"))
		bob.send(listen)
		expect("a listen", record("bob", "c/2", "subscriptions/listen", id[:16], "deny status=ok"))

		old := newSession(t, st.Server, protocol.Revision20251125)
		id = old.createLegacy("work")
		audit.take()
		for _, status := range []string{"ok", "-32602"} { // it has ended then
			old.ask(request("5", "tasks/cancel", `"taskId":"`+id+`"`))
			want := record("ann", "t/1", "tasks/cancel", id[:16], "allow status="+status)
			if got := audit.take(); strings.Count(got, want) != 1 { // the run leaves its own about that time
				t.Errorf("2025-11-25:\n%swant\n%s", got, want)
			}
		}
		for _, c := range []*harness{old, ann, bob} {
			c.cancel()
		}
	})
}
