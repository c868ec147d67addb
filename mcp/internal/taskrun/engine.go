package taskrun

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// How long things take. Leases are long enough for clocks of replicas that differ by some seconds.
const (
	leaseTime   = 30 * time.Second
	renewEvery  = 10 * time.Second
	claimEvery  = 5 * time.Second // how often this process looks for tasks that nobody runs
	sweepEvery  = leaseTime / 2   // how often it looks for tasks whose owners have died, even if it has no room for them
	expireEvery = time.Minute
	pollEvery   = time.Second      // of a task that somebody waits for, in a store that other processes write to
	pollSeldom  = 30 * time.Second // the same if these processes report what they change
)

// Reasons why the context of a handler ends, and errors of the methods of an [Engine].
var (
	ErrCancelled = errors.New("the task was cancelled")
	ErrLost      = errors.New("the task is no longer run here")
	ErrClosed    = errors.New("the server is closing")
)

// Defaults of [task.Options].
const (
	defaultTTL          = time.Hour
	defaultPerPrincipal = 100
	defaultTotal        = 10_000
	defaultBytes        = 256 << 20
	defaultRunning      = 64
	defaultResultBytes  = 1 << 20
	defaultPoll         = time.Second
)

// mostResultBytes leaves room in a record for arguments, answers and a checkpoint.
const mostResultBytes = task.MaxRecord / 2

// CheckOptions returns an error that tells all options out of range; nil if none is.
func CheckOptions(o *task.Options) error {
	var errs []error
	for _, n := range []struct {
		name  string
		value int64
	}{
		{"TTL", int64(o.TTL)},
		{"MaxPerPrincipal", int64(o.MaxPerPrincipal)},
		{"MaxTotal", int64(o.MaxTotal)},
		{"MaxBytes", o.MaxBytes},
		{"MaxRunning", int64(o.MaxRunning)},
		{"MaxResultBytes", int64(o.MaxResultBytes)},
		{"PollInterval", int64(o.PollInterval)},
	} {
		if n.value < 0 {
			errs = append(errs, fmt.Errorf("mcp: Options.Tasks.%s is %d: want 0 or more", n.name, n.value))
		}
	}
	if o.TTL > 0 && o.TTL < time.Second {
		errs = append(errs, fmt.Errorf("mcp: Options.Tasks.TTL is %v: want at least a second", o.TTL))
	}
	if o.MaxResultBytes > mostResultBytes {
		errs = append(errs, fmt.Errorf("mcp: Options.Tasks.MaxResultBytes is %d: want at most %d",
			o.MaxResultBytes, mostResultBytes))
	}
	return errors.Join(errs...)
}

// Config is what an [Engine] needs.
type Config struct {
	Options task.Options // which have been checked
	Log     *slog.Logger
	// Known reports whether this process has the tool of a task.
	Known func(tool string) bool
	// Run runs the handler of a task and gives its outcome to [Run.End]. Once ctx has ended, Run need not give an outcome.
	// It may return after it has given one.
	Run func(ctx context.Context, r *Run)
	// Changed is called after a change that clients may see. It must not block.
	Changed func(id string)
	// Notified reports whether [Engine.Signal] is called for changes by other processes; nil means that it is not.
	Notified func() bool
	// Left is called after this process has given a task back. It should make the other processes call [Engine.Claim], and
	// must not block. Nil does nothing.
	Left func()
}

// Engine keeps the tasks of one server. It is safe for concurrent use. Its lock decides what may begin: nothing once
// the engine is closed, and no handler without a place.
type Engine struct {
	Config
	Records
	shared  bool // other processes may write to the store
	lasts   bool // the store outlasts this process, so tasks can go on in another one
	owner   string
	ctx     context.Context // of handlers
	stop    context.CancelCauseFunc
	wake    chan struct{} // has an element if there may be something to claim
	closing chan struct{} // Close closes it, after it has set closed
	waiters waiters
	counts  Counts

	mu      sync.Mutex
	runs    map[string]*Run // by the ids of their tasks
	places  places          // of tasks whose handlers have not returned
	looping bool
	closed  bool
	active  sync.WaitGroup // what goes on in the background; grows only while closed is not set
}

