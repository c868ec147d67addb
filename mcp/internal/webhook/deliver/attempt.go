package deliver

import (
	"context"
	"encoding/json"
	mrand "math/rand/v2"
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/egress"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/keys"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/sign"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// flight is one attempt to deliver an entry.
type flight struct {
	e      *Engine
	s      *sub
	x      *entry
	def    *event.Subscription
	read   *event.Occurrence // the event of the entry; nil if the attempt has to read it
	notice bool
	at     event.Position // the watermark when the attempt starts
	begun  time.Time
}

// result is how an attempt has ended. The zero value means that nothing was sent, and that another attempt is to be
// made soon.
type result struct {
	sent  bool
	word  string // of [event.Status].LastError; "" if accepted
	code  int    // of HTTP
	later bool   // nothing can be sent for now: the next attempt is in a minute, not in a second
	gone  bool   // there is no such event for the subscription any more
	lost  uint64 // the log has lost all entries up to this number; 0 if none
	ended *event.Error
}

func (r *result) accepted() bool { return r.sent && r.word == "" }

// refused reports whether the callback has refused the message for good.
func (r *result) refused() bool {
	return r.code == http.StatusGone || r.code == http.StatusRequestEntityTooLarge
}

// attempt makes the attempt, on a goroutine of its own.
func (f *flight) attempt() {
	f.begun = time.Now()
	r := result{}
	id, body := "", []byte(nil)
	if f.notice {
		id, body = f.message()
	} else if o := f.occurrence(&r); o != nil {
		id, body = o.ID, f.bodyOf(o)
	}
	if body != nil {
		f.send(id, body, &r)
	}
	f.land(&r)
}

// occurrence returns the event to send. After a failed attempt it is read again, so that policies are asked again. If
// nothing can be sent, occurrence returns nil and notes why in r.
func (f *flight) occurrence(r *result) *event.Occurrence {
	if f.read != nil {
		return f.read
	}
	before := f.x.at
	before.Seq--
	b, sure, err := f.e.source.read(f.def, before, 1)
	switch {
	case err != nil:
	case !sure:
		f.e.source.rights.Await(f.def.Principal, f.s)
	case b.Ended != nil:
		r.ended = b.Ended
	case !b.Truncated && len(b.Events) > 0 && b.Events[0].At.Seq == f.x.Seq:
		return &b.Events[0]
	case !b.Truncated && b.After.Seq < f.x.Seq: // the log does not show the event yet
	default:
		r.gone = true
		if b.Truncated {
			r.lost = max(firstOf(&b).Seq, f.x.Seq)
		}
	}
	return nil
}

// bodyOf returns the body for an event. Its cursor is the watermark: all events up to there are done.
func (f *flight) bodyOf(o *event.Occurrence) []byte {
	b := append(make([]byte, 0, len(o.Body)+256), o.Body...)
	if cursor := f.e.run.host.Cursor(f.def.Name, f.def.Schema, f.at); cursor != "" {
		b = wire.AppendString(append(b, `,"cursor":`...), cursor)
	}
	return append(b, '}')
}

// message returns a message about the subscription itself. Its id is the same for all attempts of this process.
func (f *flight) message() (id string, body []byte) {
	kind, members := "terminated", map[string]any{}
	if f.x.gap {
		kind = "gap"
		members["cursor"] = f.e.run.host.Cursor(f.def.Name, f.def.Schema, f.at)
	} else {
		members["error"] = json.RawMessage(f.e.run.host.FaultJSON(f.def.Why))
	}
	if f.x.id == "" { // without the lock: an entry has one attempt at a time
		f.x.id = sign.NewID(kind)
	}
	return f.x.id, sign.Message(kind, members)
}

// send signs and posts a message, with the time of this attempt.
func (f *flight) send(id string, body []byte, r *result) {
	e, def := f.e, f.def
	secrets, err := keys.Open(e.run.host, def)
	if err != nil {
		// Without its keys the server cannot sign, and nothing else can be done: it is as if the client had not refreshed.
		e.run.complain("a secret cannot be opened: are the keys of the server those of before?", err)
		r.later = true
		return
	}
	ctx, cancel := context.WithTimeout(e.run.life, patience)
	defer cancel()
	h := http.Header{}
	h.Set(sign.HeaderSubscription, def.ID)
	sign.Set(h, id, time.Now(), body, secrets...)
	answer, err := e.o.Post(ctx, def.URL, h, body)
	r.sent = err == nil || e.run.life.Err() == nil
	r.word = egress.Word(answer, err)
	if answer != nil {
		r.code = answer.Status
	}
}

// land takes the result of an attempt, and gives its slots back.
func (f *flight) land(r *result) {
	e, s, x := f.e, f.s, f.x
	now := time.Now()
	e.mu.Lock()
	x.flying = false
	s.shard.flying--
	e.budget.release(s, r)
	e.passLocked(s)
	if r.word != "" {
		e.stats.Failures[r.word]++
	}
	if r.accepted() {
		e.stats.Delivered++
	}
	if s.gone {
		e.mu.Unlock()
		return
	}
	before := x.Done
	f.concludeLocked(r, now)
	final := x.Done && !before && !f.notice
	if r.sent && s.count(now, r.word) && s.def == f.def && s.def.State == event.Live {
		s.p.Suspended = s.def.Version
	}
	told := f.notice && x.Done && s.def.State == event.Ending && !x.gap
	s.settle(s.def.State)
	e.saver.dirtyLocked(s)
	e.queue.pushLocked(s)
	e.mu.Unlock()
	if final {
		f.record(r, now)
	}
	switch {
	case r.ended != nil:
		e.end(s, r.ended)
	case told:
		def := f.def.Clone()
		def.State = event.Ended
		e.put(s, def)
	}
}

// record tells the audit what became of an event.
func (f *flight) record(r *result, now time.Time) {
	status := "ok"
	switch {
	case r.gone:
		status = "lost"
	case r.word != "":
		status = r.word
	}
	f.e.run.host.Record(event.Record{
		Action: event.ActionDeliver, Principal: f.def.Principal, Name: f.def.Name, Status: status, Took: now.Sub(f.begun),
	})
}

// concludeLocked marks an entry as done, or sets the time of its next attempt.
func (f *flight) concludeLocked(r *result, now time.Time) {
	e, s, x := f.e, f.s, f.x
	switch {
	case x.Done: // the log has lost the event meanwhile
	case r.accepted():
		s.finish(x)
	case r.gone:
		if r.lost > 0 {
			e.gapLocked(s)
			s.lose(r.lost)
		}
		s.finish(x)
	case r.refused():
		e.stats.Abandoned++
		s.finish(x)
	case r.later:
		x.Next = now.Add(time.Minute)
	case !r.sent:
		x.Next = now.Add(time.Second)
	case x.Tries < len(e.o.Retries):
		e.stats.Retried++
		x.Next = now.Add(jitter(e.o.Retries[x.Tries]))
		x.Tries++
	default:
		e.stats.Abandoned++
		s.finish(x)
		if !f.notice {
			e.gapLocked(s)
		}
	}
	if f.notice && x.Done && s.p.Gap { // more events were lost during the attempt
		e.stats.Gaps++
	}
}

// gapLocked makes the engine tell the callback that events are lost. One message stands for all events that are lost
// before it is sent.
func (e *Engine) gapLocked(s *sub) {
	if !s.p.Gap {
		s.p.Gap = true
		e.stats.Gaps++
	}
	s.again = s.again || s.notice != nil && s.notice.flying
}

// jitter returns d, changed by up to 20 %.
func jitter(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (0.8 + 0.4*mrand.Float64())) //nolint:gosec // it only spreads attempts
}
