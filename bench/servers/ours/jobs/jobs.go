// Package jobs is the server of the rows about tasks, made with mcpgen.
//
//mcp:server name=jobs version=1.0.0
package jobs

import (
	"context"
	"strconv"
	"sync"

	"github.com/mcpgen/mcpgen/bench/internal/work"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// Board has a step that changes. It is safe for concurrent use.
type Board struct {
	mu   sync.Mutex
	step int
	next chan struct{} // closed at the next step
}

// Advance takes the next step.
func (b *Board) Advance() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.step++
	close(b.next)
	b.next = make(chan struct{})
}

func (b *Board) now() (step int, next <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.step, b.next
}

// Quick is done at once.
//
//mcp:tool task=once readonly
func (b *Board) Quick(ctx context.Context) (string, error) { return "done", nil }

// Steady says at which step it is until it is cancelled.
//
//mcp:tool task=once readonly
func (b *Board) Steady(ctx context.Context, call *mcp.Call) (string, error) {
	for {
		step, next := b.now()
		call.SetStatus("step " + strconv.Itoa(step))
		select {
		case <-next:
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// New returns a server that keeps work.Tasks tasks, whoever made them.
func New() (*JobsServer, *Board, error) {
	b := &Board{next: make(chan struct{})}
	srv, err := NewJobsServer(JobsImpl{Board: b}, &mcp.Options{Logger: work.Logger(),
		Tasks: task.Options{MaxTotal: work.Tasks, MaxPerPrincipal: 2 * work.Tasks}})
	return srv, b, err
}
