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
func (w request) subscribable(uri string) (*feature.Resource, error) {
	s := w.s
	i := s.RouteFor(uri, &w.pipeline.Vars, w.Rev)
	if i < 0 {
		return nil, session.NotFound(w.Rev, uri)
	}
	r := &s.Resources[i]
	if err := w.pipeline.Admit(r.Guard, session.NotFound(w.Rev, uri)); err != nil {
		return nil, err
	}
	if err := w.subscribeFault(i); err != nil {
		return nil, w.afterPolicies(r, uri, err)
	}
	return r, nil
}

// subscribeFault is the error of a subscription to the URI of the i-th resource, which was routed last.
func (w request) subscribeFault(i int) error {
	s := w.s
	if !s.Resources[i].Subscribe {
		return content.InvalidParams("resource cannot be subscribed to")
	}
	return s.CheckTopic(i, &w.pipeline.Vars)
}

// afterPolicies is err for callers that the policies of r let in; to others the resource does not exist. The client
// waits for no watcher, so policies are asked at once.
func (w request) afterPolicies(r *feature.Resource, uri string, err error) error {
	if !r.Guard.Asks() || w.Call != nil {
		return err // w.call: a listen, whose client does not get the error
	}
	call, full := w.startResource(r)
	if full != nil {
		return full
	}
	if denied := w.pipeline.AskPolicies(call, r.Guard, false, session.NotFound(w.Rev, uri)); denied != nil {
		return denied
	}
	return err
}

// subscription is what the session subscribes to at uri, which r serves.
func (w request) subscription(r *feature.Resource, uri string) pubsub.Request {
	return pubsub.Request{Topic: pubsub.Topic{URI: uri}, Source: w.sourceOf(r, w.Conn.Sources())}
}

// sourceOf returns the source of the subscriptions of w to what r serves, one for all of them: known are those of the
// session or listen so far.
func (w request) sourceOf(r *feature.Resource, known *session.Sources) *pubsub.Source {
	guarded := r.Guard != nil && r.Guard.Access.Restricted()
	if r.Watch == nil && !guarded {
		return pubsub.NoSource
	}
	return known.Of(r, func() *pubsub.Source {
		d := &deliveryAuthorizer{c: w.Conn, s: w.s, rev: w.Rev, of: r}
		if x, ok := w.Responder.(*call.HTTPExchange); ok && era.IsModern(w.Rev) {
			d.who = x
		}
		s := &pubsub.Source{Open: w.opener(r)}
		if guarded {
			s.Authorizer = d
			w.Conn.Guard()
		}
		if mayBeAbsent(r) {
			s.Exists = d.exists
		}
		return s
	})
}

