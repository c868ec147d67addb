package interop

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// extTasks is what ts/exttasks.mjs prints.
type extTasks struct {
	Capabilities          struct{ Inventory string }
	Count, Purge, Failing extTask
	Asked                 []asked
	Cancelled, Detached   string
	Refused               any
	Unknown               int
	Listed                []string
}

// extTask is what the package has told of one execution of a tool.
type extTask struct {
	Kind, Outcome, Error string
	Statuses             []string
	Result               map[string]int
	IsError              bool
}

// asked is a question that the package has handed to its user.
type asked struct{ Kind, Message, Scope, Delivery, InputID string }

// TestTypeScriptExtTasks drives tasks of 2026-07-28 and of 2025-11-25 with the official package for them on version 2
// of the TypeScript SDK: calls that become tasks, polls, a question inside a task, results of all kinds, cancellation
// and the notification about it, and tasks by their id.
func TestTypeScriptExtTasks(t *testing.T) {
	needTS(t)
	if _, err := os.Stat(filepath.Join(tsDir, "node_modules/@modelcontextprotocol/ext-tasks")); err != nil {
		absent(t, "the package for tasks is missing, run make setup: "+err.Error())
	}
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			eachJobs(t, func(t *testing.T, target string, stdio bool) {
				var r extTasks
				runNode(t, &r, "exttasks.mjs", revision, target)
				checkExtTasks(t, &r)
				if revision == "2026-07-28" {
					checkNewTasks(t, &r)
					return
				}
				checkOldTasks(t, &r, stdio)
			})
		})
	}
}

// checkExtTasks checks what both revisions have in common.
func checkExtTasks(t *testing.T, r *extTasks) {
	t.Helper()
	if c := r.Count; c.Kind != "task" || c.Outcome != "completed" || c.Result["words"] != 12 ||
		!slices.Equal(c.Statuses, []string{"working", "completed"}) {
		t.Errorf("count_words %+v", c)
	}
	if p := r.Purge; p.Outcome != "completed" || p.Result["result"] != 2 ||
		!slices.Contains(p.Statuses, "input_required") {
		t.Errorf("purge, which asks, %+v", p)
	}
	if r.Cancelled != "cancelled" || r.Refused != nil || r.Detached != "sent to 2" || r.Unknown != -32602 {
		t.Errorf("cancelled %q (listen refused: %v), detached %q, unknown %d", r.Cancelled, r.Refused, r.Detached, r.Unknown)
	}
}

// checkNewTasks checks what is of 2026-07-28.
func checkNewTasks(t *testing.T, r *extTasks) {
	t.Helper()
	want := asked{"elicitation", "Delete all documents that begin with draft?", "task", "task-update", "consent"}
	if !slices.Equal(r.Asked, []asked{want}) {
		t.Errorf("asked %+v, want %+v", r.Asked, want)
	}
	if f := r.Failing; f.Outcome != "completed" || !f.IsError {
		t.Errorf("a tool that fails: %+v", f)
	}
	if r.Capabilities.Inventory != "known-handles" {
		t.Errorf("capabilities %+v", r.Capabilities)
	}
}

// checkOldTasks checks what is of 2025-11-25. The package polls a task that asks, and never asks for its result then.
func checkOldTasks(t *testing.T, r *extTasks, stdio bool) {
	t.Helper()
	want := asked{"elicitation", "Delete all documents that begin with draft?", "task", "peer-request", ""}
	if !slices.Equal(r.Asked, []asked{want}) {
		t.Errorf("asked %+v, want %+v", r.Asked, want)
	}
	if f := r.Failing; f.Outcome != "failed" || f.Error == "" {
		t.Errorf("a tool that fails: %+v", f)
	}
	if want := []string{"cancelled", "completed", "completed", "failed"}; stdio && !slices.Equal(r.Listed, want) {
		t.Errorf("listed %q, want %q", r.Listed, want)
	}
}
