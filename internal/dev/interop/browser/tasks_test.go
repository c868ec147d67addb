package browser

import (
	"maps"
	"testing"

	_ "github.com/mcpgen/mcpgen/golden/jobs" // built below; importing it makes go test run again when it changes
)

// TestTasks lets the page of the MCP Inspector call a tool of golden/jobs as a task in both eras: it displays the
// question that the task asks, and the result after the answer.
func TestTasks(t *testing.T) {
	node := findNode(t)
	p := planInspectors(t, node, "jobs", "-pace", "100ms")
	var report map[string]int
	runPlan(t, node, "tasks.mjs", &p, &report)
	want := map[string]int{"modern": 2, "legacy": 2}
	if !maps.Equal(report, want) {
		t.Errorf("the pages say that these drafts were deleted: %v, want %v", report, want)
	}
}
