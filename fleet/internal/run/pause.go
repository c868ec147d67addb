package run

import (
	"context"
	"errors"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/fleet"
	"github.com/mcpgen/mcpgen/fleet/serve"
)

// maxPauses is how often a process is stopped until it holds no lock.
const maxPauses = 100

var errLocks = errors.New("the process holds a lock whenever it is stopped")

// pause stops the process of a replica at a moment at which it does not hold the lock of a file that others write to.
// With the lock it would stop them too, for as long as it is stopped: that is how SQLite is, and shows nothing about
// replicas.
func (r *Run) pause(ctx context.Context, rep *fleet.Replica) error {
	p := rep.Process()
	for range maxPauses {
		if err := p.Pause(); err != nil {
			return err
		}
		err := r.unlocked(ctx)
		if err == nil {
			r.count(func(c *Counts) { c.Stops++ })
			return nil
		}
		r.eventf("replica %d is stopped at another moment: %v", rep.Index, err)
		if err := errors.Join(p.Continue(), ctx.Err()); err != nil {
			return err
		}
		time.Sleep(7 * time.Millisecond)
	}
	return errLocks
}

// unlocked is an error if one of the files that replicas share is locked for longer than a write takes.
func (r *Run) unlocked(ctx context.Context) error {
	for _, file := range r.fleet.Files() {
		if err := serve.Unlocked(ctx, file); err != nil {
			return err
		}
	}
	return nil
}
