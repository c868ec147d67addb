package eventlog

import (
	"bytes"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
)

// What a session keeps of its streams, so that a client whose connection has broken can resume them, is bounded: the
// constants below, and Options.MaxRetainedBytes with the share of a client. What is kept ends as soon as possible:
//
//   - an event, and those before it, when its client names it in a Last-Event-ID;
//   - a whole stream, ResumeTimeout after its response was written without an error. The specification has no other
//     acknowledgement than Last-Event-ID, and a write that has succeeded says only that the kernel has the bytes; a
//     client that has lost them comes back within seconds, or not at all;
//   - a stream with a response that was not written, and all others, when the session ends, or for something newer.
const (
	// maxEvents and maxStreamBytes bound what is kept of one stream, and so the size of a response that is kept.
	maxEvents      = 256
	maxStreamBytes = 2 << 20
	// maxSessionBytes bounds what is kept of all streams of a session.
	maxSessionBytes = 4 << 20
	// maxReplies is how many streams with a response a session keeps.
	maxReplies = 16
	// costOfLog and costOfEvent are what a stream and an event count beside the text.
	costOfLog, costOfEvent = 512, 32
)

// event is what is kept of one event of a stream: its number and its message.
type event struct {
	number uint64
	frame  []byte
}

// retained is what is kept of one stream. The zero value keeps nothing.
type retained struct {
	counted bool      // costOfLog is counted; if not, no event is kept
	events  []event   // in their order
	bytes   int64     // of events
	done    bool      // the last event is the response
	until   time.Time // when all of it is forgotten; zero for no time
}

// Streams are the streams of one session. It is made for the first of them.
type Streams struct {
	admit   *limits.Admission
	usage   *limits.Usage // whom they count for
	patient time.Duration // Options.ResumeTimeout
	prefix  string        // of the ids of events; no other process that serves the session has it

	Notifications Log
	order         atomic.Uint64 // of the request that has the notification stream
	orders        atomic.Uint64 // that were given to such requests: the newest has the highest
	joining       chan struct{} // holds one element while a request becomes the notification stream
	left          chan struct{} // closed when the last such request does not count any more; guarded by joining
	delivery      sync.Mutex    // held while it is decided whether updates are delivered

	mu      sync.Mutex  // taken last; never held during I/O
	replies []*Log      // streams of responses, oldest first
	named   int         // number of the last reply
	bytes   int64       // that count for what is kept
	reaper  *time.Timer // forgets what was delivered; nil while there is nothing to forget
	ended   bool        // nothing is kept any more
}

// NewStreams returns the streams of a session of u. keepFor is how long the events of a response are kept after the
// response was written. The ids of events begin with prefix.
func NewStreams(admit *limits.Admission, u *limits.Usage, keepFor time.Duration, prefix string) *Streams {
	t := &Streams{admit: admit, usage: u, patient: keepFor, prefix: prefix, joining: make(chan struct{}, 1)}
	t.Notifications.of = t
	t.Notifications.counted = t.takeLocked(costOfLog)
	return t
}

// NewReply returns one more stream with a response. If the session has too many, the oldest ones that have their
// response are forgotten.
func (t *Streams) NewReply() *Log {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.named++
	l := &Log{of: t, number: t.named, over: make(chan struct{})}
	l.counted = t.makeRoomLocked(l, costOfLog)
	t.replies = append(t.replies, l)
	for i := 0; len(t.replies) > maxReplies && i < len(t.replies); {
		if t.replies[i].done {
			t.forgetLocked(i)
		} else {
			i++
		}
	}
	return l
}

// takeLocked counts n bytes, if there is room for them.
func (t *Streams) takeLocked(n int64) bool {
	if t.ended || t.bytes+n > maxSessionBytes || !t.admit.Take(t.usage, limits.RetainedBytes, n) {
		return false
	}
	t.bytes += n
	return true
}

// giveLocked undoes takeLocked.
func (t *Streams) giveLocked(n int64) {
	t.bytes -= n
	t.admit.Give(t.usage, limits.RetainedBytes, n)
}

// find returns the stream with a number; nil if there is none.
func (t *Streams) find(number int) *Log {
	if number == 0 {
		return &t.Notifications
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, l := range t.replies {
		if l.number == number {
			return l
		}
	}
	return nil
}

// keep keeps a copy of an event of l. To make room, it forgets older events of the session. It returns false if there
// is no room.
func (t *Streams) keep(l *Log, e event) bool {
	n := int64(len(e.frame)) + costOfEvent
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return false
	}
	if !l.counted || n > maxStreamBytes {
		t.admit.Deny(limits.RetainedBytes)
		return false
	}
	for len(l.events) >= maxEvents || l.bytes+n > maxStreamBytes {
		t.dropLocked(l)
	}
	if !t.makeRoomLocked(l, n) {
		t.admit.Deny(limits.RetainedBytes)
		return false
	}
	e.frame = bytes.Clone(e.frame)
	l.events = append(l.events, e)
	l.bytes += n
	return true
}

