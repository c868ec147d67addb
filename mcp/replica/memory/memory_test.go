package memory_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/replica/bustest"
	"github.com/mcpgen/mcpgen/mcp/replica/memory"
)

func TestBus(t *testing.T) {
	var bus memory.Bus
	bustest.Run(t, func(*testing.T) replica.Bus { return &bus })
}
