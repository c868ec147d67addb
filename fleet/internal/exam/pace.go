package exam

import (
	"context"
	"sync/atomic"
	"time"
)

// A machine that others use as well makes replicas late that do nothing wrong. Two measures tell.
const (
	// maxStall is for how long the machine may stand still during an exam whose findings count, and maxSlow how much
	// slower than alone it may be.
	maxStall = 400 * time.Millisecond
	maxSlow  = 2

	stallStep = 20 * time.Millisecond
	stallMin  = 100 * time.Millisecond

	probeStep = 100 * time.Millisecond // between two probes
	probeWork = 4 * time.Millisecond   // of the processor, for each
	probeMost = 8                      // a bound is never longer than so many times itself
	probeKeep = 20                     // probes of which the mean counts
)

// pace is how well the machine runs this process, and so the others.
type pace struct {
	still atomic.Int64 // for how long this process did not run though it wanted to
	slow  atomic.Int64 // by how much work takes longer than alone, in hundredths; 0 before the first probe
}

// Measure measures until ctx ends how well the machine runs.
func (h *Hall) Measure(ctx context.Context) {
	go h.pace.probe(ctx)
	for ctx.Err() == nil {
		before := time.Now()
		time.Sleep(stallStep)
		if late := time.Since(before) - stallStep; late > stallMin {
			h.pace.still.Add(int64(late))
		}
	}
}

// probe works a little, again and again, and compares what that takes with what it takes of the processor.
func (p *pace) probe(ctx context.Context) {
	var last [probeKeep]float64
	for n := 0; ctx.Err() == nil; n++ {
		took, processor := work(probeWork)
		last[n%probeKeep] = max(1, float64(took)/float64(max(processor, 1)))
		sum := 0.0
		for _, x := range last[:min(n+1, probeKeep)] {
			sum += x
		}
		p.slow.Store(int64(100 * min(probeMost, sum/float64(min(n+1, probeKeep)))))
		time.Sleep(probeStep)
	}
}

// stretch returns what d is on this machine now.
func (p *pace) stretch(d time.Duration) time.Duration {
	return d * time.Duration(max(100, p.slow.Load())) / 100
}

// Stretch returns a bound as it is on this machine now.
func (h *Hall) Stretch(d time.Duration) time.Duration { return h.pace.stretch(d) }

// IsDisturbed reports whether what was found does not count, because of the machine: since Stalled has returned still
// it has stood still, or it is slow now.
func (h *Hall) IsDisturbed(still time.Duration) bool {
	return h.Stalled()-still >= maxStall || h.pace.slow.Load() > 100*maxSlow
}

// Stalled returns for how long the machine has stood still until now, in steps that matter.
func (h *Hall) Stalled() time.Duration { return time.Duration(h.pace.still.Load()) }
