package mcpevent

import (
	"encoding/json"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/events"
	"github.com/mcpgen/mcpgen/mcp/stats"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// errAnonymous is the error of a webhook for a caller without a subject: what goes on without a connection needs an
// owner.
var errAnonymous = &event.Error{Kind: event.Forbidden, Message: "webhooks are for callers who have signed in",
	Reason: "no_principal"}

// owned returns the event.Request for subscribing or unsubscribing a webhook of the caller of c. secret says that the
// params must have a secret. A caller without a subject is refused.
func (x *serving) owned(c *call.Call, p *events.Params, secret bool) (*event.Request, error) {
	who := c.Caller()
	if who.Subject == "" {
		return nil, x.Fault(errAnonymous)
	}
	if err := checkDelivery(&p.Delivery, secret); err != nil {
		return nil, err
	}
	return &event.Request{
		Caller: event.Caller{Subject: who.Subject, Scopes: who.Scopes, Roles: who.Roles},
		Name:   p.Name, Arguments: events.Canonical(p.Arguments), URL: p.Delivery.URL, Secret: p.Delivery.Secret,
	}, nil
}

func (x *serving) subscribe(c *call.Call, text []byte) (json.RawMessage, error) {
	f, err := x.find(c, text, events.Webhook)
	if err != nil {
		return nil, err
	}
	defer f.leave()
	r, err := x.owned(c, &f.Params, true)
	if err != nil {
		return nil, err
	}
	s, err := x.subscriber(c, f)
	if err != nil {
		return nil, err
	}
	r.TTL, r.Schema, r.HasCursor = f.TTL, f.spec.Schema, f.Cursor != ""
	if r.Start, r.Truncated, err = x.Start(c, &f.Params, s, f.spec); err != nil {
		return nil, x.FaultOf(err)
	}
	g, err := x.options.Webhooks.Subscribe(c, r)
	if err != nil {
		return nil, x.FaultOf(err)
	}
	b := wire.AppendString([]byte(`{"id":`), g.ID)
	if b = append(b, `,"refreshBefore":`...); g.RefreshBefore.IsZero() {
		b = append(b, "null"...)
	} else {
		b = events.AppendTime(b, g.RefreshBefore)
	}
	b = wire.AppendString(append(b, `,"cursor":`...), x.Cursor(f.Name, f.spec.Schema, g.At))
	b = wire.AppendBool(append(b, `,"truncated":`...), g.Truncated)
	if g.Status != nil {
		b = appendStatus(append(b, `,"deliveryStatus":`...), g.Status)
	}
	return append(b, '}'), nil
}

func appendStatus(b []byte, s *event.Status) []byte {
	b = wire.AppendBool(append(b, `{"active":`...), s.Active)
	if b = append(b, `,"lastDeliveryAt":`...); s.LastDelivery.IsZero() {
		b = append(b, "null"...)
	} else {
		b = events.AppendTime(b, s.LastDelivery)
	}
	if b = append(b, `,"lastError":`...); s.LastError == "" {
		b = append(b, "null"...)
	} else {
		b = wire.AppendString(b, s.LastError)
	}
	if !s.FailedSince.IsZero() {
		b = events.AppendTime(append(b, `,"failedSince":`...), s.FailedSince)
	}
	if s.Throttled {
		b = append(b, `,"throttled":true`...)
	}
	if s.RetryAfter > 0 {
		b = wire.AppendInt(append(b, `,"retryAfterMs":`...), s.RetryAfter.Milliseconds())
	}
	return append(b, '}')
}

// unsubscribe ends a subscription. Its owner may end it even without the right to the event. Others do not learn
// whether an event exists that they must not know of.
func (x *serving) unsubscribe(c *call.Call, text []byte) (json.RawMessage, error) {
	p, err := readParams(text)
	if err != nil {
		return nil, err
	}
	r, err := x.owned(c, &p, false)
	if err != nil {
		return nil, err
	}
	t := x.byName[p.Name]
	if t == nil {
		return nil, x.Fault(event.NoEvent(p.Name))
	}
	ended := false
	if _, err = x.Find(p.Name, events.Webhook); err == nil {
		ended, err = x.options.Webhooks.Unsubscribe(c, r)
	}
	if ended && err == nil {
		return json.RawMessage(`{}`), nil
	}
	if f := x.refusal(t, t.guard.Permits(c)); f != nil && f.Kind == event.NotFound {
		return nil, x.Fault(f)
	}
	if err != nil {
		return nil, x.FaultOf(err)
	}
	if f := x.UnknownSubscription(); f != nil {
		return nil, f
	}
	return json.RawMessage(`{}`), nil
}

func addWebhooks(to *stats.Webhooks, s stats.Webhooks) {
	to.Subscriptions += s.Subscriptions
	to.Suspended += s.Suspended
	to.InFlight += s.InFlight
	to.Shards += s.Shards
	to.Delivered += s.Delivered
	to.Retried += s.Retried
	to.Abandoned += s.Abandoned
	to.Gaps += s.Gaps
	to.Ended += s.Ended
	to.Challenges += s.Challenges
	to.ChallengesFailed += s.ChallengesFailed
	to.Refused += s.Refused
	to.ShardsTaken += s.ShardsTaken
	for word, n := range s.Failures {
		if to.Failures == nil {
			to.Failures = map[string]int64{}
		}
		to.Failures[word] += n
	}
}
