package pubsub

import (
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
)

const (
	// listDelay is how long the update of a list is delayed, so that further changes of the list need no update of their
	// own.
	listDelay = 10 * time.Millisecond
	// listGap is the shortest time between two updates of one list on one stream.
	listGap  = 100 * time.Millisecond
	maxSpare = 64 << 10 // the largest buffer that is kept for the next update
)

// Outbox is the ordered outgoing side of one connection. Three kinds of messages leave through it:
//
//   - messages that no stream depends on, such as responses. The goroutine that has a message writes it at once
//     ([Outbox.Write]);
//   - control messages, whose order matters to a stream: acknowledgements, responses to subscribe, the end of a listen.
//     A goroutine that holds write queues them under mu, together with the change of the stream, and then writes them
//     (flushLocked). So no message of the client is processed and answered in between;
//   - updates, which exist only as marked subscriptions until their turn comes (pump).
//
// A goroutine that writes first locks write. Only then it locks mu to take the next message, control messages first. So
// an update never overtakes an acknowledgement. And if a goroutine ends a stream under mu and then writes a message, no
// message of the stream follows.
//
// The pump has no goroutine of its own: pumps runs it when the first subscription is due, and it returns when no
// further one is due. So a connection without updates costs no goroutine. An Outbox is safe for concurrent use.
type Outbox struct {
	writer Writer
	delay  time.Duration
	failed func(error)          // called without locks, once a write has failed
	now    func() time.Duration // of the hub
	counts *counters            // of the hub

	write sync.Mutex // held while one message is written; locked before mu

	mu      sync.Mutex
	err     error     // the error of all further writes; nil while writing is possible. Set with write and mu held
	closed  bool      // Close has set err
	control []control // in order
	updates dueQueue  // of topics that are no lists: all wait equally long
	lists   dueQueue  // of lists, which wait differently long
	resyncs dueQueue  // updates because of Hub.Resync
	updated bool      // the last subscription taken was not in resyncs
	state   pumpState
	wakeup  time.Duration // of an armed pump
	paused  bool          // updates wait for Resume
	pumps   *pumps        // of the hub
	place   int           // index in pumps.queue, plus 1; 0 if not queued; guarded by pumps.mu
}

// control is a message that was queued together with a change of a stream. stream is nil if the message cannot be
// cancelled.
type control struct {
	frame  []byte
	stream *Stream
}

// updateBuffers has *[]byte for updates that are being written. An outbox has no buffer of its own, because thousands
// of buffers would take much memory and would never be in the cache of the processor.
var updateBuffers = sync.Pool{New: func() any { return new([]byte) }}

// pumpState says whether the pump of an outbox runs or will run.
type pumpState uint8

const (
	pumpIdle    pumpState = iota // no update is queued, or updates are paused
	pumpArmed                    // pumps runs it at wakeup
	pumpRunning                  // it checks the queues again before it ends
)

// NewOutbox returns an outbox that writes to w. The caller must close it. The update of a resource is delayed for
// delay, so that further changes of the resource need no update of their own. After an error of w the outbox writes
// nothing more, and calls failed once with the error, without a lock.
func (h *Hub) NewOutbox(w Writer, delay time.Duration, failed func(error)) *Outbox {
	return &Outbox{writer: w, delay: delay, failed: failed, now: h.now, counts: &h.counts, pumps: &h.pumps}
}

// Write writes frame on the goroutine of the caller. Right before, it calls live with a lock held. If live returns
// false, Write writes nothing and returns nil. A nil live counts as true. The error is that of the write, or the one
// that has ended the outbox earlier.
func (o *Outbox) Write(frame []byte, live func() bool) error { return o.writeNow(frame, false, live) }

// WriteUpdate is Write for an update that belongs to no subscription, such as a report of progress. While updates are
// paused, it drops the update and does not call live.
func (o *Outbox) WriteUpdate(frame []byte, live func() bool) error {
	return o.writeNow(frame, true, live)
}

func (o *Outbox) writeNow(frame []byte, update bool, live func() bool) error {
	return o.writeMade(update, func() []byte {
		if live != nil && !live() {
			return nil
		}
		return frame
	})
}

// WriteMade is Write for the result of frame, which it calls right before the write, with a lock held. If the result is
// nil, it writes nothing.
func (o *Outbox) WriteMade(frame func() []byte) error { return o.writeMade(false, frame) }

