package interop

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
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
	Rebuilt        tsTask
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
	eachJobs(t, func(t *testing.T, target string, stdio bool) {
		r := runTasks(t, target)
		want := []string{"completed", "completed", "failed", "completed", "cancelled"}
		if stdio && (r.Capabilities.List == nil || !slices.Equal(r.Listed, want)) {
			t.Errorf("listed %q, want %q", r.Listed, want)
		}
		if !stdio && r.Capabilities.List != nil {
			t.Error("tasks/list is declared to clients that cannot be told apart")
		}
	})
}

// eachJobs tests golden/jobs as a program on stdio and as a URL, both with a pace of 100 ms.
func eachJobs(t *testing.T, test func(t *testing.T, target string, stdio bool)) {
	t.Run("stdio", func(t *testing.T) {
		t.Parallel()
		test(t, build(t, "golden/jobs/cmd/jobs"), true)
	})
	t.Run("http", func(t *testing.T) {
		t.Parallel()
		a := jobs.New(100*time.Millisecond, jobs.Document{Name: "minutes", Text: "We met and left."},
			jobs.Document{Name: "draft-1", Text: "To be done"}, jobs.Document{Name: "draft-2", Text: "To be done as well"})
		srv, err := jobs.NewJobsServer(jobs.JobsImpl{Archive: a}, nil)
		if err != nil {
			t.Fatal(err)
		}
		test(t, serveHTTP(t, srv), false)
	})
}

// serveHTTP serves a server behind a listener, and returns its URL.
func serveHTTP(t *testing.T, srv mcphttp.Server) string {
	t.Helper()
	h, err := mcphttp.Handler(srv, nil)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(h)
	t.Cleanup(func() {
		_ = srv.Base().Close()
		web.CloseClientConnections()
		web.Close()
	})
	return web.URL + mcphttp.Path
}

// runTasks runs tasks.mjs, and checks what does not depend on the transport.
func runTasks(t *testing.T, target string) (r tsTasks) {
	t.Helper()
	runNode(t, &r, "tasks.mjs", target)
	if want := []string{"optional", "optional", "optional", "required"}; !slices.Equal(r.Support, want) {
		t.Errorf("taskSupport %q, want %q", r.Support, want)
	}
	types := []string{"taskCreated", "taskStatus", "result"}
	if !slices.Equal(r.Rebuilt.Types, types) {
		t.Errorf("rebuild, which must be a task, %+v", r.Rebuilt)
	}
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

// runNode runs a script of tsDir, and decodes the JSON object that it prints into report.
func runNode(t *testing.T, report any, script string, args ...string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(tsDir, script)); err != nil { // tells go test to run again when it changes
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), nodePatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", append([]string{script}, args...)...)
	cmd.Dir = tsDir
	cmd.Stderr = t.Output()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", script, args, err, out)
	}
	if err := json.Unmarshal(out, report); err != nil {
		t.Fatalf("report: %v\n%s", err, out)
	}
}
