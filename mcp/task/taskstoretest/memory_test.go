package taskstoretest

import (
	"testing"

	"github.com/mcpgen/mcpgen/mcp/task"
)

// The store that a server has by default passes.
func TestMemory(t *testing.T) {
	t.Attr("requirements", "task-transitions")
	m := new(task.Memory)
	Run(t, func(*testing.T) task.Store { return m })
}
