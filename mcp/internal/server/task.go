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

// openTasks opens the tasks of s, if a tool needs them.
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
	// Tool returns a tool that clients of the newest revision may call; nil if there is none of that name.
	Tool    func(name string) *feature.Tool
	Cursors *paging.Codec
	// PageSize is the largest number of entries of a page.
	PageSize int
	// Note tells the other replicas a text, which they give to Signal. It never blocks.
	Note func(text string)
	// Heard reports whether other replicas tell this one of their changes.
	Heard func() bool
}

// OpenTasks gives s, which has a tool with a [feature.TaskMode], the tasks that open makes. It is called only through
// [feature.Features.Tasks], so that servers without tasks do not link it.
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

// beginTasks begins to run tasks that other processes have left. s must be complete.
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
