package server

import (
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/pipeline"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/internal/relay"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/internal/tasks"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

// attachment serves methods besides those of the protocol: the extensions of a program, and tasks. It is an interface,
// so that a server without any is not linked with them.
type attachment interface {
	// Request answers the request at hand: it returns b with the result. It is not done for a method of others.
	Request(p *pipeline.Pipeline, params, b []byte) (out []byte, done bool, err error)
	// Honour returns the topics that a listen gets of what filter asks for, and adds to honoured what says so.
	Honour(w *session.Worker, filter, honoured *protocol.SubscriptionFilter) ([]pubsub.Request, error)
	// Signal takes a text that was noted in another replica; "" if some may have been missed.
	Signal(text string)
	// AddTo adds what was counted.
	AddTo(out *stats.Snapshot)
	// Close ends what runs, within a time of grace.
	Close(grace time.Duration)
}

// Tasks are those of package tasks, where each method is described that an attachment does not have.
type Tasks interface {
	attachment
	Call(p *pipeline.Pipeline, tool *feature.Tool, params *protocol.CallToolRequestParams) (
		reply protocol.CallToolReply, done bool, err error)
	Declare(c *protocol.ServerCapabilities, rev protocol.Revision, w *session.Worker)
	Begin()
	Follow(c *session.Conn, id string)
	FollowOnly(c *session.Conn, ids []string)
	Unfollowed(n int)
}

// openTasks gives s its tasks, if a tool wants them.
func openTasks(s *Server) error {
	some := slices.ContainsFunc(s.features.Tools, func(t feature.Tool) bool {
		return t.Task != feature.TaskNever && !t.Revisions.Off
	})
	if open, ok := s.features.Tasks.(func(*Server) error); ok && some {
		return open(s)
	}
	return nil
}

// OpenTasks gives s, which has a tool with a [feature.TaskMode], the tasks that open makes. Servers without tasks are
// not linked with it: [feature.Features.Tasks] calls it.
func OpenTasks(s *Server, open func(tasks.Config) (Tasks, error)) (err error) {
	s.host.Tasks = true
	s.tasks, err = open(tasks.Config{
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

// beginTasks runs tasks of s, which is complete, that other processes have left.
func beginTasks(s *Server) {
	if s.tasks != nil {
		s.tasks.Begin()
	}
}

// honour returns the topics that a listen gets of extensions and tasks.
func (s *Server) honour(w *session.Worker, filter, honoured *protocol.SubscriptionFilter) (
	topics []pubsub.Request, err error) {
	for _, a := range s.attached {
		more, err := a.Honour(w, filter, honoured)
		if err != nil {
			return nil, err
		}
		topics = append(topics, more...)
	}
	return topics, nil
}
