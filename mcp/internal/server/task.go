package server

import (
	"slices"

	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/paging"
	"github.com/mcpgen/mcpgen/mcp/internal/relay"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// openTasks gives s its tasks if one of the tools can run as a task.
func openTasks(s *Server) error {
	some := slices.ContainsFunc(s.features.Tools, func(t feature.Tool) bool {
		return t.Task != feature.TaskNever && !t.Revisions.Off
	})
	if open, ok := s.features.Tasks.(func(*Server) error); ok && some {
		return open(s)
	}
	return nil
}

// TaskConfig is what tasks need of their server.
type TaskConfig struct {
	Host    *session.Host
	Options task.Options
	// Tool returns the tool called name that clients of the newest revision may call; nil if there is none.
	Tool    func(name string) *feature.Tool
	Cursors *paging.Codec
	// PageSize is the largest number of entries of a page.
	PageSize int
	// Note sends a text to the other replicas, where the method Signal of the tasks gets it. It never blocks.
	Note func(text string)
	// Heard reports whether this replica gets the changes of the other replicas; false without replicas.
	Heard func() bool
}

// OpenTasks calls open and makes the result the tasks of s. It is called only through [feature.Features.Tasks], so that
// servers without tasks do not link it.
func OpenTasks(s *Server, open func(TaskConfig) (Tasks, error)) (err error) {
	s.host.Tasks = true
	s.tasks, err = open(TaskConfig{
		Host: &s.host, Options: s.opts.Tasks, Cursors: &s.cursors, PageSize: s.lists.PageSize,
		Tool:  func(name string) *feature.Tool { return s.tool(name, era.NewestServed) },
		Note:  func(text string) { s.linked.Note(relay.Updated, text) },
		Heard: func() bool { return s.replicas != nil && !s.linked.Fenced() },
	})
	if err == nil {
		s.attached = append(s.attached, s.tasks)
	}
	return err
}

// beginTasks begins to run the tasks that other processes have not finished, if s has tasks. s must be ready to serve.
func beginTasks(s *Server) {
	if s.tasks != nil {
		s.tasks.Begin()
	}
}

// filters implements [subscribe.Config].Filters.
func (s *Server) filters() (all []session.Filter) {
	for _, a := range s.attached {
		all = append(all, a.Filters()...)
	}
	return all
}
