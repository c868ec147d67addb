package memory_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/replica/bustest"
	"github.com/mcpgen/mcpgen/mcp/replica/memory"
	"github.com/mcpgen/mcpgen/mcp/replica/sessiontest"
)

func TestBus(t *testing.T) {
	var bus memory.Bus
	bustest.Run(t, func(*testing.T) replica.Bus { return &bus })
}

func TestSessions(t *testing.T) {
	var store memory.Sessions
	sessiontest.Run(t, func(*testing.T) replica.SessionStore { return &store })
}
