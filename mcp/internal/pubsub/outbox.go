package pubsub

import (
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
)

const (
	// listDelay is how long a changed list waits for more changes before its update.
	listDelay = 10 * time.Millisecond
	// listGap is the least time between two updates of one list on one stream.
	listGap  = 100 * time.Millisecond
	maxSpare = 64 << 10 // the largest buffer that is kept for the next update
)

// Outbox is the ordered outgoing side of one connection. Three kinds of messages leave through it:
//
//   - messages that no stream depends on, such as answers to requests, written at once by the goroutine that has them
//     ([Outbox.Write]);
//   - control messages, whose order matters to a stream: acknowledgements, answers to subscribe, the end of a listen.
//     They are queued under mu together with the change of the stream that they tell of, by who holds write and then
//     writes them (flushLocked), so that no message of the client is processed and answered in between;
//   - updates, which exist only as marked subscriptions until their turn comes (pump).
//
// Whoever writes holds write, and only then looks under mu what comes next, control messages first. So an update never
// overtakes an acknowledgement; and who ends a stream under mu and then writes anything knows that no message of that
// stream follows.
//
// The pump is no standing goroutine: pumps runs it when the first subscription is due, and it ends when nothing more
// is. A connection without updates costs none. An Outbox is safe for concurrent use.
type Outbox struct {
	writer Writer
	delay  time.Duration
	failed func(error)          // called without locks after a failed write
	now    func() time.Duration // of the hub
	counts *counters            // of the hub

	write sync.Mutex // held while one message is written; taken before mu

	mu      sync.Mutex
	err     error     // why nothing can be written any more; set with write and mu held
	closed  bool      // err is that of Close
	control []control // in order
	updates dueQueue  // of resources: each waits equally long
	lists   dueQueue  // of lists: their gaps differ
	resyncs dueQueue  // of resources and lists that may have changed without notice; see Hub.Resync
	updated bool      // the subscription taken last was not in resyncs
	state   pumpState
	wakeup  time.Duration // of an armed pump
	paused  bool          // updates wait until the client can receive them
	pumps   *pumps        // of the hub
	place   int           // index in pumps.queue, plus 1; 0 if not queued; guarded by pumps.mu
}

// control is a message that was queued together with a change of a stream. stream is nil if the message cannot be
// cancelled.
type control struct {
	frame  []byte
	stream *Stream
}

// updateBuffers has *[]byte for updates that are being written. An outbox has no buffer of its own: thousands of them
// would take memory, and would never be in the processor's cache.
var updateBuffers = sync.Pool{New: func() any { return new([]byte) }}

// pumpState is whether the due queues will be processed.
type pumpState uint8

const (
	pumpIdle    pumpState = iota // no update is queued, or updates are paused
	pumpArmed                    // pumps runs it at wakeup
	pumpRunning                  // looks again before it ends
)

// NewOutbox returns the outbox of a connection that is written with w. The caller closes it. An update of a resource
// waits for delay, so that further changes of the resource need no update of their own. failed is called once, without
// a lock, with the error of w after which the outbox writes nothing more.
func (h *Hub) NewOutbox(w Writer, delay time.Duration, failed func(error)) *Outbox {
	return &Outbox{writer: w, delay: delay, failed: failed, now: h.now, counts: &h.counts, pumps: &h.pumps}
}

// Write writes frame on the goroutine of the caller. It calls live right before, with a lock held; if that is false,
// Write writes nothing and returns nil. A nil live counts as true.
func (o *Outbox) Write(frame []byte, live func() bool) error { return o.writeNow(frame, false, live) }

// WriteUpdate is Write for an update that belongs to no subscription, such as a report of progress. While updates are
// paused it is dropped, and live is not called.
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

// WriteMade is Write for a frame that is made right before it is written, with a lock held; nil is not written.
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

// writeLocked writes frame, and rest behind it; write is held. After an error the connection is dead, and the caller
// must report that once it has released write. The writer may be code of the program: a panic in it becomes an error.
// If it ends the goroutine, the caller cannot report that, so writeLocked releases write and reports it.
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

// endLocked makes err the error of all later writes; write and mu are held.
func (o *Outbox) endLocked(err error) {
	if o.err != nil {
		return
	}
	o.err = err
	o.control = nil
	o.pumps.disarm(o)
}

// Err waits for a write that is under way, and returns the error that has ended the connection; nil if there was none,
// or after Close.
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

// Close makes all later writes fail with err, and returns when no write is under way. What is queued is not written.
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

// Pause stops updates until Resume. That costs nothing: a subscription stays marked, however often its resource
// changes. Other messages are still written.
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

// queueLocked queues a control message; write and mu are held. The caller flushes once it has released mu.
func (o *Outbox) queueLocked(frame []byte, s *Stream) {
	if o.err == nil {
		o.control = append(o.control, control{frame, s})
	}
}

// takeBackLocked removes the control messages of s that are not written yet.
func (o *Outbox) takeBackLocked(s *Stream) {
	o.control = slices.DeleteFunc(o.control, func(c control) bool { return c.stream == s })
}

// flushLocked writes the control messages that are queued, and releases write, which the caller holds.
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

// step writes the next message for the pump, and reports whether there may be more.
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
		updateBuffers.Put(buf) // after an error the write may be under way still, as on HTTP/2
	}
	if failed {
		o.failed(err)
	}
	return err == nil && frame != nil
}

// authorize reports whether the update of u may be written; u was taken out of its due queue. write is held before and
// after, but not while the authorizer runs.
func (o *Outbox) authorize(u *Subscription) bool {
	o.write.Unlock()
	d := u.authorizer().Authorize(u.uri)
	if d == Revoke {
		u.stream.revoke(u)
	}
	o.write.Lock()
	return d == Deliver && !u.HasEnded()
}

// nextLocked takes the message whose turn it is: a control message, else, for the pump, the update of a subscription
// that is due. Without either the pump goes idle. write is held.
func (o *Outbox) nextLocked(pump bool) (frame []byte, u *Subscription) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return nil, nil // and no authorizer is asked any more
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

// firstLocked returns the subscription that is due first.
func (o *Outbox) firstLocked() *Subscription {
	return earlier(earlier(o.updates.head, o.lists.head), o.resyncs.head)
}

// turnLocked returns the subscription whose turn it is at the time now. If none is due, it returns nil or one that is
// due later. During a resync it takes every second one from the ordinary changes, so that these do not wait for all of
// the resync.
func (o *Outbox) turnLocked(now time.Duration) *Subscription {
	u, r := earlier(o.updates.head, o.lists.head), o.resyncs.head
	if r == nil || r.due > now || u != nil && u.due <= now && !o.updated {
		return u
	}
	return r
}

// earlier returns the one of two subscriptions that is due first; either may be nil.
func earlier(u, v *Subscription) *Subscription {
	if u == nil || v != nil && v.due < u.due {
		return v
	}
	return u
}

// takeLocked takes u off its due queue. A change that comes from now on marks it again.
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

// unscheduleLocked takes u off its due queue, if it is in it.
func (o *Outbox) unscheduleLocked(u *Subscription) {
	if u.is(isQueued) {
		o.queueOf(u).remove(u)
	}
	u.state &^= isResync
}

// queueOf returns the due queue for subscriptions like u.
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
