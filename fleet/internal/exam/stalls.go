package exam

import (
	"context"
	"sync/atomic"
	"time"
)

// maxStall is for how long the machine may stand still during an exam whose findings count.
const maxStall = 400 * time.Millisecond

// stalls measures for how long this process did not run though it wanted to: then others did not either.
type stalls struct{ sum atomic.Int64 }

const (
	stallStep = 20 * time.Millisecond
	stallMin  = 100 * time.Millisecond
)

// Measure measures until ctx ends for how long the machine stands still.
func (h *Hall) Measure(ctx context.Context) {
	for ctx.Err() == nil {
		before := time.Now()
		time.Sleep(stallStep)
		if late := time.Since(before) - stallStep; late > stallMin {
			h.stalls.sum.Add(int64(late))
		}
	}
}

func (s *stalls) total() time.Duration { return time.Duration(s.sum.Load()) }

// Stalled returns for how long the machine has stood still until now, in steps that matter.
func (h *Hall) Stalled() time.Duration { return h.stalls.total() }
