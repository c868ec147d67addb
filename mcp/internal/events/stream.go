package events

import (
	"context"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// The notifications of a stream.
const (
	noteActive     = "notifications/events/active"
	noteEvent      = "notifications/events/event"
	noteHeartbeat  = "notifications/events/heartbeat"
	noteError      = "notifications/events/error"
	noteTerminated = "notifications/events/terminated"
)

// To is where a stream writes its notifications.
type To struct {
	// Principal is whose limit of open streams the stream counts for, and ID is the id of the request.
	Principal string
	ID        wire.ID
	// Ended is closed when the connection of the client has ended.
	Ended <-chan struct{}
	// Send writes a notification, whose params are a JSON object. It blocks while the client does not read. After an
	// error nothing can be written any more.
	Send func(method string, params []byte) error
}

// stream is an open stream.
type stream struct {
	*topic
	s  *Subscriber
	to To
	at event.Position
}

// Bounds of a stream: how many events are collected at once, and how often the log is read although nothing has
// announced new events.
const (
	streamed     = 100
	lookInterval = time.Second
	troubled     = time.Second // between two attempts to collect after one has failed
)

// Stream serves events/stream until ctx ends, the client stops reading, the server closes, or the subscriber loses the
// right to the events. The error is the response if nothing was sent; otherwise the response is an empty result.
func (e *Engine) Stream(ctx context.Context, p *Params, s *Subscriber, t *Type, to To) error {
	if f := e.places.take(to.Principal); f != nil {
		e.Counts.Refused.Add(1)
		return e.Fault(f)
	}
	defer e.places.give(to.Principal)
	of := e.byName[t.Name]
	at, truncated, err := of.start(ctx, s, p.from())
	if err != nil {
		return e.FaultOf(err)
	}
	e.Counts.Streams.Add(1)
	defer e.Counts.Streams.Add(-1)
	x := &stream{topic: of, s: s, to: to, at: at}
	s.meta = to.ID.AppendJSON([]byte(`"io.modelcontextprotocol/subscriptionId":`))
	if err := x.active(truncated); err != nil {
		return nil
	}
	x.serve(ctx)
	return nil
}

// serve delivers events until the stream ends.
func (x *stream) serve(ctx context.Context) {
	look := x.e.Options.Heartbeat
	switch {
	case x.Replay != nil:
		look = min(look, x.pollEvery())
	case x.e.Options.Log != nil: // other processes may append
		look = min(look, lookInterval)
	}
	timer := time.NewTimer(look)
	defer timer.Stop()
	beat := time.Now().Add(x.e.Options.Heartbeat)
	for {
		changed := x.change()
		sent, ok := x.deliver(ctx, look/2)
		if !ok {
			return
		}
		if sent {
			beat = time.Now().Add(x.e.Options.Heartbeat)
		} else if !time.Now().Before(beat) {
			if x.send(noteHeartbeat, x.cursor(nil)) != nil {
				return
			}
			beat = time.Now().Add(x.e.Options.Heartbeat)
		}
		timer.Reset(min(look, max(time.Until(beat), time.Millisecond)))
		select {
		case <-changed:
		case <-timer.C:
		case <-ctx.Done():
			return
		case <-x.to.Ended:
			return
		case <-x.e.Stopping:
			return
		}
	}
}

// deliver sends all events behind x.at. maxAge is that of collect. sent says whether anything was sent, and ok is false
// if the stream has ended.
func (x *stream) deliver(ctx context.Context, maxAge time.Duration) (sent, ok bool) {
	for {
		b, err := x.collect(ctx, x.s, x.at, streamed, maxAge)
		switch {
		case ctx.Err() != nil:
			return sent, false
		case err != nil:
			if !x.trouble(ctx, err) {
				return sent, false
			}
			sent = true
			continue
		case b.Ended != nil:
			x.terminate(b.Ended)
			return sent, false
		}
		if b.Truncated {
			if len(b.Events) > 0 { // the cursor in the notification is before the first event
				x.at = before(b.Events[0].At)
			} else {
				x.at = b.After
			}
			if x.active(true) != nil {
				return sent, false
			}
			sent = true
		}
		all, ok := x.events(ctx, b.Events)
		if !ok {
			return sent, false
		}
		sent = sent || len(b.Events) > 0
		if !all {
			continue
		}
		if x.at = b.After; !b.More {
			return sent, true
		}
	}
}

// events sends events that were collected. whole is false if the rest has to be collected again, and ok is false if the
// stream has ended.
func (x *stream) events(ctx context.Context, list []event.Occurrence) (whole, ok bool) {
	for i := range list {
		if i > 0 { // the rights may have changed while the event before was written
			switch f := x.s.refused(x.Type); {
			case f == nil:
			case undecided(f):
				return false, true
			default:
				x.terminate(f)
				return false, false
			}
		}
		if !x.event(ctx, &list[i]) {
			return false, false
		}
	}
	return true, true
}

// before returns the position right before another.
func before(at event.Position) event.Position {
	return event.Position{Epoch: at.Epoch, Seq: at.Seq - 1}
}

// trouble tells the client that the log cannot be read or that its rights cannot be checked, and waits before the next
// attempt. It returns false if the stream has ended.
func (x *stream) trouble(ctx context.Context, err error) bool {
	f, told := err.(*event.Error) //nolint:errorlint // of collect, and never wrapped
	if !told {
		x.e.Counts.LogErrors.Add(1)
		x.e.Logger.Warn("mcp: events: a log cannot be read", "event", x.Name, "err", err)
		f = &event.Error{Message: "events cannot be read at the moment"}
	}
	if x.fault(noteError, f) != nil {
		return false
	}
	select {
	case <-time.After(troubled):
		return true
	case <-ctx.Done():
	case <-x.to.Ended:
	case <-x.e.Stopping:
	}
	return false
}

// terminate tells the client that the stream ends, and why.
func (x *stream) terminate(why *event.Error) { _ = x.fault(noteTerminated, why) }

func (x *stream) fault(method string, f *event.Error) error {
	return x.send(method, x.e.Fault(f).AppendJSON([]byte(`"error":`)))
}

func (x *stream) active(truncated bool) error {
	if truncated {
		x.e.Counts.Gaps.Add(1)
	}
	return x.send(noteActive, wire.AppendBool(append(x.cursor(nil), `,"truncated":`...), truncated))
}

// event sends an event. It returns false if the stream has ended.
func (x *stream) event(ctx context.Context, o *event.Occurrence) bool {
	x.at = o.At
	if ctx.Err() != nil || x.to.Send(noteEvent, append(x.cursor(append(o.Body, ',')), '}')) != nil {
		return false
	}
	x.e.Counts.Delivered.Add(1)
	return true
}

// send writes a notification with members of its params.
func (x *stream) send(method string, members []byte) error {
	b := append(append([]byte(`{"_meta":{`), x.s.meta...), `},`...)
	return x.to.Send(method, append(append(b, members...), '}'))
}

// cursor appends a member with the cursor of the stream.
func (x *stream) cursor(b []byte) []byte {
	return wire.AppendString(append(b, `"cursor":`...), x.e.Cursor(x.Name, x.Schema, x.at))
}
