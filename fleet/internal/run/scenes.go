package run

import (
	"context"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/exam"
	"github.com/mcpgen/mcpgen/internal/dev/cut"
)

// The times of replicas that are built with [fleet.Quick] or [fleet.Brief].
const (
	forgets = 20 * time.Second // after which everybody has forgotten a replica of which nothing is heard
	falls   = 7 * time.Second  // after which a replica that is silent is noticed
	lease   = 6 * time.Second  // of a task
)

// Full is the script that a fleet has to pass, and that finds planted bugs. It takes about three minutes.
func Full(broker bool) []Step {
	steps := []Step{
		Exams("nothing happens", exam.All(), true),
		killed(), diesAfterCommit("dies after a commit, back soon", 500*time.Millisecond),
		longTasks("kill -9 of the owner of tasks", (*Run).kill),
		diesAfterCheckpoint(),
		longTasks("SIGSTOP beyond a lease", (*Run).stop),
		diesAfterCommit("dies after a commit, away for longer", falls+2*time.Second),
		clockAhead(), graceful(),
	}
	if broker {
		steps = append(steps, losesFrame(), closing(), sealed(), brokerRestart(),
			cutOnce("cut off outwards", cut.Out), cutOnce("cut off inwards", cut.In),
			split(), startsWithoutBroker(), cutBeyondAll())
	}
	return append(steps, rolled(), Exams("nothing happens any more", exam.All(), false))
}

// Short is a shorter one, with one step of each kind.
func Short(broker bool) []Step {
	steps := []Step{
		Exams("nothing happens", exam.All(), true),
		longTasks("SIGSTOP beyond a lease", (*Run).stop), diesAfterCommit("dies after a commit", 500*time.Millisecond),
	}
	if broker {
		steps = append(steps, losesFrame(), sealed(), brokerRestart(), cutOnce("cut off outwards", cut.Out))
	}
	return append(steps, Exams("nothing happens any more", exam.All(), false))
}

// killed kills a replica right after a write, twice.
func killed() Step {
	return scene("kill -9 right after a write", sometimes, func(ctx context.Context, r *Run) error {
		for range 2 {
			one, others := r.cast()
			rep := r.fleet.Replicas[one]
			r.writeAt(ctx, one)
			time.Sleep(r.upTo(20 * time.Millisecond))
			rep.Kill()
			r.count(func(c *Counts) { c.Kills++ })
			r.writeAt(ctx, others[0])
			time.Sleep(r.upTo(time.Second))
			if err := rep.Start(ctx); err != nil {
				return err
			}
			r.writeAt(ctx, others[0])
			if err := rep.AwaitReady(ctx, readyTime); err != nil {
				return err
			}
			r.writeAt(ctx, one)
		}
		return nil
	})
}

// diesAfterCommit lets a replica die between a commit and its announcement. Nobody writes afterwards.
func diesAfterCommit(name string, away time.Duration) Step {
	return scene(name, never, func(ctx context.Context, r *Run) error {
		one, _ := r.cast()
		return r.failpoint(ctx, r.fleet.Replicas[one], func() { r.writeAt(ctx, one) }, away)
	})
}

// graceful replaces replicas that have just written, and nobody else writes.
func graceful() Step {
	return scene("SIGTERM right after a write", never, func(ctx context.Context, r *Run) error {
		for _, rep := range r.fleet.Replicas {
			r.writeAt(ctx, rep.Index)
			rep.Stop(stopTime)
			if err := rep.Start(ctx); err != nil {
				return err
			}
			if err := rep.AwaitReady(ctx, readyTime); err != nil {
				return err
			}
		}
		return nil
	})
}

// brokerRestart kills the broker and starts it again; each replica writes right before, meanwhile and right after it.
func brokerRestart() Step {
	return scene("kill -9 and restart of the broker", sometimes, func(ctx context.Context, r *Run) error {
		writes := func() {
			one, others := r.cast()
			fs := []func(){func() { r.writeAt(ctx, one) }}
			for _, i := range others {
				fs = append(fs, func() { r.writeAt(ctx, i) })
			}
			all(fs...)
		}
		r.fleet.BrokerBusy.Lock()
		defer r.fleet.BrokerBusy.Unlock()
		writes()
		if err := r.fleet.Broker.Kill(); err != nil {
			return err
		}
		r.count(func(c *Counts) { c.Brokers++ })
		time.Sleep(r.upTo(2 * time.Second))
		writes()
		if err := r.fleet.Broker.Start(ctx); err != nil {
			return err
		}
		writes()
		return nil
	})
}

