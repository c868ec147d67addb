package taskrun

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp/task"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

const (
	// messageGap is the least time between two writes of the status message, equal to the delay of updates. storeGap is
	// used instead for a store of the program, which may be a database with many writers.
	messageGap = 10 * time.Millisecond
	storeGap   = 250 * time.Millisecond
	// maxMessage and maxCheckpoint bound the status message and the checkpoint of a task, in bytes.
	maxMessage    = 1 << 10
	maxCheckpoint = 256 << 10
	// againAfter is how long a task waits after its handler could not begin.
	againAfter = time.Second
	// lapseBefore is how long before the end of its lease the context of a handler ends. In that time the handler can
	// return. It also allows for clocks of replicas that differ. After the end of the lease another replica may run the
	// handler too.
	lapseBefore = renewEvery / 2
	// renewAgain is when a renewal that has failed is tried again.
	renewAgain = renewEvery / 4
)

// Outcome is how a run of a handler has ended: with a result, an error, questions, or not at all.
type Outcome struct {
	Result  []byte // an object
	IsError bool
	Message string // the status message for a result that is an error; "" leaves the one that the handler has set
	Error   *wire.Error
	Asked   []byte // questions by key, an object
	// Again means that the handler has not begun, and is to be run later.
	Again bool
	// Stopped means that the server ended first.
	Stopped bool
}

// Run is one run of the handler of a task, in this process.
type Run struct {
	e         *Engine
	id        string
	principal string
	bytes     int64           // that the handler was given
	ctx       context.Context // of the handler
	cancel    context.CancelCauseFunc
	outcome   chan Outcome  // has room for the first outcome; others are dropped
	nudge     chan struct{} // has an element if the record is to be written or looked at
	lapse     *time.Timer   // ends the handler before the lease ends
	started   bool          // record is set, and the handler runs; guarded by e.mu

	mu      sync.Mutex
	record  *task.Record // the newest that this run has written or was given
	left    *task.Record // the record when this run had lost the task; nil if it has not, or the record is gone
	message string       // of the handler, if unsaved is set
	unsaved bool         // message is not written yet
	looks   bool         // somebody else may have changed the record
	ended   bool         // the outcome is known
}

// Record returns a copy of the record, as this process knows it.
func (r *Run) Record() task.Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	return *r.record
}

// ID returns the id of the task.
func (r *Run) ID() string { return r.id }

// End sets the outcome of the run. Only the first call counts. It never blocks.
func (r *Run) End(o Outcome) {
	select {
	case r.outcome <- o:
	default:
	}
}

// SetStatus sets the status message, which is written soon. It never blocks.
func (r *Run) SetStatus(text string) {
	text = cutMessage(text)
	r.mu.Lock()
	if r.ended || !r.unsaved && r.record.Message == text {
		r.mu.Unlock()
		return
	}
	r.message, r.unsaved = text, true
	r.mu.Unlock()
	r.wakeUp()
}

// Checkpoint returns a copy of what this run or an earlier one has saved last; nil if none has.
func (r *Run) Checkpoint() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]byte(nil), r.record.Checkpoint...)
}

// SaveCheckpoint stores b for later runs. It also works after the context of the handler has ended because the server
// closes. Without an error, b is durable when the method returns. The error is [ErrLost] if the task has another owner
// or has ended.
func (r *Run) SaveCheckpoint(b []byte) error {
	if len(b) > maxCheckpoint {
		return fmt.Errorf("mcp: the checkpoint has %d bytes, and may have %d", len(b), maxCheckpoint)
	}
	b = append([]byte(nil), b...)
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.ctx))
	defer cancel()
	defer context.AfterFunc(r.ctx, func() {
		if !errors.Is(context.Cause(r.ctx), ErrClosed) {
			cancel()
		}
	})()
	return r.write(ctx, func(t *task.Record) bool { t.Checkpoint = b; return true })
}

func (r *Run) wakeUp() {
	select {
	case r.nudge <- struct{}{}:
	default:
	}
}

// notice tells the run that others may have written its record.
func (r *Run) notice() {
	r.mu.Lock()
	r.looks = !failpoint.On("task-cancel-unnoticed")
	r.mu.Unlock()
	r.wakeUp()
}

// owns reports whether this run still owns the task, according to its record.
func (r *Run) owns(t *task.Record, fence uint64) bool {
	if t.Status == task.Working && failpoint.On("task-fence-ignored") ||
		t.Status == task.Cancelled && failpoint.On("task-complete-over-cancel") {
		return true
	}
	return t.Status == task.Working && t.Fence == fence && t.Owner == r.e.owner
}

// write changes the record by f, which reports whether it has changed the body; f may be called several times. If the
// task has another owner or has ended, write ends the context of the handler, and the error is [ErrLost].
func (r *Run) write(ctx context.Context, f func(t *task.Record) (body bool)) error {
	latest := r.Record()
	fence := latest.Fence
	for range maxSwaps {
		next := latest
		body := &next.Body
		if !f(&next) {
			body = nil
		}
		err := r.e.swap(ctx, &next.Head, body)
		switch {
		case err == nil:
			r.keepRecord(&next)
			return nil
		case errors.Is(err, task.ErrNotFound):
			r.cancel(ErrLost)
			return ErrLost
		case !errors.Is(err, task.ErrChanged):
			return err
		}
		now, err := r.e.Get(ctx, r.id)
		if err != nil && !errors.Is(err, task.ErrNotFound) {
			return err
		}
		if err != nil || !r.owns(now, fence) {
			r.cancel(lostTo(now))
			r.leave(now)
			return ErrLost
		}
		latest = *now // an earlier write of this run was stored, although the store reported an error
	}
	return task.ErrChanged
}

