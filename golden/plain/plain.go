// Package plain is an example server whose tools return plain values: numbers, times and lists.
//
//mcp:server name=plain version=1.0.0
package plain

import (
	"context"
	"net/netip"
	"time"
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

// Say returns a text, which stays one.
//
//mcp:tool readonly
func Say(ctx context.Context) (string, error) { return "Three tasks.", nil }
