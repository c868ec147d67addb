package sqlitetasks_test //nolint:testableexamples // it needs a folder of the system

import (
	"context"
	"log"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/task"
	sqlitetasks "github.com/mcpgen/mcpgen/tasks/sqlite"
)

// serve stands for what a program does with its options.
func serve(*mcp.Options) {}

// The tasks of a server in a file.
func Example() {
	tasks, err := sqlitetasks.Open(context.Background(), "/var/lib/notes/tasks.sqlite")
	if err != nil {
		log.Fatal(err)
	}
	defer tasks.Close()
	serve(&mcp.Options{Tasks: task.Options{Store: tasks}})
}
