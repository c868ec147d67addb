package server

import (
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

// TaskSupport is what a server with tasks does about them; see [NewTasks]. It is an interface, so that a server
// without tasks is not linked with them; *tasks implements it.
type TaskSupport interface {
	// call makes a task of a tool call, or refuses it. It reports false for a call that is answered with its result.
	call(w *handler, tool *feature.Tool, p *protocol.CallToolRequestParams) (reply protocol.CallToolReply, done bool,
		err error)
	// dispatch answers a request whose method begins with taskMethods.
	dispatch(w *handler, params, b []byte) ([]byte, error)
	// honour returns the topics of the tasks that a listen asks for, and adds to honoured and e what belongs to them.
	honour(w subscriber, filter, honoured *protocol.SubscriptionFilter, e *streamEncoder) ([]pubsub.Request, error)
	// placed says that the listen of e has its place: the client gets the present state of each task.
	placed(e *streamEncoder, t *pubsub.Streams, s *pubsub.Stream)
	// follow tells the client of a session of 2025-11-25 about a task, and followOnly about those of other processes,
	// which are all that these know of.
	follow(c *session.Conn, topic string)
	followOnly(c *session.Conn, topics []string)
	// unfollowed counts tasks that the client of a session is not told about.
	unfollowed(n int)
	// appendStatus appends the notification about the task that was last authorized in the session of e.
	appendStatus(b []byte, e *streamEncoder) []byte
	// declare adds to c what clients of 2026-07-28 are told.
	declare(c *protocol.ServerCapabilities)
	// capabilities changes those that the client of a request gets.
	capabilities(w *handler, c *protocol.ServerCapabilities)
	// begin begins to run what other processes have left, once the server is complete.
	begin()
	// signal says that a topic was published by another process.
	signal(topic string)
	// addTo adds what was counted.
	addTo(out *stats.Tasks)
	// close ends what runs.
	close()
}

// openTasks gives s its tasks, if a tool wants them.
func openTasks(s *Server) (err error) {
	some := slices.ContainsFunc(s.features.Tools, func(t feature.Tool) bool {
		return t.Task != feature.TaskNever &&
			!t.Revisions.Off
	})
	if open, ok := s.features.Tasks.(func(*Server) (TaskSupport, error)); ok && some {
		s.host.Tasks = true
		s.tasks, err = open(s)
	}
	return err
}

// beginTasks runs tasks of s, which is complete, that other processes have left.
func beginTasks(s *Server) {
	if s.tasks != nil {
		s.tasks.begin()
	}
}

// maxSessionTasks is how many tasks the client of a session of 2025-11-25 is told about. A further one takes the place
// of one that has ended, or else of the oldest.
const maxSessionTasks = 64

// taskMethods begins the names of all methods about tasks.
const taskMethods = "tasks/"

// taskTopic begins the topics of tasks. No URI has a space, so no client subscribes to one as a resource.
const taskTopic = " task/"

// auditedTask is what records have of the id of a task: its time and 30 of its random bits. The whole of it is all that
// a client without a subject is known by.
func auditedTask(id string) string { return id[:min(len(id), 16)] }