func (o *Outbox) writeMade(update bool, frame func() []byte) error {
	o.write.Lock()
	err, failed := o.err, false
	if err == nil && !(update && o.isPaused()) {
		if made := frame(); made != nil {
			err = o.writeLocked(made, nil, update)
			failed = err != nil
		}
	}
	o.write.Unlock()
	if failed {
		o.failed(err)
	}
	return err
}

// writeLocked writes frame followed by rest. The caller holds write. After an error the outbox writes nothing more, and
// the caller must unlock write and then call o.failed. The writer may be code of the program: a panic in it becomes an
// error. If the writer ends the goroutine, writeLocked itself unlocks write and calls o.failed.
func (o *Outbox) writeLocked(frame []byte, rest *Rest, update bool) (err error) {
	exited := true
	defer func() {
		if v := recover(); v != nil {
			exited, err = false, &WriterError{v, debug.Stack()}
		} else if exited {
			err = &WriterError{"it has ended its goroutine", debug.Stack()}
		}
		if err != nil {
			o.mu.Lock()
			o.endLocked(err)
			o.mu.Unlock()
		}
		if exited {
			o.write.Unlock()
			o.failed(err)
		}
	}()
	if w, ok := o.writer.(UpdateWriter); ok && update {
		err = w.WriteUpdate(frame, rest)
	} else {
		err = o.writer.WriteMessage(append(frame, rest.Text()...))
	}
	exited = false
	return err
}

// endLocked makes err the error of all further writes, unless there is such an error already. write and mu must be
// held.
func (o *Outbox) endLocked(err error) {
	if o.err != nil {
		return
	}
	o.err = err
	o.control = nil
	o.pumps.disarm(o)
}

// Err waits until no write is under way, and returns the error of the write that has ended the outbox. It returns nil
// if no write has failed, or if Close came first.
func (o *Outbox) Err() error {
	o.write.Lock()
	defer o.write.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil
	}
	return o.err
}

// Close makes all further writes return err. It waits until no write is under way. Queued messages are dropped.
func (o *Outbox) Close(err error) {
	o.write.Lock()
	defer o.write.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.closed = true
	}
	o.endLocked(err)
}

// Pause stops updates until Resume. No memory is needed for them meanwhile: a subscription stays marked, however often
// its topic changes. Other messages are still written.
func (o *Outbox) Pause() { o.setPaused(true) }

// Resume ends the pause that [Outbox.Pause] began.
func (o *Outbox) Resume() { o.setPaused(false) }

func (o *Outbox) isPaused() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.paused
}

func (o *Outbox) setPaused(paused bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.paused = paused
	if !failpoint.On("hub-resume-asleep") {
		o.armLocked()
	}
}

// queueLocked queues a control message. s is the stream of the message; nil if the message cannot be cancelled. write
// and mu must be held. The caller must call flushLocked when it has unlocked mu.
func (o *Outbox) queueLocked(frame []byte, s *Stream) {
	if o.err == nil {
		o.control = append(o.control, control{frame, s})
	}
}

// takeBackLocked drops the control messages of s that are not written yet.
func (o *Outbox) takeBackLocked(s *Stream) {
	o.control = slices.DeleteFunc(o.control, func(c control) bool { return c.stream == s })
}

// flushLocked writes the queued control messages, and unlocks write, which the caller holds.
func (o *Outbox) flushLocked() {
	var err error
	for frame, _ := o.nextLocked(false); frame != nil && err == nil; frame, _ = o.nextLocked(false) {
		err = o.writeLocked(frame, nil, false)
	}
	o.write.Unlock()
	if err != nil {
		o.failed(err)
	}
}

// step writes the next control message or due update for the pump, and reports whether there may be more.
func (o *Outbox) step() (more bool) {
	o.write.Lock()
	frame, u := o.nextLocked(true)
	if u != nil && u.authorizer() != nil && !o.authorize(u) {
		o.write.Unlock()
		return true
	}
	var buf *[]byte
	var rest *Rest
	if u != nil {
		buf = updateBuffers.Get().(*[]byte)
		frame, rest = u.appendUpdate((*buf)[:0])
		*buf = frame
	}
	err, failed := o.err, false
	if err == nil && frame != nil {
		err = o.writeLocked(frame, rest, u != nil)
		failed = err != nil
		if u != nil && !failed {
			o.counts.delivered.Add(1)
		}
		if u != nil && failpoint.On("hub-mark-during-write") {
			o.mu.Lock()
			o.unscheduleLocked(u)
			u.dirty.Store(false)
			o.mu.Unlock()
		}
	}
	o.write.Unlock()
	if u != nil && err == nil && cap(frame) <= maxSpare {
		updateBuffers.Put(buf) // after an error the write may still use it, as on HTTP/2
	}
	if failed {
		o.failed(err)
	}
	return err == nil && frame != nil
}

