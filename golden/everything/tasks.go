package everything

import (
	"context"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
)

// pause waits, unless ctx ends first.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// jobTime is how long a job takes that fails.
const jobTime = 500 * time.Millisecond

// Greet greets, at once.
//
//mcp:tool readonly
func Greet(_ context.Context, name string) (string, error) { return "Hello, " + name + "!", nil }

// SlowCompute computes for some seconds.
//
//mcp:tool readonly task=restart
//mcp:arg seconds min=0 max=3600
//mcp:arg label default=job
func SlowCompute(ctx context.Context, seconds int, label string, call *mcp.Call) (string, error) {
	call.SetStatus("computing " + label)
	if err := pause(ctx, time.Duration(seconds)*time.Second); err != nil {
		return "", err
	}
	return label + " is done", nil
}

// FailingJob fails after a while.
//
//mcp:tool task=once task-required
func FailingJob(ctx context.Context) error {
	if err := pause(ctx, jobTime); err != nil {
		return err
	}
	return mcp.Errorf("the job has failed")
}

// ProtocolErrorJob has a defect.
//
//mcp:tool task=once task-required
func ProtocolErrorJob(ctx context.Context) error {
	if err := pause(ctx, jobTime); err != nil {
		return err
	}
	panic("a defect on purpose")
}

// Confirmation is the consent of a user.
//
//mcp:form
type Confirmation struct {
	// Confirm agrees.
	Confirm bool `json:"confirm"`
}

// ConfirmDelete deletes nothing, after it has asked.
//
//mcp:tool task=restart
func ConfirmDelete(ctx context.Context, filename string, client mcp.Peer) (string, error) {
	c, err := mcp.AskForm[Confirmation](ctx, client, "confirm", "Delete "+filename+"?")
	if err != nil {
		return "", err
	}
	if !c.Confirm {
		return filename + " is kept", nil
	}
	return filename + " is deleted", nil
}

// MultiInput asks two questions at once.
//
//mcp:tool task=restart
func MultiInput(ctx context.Context, client mcp.Peer) (string, error) {
	name := mcp.NewFormQuestion[Named]("name", "What is your name?")
	agreed := mcp.NewFormQuestion[Confirmation]("agreed", "Do you agree?")
	if err := client.Ask(ctx, name, agreed); err != nil {
		return "", err
	}
	n, err := name.Answer()
	if err != nil {
		return "", err
	}
	if _, err := agreed.Answer(); err != nil {
		return "", err
	}
	return n.Name + " has answered", nil
}

// AskName asks for the name of the user, before a task is created.
func (*Everything) AskName(c *mcp.Call, p mcp.Params, next mcp.Next) (mcp.Result, error) {
	if _, err := mcp.AskForm[Named](c, c.Peer(), "user_name", "What is your name?"); err != nil {
		return nil, err
	}
	return next(c, p)
}

// TaskWithName greets the user who was asked before the task was created.
//
//mcp:tool name=test_tool_with_task task=restart task-required
//mcp:use AskName
func TaskWithName(ctx context.Context, client mcp.Peer) (string, error) {
	user, err := mcp.AskForm[Named](ctx, client, "user_name", "What is your name?")
	if err != nil {
		return "", err
	}
	return "Hello, " + user.Name + "!", nil
}