// dropLocked forgets the oldest event of l. The others are not copied for it.
func (t *Streams) dropLocked(l *Log) {
	n := int64(len(l.events[0].frame)) + costOfEvent
	l.events[0] = event{}
	l.events = l.events[1:]
	l.bytes -= n
	t.giveLocked(n)
}

// makeRoomLocked counts n bytes for l. If there is no room, it first forgets older events of the session. It returns
// false if that is not enough.
func (t *Streams) makeRoomLocked(l *Log, n int64) bool {
	for !t.takeLocked(n) {
		if !t.dropOlderLocked(l) {
			return false
		}
	}
	return true
}

// dropOlderLocked forgets something to make room for l: a stream whose response was delivered, else an event that is no
// response, else a stream whose response was not. It returns false if there is nothing to forget.
func (t *Streams) dropOlderLocked(l *Log) bool {
	if i := slices.IndexFunc(t.replies, func(o *Log) bool { return o != l && !o.until.IsZero() }); i >= 0 {
		t.forgetLocked(i)
		return true
	}
	for i := range len(t.replies) + 1 {
		o := &t.Notifications
		if i < len(t.replies) {
			o = t.replies[i]
		}
		if len(o.events) > 1 || len(o.events) == 1 && !o.done {
			t.dropLocked(o)
			return true
		}
	}
	if i := slices.IndexFunc(t.replies, func(o *Log) bool { return o != l && o.done }); i >= 0 {
		t.forgetLocked(i)
		return true
	}
	return false
}

// forgetLocked forgets a reply and all that is kept of it.
func (t *Streams) forgetLocked(i int) {
	t.clearLocked(t.replies[i])
	t.replies = slices.Delete(t.replies, i, i+1)
	if len(t.replies) == 0 {
		t.replies = nil
	}
}

// clearLocked forgets all that is kept of l, and keeps nothing of it any more.
func (t *Streams) clearLocked(l *Log) {
	n := l.bytes
	if l.counted {
		n += costOfLog
	}
	t.giveLocked(n)
	l.events, l.bytes, l.counted = nil, 0, false
}

// acknowledge forgets the events of l up to the given one.
func (t *Streams) acknowledge(l *Log, number uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(l.events) > 0 && l.events[0].number <= number {
		t.dropLocked(l)
	}
}

// next returns the first kept event of l whose number is above seen. It returns false if there is none.
func (t *Streams) next(l *Log, seen uint64) (e event, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i, _ := slices.BinarySearchFunc(l.events, seen+1, func(e event, n uint64) int {
		switch {
		case e.number < n:
			return -1
		case e.number > n:
			return 1
		}
		return 0
	})
	if i == len(l.events) {
		return event{}, false
	}
	return l.events[i], true
}

// finish says that nothing follows in a reply; delivered says that its response was written.
func (t *Streams) finish(l *Log, delivered bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l.done {
		return
	}
	l.done = true
	close(l.over)
	if delivered {
		t.forgetLaterLocked(l)
	}
}

// delivered says that all events of l were written. If the response is among them, l is forgotten soon.
func (t *Streams) delivered(l *Log) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l.done {
		t.forgetLaterLocked(l)
	}
}

func (t *Streams) forgetLaterLocked(l *Log) {
	if t.ended || !l.until.IsZero() {
		return
	}
	l.until = time.Now().Add(t.patient)
	if t.reaper == nil {
		t.reaper = time.AfterFunc(t.patient, t.reap)
	}
}

// reap forgets the replies whose time is over.
func (t *Streams) reap() {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	var next time.Time
	for i := 0; i < len(t.replies); {
		switch at := t.replies[i].until; {
		case at.IsZero():
			i++
		case !at.After(now):
			t.forgetLocked(i)
		default:
			if next.IsZero() || at.Before(next) {
				next = at
			}
			i++
		}
	}
	t.reaper = nil
	if !next.IsZero() && !t.ended {
		t.reaper = time.AfterFunc(next.Sub(now), t.reap)
	}
}

// End forgets everything, for good.
func (t *Streams) End() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
	if t.reaper != nil {
		t.reaper.Stop()
	}
	for _, l := range t.replies {
		t.clearLocked(l)
	}
	t.replies = nil
	t.clearLocked(&t.Notifications)
}

// UpdateDelivery calls resume if the notification stream has an HTTP response to write to, and pause if not. Call it
// after a response was attached or detached. It looks at the present state, so that a response that is detached late
// does not pause the one that has replaced it.
func (t *Streams) UpdateDelivery(resume, pause func()) {
	t.delivery.Lock()
	defer t.delivery.Unlock()
	if t.Notifications.HasReader() {
		resume()
	} else {
		pause()
	}
}