// New returns an engine. The caller must call Begin, and Close at the end.
func New(c Config) *Engine {
	e := &Engine{
		Config: c, shared: c.Options.Store != nil, owner: rand.Text(),
		wake: make(chan struct{}, 1), closing: make(chan struct{}), runs: make(map[string]*Run),
	}
	store := c.Options.Store
	switch store.(type) {
	case nil:
		store = new(task.Memory)
	case *task.Memory: // ends with this process
	default:
		e.lasts, store = true, &guardedStore{Store: store, log: e.Log}
	}
	o := &e.Options
	o.TTL = orDefault(o.TTL, defaultTTL)
	o.MaxPerPrincipal = orDefault(o.MaxPerPrincipal, defaultPerPrincipal)
	o.MaxTotal = orDefault(o.MaxTotal, defaultTotal)
	o.MaxBytes = orDefault(o.MaxBytes, defaultBytes)
	limits := task.Limits{PerPrincipal: o.MaxPerPrincipal, Total: o.MaxTotal, Bytes: o.MaxBytes}
	e.Records = newRecords(store, limits, &e.counts)
	o.MaxRunning = orDefault(o.MaxRunning, defaultRunning)
	o.MaxResultBytes = orDefault(o.MaxResultBytes, defaultResultBytes)
	o.PollInterval = orDefault(o.PollInterval, defaultPoll)
	e.places = newPlaces(o.MaxRunning)
	e.ctx, e.stop = context.WithCancelCause(context.Background())
	return e
}

// Begin begins to run tasks that other processes have left in the store. Call it as soon as Config.Run can be called.
func (e *Engine) Begin() {
	if e.shared {
		e.begin()
	}
}

func orDefault[T int | int64 | time.Duration](v, otherwise T) T {
	if v == 0 {
		return otherwise
	}
	return v
}

// Counts returns the numbers of e.
func (e *Engine) Counts() *Counts { return &e.counts }

// Running returns how many tasks run in this process.
func (e *Engine) Running() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return int(e.places.used[kindTasks])
}

// newID returns an id that nobody can guess, with 130 random bits. Ids are in the order of their times.
func newID(now time.Time) string {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(now.UnixMilli())<<16)
	return base32.HexEncoding.WithPadding(base32.NoPadding).EncodeToString(b[:6]) + rand.Text()
}

// logged returns the part of an id that may be logged: its time and 30 of its random bits. Whoever knows the whole id
// of a task without a subject may use the task.
func logged(id string) string { return id[:min(len(id), 16)] }

// Create stores r as a new task, and begins to run it if there is room. When it returns, the record is durable. If the
// store outlasts a server that closes, the task goes to other processes. The errors are [task.ErrFull], [ErrClosed] and
// those of the store.
func (e *Engine) Create(ctx context.Context, r *task.Record, ttl time.Duration) error {
	e.begin()
	now := task.Time(time.Now())
	r.ID, r.Status, r.Created, r.Updated = newID(now), task.Working, now, now
	r.LeaseUntil, r.Expires = now, now.Add(ttl)
	run, err := e.reserve(&r.Head, inputBytes(&r.Body))
	if err != nil && !e.lasts {
		return err
	}
	if run != nil {
		r.Lease(e.owner, now.Add(leaseTime))
		r.Begun = true
	}
	if err = e.insert(ctx, r); err != nil {
		e.release(run)
		if !errors.Is(err, task.ErrFull) {
			e.withdraw(r.ID)
		}
		return err
	}
	e.counts.Created.Add(1)
	if run != nil {
		e.start(run, r)
	} else {
		e.defers()
	}
	return nil
}

