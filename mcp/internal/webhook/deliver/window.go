package deliver

import (
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
)

const (
	// maxSpan bounds the entries of a window. While one entry is tried in vain, at most that many behind it are
	// delivered.
	maxSpan = 128
	// period is half of the time over which failures are counted.
	period = 30 * time.Minute
	// enough is how many attempts must be counted before a subscription may be suspended. It is suspended if the
	// percentage of failures among them is greater than tolerated.
	enough, tolerated = 100, 95
)

// window has the events that a subscription has read and that are not all delivered, and how far it is. The lock of the
// engine guards it.
type window struct {
	p       event.Progress // without Pending, which entries has
	entries []*entry       // behind p.At, in order
	notice  *entry         // a message about the subscription that is to be sent
	again   bool           // more events were lost since the attempt for notice began
	to      event.Position // the position up to which events were read
	more    bool           // there may be events behind that position
	idle    bool           // nothing is read until there is a match; name.head stands for to meanwhile

	unsaved int            // entries that are done since the last progress that was saved
	saved   event.Position // the watermark of that progress
}

// entry is an event, or a notice, that is to be delivered.
type entry struct {
	event.Pending

	at     event.Position
	flying bool
	gap    bool   // of a notice: tells of lost events, and not of the end
	id     string // of a notice that was sent
}

// room returns how many further events may be read into a window of the given size. The result may be negative.
func (w *window) room(size int) int {
	open := w.unsaved
	for _, x := range w.entries {
		if !x.Done {
			open++
		}
	}
	return min(size-open, maxSpan-len(w.entries))
}

// take adds events that were read, and returns their entries.
func (w *window) take(b *event.Batch) (fresh []*entry) {
	if b.Truncated && b.After.Epoch != w.to.Epoch && w.to.Epoch != "" {
		w.entries = nil // these events cannot be read any more
		w.p.At = event.Position{Epoch: b.After.Epoch}
	}
	if b.Truncated {
		w.to = firstOf(b) // becomes the watermark if no entry is open
		w.lose(w.to.Seq)
	}
	for i := range b.Events {
		at := b.Events[i].At
		x := &entry{Pending: event.Pending{Seq: at.Seq}, at: at}
		w.entries, fresh = append(w.entries, x), append(fresh, x)
	}
	w.to, w.more = b.After, w.more || b.More
	w.advance()
	return fresh
}

// firstOf returns the position before the first event that was read.
func firstOf(b *event.Batch) event.Position {
	if len(b.Events) == 0 {
		return b.After
	}
	at := b.Events[0].At
	at.Seq--
	return at
}

// lose marks the entries whose Seq is at most last as done, because the event log has lost their events.
func (w *window) lose(last uint64) {
	for _, x := range w.entries {
		if x.Seq <= last && !x.Done {
			x.Done = true
			w.unsaved++
		}
	}
	w.advance()
}

// advance moves the watermark over the entries that are done.
func (w *window) advance() {
	n := 0
	for n < len(w.entries) && w.entries[n].Done {
		w.p.At = w.entries[n].at
		n++
	}
	w.entries = append([]*entry(nil), w.entries[n:]...)
	if len(w.entries) == 0 && !w.idle {
		w.p.At = w.to
	}
}

// open returns the entries that are not done. A notice comes first, and is alone until its first attempt has ended.
func (w *window) open() []*entry {
	var out []*entry
	if w.notice != nil && !w.notice.Done {
		out = append(out, w.notice)
		if w.notice.Tries == 0 {
			return out
		}
	}
	for _, x := range w.entries {
		if !x.Done {
			out = append(out, x)
		}
	}
	return out
}

// settle adds the notice that the state of the subscription calls for.
func (w *window) settle(state event.SubscriptionState) {
	kept := event.Pending{}
	switch {
	case state == event.Ending:
		w.entries = nil // the client may not have these events any more
		if w.notice == nil || w.notice.gap {
			if w.notice == nil && !w.p.Gap {
				kept = w.p.Notice
			}
			w.notice, w.p.Gap = &entry{Pending: kept}, false
		}
	case state == event.Live && w.p.Gap && w.notice == nil:
		w.notice = &entry{Pending: w.p.Notice, gap: true}
	}
}

// finish marks an entry as done: accepted or given up.
func (w *window) finish(x *entry) {
	if x.Done {
		return
	}
	x.Done = true
	if x == w.notice {
		w.notice, w.p.Notice = nil, event.Pending{}
		if x.gap {
			w.p.Gap, w.again = w.again, false
		}
		return
	}
	w.unsaved++
	w.advance()
}

// count counts an attempt. word says why it failed; "" if it was accepted. It reports whether the subscription has to
// be suspended.
func (w *window) count(now time.Time, word string) (suspend bool) {
	if now.Sub(w.p.Period) >= period {
		if now.Sub(w.p.Period) >= 2*period {
			w.p.Recent[0] = event.Tally{}
		}
		w.p.Recent[1], w.p.Recent[0], w.p.Period = w.p.Recent[0], event.Tally{}, now
	}
	w.p.Recent[0].Attempts++
	if word == "" {
		w.p.LastDelivery, w.p.FailedSince, w.p.LastError = now, time.Time{}, ""
		return false
	}
	w.p.Recent[0].Failures++
	w.p.LastError = word
	if w.p.FailedSince.IsZero() {
		w.p.FailedSince = now
	}
	attempts := w.p.Recent[0].Attempts + w.p.Recent[1].Attempts
	failures := w.p.Recent[0].Failures + w.p.Recent[1].Failures
	return attempts >= enough && failures*100 > attempts*tolerated
}

// revive forgets the failures of a subscription that was suspended.
func (w *window) revive() {
	w.p.Suspended, w.p.Recent, w.p.FailedSince = 0, [2]event.Tally{}, time.Time{}
	for _, x := range w.entries {
		x.Tries, x.Next = 0, time.Time{}
	}
	if w.notice != nil {
		w.notice.Tries, w.notice.Next = 0, time.Time{}
	}
}
