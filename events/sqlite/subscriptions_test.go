package sqliteevents_test

import (
	"path/filepath"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/event/storetest"
)

// Handles of one file are replicas of one store.
func TestSubscriptions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "subscriptions.sqlite")
	storetest.Run(t, func(t *testing.T) event.Store {
		s, err := open(t, file).Subscriptions(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}
