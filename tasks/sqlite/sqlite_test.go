package sqlitetasks_test

import (
	"path/filepath"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/task"
	"github.com/mcpgen/mcpgen/mcp/task/taskstoretest"
	sqlitetasks "github.com/mcpgen/mcpgen/tasks/sqlite"
)

func open(t *testing.T, file string) *sqlitetasks.Store {
	t.Helper()
	s, err := sqlitetasks.Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Handles of one file are replicas of one store.
func TestStore(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tasks with ? and %.sqlite")
	taskstoretest.Run(t, func(t *testing.T) task.Store { return open(t, file) })
}
