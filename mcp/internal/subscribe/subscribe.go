package subscribe

import (
	"context"
	"iter"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// subscribable returns the resource that serves uri, if clients may subscribe to it.
func (req request) subscribable(uri string) (*feature.Resource, error) {
	s := req.s
	i := s.RouteFor(uri, &req.pipeline.Vars, req.Rev)
	if i < 0 {
		return nil, session.NotFound(req.Rev, uri)
	}
	r := &s.Resources[i]
	if err := req.pipeline.Admit(r.Guard, session.NotFound(req.Rev, uri)); err != nil {
		return nil, err
	}
	if err := req.subscribeFault(i); err != nil {
		return nil, req.afterPolicies(r, uri, err)
	}
	return r, nil
}

// subscribeFault returns why clients cannot subscribe to the URI that was routed last, which the i-th resource serves;
// nil if they can.
func (req request) subscribeFault(i int) error {
	s := req.s
	if !s.Resources[i].Subscribe {
		return content.InvalidParams("resource cannot be subscribed to")
	}
	return s.CheckTopic(i, &req.pipeline.Vars)
}

// afterPolicies returns err if the policies of r permit the caller to know it: a caller that they refuse gets the error
// that the resource is not found.
func (req request) afterPolicies(r *feature.Resource, uri string, err error) error {
	if !r.Guard.Asks() || req.Call != nil {
		return err // req.Call: a listen, whose client does not get the error
	}
	call, full := req.startResource(r)
	if full != nil {
		return full
	}
	if denied := req.pipeline.AskPolicies(call, r.Guard, false, session.NotFound(req.Rev, uri)); denied != nil {
		return denied
	}
	return err
}

// subscription returns the subscription of the session to uri, which r serves.
func (req request) subscription(r *feature.Resource, uri string) pubsub.Request {
	return pubsub.Request{Topic: pubsub.Topic{URI: uri}, Source: req.sourceOf(r, req.Conn.Sources())}
}

// sourceOf returns the source of the subscriptions of a session or listen to URIs of r. All of them share one source:
// the first call puts it into known.
func (req request) sourceOf(r *feature.Resource, known *session.Sources) *pubsub.Source {
	guarded := r.Guard != nil && r.Guard.Access.Restricted()
	if r.Watch == nil && !guarded {
		return pubsub.NoSource
	}
	return known.Of(r, func() *pubsub.Source {
		d := &deliveryAuthorizer{c: req.Conn, s: req.s, rev: req.Rev, of: r}
		if x, ok := req.Responder.(*call.HTTPExchange); ok && era.IsModern(req.Rev) {
			d.who = x
		}
		s := &pubsub.Source{Open: req.opener(r)}
		if guarded {
			s.Authorizer = d
			req.Conn.Guard()
		}
		if mayBeAbsent(r) {
			s.Exists = d.exists
		}
		return s
	})
}

// opener returns the function that starts the watchers of r; nil if r has none. A watcher outlives the request at hand,
// because it serves other clients too. The function parses the URI again, because keeping the variables would cost more
// than the rest of a subscription.
func (req request) opener(r *feature.Resource) pubsub.Opener {
	if r.Watch == nil {
		return nil
	}
	s, rev := req.s, req.Rev
	return func(ctx context.Context, uri string) (iter.Seq2[time.Time, error], error) {
		p := new(call.PathCall)
		if s.Route(uri, &p.Values) < 0 {
			return nil, content.ErrNotFound
		}
		p.Init(call.Request{Base: ctx, Target: uri}, rev, 0)
		if r.Template != nil {
			p.Vars = &p.Values
		}
		context.AfterFunc(ctx, func() { p.End(context.Canceled) })
		return r.Watch(&p.Call)
	}
}

// subscribe handles resources/subscribe. Its error is the answer to send; nil for an empty result.
func (req request) subscribe(uri string) error {
	req.AtURI(uri)
	req.About(uri)
	if !req.s.Takes() {
		return feature.ErrNoMethod
	}
	r, err := req.subscribable(uri)
	if err != nil {
		return err
	}
	if req.s.Fenced() {
		return errCutOff
	}
	if req.Conn.Keeper() != nil {
		return req.subscribeShared(r, uri)
	}
	if r.Watch != nil || r.Guard.Asks() {
		return req.subscribeLater(r, uri)
	}
	u, err := req.Conn.Streams().Subscribe(req.subscription(r, uri))
	if err != nil {
		return subscribeError(err, req.ID)
	}
	return req.accept(u, always)
}

// subscribeLater is subscribe for a resource whose watcher or policies must run before the answer.
func (req request) subscribeLater(r *feature.Resource, uri string) error {
	call, err := req.startResource(r)
	if err != nil {
		return err
	}
	q := req.subscription(r, uri)
	u, err := req.Conn.Streams().Subscribe(q)
	if err != nil {
		return subscribeError(err, req.ID)
	}
	granted := false
	defer func() {
		if !granted { // refused, or a policy has ended the goroutine
			req.Conn.Streams().Withdraw(u)
		}
	}()
	req.Enter()
	if err := req.pipeline.AskPolicies(call, r.Guard, true, session.NotFound(req.Rev, uri)); err != nil {
		return err
	}
	if err := req.watch(call, u, &q); err != nil {
		return err
	}
	granted = true
	return req.accept(u, call.SettleNow)
}

// watch waits until u is watched. If nothing exists at its URI yet, it leaves that to the hub and does not wait.
func (req request) watch(call *call.Call, u *pubsub.Subscription, q *pubsub.Request) error {
	if q.Exists != nil && !q.Exists(q.URI) {
		req.s.Hub.WatchLater(u, false)
		return call.Live()
	}
	// If the client has unsubscribed meanwhile, that has ended the watcher, which is no failure.
	if err := req.s.Hub.Watch(call, u); err != nil && !u.HasEnded() {
		return subscribeError(err, req.ID)
	}
	return nil
}

// accept confirms a subscription. It returns [session.ErrResponded] if it has sent the response, and nil if the caller
// has to. live reports whether the request may still be answered. In a batch the response waits for others, but updates
// do not wait for the response. A client that sends batches must expect that, like a client whose responses and updates
// come in different streams.
func (req request) accept(u *pubsub.Subscription, live func() bool) error {
	if !req.Responder.Ordered() {
		req.Conn.Streams().Accept(u, nil, req.unsettled)
		return nil
	}
	answer := append(wire.AppendResult(nil, req.ID), "{}}\n"...)
	req.Conn.Streams().Accept(u, answer, live)
	return session.ErrResponded
}

// unsettled reports whether the request at hand is still to be answered.
func (req request) unsettled() bool { return req.Call == nil || req.Call.Running() }

// unsubscribe handles resources/unsubscribe. It is no error if there is no such subscription. The response, which the
// caller writes, follows the last update.
func (req request) unsubscribe(uri string) error {
	req.AtURI(uri)
	if !req.s.Takes() {
		return feature.ErrNoMethod
	}
	if req.Conn.Keeper() != nil {
		return req.unsubscribeShared(uri)
	}
	req.Conn.Streams().Unsubscribe(uri)
	return nil
}

// always reports that a request is live, for one that cannot be cancelled.
func always() bool { return true }

// subscribeShared is subscribe in a session that several processes serve. It responds once the subscription is stored.
// Which process delivers its updates is decided later.
func (req request) subscribeShared(r *feature.Resource, uri string) error {
	q := req.subscription(r, uri)
	u, err := req.Conn.Streams().Subscribe(q)
	if err != nil {
		return subscribeError(err, req.ID)
	}
	granted := false
	defer func() {
		if !granted {
			req.Conn.Streams().Withdraw(u)
		}
	}()
	if r.Watch != nil || r.Guard.Asks() {
		call, err := req.startResource(r)
		if err != nil {
			return err
		}
		req.Enter()
		if err := req.pipeline.AskPolicies(call, r.Guard, true, session.NotFound(req.Rev, uri)); err != nil {
			return err
		}
		if err := req.watch(call, u, &q); err != nil {
			return err
		}
	}
	if err := req.Conn.Keeper().Subscribe(req.Values(), uri); err != nil {
		return err
	}
	granted = true
	return req.accept(u, req.unsettled)
}

// unsubscribeShared is unsubscribe in a session that several processes serve. The keeper removes the stored
// subscription to uri, which may be spelled in another way, and calls SetSubscriptions of package server with the
// others.
func (req request) unsubscribeShared(uri string) error {
	return req.Conn.Keeper().Unsubscribe(req.Values(), uri)
}

// startResource is [session.Worker.Start] for a request about r, whose variables were routed last.
func (req request) startResource(r *feature.Resource) (*call.Call, error) {
	if r.Template != nil {
		return req.pipeline.StartPath()
	}
	return req.Start()
}
