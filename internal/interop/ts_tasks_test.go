package interop

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/golden/jobs"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// tsTasks is what ts/tasks.mjs prints.
type tsTasks struct {
	Capabilities   struct{ List, Cancel *struct{} }
	Support        []string
	Count, Purge   tsTask
	Counted        string
	Purged, Failed string
	Failure        bool
	Related        bool
	Cancelled, Got string
	Listed         []string
}

// tsTask is what client.experimental.tasks.callToolStream has yielded.
type tsTask struct {
	Types  []string
	Result map[string]int
	Error  string
}

// TestTypeScriptTasks drives tasks of 2025-11-25 with version 1 of the TypeScript SDK: its stream of a tool call,
// tasks/get, result, list and cancel, a question inside a task, and the notifications.
func TestTypeScriptTasks(t *testing.T) {
	needTS(t)
	t.Run("stdio", func(t *testing.T) {
		t.Parallel()
		bin := filepath.Join(t.TempDir(), "jobs")
		out, err := exec.Command("go", "build", "-o", bin, "github.com/mcpgen/mcpgen/golden/jobs/cmd/jobs").CombinedOutput()
		if err != nil {
			t.Fatalf("building the server: %v\n%s", err, out)
		}
		r := runTasks(t, bin)
		want := []string{"completed", "completed", "failed", "cancelled"}
		if r.Capabilities.List == nil || !slices.Equal(r.Listed, want) {
			t.Errorf("listed %q, want %q", r.Listed, want)
		}
	})
	t.Run("http", func(t *testing.T) {
		t.Parallel()
		a := jobs.New(100*time.Millisecond, jobs.Document{Name: "minutes", Text: "We met and left."},
			jobs.Document{Name: "draft-1", Text: "To be done"}, jobs.Document{Name: "draft-2", Text: "To be done as well"})
		srv, err := jobs.NewJobsServer(jobs.JobsImpl{Archive: a}, nil)
		if err != nil {
			t.Fatal(err)
		}
		h, err := mcphttp.Handler(srv, nil)
		if err != nil {
			t.Fatal(err)
		}
		web := httptest.NewServer(h)
		t.Cleanup(func() {
			_ = srv.Close()
			web.CloseClientConnections()
			web.Close()
		})
		if r := runTasks(t, web.URL+mcphttp.Path); r.Capabilities.List != nil {
			t.Error("tasks/list is declared to clients that cannot be told apart")
		}
	})
}

// runTasks runs tasks.mjs, and checks what does not depend on the transport.
func runTasks(t *testing.T, target string) (r tsTasks) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), nodePatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "tasks.mjs", target)
	cmd.Dir = tsDir
	cmd.Stderr = t.Output()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("tasks.mjs: %v\n%s", err, out)
	}
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("report: %v\n%s", err, out)
	}
	if want := []string{"optional", "optional", "optional", "required"}; !slices.Equal(r.Support, want) {
		t.Errorf("taskSupport %q, want %q", r.Support, want)
	}
	types := []string{"taskCreated", "taskStatus", "result"}
	if c := r.Count; !slices.Equal(c.Types, types) || c.Result["words"] != 12 || r.Counted != "completed" {
		t.Errorf("count_words %+v, notified of %q", c, r.Counted)
	}
	if p := r.Purge; !slices.Equal(p.Types, types) || p.Result["result"] != 2 || r.Purged != "completed" {
		t.Errorf("purge, which asks, %+v, notified of %q", p, r.Purged)
	}
	if r.Failed != "failed" || !r.Failure || !r.Related {
		t.Errorf("failed %q with isError %t; related-task %t", r.Failed, r.Failure, r.Related)
	}
	if r.Cancelled != "cancelled" || r.Got != "cancelled" {
		t.Errorf("cancelled %q, then %q", r.Cancelled, r.Got)
	}
	return r
}
