package mcphttp_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// busyReads is a store that knows how many records are read at the same time at most.
type busyReads struct {
	task.Memory
	now, most atomic.Int64
}

func (s *busyReads) Get(ctx context.Context, id string) (*task.Record, error) {
	if n := s.now.Add(1); n > s.most.Load() {
		s.most.Store(n)
	}
	defer s.now.Add(-1)
	time.Sleep(10 * time.Millisecond)
	return s.Memory.Get(ctx, id)
}

// A large record is read for no more requests than there is room for, also if they answer its questions; and requests
// that need no more than its head need no room.
func TestTaskBodiesWaitTheirTurn(t *testing.T) {
	for _, row := range []struct {
		status task.Status
		method string
		bytes  int
		reads  int64
	}{
		{task.InputRequired, "tasks/get", 3 << 20, 1},
		{task.InputRequired, "tasks/update", 3 << 20, 1},
		{task.Working, "tasks/get", 6 << 20, 0},
		{task.Working, "tasks/update", 6 << 20, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			store := new(busyReads)
			o := &observed{rig: newRigWith(t, &mcphttp.Options{MaxPendingBytes: 16 << 20},
				&mcp.Options{Tasks: task.Options{Store: store}}, withTasks), t: t}
			defer func() { _ = o.srv.Close() }()
			now := task.Time(time.Now())
			r := &task.Record{
				Head: task.Head{ID: "A", Principal: "p", Tool: "page", Status: row.status, Owner: "another",
					Revision: modernVersion, Created: now, Updated: now, LeaseUntil: now, Expires: now.Add(time.Hour)},
				Body: task.Body{Args: []byte(`"` + strings.Repeat("x", row.bytes) + `"`)},
			}
			if err := store.Create(t.Context(), r, task.Limits{PerPrincipal: 1, Total: 1}); err != nil {
				t.Fatal(err)
			}
			body, headers := modern(row.method, "A", `"taskId":"A","inputResponses":{}`)
			body = strings.Replace(body, `"io.modelcontextprotocol/clientCapabilities":{`,
				`"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}`, 1)
			var all sync.WaitGroup
			for range 20 {
				all.Go(func() {
					w := httptest.NewRecorder()
					req := httptest.NewRequestWithContext(t.Context(), "POST", target, strings.NewReader(body))
					setHeaders(req, headers)
					if o.http.ServeHTTP(w, req); !strings.Contains(w.Body.String(), `"result":`) {
						t.Errorf("%s: %d %s", row.method, w.Code, w.Body)
					}
				})
			}
			all.Wait()
			if n := store.most.Load(); n != row.reads {
				t.Errorf("%s of a task that is %s: %d reads at the same time", row.method, row.status, n)
			}
		})
	}
}
