package serve

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
)

// JobIn says what a job does.
type JobIn struct {
	// Key is what the result names.
	Key string `json:"key"`
	// Millis is how long it takes.
	Millis int `json:"millis"`
	// Steps is how often it saves that it has got so far; none by default.
	Steps int `json:"steps,omitempty"`
	// Die is the step after which the process of its first run ends as by kill -9, once it is saved; none by default.
	Die int `json:"die,omitempty"`
	// Hold is how many steps its first run makes, which then waits until its context ends; all by default.
	Hold int `json:"hold,omitempty"`
}

// Go is the answer of a user whose job asks.
//
//mcp:form
type Go struct {
	// Whether to go on.
	Go bool `json:"go" jsonschema:"title=Go"`
}

// Job waits and returns its key. It runs again if its process ends, and leaves out the steps that it has saved.
//
//mcp:tool task=restart idempotent closed
func (w *Writer) Job(ctx context.Context, call *mcp.Call, in JobIn) (string, error) {
	return w.job(ctx, call, in)
}

// JobOnce does the same, and must not run twice.
//
//mcp:tool task=once closed
func (w *Writer) JobOnce(ctx context.Context, call *mcp.Call, in JobIn) (string, error) {
	return w.job(ctx, call, in)
}

// JobAsks asks first whether to do the same: two questions at once, which come after the first step is saved.
//
//mcp:tool task=restart idempotent closed
func (w *Writer) JobAsks(ctx context.Context, call *mcp.Call, in JobIn) (string, error) {
	if in.Steps > 1 && len(call.Checkpoint()) == 0 {
		if err := w.save(ctx, call, in.Key, 1); err != nil {
			return "", err
		}
	}
	questions := []*mcp.FormQuestion[Go]{
		mcp.NewFormQuestion[Go]("go", "Go on with "+in.Key+"?"), mcp.NewFormQuestion[Go]("sure", "Are you sure?"),
	}
	if err := call.Peer().Ask(ctx, questions[0], questions[1]); err != nil {
		return "", err
	}
	for _, q := range questions {
		if answer, err := q.Answer(); err != nil {
			return "", err
		} else if !answer.Go {
			return "", mcp.Errorf("not wanted")
		}
	}
	return w.job(ctx, call, in)
}

func (w *Writer) job(ctx context.Context, call *mcp.Call, in JobIn) (result string, err error) {
	if in.Millis < 0 {
		return "", mcp.Errorf("it takes no time")
	}
	step := len(call.Checkpoint())
	first := step == 0
	if err := w.db.began(ctx, in.Key, call.TaskID(), step); err != nil {
		return "", err
	}
	defer func() {
		if err != nil && ctx.Err() != nil { // also while it saves
			w.db.ended(in.Key, step)
		}
	}()
	call.SetStatus(fmt.Sprint("step ", step))
	steps := min(max(in.Steps, 1), 100)
	for ; step < steps; step++ {
		if first && in.Hold > 0 && step == in.Hold {
			call.SetStatus("holds")
			<-ctx.Done()
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(min(time.Duration(in.Millis)*time.Millisecond, time.Minute) / time.Duration(steps)):
		}
		if in.Steps > 0 {
			if err := w.save(ctx, call, in.Key, step+1); err != nil {
				return "", err
			}
			call.SetStatus(fmt.Sprint("step ", step+1))
			if first && in.Die == step+1 {
				die()
			}
		}
	}
	call.SetStatus("finished " + in.Key)
	return "done " + in.Key, nil
}

// save saves a step, again and again while the store is away, and notes that the runtime has confirmed it.
func (w *Writer) save(ctx context.Context, call *mcp.Call, key string, step int) error {
	for err := call.SaveCheckpoint(make([]byte, step)); err != nil; err = call.SaveCheckpoint(make([]byte, step)) {
		select {
		case <-ctx.Done():
			return err
		case <-time.After(200 * time.Millisecond):
		}
	}
	return w.db.saved(ctx, key, step)
}

// die ends the process at once.
func die() {
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		_ = p.Kill()
		select {}
	}
}

// began notes that the handler of a job has begun, with this step, and which one was saved before that.
func (s *State) began(ctx context.Context, key, task string, step int) error {
	return s.exec(ctx, `INSERT INTO runs VALUES (?1, ?2, ?3, ?4,
		coalesce((SELECT max(step) FROM marks WHERE key = ?1), 0))`, key, task, os.Getpid(), step)
}

// saved notes that the runtime has confirmed a checkpoint.
func (s *State) saved(ctx context.Context, key string, step int) error {
	return s.exec(ctx, `INSERT INTO marks VALUES (?, ?, ?)`, key, os.Getpid(), step)
}

// Forgotten says which checkpoints were confirmed and lost: a run began with an earlier one, or two runs have saved the
// same one.
func (s *State) Forgotten(ctx context.Context) (out map[string]string, err error) {
	out = map[string]string{}
	var key, text string
	err = s.each(ctx, `SELECT key, 'process ' || pid || ' began at step ' || step || ', and step ' ||
			kept || ' was confirmed before' FROM runs WHERE step < kept
		UNION ALL SELECT key, 'step ' || step || ' was confirmed ' || count(*) || ' times, in processes ' ||
			group_concat(pid) FROM marks GROUP BY key, step HAVING count(*) > 1`,
		nil, func() { out[key] = text }, &key, &text)
	return out, err
}

// ended notes that the context of the handler of a job has ended before the job, and when.
func (s *State) ended(key string, step int) {
	at := systemTime().UnixMilli()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_ = s.exec(ctx, `INSERT INTO ends VALUES (?, ?, ?, ?)`, key, os.Getpid(), step, at)
}

// systemTime is the time of the system, also in a replica whose clock is off: that of a new file.
func systemTime() (at time.Time) {
	f, err := os.CreateTemp("", "ended")
	if err != nil {
		return at
	}
	if info, err := f.Stat(); err == nil {
		at = info.ModTime()
	}
	_ = f.Close()
	_ = os.Remove(f.Name())
	return at
}

// JobRun is a run of the handler of a job, or the end of its context: in which process, and at which step. At is when
// that was, for the end of a context.
type JobRun struct {
	PID, Step int
	At        time.Time
}

// JobRuns returns the runs of a job in their order, and those whose contexts ended early.
func (s *State) JobRuns(ctx context.Context, key string) (began, ended []JobRun, err error) {
	if began, err = s.jobRuns(ctx, `SELECT pid, step, 0 FROM runs WHERE key = ? ORDER BY rowid`, key); err != nil {
		return nil, nil, err
	}
	ended, err = s.jobRuns(ctx, `SELECT pid, step, at FROM ends WHERE key = ? ORDER BY rowid`, key)
	return began, ended, err
}

func (s *State) jobRuns(ctx context.Context, query, key string) (out []JobRun, err error) {
	var r JobRun
	var at int64
	err = s.each(ctx, query, []any{key}, func() {
		r.At = time.UnixMilli(at)
		out = append(out, r)
	}, &r.PID, &r.Step, &at)
	return out, err
}

// Runs returns how often the handlers of jobs have begun, by key.
func (s *State) Runs(ctx context.Context) (map[string]int, error) {
	out := map[string]int{}
	var key string
	var n int
	err := s.each(ctx, `SELECT key, count(*) FROM runs GROUP BY key`, nil, func() { out[key] = n }, &key, &n)
	return out, err
}
