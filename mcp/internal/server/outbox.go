package server

import (
	"errors"
	"io"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp/transport"
)

const (
	// listDelay is how long a changed list waits for more changes before a stream is told.
	listDelay = 10 * time.Millisecond
	// listGap is the least time between two notifications of one list on one stream.
	listGap = 100 * time.Millisecond
)

// outbox is the ordered outgoing side of one conn. Three kinds of frames leave through it:
//
//   - answers to requests, written at once by the goroutine that has them (respond);
//   - control frames, whose order matters to a stream: acknowledgements, answers to subscribe and
//     unsubscribe, the end of a listen. They are queued under mu together with the change of the
//     stream that they tell of, and written by the same goroutine afterwards (flush);
//   - updates, which exist only as marked subs until their turn comes (pump).
//
// Whoever writes holds write, and only then looks under mu what comes next, control frames first.
// So an update never overtakes an acknowledgement; and who makes a stream gone under mu and
// then writes anything knows that no frame of that stream follows.
//
// The pump is no standing goroutine: a timer starts it when the first sub is due, and it ends
// when nothing more is. A conn without news costs none.
type outbox struct {
	conn transport.Conn
	log  *slog.Logger

	// Set before the first use, by newStreams and by its caller.
	clock func() time.Duration // of the hub
	delay time.Duration        // Options.UpdateDelay
	died  func(error)          // called without locks after a failed write; nil for nothing

	write sync.Mutex // held while one frame is written; taken before mu
	buf   []byte     // guarded by write: the update being written

	mu      sync.Mutex
	err     error     // why nothing can be written any more; set with write and mu held
	control []control // in order
	updates agenda    // of resources: each waits equally long
	lists   agenda    // of lists: their gaps differ
	state   pumpState
	wakeup  time.Duration // of an armed pump
	muted   bool          // updates wait until somebody can hear them
	timer   *time.Timer   // made when first armed
}

// control is one frame that was queued together with a change of stream. stream is nil if no
// cancellation can take the frame back.
type control struct {
	frame  []byte
	stream *stream
}

// pumpState says whether somebody will look at the agendas.
type pumpState uint8

const (
	pumpIdle    pumpState = iota // nothing is due
	pumpArmed                    // the timer runs until wakeup
	pumpRunning                  // looks again before it ends
)

// newOutbox returns the outbox of c. The caller closes it.
func newOutbox(c transport.Conn, log *slog.Logger) *outbox {
	return &outbox{conn: c, log: log}
}

// respond writes frame on the goroutine of the caller, unless live, called right before, says that
// nobody wants it any more. A nil live means always. live must not block.
func (o *outbox) respond(frame []byte, live func() bool) error {
	o.write.Lock()
	err, failed := o.err, false
	if err == nil && (live == nil || live()) {
		err = o.writeLocked(frame)
		failed = err != nil
	}
	o.write.Unlock()
	if failed {
		o.bury(err)
	}
	return err
}

// writeLocked writes frame; write is held. After an error the conn is dead, and the caller buries
// it once it has released write.
func (o *outbox) writeLocked(frame []byte) error {
	err := o.conn.WriteMessage(frame)
	if err != nil {
		o.mu.Lock()
		o.endLocked(err)
		o.mu.Unlock()
	}
	return err
}

// bury ends what depends on a conn that has died, and tells the operator; no lock is held.
func (o *outbox) bury(err error) {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		o.log.Warn("mcp: client does not read: connection ended", "err", err)
	case errors.Is(err, io.ErrClosedPipe): // the client has left, as clients do
		o.log.Debug("mcp: connection ended", "err", err)
	case !errors.Is(err, transport.ErrClosed):
		o.log.Info("mcp: connection ended", "err", err)
	}
	if o.died != nil {
		o.died(err)
	}
	_ = o.conn.Close()
}

// endLocked makes err the fate of all later frames; write and mu are held.
func (o *outbox) endLocked(err error) {
	if o.err != nil {
		return
	}
	o.err = err
	o.control = nil
	if o.timer != nil {
		o.timer.Stop()
	}
}

// fate returns the error that a write has failed with, after the one that is under way; nil if none has.
func (o *outbox) fate() error {
	o.write.Lock()
	defer o.write.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
	if errors.Is(o.err, transport.ErrClosed) {
		return nil
	}
	return o.err
}

// close refuses all later frames and returns when no write is under way. It does not flush.
func (o *outbox) close() {
	o.write.Lock()
	defer o.write.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.endLocked(transport.ErrClosed)
}

