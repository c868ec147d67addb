package taskrun

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// How long things take. Leases are long enough for clocks of replicas that differ by some seconds.
const (
	leaseTime    = 30 * time.Second
	renewEvery   = 10 * time.Second
	claimEvery   = 5 * time.Second // how often this process looks for tasks that nobody runs
	sweepEvery   = leaseTime / 2   // how often it looks for tasks whose owners have died, even if it has no room for them
	expireEvery  = time.Minute
	expireBatch  = 256
	storeTimeout = 5 * time.Second  // of one call of the store
	pollEvery    = time.Second      // of a task that somebody waits for, in a store that other processes write to
	pollSeldom   = 30 * time.Second // the same if these processes report what they change
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

// Engine keeps the tasks of one server. It is safe for concurrent use.
type Engine struct {
	Config
	store   task.Store
	limits  task.Limits
	shared  bool // other processes may write to the store
	lasts   bool // the store outlasts this process, so tasks can go on in another one
	owner   string
	ctx     context.Context // of handlers
	stop    context.CancelCauseFunc
	wake    chan struct{} // has an element if there may be something to claim
	lists   *turns        // bounds how many calls read a part of a list
	counts  Counts
	silence silence  // of the loop
	soon    bool     // a task was given back that others can claim at once; of the loop
	served  []string // the principals of the tasks that were claimed last; of the loop

	mu      sync.Mutex
	runs    map[string]*Run // by the ids of their tasks
	places  places          // of tasks whose handlers have not returned
	waiters map[string]map[chan struct{}]struct{}
	looping bool
	closed  bool
	closing chan struct{}
	active  sync.WaitGroup // the loop, and runs
}

// New returns an engine. The caller must call Begin, and Close at the end.
func New(c Config) *Engine {
	e := &Engine{
		Config: c, shared: c.Options.Store != nil, owner: rand.Text(),
		wake: make(chan struct{}, 1), lists: newTurns(maxLists), closing: make(chan struct{}),
		runs: make(map[string]*Run), waiters: make(map[string]map[chan struct{}]struct{}),
	}
	switch s := c.Options.Store.(type) {
	case nil:
		e.store = new(task.Memory)
	case *task.Memory:
		e.store = s
	default:
		e.lasts, e.store = true, &guardedStore{Store: s, log: e.Log}
	}
	o := &e.Options
	o.TTL = orDefault(o.TTL, defaultTTL)
	o.MaxPerPrincipal = orDefault(o.MaxPerPrincipal, defaultPerPrincipal)
	o.MaxTotal = orDefault(o.MaxTotal, defaultTotal)
	o.MaxBytes = orDefault(o.MaxBytes, defaultBytes)
	e.limits = task.Limits{PerPrincipal: o.MaxPerPrincipal, Total: o.MaxTotal, Bytes: o.MaxBytes}
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
	err = e.call(ctx, func(ctx context.Context) error { return e.store.Create(ctx, r, e.limits) })
	if err != nil {
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

// Get returns the record of a task. The error is [task.ErrNotFound] if there is none, or it has expired.
func (e *Engine) Get(ctx context.Context, id string) (*task.Record, error) {
	r, err := find(ctx, e, id, e.store.Get)
	if err == nil && r.Expired(time.Now()) {
		return nil, task.ErrNotFound
	}
	return r, err
}

// Head returns the head of a task, with the errors of Get.
func (e *Engine) Head(ctx context.Context, id string) (*task.Head, error) {
	h, err := find(ctx, e, id, e.store.Head)
	if err == nil && h.Expired(time.Now()) {
		return nil, task.ErrNotFound
	}
	return h, err
}

func find[T any](ctx context.Context, e *Engine, id string, get func(context.Context, string) (*T, error)) (*T, error) {
	if len(id) == 0 || len(id) > task.MaxID {
		return nil, task.ErrNotFound
	}
	var v *T
	err := e.call(ctx, func(ctx context.Context) (err error) {
		v, err = get(ctx, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// call makes a call of the store, bounded by storeTimeout, and counts it if the store fails.
func (e *Engine) call(ctx context.Context, f func(ctx context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	err := f(limited)
	if err == nil || ctx.Err() != nil {
		return err
	}
	for _, known := range []error{task.ErrNotFound, task.ErrChanged, task.ErrExists, task.ErrFull} {
		if errors.Is(err, known) {
			return err
		}
	}
	e.counts.StoreErrors.Add(1)
	return err
}

// Limits of the heads that are in memory for lists at a time: listBatch for each of maxLists calls. A head may be
// large, because it has the rights of a caller and sometimes a small body.
const (
	maxLists  = 4
	listBatch = 25
)

// List calls f for the heads of a principal in the order of their ids, at most limit times. It begins behind the head
// whose id is lastID, or with the first if lastID is "". If it calls f fewer times without an error, there are no more.
func (e *Engine) List(ctx context.Context, principal, lastID string, limit int, f func(h *task.Head)) error {
	for limit > 0 {
		n, most := 0, min(limit, listBatch)
		if err := e.lists.take(ctx, principal); err != nil {
			return err
		}
		err := e.call(ctx, func(ctx context.Context) error {
			defer e.lists.give(principal)
			list, err := e.store.List(ctx, principal, lastID, most)
			for _, h := range list {
				f(h)
				lastID = h.ID
			}
			n = len(list)
			return err
		})
		if err != nil || n < most {
			return err
		}
		limit -= n
	}
	return nil
}

// errAsIs is what a change returns if nothing is to be changed.
var errAsIs = errors.New("taskrun: nothing to change")

// maxSwaps is how often a change is tried again when others change the same record.
const maxSwaps = 64

// change changes a task, whoever owns it. read reads the parts of the record that f needs. f may be called several
// times, each time with the newest record. If f returns errAsIs, nothing is written, and the error is nil.
func (e *Engine) change(
	ctx context.Context, id string, read func(context.Context, string) (*task.Record, error), f func(r *task.Record) error,
) (*task.Record, error) {
	err := task.ErrChanged
	for range maxSwaps {
		var r *task.Record
		if r, err = read(ctx, id); err != nil {
			return nil, err
		}
		if err = f(r); errors.Is(err, errAsIs) {
			return r, nil
		} else if err != nil {
			return r, err
		}
		if err = e.swap(ctx, &r.Head, &r.Body); err == nil {
			return r, nil
		}
		if !errors.Is(err, task.ErrChanged) {
			return nil, err
		}
	}
	return nil, err
}

// swap replaces a record. A nil body leaves the body as it is.
func (e *Engine) swap(ctx context.Context, h *task.Head, b *task.Body) error {
	return e.call(ctx, func(ctx context.Context) error { return e.store.Swap(ctx, h, b, e.limits) })
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
