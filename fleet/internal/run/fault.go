package run

import (
	"context"
	"fmt"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/client"
	"github.com/mcpgen/mcpgen/fleet/internal/fleet"
	"github.com/mcpgen/mcpgen/internal/dev/cut"
)

// Kind is what can happen.
type Kind string

// The kinds of faults.
const (
	// Kill is kill -9 of a replica, Failpoint its death between a commit and the announcement, Stop a pause by
	// SIGSTOP.
	Kill      Kind = "kill"
	Failpoint Kind = "die after commit"
	Stop      Kind = "stop"
	// Broker is kill -9 of the broker, which starts again later.
	Broker Kind = "broker"
	// Cut lets no bytes through in one direction between a replica and the broker.
	Cut Kind = "cut"
	// Roll replaces all replicas, one after the other, by those of the other release, and one of them has a clock
	// that is off.
	Roll Kind = "roll"
)

// Fault is something that happens in a round.
type Fault struct {
	Kind    Kind
	At, For time.Duration
	// Replica is which one; another one takes its place if it is busy.
	Replica int
	// Choice decides what else there is to decide.
	Choice uint64
}

// String returns a few words.
func (f Fault) String() string { return fmt.Sprintf("%s of replica %d at %v", f.Kind, f.Replica, f.At) }

func (r *Run) happen(ctx context.Context, f Fault) error {
	switch f.Kind {
	case Broker:
		return r.broker(ctx, f)
	case Roll:
		return r.roll(ctx, f)
	}
	rep := r.take(f.Replica)
	defer rep.Busy.Unlock()
	r.eventf("%s: it is replica %d, process %d", f, rep.Index, rep.Process().PID())
	switch f.Kind {
	case Kill:
		rep.Kill()
		r.count(func(c *Counts) { c.Kills++ })
		time.Sleep(f.For)
		return rep.Start(ctx)
	case Failpoint:
		random := client.NewRandom(f.Choice, 1)
		c := client.NewConn("http://"+rep.Addr()+"/mcp", client.Modern, r.checker.Client("failpoint"))
		return r.failpoint(ctx, rep, func() { _ = r.edit(ctx, c, random, 1) }, f.For)
	case Stop:
		if err := r.pause(ctx, rep); err != nil {
			return err
		}
		time.Sleep(f.For)
		return rep.Process().Continue()
	case Cut:
		rep.Cut(cut.Direction(f.Choice & 1))
		r.count(func(c *Counts) { c.Cuts++ })
		time.Sleep(f.For)
		rep.Heal(f.Choice&2 != 0)
	}
	return nil
}

// take waits for a replica to which nothing else happens, preferably the one with this number.
func (r *Run) take(i int) *fleet.Replica {
	for {
		for k := range r.fleet.Replicas {
			rep := r.fleet.Replicas[(i+k)%len(r.fleet.Replicas)]
			if rep.Busy.TryLock() {
				return rep
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func (r *Run) broker(ctx context.Context, f Fault) error {
	r.fleet.BrokerBusy.Lock()
	defer r.fleet.BrokerBusy.Unlock()
	if err := r.fleet.Broker.Kill(); err != nil {
		return err
	}
	r.count(func(c *Counts) { c.Brokers++ })
	time.Sleep(f.For)
	return r.fleet.Broker.Start(ctx)
}

// failpoint lets a replica die between a commit and its announcement, and starts it again later.
func (r *Run) failpoint(ctx context.Context, rep *fleet.Replica, write func(), away time.Duration) error {
	p := rep.Process()
	rep.MayEnd()
	if err := p.Arm(); err != nil {
		return err
	}
	for range 20 { // the signal may be slower than the first of them
		write()
		select {
		case <-p.Done():
		case <-time.After(20 * time.Millisecond):
			continue
		}
		break
	}
	rep.Kill()
	r.count(func(c *Counts) {
		c.Kills++
		c.Failpoints++
	})
	time.Sleep(away)
	return rep.Start(ctx)
}

// roll replaces all replicas.
func (r *Run) roll(ctx context.Context, f Fault) error {
	r.rollMu.Lock()
	defer r.rollMu.Unlock()
	r.release++
	program := r.Programs[r.release%len(r.Programs)]
	for i, rep := range r.fleet.Replicas {
		rep.Busy.Lock()
		err := func() error {
			defer rep.Busy.Unlock()
			rep.Stop(stopTime)
			if i == int(f.Choice%uint64(len(r.fleet.Replicas))) {
				off := "25s" // beyond 30 s a replica is not ready
				if f.Choice&8 != 0 {
					off = "-25s"
				}
				rep.Use(program, off)
				r.count(func(c *Counts) { c.Skews++ })
			} else {
				rep.Use(program, "")
			}
			if err := rep.Start(ctx); err != nil {
				return err
			}
			return rep.AwaitReady(ctx, 8*time.Second)
		}()
		if err != nil {
			r.sayf("  roll: replica %d: %v", i, err)
		}
	}
	r.count(func(c *Counts) { c.Rolls++ })
	return nil
}
