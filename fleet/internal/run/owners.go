package run

import (
	"context"
	"fmt"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/client"
)

// longTask makes a task at a replica that takes several leases and saves where it is.
func (r *Run) longTask(ctx context.Context, replica int, job client.Job, safe bool) error {
	job.Key = fmt.Sprintf("%s long %d", job.Tool, r.series.Add(1))
	at := r.long.Conn.At(r.fleet.Replicas[replica].URL)
	return r.long.Start(ctx, at, job, safe)
}

// some makes tasks of each kind at a replica.
func (r *Run) some(ctx context.Context, replica int, millis int, safe bool) error {
	for range 2 {
		for _, tool := range []string{"job", "job_once"} {
			job := client.Job{Tool: tool, Millis: millis + int(r.upTo(2*time.Second).Milliseconds()), Steps: 8}
			if err := r.longTask(ctx, replica, job, safe); err != nil {
				return err
			}
		}
	}
	return r.longTask(ctx, replica, client.Job{Tool: "job_asks", Millis: millis, Steps: 4}, safe)
}

// longTasks lets something happen to the owner of tasks, and waits until they have ended.
func longTasks(name string, happens func(r *Run, ctx context.Context, replica int) error) Step {
	return scene(name, never, func(ctx context.Context, r *Run) error {
		one, others := r.cast()
		if err := r.some(ctx, one, 5_000, false); err != nil {
			return err
		}
		if err := r.some(ctx, others[0], 2*int(lease.Milliseconds()), true); err != nil {
			return err
		}
		time.Sleep(time.Second + r.upTo(time.Second))
		if err := happens(r, ctx, one); err != nil {
			return err
		}
		return r.awaitTasks(ctx)
	})
}

// awaitTasks waits until no task is open, or for as long as it may take.
func (r *Run) awaitTasks(ctx context.Context) error {
	begun := time.Now()
	for len(r.checker.Tasks().Open()) > 0 && time.Since(begun) < r.hall.Stretch(r.TasksSettle) && ctx.Err() == nil {
		time.Sleep(100 * time.Millisecond)
	}
	return r.judgeTasks(ctx)
}

// kill ends the process of a replica, which starts again before or after its leases have ended.
func (r *Run) kill(ctx context.Context, replica int) error {
	rep := r.fleet.Replicas[replica]
	rep.Kill()
	r.count(func(c *Counts) { c.Kills++ })
	time.Sleep(r.upTo(lease + time.Second))
	return rep.Start(ctx)
}

// stop stops the process of a replica until its leases have ended, and lets it go on.
func (r *Run) stop(ctx context.Context, replica int) error {
	rep := r.fleet.Replicas[replica]
	if err := r.pause(ctx, rep); err != nil {
		return err
	}
	time.Sleep(lease + 2*time.Second + r.upTo(2*time.Second))
	return rep.Process().Continue()
}

// diesAfterCheckpoint lets processes end right after the runtime has confirmed a checkpoint.
func diesAfterCheckpoint() Step {
	return scene("dies after a confirmed checkpoint", never, func(ctx context.Context, r *Run) error {
		for range 2 {
			for _, rep := range r.fleet.Replicas {
				rep.MayEnd()
			}
			one, _ := r.cast()
			job := client.Job{Tool: "job", Millis: 1_600, Steps: 8, Die: 2 + int(r.upTo(4))}
			if err := r.longTask(ctx, one, job, false); err != nil {
				return err
			}
			begun := time.Now()
			for again := false; !again && time.Since(begun) < 20*time.Second && ctx.Err() == nil; {
				time.Sleep(50 * time.Millisecond)
				for _, rep := range r.fleet.Replicas {
					select {
					case <-rep.Process().Done():
						again = true
						r.count(func(c *Counts) { c.Kills++ })
						if err := rep.Start(ctx); err != nil {
							return err
						}
					default:
					}
				}
			}
			for _, rep := range r.fleet.Replicas {
				rep.MustStay()
			}
			if err := r.ready(ctx); err != nil {
				return err
			}
		}
		return r.awaitTasks(ctx)
	})
}

// clockAhead gives one replica a clock that is ahead by many leases, while the others run tasks to which nothing
// happens.
func clockAhead() Step {
	return scene("a clock ahead of many leases", never, func(ctx context.Context, r *Run) error {
		one, others := r.cast()
		rep := r.fleet.Replicas[one]
		clock := func(off string) error {
			rep.Stop(stopTime)
			rep.Use(r.Programs[r.release%len(r.Programs)], off)
			return rep.Start(ctx)
		}
		for _, i := range others {
			if err := r.some(ctx, i, 2*int(lease.Milliseconds()), true); err != nil {
				return err
			}
		}
		if err := clock("90s"); err != nil {
			return err
		}
		r.count(func(c *Counts) { c.Skews++ })
		r.writeAt(ctx, one)
		time.Sleep(lease + 2*time.Second)
		if err := r.awaitTasks(ctx); err != nil {
			return err
		}
		return clock("")
	})
}
