// Package jobs is a server whose tools are tasks, which the tests of this module kill.
//
//mcp:server name=jobs version=1.0.0
package jobs

import (
	"context"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
)

//go:generate go run github.com/mcpgen/mcpgen/cmd/mcpgen

// Jobs has the tools.
type Jobs struct {
	// Began is told when a handler begins.
	Began func(key, taskID string)
	// Pause is how long a handler works.
	Pause time.Duration
}

// Once works for a while, and must not run twice.
//
//mcp:tool task=once closed
func (j *Jobs) Once(ctx context.Context, call *mcp.Call, key string) (string, error) {
	return j.work(ctx, call, key)
}

// Again works for a while, and runs again if its process ends.
//
//mcp:tool task=restart idempotent closed
func (j *Jobs) Again(ctx context.Context, call *mcp.Call, key string) (string, error) {
	if err := call.SaveCheckpoint([]byte(key)); err != nil {
		return "", err
	}
	return j.work(ctx, call, key)
}

// Wait works until it is cancelled.
//
//mcp:tool task=restart idempotent closed
func (j *Jobs) Wait(ctx context.Context, call *mcp.Call, key string) (string, error) {
	j.Began(key, call.TaskID())
	<-ctx.Done()
	return "", ctx.Err()
}

func (j *Jobs) work(ctx context.Context, call *mcp.Call, key string) (string, error) {
	j.Began(key, call.TaskID())
	call.SetStatus("works")
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case <-time.After(j.Pause):
		return "done " + key, nil
	}
}
