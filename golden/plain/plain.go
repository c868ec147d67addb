// Package plain is an example server whose tools take and return plain values: numbers, times and lists.
//
//mcp:server name=plain version=1.0.0
package plain

import (
	"context"
	"net/netip"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
)

// Priority of a task.
//
//mcp:enum
type Priority int

// The priorities.
const (
	Low Priority = iota + 1
	Middle
	High
)

// Count returns how many tasks there are.
//
//mcp:tool readonly
func Count(ctx context.Context) (int, error) { return 3, nil }

// Busy says whether anybody works.
//
//mcp:tool readonly
func Busy(ctx context.Context) (bool, error) { return true, nil }

// Share returns how much is done, from 0 to 1.
//
//mcp:tool readonly
func Share(ctx context.Context) (float64, error) { return 0.25, nil }

// Now returns the time at the office.
//
//mcp:tool readonly
func Now(ctx context.Context) (time.Time, error) {
	return time.Date(2026, 7, 28, 12, 0, 0, 0, time.UTC), nil
}

// Deadline returns when all must be done, or null.
//
//mcp:tool readonly
func Deadline(ctx context.Context) (*time.Time, error) { return nil, nil }

// Host returns the address of the office.
//
//mcp:tool readonly
func Host(ctx context.Context) (netip.Addr, error) { return netip.IPv6Loopback(), nil }

// Names returns the names of all tasks.
//
//mcp:tool readonly
func Names(ctx context.Context) ([]string, error) { return nil, nil }

// Anything returns values of any form.
//
//mcp:tool readonly
func Anything(ctx context.Context) ([]any, error) { return nil, nil }

// Next returns the priority of the next task, or 0 if there is none.
//
//mcp:tool readonly
func Next(ctx context.Context) (Priority, error) { return 0, nil }

// Task is a task.
type Task struct {
	Project  string    `json:"project"`
	Number   int       `json:"number"`
	Priority Priority  `json:"priority,omitempty"`
	Due      time.Time `json:"due,omitzero"`
	Tags     []string  `json:"tags"`
	By       string    `json:"by,omitempty"`
}

// ReadTask returns one task.
//
//mcp:resource uri=tasks:///{project}/{number} list=none subscribe
func ReadTask(ctx context.Context, project string, number int) (Task, error) {
	return Task{Project: project, Number: number}, nil
}

// Plan makes a task. Its parameters are the arguments, but for those that the server fills.
//
//mcp:tool touches=tasks:///{project}/{number}
//mcp:arg project "desc=Key of the project, for example OPS." pattern=[A-Z]+
//mcp:arg number default=1 min=1 max=1000 title=Number
//mcp:arg due "desc=When it must be done; never if left out."
//mcp:arg labels param=tags required=false
func Plan(ctx context.Context, project string, who mcp.Caller, number int, priority *Priority, due *time.Time, tags []string) (Task, error) { //nolint:revive // the arguments of the tool
	t := Task{Project: project, Number: number, Tags: tags, By: who.Subject}
	if priority != nil {
		t.Priority = *priority
	}
	if due != nil {
		t.Due = *due
	}
	return t, nil
}

// Sum adds numbers.
//
//mcp:tool readonly
func Sum(ctx context.Context, a, b float64) (float64, error) { return a + b, nil }

// Merge makes one task of two.
//
//mcp:tool readonly
func Merge(ctx context.Context, first, second Task) (Task, error) {
	first.Tags = append(first.Tags, second.Tags...)
	return first, nil
}

// Wait says when a time has come.
//
//mcp:tool readonly
func Wait(ctx context.Context, until time.Time, progress mcp.Progress) (bool, error) {
	return until.Year() < 2027, nil
}

// Say returns a text, which stays one.
//
//mcp:tool readonly
func Say(ctx context.Context) (string, error) { return "Three tasks.", nil }