// queueLocked queues a control frame; mu is held. The caller flushes once it has released mu.
func (o *outbox) queueLocked(frame []byte, s *stream) {
	if o.err == nil {
		o.control = append(o.control, control{frame, s})
	}
}

// takeBackLocked forgets the control frames of s that are not written yet.
func (o *outbox) takeBackLocked(s *stream) {
	o.control = slices.DeleteFunc(o.control, func(c control) bool { return c.stream == s })
}

// flush writes the control frames that are queued.
func (o *outbox) flush() error {
	for {
		more, err := o.step(false)
		if !more {
			return err
		}
	}
}

// pump writes what is due, then arms itself for what will be.
func (o *outbox) pump() {
	o.mu.Lock()
	if o.state == pumpRunning {
		o.mu.Unlock()
		return // by an older run of the timer
	}
	o.state = pumpRunning
	o.mu.Unlock()
	o.pumpOn()
}

// pumpOn is pump while it is running.
func (o *outbox) pumpOn() {
	whole := false
	defer func() {
		if !whole { // a policy has ended this goroutine, between two frames
			go o.pumpOn()
		}
	}()
	for more := true; more; {
		more, _ = o.step(true)
	}
	whole = true
}

// step writes the next frame and reports whether there may be more; updates are looked at only if
// the caller is the pump.
func (o *outbox) step(pump bool) (more bool, err error) {
	o.write.Lock()
	frame, u := o.nextLocked(pump)
	if u != nil && u.warden != nil && !o.letLocked(u) {
		o.write.Unlock()
		return true, nil
	}
	if u != nil {
		o.buf = u.appendFrame(o.buf[:0])
		frame = o.buf
	}
	err, failed := o.err, false
	if err == nil && frame != nil {
		err = o.writeLocked(frame)
		failed = err != nil
	}
	o.write.Unlock()
	if failed {
		o.bury(err)
	}
	return err == nil && frame != nil, err
}

// letLocked asks whether the client may hear of the update of u, which is not on its agenda any more. write is
// held, but not while the program is asked.
func (o *outbox) letLocked(u *sub) bool {
	o.write.Unlock()
	allowed := u.warden.lets(u)
	o.write.Lock()
	return allowed && !u.isGone()
}

// nextLocked takes the frame whose turn it is: a control frame, else the update of a sub that is due.
// Without either the pump goes idle. write is held.
func (o *outbox) nextLocked(pump bool) (frame []byte, u *sub) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return nil, nil // and no policy is asked any more
	}
	if len(o.control) > 0 {
		frame = o.control[0].frame
		o.control = slices.Delete(o.control, 0, 1)
		return frame, nil
	}
	if !pump {
		return nil, nil
	}
	if u = o.firstLocked(); u != nil && !o.muted {
		if now := o.clock(); u.due <= now {
			o.takeLocked(u, now)
			return nil, u
		}
	}
	o.state = pumpIdle
	o.armLocked()
	return nil, nil
}

// mute makes updates wait, or lets those go that have waited. Waiting costs nothing: what has
// changed stays marked, however often it changes.
func (o *outbox) mute(muted bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.muted = muted
	o.armLocked()
}

// firstLocked returns the sub that is due first.
func (o *outbox) firstLocked() *sub {
	u, l := o.updates.head, o.lists.head
	if u == nil || l != nil && l.due < u.due {
		return l
	}
	return u
}

// takeLocked takes u off its agenda. A signal that comes from now on marks it again.
func (o *outbox) takeLocked(u *sub, now time.Duration) {
	o.agendaOf(u).remove(u)
	u.told = now
	u.dirty.Store(false)
}

// scheduleLocked puts u, which is dirty and may be told, on its agenda.
func (o *outbox) scheduleLocked(u *sub) {
	now := o.clock()
	if u.topic.kind == oneResource {
		u.due = now + max(o.delay, 0)
	} else {
		u.due = max(now+listDelay, u.told+listGap)
	}
	o.agendaOf(u).add(u)
	o.armLocked()
}

// agendaOf returns the agenda for subs like u.
func (o *outbox) agendaOf(u *sub) *agenda {
	if u.topic.kind == oneResource {
		return &o.updates
	}
	return &o.lists
}

// armLocked makes sure that the pump runs when the first sub is due.
func (o *outbox) armLocked() {
	u := o.firstLocked()
	if u == nil || o.err != nil || o.muted || o.state == pumpRunning || o.state == pumpArmed && o.wakeup <= u.due {
		return
	}
	o.state, o.wakeup = pumpArmed, u.due
	wait := max(u.due-o.clock(), 0)
	if o.timer == nil {
		o.timer = time.AfterFunc(wait, o.pump)
	} else {
		o.timer.Reset(wait)
	}
}