// cutOnce lets nothing through in one direction for a while, in which there are single writes on both sides.
func cutOnce(name string, d cut.Direction) Step {
	return scene(name, sometimes, func(ctx context.Context, r *Run) error {
		one, others := r.cast()
		rep := r.fleet.Replicas[one]
		rep.Cut(d)
		r.count(func(c *Counts) { c.Cuts++ })
		time.Sleep(r.upTo(time.Second))
		all(func() { r.writeAt(ctx, one) }, func() { r.writeAt(ctx, others[0]) })
		time.Sleep(r.upTo(2 * time.Second))
		rep.Heal(r.coin())
		r.writeAt(ctx, others[0])
		return nil
	})
}

// split parts the last replica and its broker from the others for as long as it takes to forget them.
func split() Step {
	return scene("brokers that lose each other", sometimes, func(ctx context.Context, r *Run) error {
		last := len(r.fleet.Replicas) - 1
		if r.fleet.Link == nil {
			return nil
		}
		r.fleet.Link.Cut(cut.Out)
		r.fleet.Link.Cut(cut.In)
		r.count(func(c *Counts) { c.Cuts++ })
		long := r.coin()
		for range 2 {
			time.Sleep(r.upTo(2 * time.Second))
			all(func() { r.writeAt(ctx, last) }, func() { r.writeAt(ctx, 0) })
		}
		if long {
			time.Sleep(forgets)
		}
		all(func() { r.writeAt(ctx, last) }, func() { r.writeAt(ctx, 0) })
		r.fleet.Link.Heal(true)
		return nil
	})
}

// startsWithoutBroker starts a replica while the broker is away, which takes a write and ends before anybody hears it.
func startsWithoutBroker() Step {
	return scene("starts and ends while the broker is away", never, func(ctx context.Context, r *Run) error {
		one, _ := r.cast()
		rep := r.fleet.Replicas[one]
		r.fleet.BrokerBusy.Lock()
		defer r.fleet.BrokerBusy.Unlock()
		rep.Stop(stopTime)
		if err := r.fleet.Broker.Kill(); err != nil {
			return err
		}
		r.count(func(c *Counts) { c.Brokers++ })
		if err := rep.Start(ctx); err != nil {
			return err
		}
		rep.MayEnd() // it may refuse to start without a broker
		time.Sleep(2 * time.Second)
		r.writeAt(ctx, one)
		time.Sleep(r.upTo(time.Second))
		rep.Kill()
		if err := r.fleet.Broker.Start(ctx); err != nil {
			return err
		}
		return rep.Start(ctx)
	})
}

// cutBeyondAll parts a replica from the broker until everybody has forgotten it. Its streams end meanwhile. It goes on
// taking writes, and ends before it is heard again.
func cutBeyondAll() Step {
	return scene("cut off until forgotten, and ends so", never, func(ctx context.Context, r *Run) error {
		one, others := r.cast()
		rep := r.fleet.Replicas[one]
		open := r.hall.Streams(ctx, one)
		rep.Cut(cut.Out)
		rep.Cut(cut.In)
		r.count(func(c *Counts) { c.Cuts++ })
		r.writeAt(ctx, others[0])
		time.Sleep(forgets)
		open()
		r.writeAt(ctx, one)
		time.Sleep(r.upTo(time.Second))
		if r.coin() {
			rep.Kill()
		} else {
			rep.Stop(stopTime)
		}
		rep.Heal(true)
		return rep.Start(ctx)
	})
}

// rolled goes to the other release, one replica of which has a clock that is a little off.
func rolled() Step {
	return scene("rolling update", func(*Run) bool { return true }, func(ctx context.Context, r *Run) error {
		one, _ := r.cast()
		choice := uint64(one)
		if r.coin() {
			choice |= 8 * uint64(len(r.fleet.Replicas)) // the sign of the clock
		}
		return r.roll(ctx, Fault{Kind: Roll, Choice: choice})
	})
}
