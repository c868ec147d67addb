package event_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/event/storetest"
)

func TestMemoryStore(t *testing.T) {
	var m event.MemoryStore
	storetest.Run(t, func(*testing.T) event.Store { return &m })
}
