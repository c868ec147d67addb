package events

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Bounds of the events of one poll.
const (
	defaultPolled = 100
	maxPolled     = 1000
)

// Params are the params of the methods by which clients get events.
type Params struct {
	Name      string
	Arguments json.RawMessage // nil for none
	Cursor    string          // "" for none
	MaxAge    time.Duration   // negative for none
	MaxEvents int             // 0 for none

	Delivery Delivery
	TTL      event.TTL
}

// Delivery says where a webhook delivers.
type Delivery struct {
	Given             bool
	Mode, URL, Secret string
}

// from returns where the subscriber wants to begin.
func (p *Params) from() from { return from{p.Cursor, p.MaxAge} }

// Poll answers events/poll.
func (e *Engine) Poll(ctx context.Context, p *Params, s *Subscriber, t *Type) (json.RawMessage, error) {
	of := e.byName[t.Name]
	at, lost, err := of.start(ctx, s, p.from())
	if err != nil {
		return nil, e.FaultOf(err)
	}
	most := defaultPolled
	if p.MaxEvents > 0 {
		most = min(p.MaxEvents, maxPolled)
	}
	b, err := of.collect(ctx, s, at, most, recent)
	switch {
	case err != nil:
		return nil, e.FaultOf(err)
	case b.Ended != nil:
		return nil, e.Fault(b.Ended)
	}
	lost = lost || b.Truncated
	if lost {
		e.Counts.Gaps.Add(1)
	}
	e.Counts.Delivered.Add(int64(len(b.Events)))
	out := []byte(`{"events":[`)
	for i := range b.Events {
		out = append(append(out, b.Events[i].Body...), '}', ',')
	}
	out = wire.EndArray(out)
	out = wire.AppendString(append(out, `,"cursor":`...), e.Cursor(t.Name, t.Schema, b.After))
	out = wire.AppendBool(append(out, `,"truncated":`...), lost)
	out = wire.AppendBool(append(out, `,"hasMore":`...), b.More)
	out = wire.AppendInt(append(out, `,"nextPollMs":`...), t.pollEvery().Milliseconds())
	return append(out, '}'), nil
}

// Fault returns f in the form that clients get.
func (e *Engine) Fault(f *event.Error) *wire.Error { return profiles[e.Options.Profile].wireError(f) }

// FaultOf is Fault for any error. It returns an error of another type than *[event.Error] as it is: the server logs it,
// and clients do not get its text.
func (e *Engine) FaultOf(err error) error {
	if f, ok := err.(*event.Error); ok { //nolint:errorlint // made here or by Webhooks, never wrapped
		return e.Fault(f)
	}
	e.Counts.LogErrors.Add(1)
	return err
}

// Find returns the type of a name, if the server offers it in the given mode. Its error is for the client.
func (e *Engine) Find(name string, mode Modes) (*Type, error) {
	p, err := e.find(name, mode)
	if err != nil {
		return nil, err
	}
	return p.Type, nil
}

// Start returns where a webhook begins, and whether events before that position are lost. Pass its error to FaultOf.
func (e *Engine) Start(ctx context.Context, p *Params, s *Subscriber, t *Type) (event.Position, bool, error) {
	return e.byName[t.Name].start(ctx, s, p.from())
}

// UnknownSubscription returns the error for a client that ends a subscription which does not exist; nil if the response
// is an empty result.
func (e *Engine) UnknownSubscription() error {
	if profiles[e.Options.Profile].unknownIsEnded {
		return nil
	}
	return e.Fault(&event.Error{Kind: event.NotFound, Message: "there is no such subscription", Of: "subscription"})
}

// AppendModes appends those modes of a type that this server offers, as JSON.
func (e *Engine) AppendModes(b []byte, t *Type) []byte {
	b = append(b, '[')
	for _, m := range []Modes{Poll, Push, Webhook} {
		if e.served(t)&m != 0 {
			b = append(wire.AppendString(b, m.word()), ',')
		}
	}
	return wire.EndArray(b)
}