// withdraw cancels a task that the store may have although it has reported an error. The client does not know of the
// task, so the task must not run. withdraw tries in the background for as long as a lease lasts.
func (e *Engine) withdraw(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return
	}
	e.active.Go(func() {
		for end := time.Now().Add(leaseTime); time.Now().Before(end); {
			_, err := e.Cancel(e.ctx, id)
			if err == nil {
				e.counts.Created.Add(1) // the store has it, as a task that has ended
			}
			if err == nil || errors.Is(err, task.ErrNotFound) || !e.pause(time.Second) {
				return
			}
		}
	})
}

// pause waits for d, or until e closes. It reports whether e is still open.
func (e *Engine) pause(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-e.closing:
		return false
	}
}

// Cancel makes a task cancelled, unless it has ended, and ends the context of its handler. It returns the head.
func (e *Engine) Cancel(ctx context.Context, id string) (*task.Head, error) {
	ended := false
	read := func(ctx context.Context, id string) (*task.Record, error) { // the body is dropped, whatever it is
		h, err := e.Head(ctx, id)
		if err != nil {
			return nil, err
		}
		return &task.Record{Head: *h}, nil
	}
	r, err := e.change(ctx, id, read, func(r *task.Record) error {
		if ended = r.Status.Final(); ended {
			return errAsIs
		}
		r.Touch(time.Now())
		r.Status = task.Cancelled
		return nil
	})
	if err != nil {
		return nil, err
	}
	if ended {
		return &r.Head, nil
	}
	e.counts.Ended[labels.TaskCancelled].Add(1)
	e.end(id, ErrCancelled)
	e.changed(id)
	return &r.Head, nil
}

// Update gives a task answers to its questions. merge changes Asked and Answers of a record whose Status is
// [task.InputRequired], and reports whether it has. Once no question is open, the handler runs again.
func (e *Engine) Update(ctx context.Context, id string, merge func(r *task.Record) (changed bool)) error {
	resumes := false
	r, err := e.change(ctx, id, e.Get, func(r *task.Record) error {
		resumes = false
		if r.Status != task.InputRequired || !merge(r) {
			return errAsIs
		}
		now := time.Now()
		r.Touch(now)
		if resumes = len(r.Asked) == 0; resumes {
			e.resume(r, now)
		}
		return nil
	})
	if err != nil {
		return err
	}
	e.changed(id)
	if !resumes {
		return nil
	}
	if r.Begun {
		run, _ := e.reserve(&r.Head, inputBytes(&r.Body)) // only now: the swap has shown that nobody else resumes it
		if run != nil {
			e.start(run, r)
			run.notice() // the record may have changed before Signal could find the run
			return nil
		}
		e.putBack(context.WithoutCancel(ctx), &r.Head)
	}
	e.defers()
	return nil
}

// resume makes a task go on: if there is room here, its record gets a lease of this process and Begun is set. Otherwise
// any process with room may claim it.
func (e *Engine) resume(r *task.Record, now time.Time) {
	e.mu.Lock()
	r.Begun = e.roomLocked(&r.Head, inputBytes(&r.Body))
	e.mu.Unlock()
	r.Status = task.Working
	r.Release(now)
	if r.Begun {
		r.Lease(e.owner, now.Add(leaseTime))
	}
}

// putBack gives back a task that this process has a lease on but no room for. If that fails, the lease ends by itself.
func (e *Engine) putBack(ctx context.Context, h *task.Head) {
	h.Begun = false
	h.Release(time.Now())
	if err := e.swap(ctx, h, nil); err != nil && !errors.Is(err, task.ErrChanged) && !errors.Is(err, task.ErrNotFound) {
		e.storeFailed(err)
	}
}

// end ends the context of the handler of a task, if it runs here.
func (e *Engine) end(id string, why error) {
	e.mu.Lock()
	run := e.runs[id]
	e.mu.Unlock()
	if run != nil {
		run.cancel(why)
	}
}

// interrupted is the error of a task that must not run again, and whose run has ended without a known outcome.
var interrupted = json.RawMessage(`{"code":-32603,"message":"interrupted"}`)
