package mcphttp_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// A call for whose task there is no room is told to be busy, by the status too, in both revisions; so is a tasks/result
// that would wait as one too many.
func TestTasksBusy(t *testing.T) {
	t.Attr("requirements", "task-rate")
	synctest.Test(t, func(t *testing.T) {
		o := mcp.Options{Tasks: task.Options{MaxPerPrincipal: 2}, MaxQuestions: 1}
		w := &observed{rig: newRigWith(t, &mcphttp.Options{Authenticate: named}, &o, withTasks), t: t}
		defer func() { _ = w.srv.Close() }()
		s := w.session("Name", "ada")
		legacy := func(method, params string) (int, http.Header, string) {
			got := w.do("POST", `{"jsonrpc":"2.0","id":9,"method":"`+method+`","params":{`+params+`}}`, s...)
			return got.Code, got.Header(), got.Body.String()
		}
		const call = `"name":"job","arguments":{},"task":{}`
		_, _, created := legacy("tools/call", call)
		_, id, _ := strings.Cut(created, `"taskId":"`)
		id, _, _ = strings.Cut(id, `"`)
		if id == "" || !strings.Contains(w.as("ada", "tools/call", "job", `"name":"job"`), "taskId") {
			t.Fatalf("no task: %s", created)
		}
		busy := func(status int, head http.Header, body string) {
			t.Helper()
			if status != http.StatusServiceUnavailable || head.Get("Retry-After") == "" ||
				!strings.Contains(body, `"id":9`) || !strings.Contains(body, `"message":"busy: `) ||
				!strings.Contains(body, `"retryAfterMs":`) {
				t.Errorf("%d %v %s", status, head, body)
			}
		}
		busy(legacy("tools/call", call))
		body, headers := modern("tools/call", "job", `"name":"job"`)
		body = strings.Replace(body, `"io.modelcontextprotocol/clientCapabilities":{`,
			`"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}`, 1)
		body = strings.Replace(body, `"id":1`, `"id":9`, 1)
		got := w.do("POST", body, append(headers, "Name", "ada")...)
		busy(got.Code, got.Header(), got.Body.String())
		wait := request("tasks/result", `"taskId":"`+id+`"`)
		done := w.opens(wait, s...)
		defer done()
		busy(legacy("tasks/result", `"taskId":"`+id+`"`))
	})
}
