package server

import (
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

// TaskMode says whether calls of a tool may go on as tasks after their request was answered.
type TaskMode uint8

// The values of TaskMode.
const (
	// TaskNever answers every call with its result.
	TaskNever TaskMode = iota
	// TaskOnce never runs the handler of a task twice: a task whose process has ended is failed.
	TaskOnce
	// TaskRestart runs the handler of a task again after its process has ended, and after the client has answered its
	// questions.
	TaskRestart
)

// TaskSupport is what a server with tasks does about them; see [NewTasks]. It is an interface, so that a server
// without tasks is not linked with them; *tasks implements it.
type TaskSupport interface {
	// call makes a task of a tool call, or refuses it. It reports false for a call that is answered with its result.
	call(w *worker, tool *Tool, p *protocol.CallToolRequestParams) (reply protocol.CallToolReply, done bool, err error)
	// dispatch answers a request whose method begins with taskMethods.
	dispatch(w *worker, params, b []byte) ([]byte, error)
	// honour returns the topics of the tasks that a listen asks for, and adds to honoured and e what belongs to them.
	honour(w subscriber, filter, honoured *protocol.SubscriptionFilter, e *streamEncoder) ([]pubsub.Request, error)
	// placed says that the listen of e has its place: the client gets the present state of each task.
	placed(e *streamEncoder, t *pubsub.Streams, s *pubsub.Stream)
	// follow tells the client of a session of 2025-11-25 about a task, and followOnly about those of other processes,
	// which are all that these know of.
	follow(c *conn, topic string)
	followOnly(c *conn, topics []string)
	// unfollowed counts tasks that the client of a session is not told about.
	unfollowed(n int)
	// appendStatus appends the notification about the task that was last authorized in the session of e.
	appendStatus(b []byte, e *streamEncoder) []byte
	// declare adds to c what clients of 2026-07-28 are told.
	declare(c *protocol.ServerCapabilities)
	// capabilities changes those that the client of a request gets.
	capabilities(w *worker, c *protocol.ServerCapabilities)
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
	some := slices.ContainsFunc(s.features.Tools, func(t Tool) bool { return t.Task != TaskNever && !t.Revisions.Off })
	if s.features.Tasks != nil && some {
		s.tasks, err = s.features.Tasks(s)
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

// taskRun is the task that a request of the server itself belongs to, which is how handlers of tasks run.
type taskRun interface {
	ID() string
	SetStatus(text string)
	Checkpoint() []byte
	SaveCheckpoint(b []byte) error
	// busy says that the handler was not run because of the concurrency of its tool.
	busy()
	// revision is that of the client whose call has become the task.
	revision() protocol.Revision
}

// taskRunKey finds the taskRun in the context of a call.
type taskRunKey struct{}

// task returns the task that the handler of c runs for; nil if there is none.
func (c *Call) task() taskRun {
	c = c.own()
	if c.conn == nil || c.conn.s.tasks == nil || c.base == nil {
		return nil
	}
	run, _ := c.base.Value(taskRunKey{}).(taskRun)
	return run
}

// TaskID returns the id of the task that the handler runs for, which is the same each time it runs: a key by which
// other systems can tell a repetition. It is "" for a call that is no task.
func (c *Call) TaskID() string {
	if run := c.task(); run != nil {
		return run.ID()
	}
	return ""
}

// SetStatus sets the status message of the task, which clients see when they ask for its state and in notifications.
// It is kept soon, not at once, and cut after 1,024 bytes. It never blocks, and does nothing for a call that is no
// task.
func (c *Call) SetStatus(text string) {
	if run := c.task(); run != nil {
		run.SetStatus(text)
	}
}

// Checkpoint returns what an earlier run of the task has saved by [Call.SaveCheckpoint]; nil if there is nothing.
func (c *Call) Checkpoint() []byte {
	if run := c.task(); run != nil {
		return run.Checkpoint()
	}
	return nil
}

// SaveCheckpoint keeps b, at most 256 KiB, for a later run of the task: after a crash, and after an answer of the
// client. It is kept when the method returns nil. For a call that is no task it does nothing.
func (c *Call) SaveCheckpoint(b []byte) error {
	if run := c.task(); run != nil {
		if failpoint.On("task-checkpoint-early") {
			go run.SaveCheckpoint(b) //nolint:errcheck // nobody waits for it
			return nil
		}
		return run.SaveCheckpoint(b)
	}
	return nil
}