// opener returns what starts the watchers of r, nil if it has none. A watcher is not bound to the request at hand: it
// may go on for other clients. The URI is parsed again, because its variables would cost more to keep than all else of
// a subscription.
func (w request) opener(r *feature.Resource) pubsub.Opener {
	if r.Watch == nil {
		return nil
	}
	s, rev := w.s, w.Rev
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
func (w request) subscribe(uri string) error {
	w.URI, w.Target = uri, uri
	if !w.s.Takes() {
		return feature.ErrNoMethod
	}
	r, err := w.subscribable(uri)
	if err != nil {
		return err
	}
	if w.s.Fenced() {
		return errCutOff
	}
	if w.Conn.Keeper() != nil {
		return w.subscribeShared(r, uri)
	}
	if r.Watch != nil || r.Guard.Asks() {
		return w.subscribeLater(r, uri)
	}
	u, err := w.Conn.Streams().Subscribe(w.subscription(r, uri))
	if err != nil {
		return subscribeError(err, w.ID)
	}
	return w.accept(u, always)
}

// subscribeLater is subscribe for a resource whose watcher or policies must run before the answer.
func (w request) subscribeLater(r *feature.Resource, uri string) error {
	call, err := w.startResource(r)
	if err != nil {
		return err
	}
	q := w.subscription(r, uri)
	u, err := w.Conn.Streams().Subscribe(q)
	if err != nil {
		return subscribeError(err, w.ID)
	}
	granted := false
	defer func() {
		if !granted { // refused, or a policy has ended the goroutine
			w.Conn.Streams().Withdraw(u)
		}
	}()
	w.Enter()
	if err := w.pipeline.AskPolicies(call, r.Guard, true, session.NotFound(w.Rev, uri)); err != nil {
		return err
	}
	if err := w.watch(call, u, &q); err != nil {
		return err
	}
	granted = true
	return w.accept(u, call.SettleNow)
}

// watch waits until u is watched, if there is something to watch.
func (w request) watch(call *call.Call, u *pubsub.Subscription, q *pubsub.Request) error {
	if q.Exists != nil && !q.Exists(q.URI) {
		w.s.Hub.WatchLater(u, false)
		return call.Live()
	}
	// If the client has unsubscribed meanwhile, that was what ended the watcher, and no failure.
	if err := w.s.Hub.Watch(call, u); err != nil && !u.HasEnded() {
		return subscribeError(err, w.ID)
	}
	return nil
}

// accept confirms a subscription. In a batch the answer has to wait for others, and updates do not
// wait for it: a client that sends batches must take what it asked for at any time, as one must whose
// answers and updates come in different streams.
func (w request) accept(u *pubsub.Subscription, live func() bool) error {
	if !w.Responder.Ordered() {
		w.Conn.Streams().Accept(u, nil, w.unsettled)
		return nil
	}
	answer := append(wire.AppendResult(nil, w.ID), "{}}\n"...)
	w.Conn.Streams().Accept(u, answer, live)
	return session.ErrResponded
}

// unsettled reports whether the request at hand is still to be answered.
func (w request) unsettled() bool { return w.Call == nil || w.Call.Running() }

// unsubscribe handles resources/unsubscribe. To unsubscribe from what was never subscribed to is
// no error. The answer, which the caller writes, is behind the last update.
func (w request) unsubscribe(uri string) error {
	w.URI = uri
	if !w.s.Takes() {
		return feature.ErrNoMethod
	}
	if w.Conn.Keeper() != nil {
		return w.unsubscribeShared(uri)
	}
	w.Conn.Streams().Unsubscribe(uri)
	return nil
}

// always reports that a request is live, for one that cannot be cancelled.
func always() bool { return true }

// subscribeShared is subscribe in a session that several processes serve: it responds once the subscription is kept.
// Whether this process delivers its updates is decided afterwards.
func (w request) subscribeShared(r *feature.Resource, uri string) error {
	q := w.subscription(r, uri)
	u, err := w.Conn.Streams().Subscribe(q)
	if err != nil {
		return subscribeError(err, w.ID)
	}
	granted := false
	defer func() {
		if !granted {
			w.Conn.Streams().Withdraw(u)
		}
	}()
	if r.Watch != nil || r.Guard.Asks() {
		call, err := w.startResource(r)
		if err != nil {
			return err
		}
		w.Enter()
		if err := w.pipeline.AskPolicies(call, r.Guard, true, session.NotFound(w.Rev, uri)); err != nil {
			return err
		}
		if err := w.watch(call, u, &q); err != nil {
			return err
		}
	}
	if err := w.Conn.Keeper().Subscribe(w.Values(), uri); err != nil {
		return err
	}
	granted = true
	return w.accept(u, w.unsettled)
}

// unsubscribeShared is unsubscribe in such a session. The keeper knows what uri names, and calls SetSubscriptions of
// package server: the other spellings of a resource may be kept.
func (w request) unsubscribeShared(uri string) error {
	return w.Conn.Keeper().Unsubscribe(w.Values(), uri)
}

// startResource is [session.Worker.Start] for a request about r, whose variables were routed last.
func (w request) startResource(r *feature.Resource) (*call.Call, error) {
	if r.Template != nil {
		return w.pipeline.StartPath()
	}
	return w.Start()
}