// lostTo says why a run does not own its task any more. t is the record of the task; nil if it is gone.
func lostTo(t *task.Record) error {
	if t != nil && t.Status == task.Cancelled {
		return ErrCancelled
	}
	return ErrLost
}

// hasEnded reports whether the outcome of the run is known.
func (r *Run) hasEnded() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended
}

// leave notes the present record of a task that r does not own any more; nil if the task is gone.
func (r *Run) leave(now *task.Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left = now
}

// countLate counts the outcome of a run that lost its task after a failed write, if that write was stored after all:
// the record has this outcome, and no other run has claimed it.
func (r *Run) countLate(o *Outcome) {
	r.mu.Lock()
	before, now := r.record, r.left
	r.mu.Unlock()
	if now == nil || now.Fence != before.Fence {
		return
	}
	want := *before
	r.conclude(&want, o)
	if now.Status == want.Status && now.Owner == want.Owner {
		r.e.counts.add(o, now.Restart)
	}
}

func (r *Run) keepRecord(t *task.Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.record = t
}

// startLapse starts a timer that ends the context of the handler before its lease ends, unless the lease is renewed. A
// timer also works while a call of the store hangs.
func (r *Run) startLapse() {
	until := r.Record().LeaseUntil
	r.lapse = time.AfterFunc(time.Until(until)-lapseBefore, func() { r.cancel(ErrLost) })
}

// keep renews the lease and writes the status message until the handler has ended.
func (r *Run) keep(ended <-chan struct{}) {
	gap := messageGap
	if r.e.shared {
		gap = storeGap
	}
	renew := time.NewTicker(renewEvery)
	defer renew.Stop()
	for {
		renews := false
		select {
		case <-ended:
			return
		case <-renew.C:
			renews = true
		case <-r.nudge:
		}
		switch ok := r.renew(renews); {
		case !ok:
			renew.Reset(renewAgain)
		case renews:
			renew.Reset(renewEvery)
		}
		t := time.NewTimer(gap)
		select {
		case <-ended:
			t.Stop()
			return
		case <-t.C:
		}
	}
}

// renew writes the lease if renews is set, and the status message if it has changed, unless the context of the handler
// has ended. It returns false if the store has failed.
func (r *Run) renew(renews bool) (ok bool) {
	if r.ctx.Err() != nil {
		return true
	}
	r.mu.Lock()
	message, says, looks := r.message, r.unsaved, r.looks
	r.unsaved, r.looks = false, false
	r.mu.Unlock()
	if !renews && !says && !looks {
		return true
	}
	var until time.Time
	err := r.write(r.ctx, func(t *task.Record) bool {
		now := time.Now()
		until = task.Time(now.Add(leaseTime))
		t.LeaseUntil = until
		if says {
			t.Message = message
			t.Touch(now)
		}
		return false
	})
	switch {
	case err == nil:
		r.lapse.Reset(time.Until(until) - lapseBefore)
		if says {
			r.e.changed(r.id)
		}
	case errors.Is(err, ErrLost):
	default:
		r.e.Log.Warn("mcp: a task cannot be written to its store", "task", logged(r.id), "err", err)
		if says {
			r.mu.Lock()
			if !r.unsaved {
				r.message, r.unsaved = message, true
			}
			r.mu.Unlock()
		}
		return false
	}
	return true
}

// finish writes the outcome of the handler. It tries again until the store has it, this run does not own the task any
// more, the task has expired, or the engine closes.
func (r *Run) finish(o Outcome) {
	r.mu.Lock()
	r.ended = true
	message, says := r.message, r.unsaved && !failpoint.On("task-last-message-lost")
	r.mu.Unlock()
	if len(o.Result) > r.e.Options.MaxResultBytes {
		o = tooLarge(len(o.Result), r.e.Options.MaxResultBytes)
	}
	failed := false
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
		err := r.write(ctx, func(t *task.Record) bool {
			if says {
				t.Message = message
			}
			return r.conclude(t, &o)
		})
		cancel()
		switch {
		case err == nil:
			r.e.counts.add(&o, r.Record().Restart)
			r.e.changed(r.id)
			if o.Stopped && r.Record().Restart {
				r.e.left()
			}
			return
		case errors.Is(err, ErrLost):
			if failed { // a write that reported an error may have been stored
				r.countLate(&o)
				r.e.changed(r.id)
			}
			return
		case errors.Is(err, task.ErrFull) && o.Error != errNoRoom && !o.Again && !o.Stopped:
			o, says = Outcome{Error: errNoRoom}, false
			continue
		}
		if failed = true; failpoint.On("task-outcome-once") {
			return
		}
		r.e.Log.Error("mcp: the outcome of a task cannot be written to its store", "task", logged(r.id), "err", err)
		record := r.Record()
		if record.Expired(time.Now()) || !r.e.pause(pause) {
			return
		}
	}
}

// errNoRoom is the outcome of a task whose own outcome has no room in the store.
var errNoRoom = wire.NewError(wire.CodeInternal, "there is no room for the outcome of the task")

func tooLarge(n, most int) Outcome {
	text := fmt.Sprintf("the result has %d bytes: at most %d are kept", n, most)
	return Outcome{Error: wire.NewError(wire.CodeInternal, text)}
}