// authorize asks the authorizer of u, and reports whether the update of u may be written. u must have an authorizer and
// be out of its due queue. write is held before and after, but not while the authorizer runs.
func (o *Outbox) authorize(u *Subscription) bool {
	o.write.Unlock()
	d := u.authorizer().Authorize(u.uri)
	if d == Revoke {
		u.stream.revoke(u)
	}
	o.write.Lock()
	return d == Deliver && !u.HasEnded()
}

// nextLocked takes the next message: the first control message, as frame, or else, if pump is true, a subscription u
// whose update is due. If there is neither, both results are nil, and the pump becomes idle. write must be held.
func (o *Outbox) nextLocked(pump bool) (frame []byte, u *Subscription) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return nil, nil // so no authorizer is asked any more
	}
	if len(o.control) > 0 {
		frame = o.control[0].frame
		o.control = slices.Delete(o.control, 0, 1)
		return frame, nil
	}
	if !pump {
		return nil, nil
	}
	if now := o.now(); !o.paused {
		if u = o.turnLocked(now); u != nil && u.due <= now {
			o.takeLocked(u, now)
			return nil, u
		}
	}
	o.state = pumpIdle
	o.armLocked()
	return nil, nil
}

// firstLocked returns the subscription that is due first; nil if no update is queued.
func (o *Outbox) firstLocked() *Subscription {
	return earlier(earlier(o.updates.head, o.lists.head), o.resyncs.head)
}

// turnLocked returns the subscription whose update is next. The parameter now is the current time. If no update is due,
// it returns nil, or a subscription that is due later. During a resync every second one is for a known change, so that
// known changes need not wait for the whole resync.
func (o *Outbox) turnLocked(now time.Duration) *Subscription {
	u, r := earlier(o.updates.head, o.lists.head), o.resyncs.head
	if r == nil || r.due > now || u != nil && u.due <= now && !o.updated {
		return u
	}
	return r
}

// earlier returns that of u and v which is due first. Either may be nil, and then it returns the other.
func earlier(u, v *Subscription) *Subscription {
	if u == nil || v != nil && v.due < u.due {
		return v
	}
	return u
}

// takeLocked removes u from its due queue and makes it clean, so that the next change marks it again.
func (o *Outbox) takeLocked(u *Subscription, now time.Duration) {
	o.updated = !u.is(isResync)
	o.queueOf(u).remove(u)
	u.state &^= isResync
	if u.kind.isList() {
		*u.stream.deliveredLocked(u) = now
	}
	u.dirty.Store(false)
}

// scheduleLocked puts u, which is dirty and may be delivered, into its due queue.
func (o *Outbox) scheduleLocked(u *Subscription) {
	now := o.now()
	if !u.kind.isList() {
		u.due = now + o.delay
	} else {
		u.due = max(now+listDelay, *u.stream.deliveredLocked(u)+listGap)
	}
	o.queueOf(u).add(u)
	o.armLocked()
}

// unscheduleLocked removes u from its due queue, if it is in one.
func (o *Outbox) unscheduleLocked(u *Subscription) {
	if u.is(isQueued) {
		o.queueOf(u).remove(u)
	}
	u.state &^= isResync
}

// queueOf returns the due queue to which u belongs.
func (o *Outbox) queueOf(u *Subscription) *dueQueue {
	switch {
	case u.is(isResync):
		return &o.resyncs
	case !u.kind.isList():
		return &o.updates
	}
	return &o.lists
}

// armLocked makes sure that the pump runs when the first subscription is due.
func (o *Outbox) armLocked() {
	u := o.firstLocked()
	if u == nil || o.err != nil || o.paused || o.state == pumpRunning || o.state == pumpArmed && o.wakeup <= u.due {
		return
	}
	o.state, o.wakeup = pumpArmed, u.due
	o.pumps.arm(o, u.due)
}
