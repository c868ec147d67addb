package jobs_test

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/jobs"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

// A request about a task is answered with JSON, and only if the header for its name is the id of the task.
func TestTaskRequestsOverHTTP(t *testing.T) {
	t.Attr("requirements", "task-ext-headers")
	s := newSite(t)
	for _, x := range []struct {
		name, method, header string
		status               int
		want                 string
	}{
		{"right", "tasks/get", "none", http.StatusOK, `"code":-32602`},
		{"other", "tasks/get", "another", http.StatusBadRequest, `"code":-32020`},
		{"missing", "tasks/get", "", http.StatusBadRequest, `"code":-32020`},
		{"update", "tasks/update", "another", http.StatusBadRequest, `"code":-32020`},
		{"cancel", "tasks/cancel", "another", http.StatusBadRequest, `"code":-32020`},
	} {
		r := s.modern("ada", "1", x.method, x.header, `"taskId":"none","inputResponses":{}`, extension)
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		if r.StatusCode != x.status || !strings.Contains(string(body), x.want) {
			t.Errorf("%s: %s %s", x.name, r.Status, body)
		}
		if got := r.Header.Get("Content-Type"); got != "application/json" {
			t.Errorf("%s: the answer is %s", x.name, got)
		}
	}
}

// A cancellation of the call that has made a task ends no task; tasks/cancel does.
func TestCancelledCallOfTask(t *testing.T) {
	t.Attr("requirements", "cancel-task task-ext-cancel")
	for _, rev := range protocol.Revisions() {
		if rev < protocol.Revision20251125 {
			continue
		}
		archive := jobs.New(time.Minute, jobs.Document{Name: "a", Text: "b"})
		srv, err := jobs.NewJobsServer(jobs.JobsImpl{Archive: archive}, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := mcptest.New(t, srv, mcptest.WithTasks(), mcptest.WithRevision(rev))
		made, err := c.Do(protocol.MethodToolsCall, []byte(`{"name":"rebuild","arguments":{},"task":{"ttl":60000}}`))
		if err != nil {
			t.Fatal(err)
		}
		id := regexp.MustCompile(`"taskId":"([^"]+)"`).FindSubmatch(made)
		if id == nil {
			t.Fatalf("%v: no task: %s", rev, made)
		}
		for request := range 10 { // one of them was the call
			c.Notify(protocol.MethodNotificationsCancelled, fmt.Appendf(nil, `{"requestId":%d}`, request))
		}
		params := fmt.Appendf(nil, `{"taskId":%q}`, id[1])
		if got, err := c.Do("tasks/get", params); err != nil || !strings.Contains(string(got), `"status":"working"`) {
			t.Errorf("%v: after the cancellation of the call: %s, %v", rev, got, err)
		}
		if _, err := c.Do("tasks/cancel", params); err != nil {
			t.Error(err)
		}
		if got, err := c.Do("tasks/get", params); err != nil || !strings.Contains(string(got), `"status":"cancelled"`) {
			t.Errorf("%v: after tasks/cancel: %s, %v", rev, got, err)
		}
		_ = srv.Base().Close()
	}
}
