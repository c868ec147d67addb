package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/exam"
	"github.com/mcpgen/mcpgen/fleet/internal/fleet"
	"github.com/mcpgen/mcpgen/fleet/serve"
)

// losesFrame keeps one frame from one replica: that of a write, which nobody repeats.
func losesFrame() Step {
	return scene("one frame is lost", never, func(ctx context.Context, r *Run) error {
		for _, rep := range r.fleet.Replicas {
			_, others := r.cast()
			writes := others[0]
			if writes == rep.Index {
				writes = others[1%len(others)]
			}
			lost := rep.Lose()
			r.writeAt(ctx, writes)
			for begun := time.Now(); !lost(); time.Sleep(20 * time.Millisecond) {
				if time.Since(begun) > falls {
					return errors.New("no frame has come")
				}
			}
			r.count(func(c *Counts) { c.Cuts++ })
		}
		return nil
	})
}

// closing lets replicas end in the middle of writes.
func closing() Step {
	return scene("SIGTERM before a commit", never, func(ctx context.Context, r *Run) error {
		r.hall.Sit(ctx, exam.Closing())
		return nil
	})
}

// sealed examines a fleet of its own, whose sessions are in no store.
func sealed() Step {
	return Step{"sessions with a sealed id", func(ctx context.Context, r *Run) error {
		c := r.Fleet
		c.Dir, c.Leaf, c.Tasks = filepath.Join(c.Dir, "sealed"), false, ""
		c.Program = r.Programs[r.release%len(r.Programs)]
		c.Flags = append(c.Flags, "-own-sessions")
		if err := os.Mkdir(c.Dir, 0o700); err != nil {
			return err
		}
		f, err := fleet.Start(ctx, c)
		if err != nil {
			return err
		}
		defer f.Close()
		state, err := serve.Open(ctx, f.State(), time.Now)
		if err != nil {
			return err
		}
		defer state.Close() //nolint:errcheck // it was only read
		h := r.examine(ctx, f, state)
		h.Sit(ctx, exam.Sealed())
		return nil
	}}
}
