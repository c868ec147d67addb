package tasks_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
)

// The arguments of a task that runs are twice in memory, besides the store and what the handler makes of them: as the
// request that runs the handler, and as its parameters.
func TestRunningArgumentsInMemory(t *testing.T) {
	const size, n = 4 << 20, 4
	started := make(chan struct{}, n)
	waits := restartable("waits", func(c *call.Call, _ []byte) (content.ToolResult, error) {
		started <- struct{}{}
		<-c.Done()
		return content.ToolResult{}, c.Err()
	})
	st := newTaskServer(t, &server.Options{Logger: noLog, Grace: time.Millisecond}, waits)
	used := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := used()
	c := newHarness(t, st.Server)
	for range n {
		got := c.ask(withTasks("1", "tools/call", `"name":"waits","arguments":{"x":"`+strings.Repeat("x", size)+`"}`))
		contains(t, got, `"resultType":"task"`)
		<-started
	}
	copies := float64(used()-before) / (size * n)
	if copies > 3.5 { // with that of the store
		t.Errorf("the arguments are %.1f times in memory", copies)
	}
	t.Logf("%.2f copies", copies)
	c.cancel()
}
