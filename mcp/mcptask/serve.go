// Package mcptask is linked into servers with tools that may be tasks. It is for generated code: programs use package
// task.
package mcptask

import (
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/internal/tasks"

	_ "github.com/mcpgen/mcpgen/mcp/keys" // tasks outlive a process, and so do their cursors
)

// Serve is the value of mcprt.Features.Tasks for a server with a tool that may be a task.
func Serve(s *server.Server) error {
	return server.OpenTasks(s, func(c server.TaskConfig) (server.Tasks, error) {
		t, err := tasks.New(c)
		if err != nil {
			return nil, err
		}
		return t, nil
	})
}
