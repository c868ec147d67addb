package call

import (
	"context"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// TaskRun is one run of a task. Its handler is called by a request that the server makes itself.
type TaskRun interface {
	ID() string
	SetStatus(text string)
	Checkpoint() []byte
	SaveCheckpoint(b []byte) error
	// Report tells the client of progress. It returns false if there can be no more reports.
	Report(p protocol.ProgressNotificationParams) bool
	// Busy says that the handler was not run because of the concurrency of its tool.
	Busy()
	// Preempted says that fault is the outcome of the run, and not what the handler returns: see [Call.Preempt].
	Preempted(fault *wire.Error)
	// Revision is that of the client whose call has become the task.
	Revision() protocol.Revision
}

type taskRunKey struct{}

// WithTask returns the context for the request that runs the handler of a task.
func WithTask(ctx context.Context, run TaskRun) context.Context {
	return context.WithValue(ctx, taskRunKey{}, run)
}

// TaskOf returns the task for which ctx was made by [WithTask]; nil if it was not.
func TaskOf(ctx context.Context) TaskRun {
	run, _ := ctx.Value(taskRunKey{}).(TaskRun)
	return run
}

// Task returns the task whose handler is called by c; nil if there is none.
func (c *Call) Task() TaskRun {
	c = c.Own()
	if c.req.Conn == nil || !c.req.Conn.Shared.Tasks || c.req.Base == nil {
		return nil
	}
	return TaskOf(c.req.Base)
}

// TaskID returns the id of the task that the handler runs for; "" for a call that is no task. It is the same in each
// run, so other systems can use it as a key to detect a repetition.
func (c *Call) TaskID() string {
	if run := c.Task(); run != nil {
		return run.ID()
	}
	return ""
}

// SetStatus sets the status message of the task, which clients see when they ask for its state and in notifications.
// The text is cut after 1,024 bytes, and stored a little later, after SetStatus has returned. SetStatus never blocks,
// and does nothing for a call that is no task.
func (c *Call) SetStatus(text string) {
	if run := c.Task(); run != nil {
		run.SetStatus(text)
	}
}

// Checkpoint returns what an earlier run of the task has saved by [Call.SaveCheckpoint]; nil if there is nothing.
func (c *Call) Checkpoint() []byte {
	if run := c.Task(); run != nil {
		return run.Checkpoint()
	}
	return nil
}

// SaveCheckpoint stores b, at most 256 KiB, for a later run of the task: after a crash, or after an answer of the
// client. It is stored once the method returns nil. For a call that is no task it does nothing.
func (c *Call) SaveCheckpoint(b []byte) error {
	if run := c.Task(); run != nil {
		if failpoint.On("task-checkpoint-early") {
			go run.SaveCheckpoint(b) //nolint:errcheck // nobody waits for it
			return nil
		}
		return run.SaveCheckpoint(b)
	}
	return nil
}
