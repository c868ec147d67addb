package server

import (
	"context"
	"iter"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// subscriber is a worker that handles resources/subscribe, resources/unsubscribe and subscriptions/listen.
type subscriber struct{ *worker }

// listsThatChange are the kinds of lists whose changes clients can subscribe to.
func (s *Server) listsThatChange() []pubsub.Kind {
	var lists []pubsub.Kind
	for k, row := range feature.Kinds {
		if _, listChanged := row.Offered(&s.features.Capabilities); listChanged {
			lists = append(lists, listTopic(feature.Kind(k)))
		}
	}
	return lists
}

// takesSubscriptions reports whether any resource can be subscribed to.
func (s *Server) takesSubscriptions() bool {
	r := s.features.Capabilities.Resources
	return r != nil && feature.IsTrue(r.Subscribe)
}

// subscribable returns the resource that serves uri, if clients may subscribe to it.
func (w subscriber) subscribable(uri string) (*feature.Resource, error) {
	s := w.c.s
	i := s.route(uri, &w.vars)
	if i < 0 || !s.visible(feature.KindResource, i, w.rev) {
		return nil, notFound(w.rev, uri)
	}
	r := &s.features.Resources[i]
	if err := w.admit(r.Guard, notFound(w.rev, uri)); err != nil {
		return nil, err
	}
	if err := w.subscribeFault(i); err != nil {
		return nil, w.afterPolicies(r, uri, err)
	}
	return r, nil
}

// subscribeFault is the error of a subscription to the URI of the i-th resource, which was routed last.
func (w subscriber) subscribeFault(i int) error {
	s := w.c.s
	if !s.features.Resources[i].Subscribe {
		return content.InvalidParams("resource cannot be subscribed to")
	}
	k := s.takeKey()
	defer s.keys.Put(k)
	b, err := s.appendTopic(k.text[:0], i, &w.vars)
	k.text = b
	return err
}

// afterPolicies is err for callers that the policies of r let in; to others the resource does not exist. The client
// waits for no watcher, so policies are asked at once.
func (w subscriber) afterPolicies(r *feature.Resource, uri string, err error) error {
	if !r.Guard.Asks() || w.call != nil {
		return err // w.call: a listen, whose client does not get the error
	}
	call, full := w.startResource(r)
	if full != nil {
		return full
	}
	if denied := w.askPolicies(call, r.Guard, false, notFound(w.rev, uri)); denied != nil {
		return denied
	}
	return err
}

// noSource is the source of what nothing watches and everybody may see.
var noSource = new(pubsub.Source)

// subscription is what the session subscribes to at uri, which r serves.
func (w subscriber) subscription(r *feature.Resource, uri string) pubsub.Request {
	o := w.c.openOutgoing()
	o.mu.Lock()
	defer o.mu.Unlock()
	return pubsub.Request{Topic: pubsub.Topic{URI: uri}, Source: w.sourceOf(r, &o.sources)}
}

// sourceOf returns the source of the subscriptions of w to what r serves, one for all of them: known are those of the
// session or listen so far.
func (w subscriber) sourceOf(r *feature.Resource, known *map[*feature.Resource]*pubsub.Source) *pubsub.Source {
	guarded := r.Guard != nil && r.Guard.Access.Restricted()
	if r.Watch == nil && !guarded {
		return noSource
	}
	if s := (*known)[r]; s != nil {
		return s
	}
	d := &deliveryAuthorizer{c: w.c, rev: w.rev, of: r}
	if x, ok := w.responder.(*call.HTTPExchange); ok && era.IsModern(w.rev) {
		d.who = x
	}
	s := &pubsub.Source{Open: w.opener(r)}
	if guarded {
		s.Authorizer = d
		w.c.legacy.guarded.Store(true)
	}
	if mayBeAbsent(r) {
		s.Exists = d.exists
	}
	if *known == nil {
		*known = make(map[*feature.Resource]*pubsub.Source)
	}
	(*known)[r] = s
	return s
}

// opener returns what starts the watchers of r, nil if it has none. A watcher is not bound to the request at hand: it
// may go on for other clients. The URI is parsed again, because its variables would cost more to keep than all else of
// a subscription.
func (w subscriber) opener(r *feature.Resource) pubsub.Opener {
	if r.Watch == nil {
		return nil
	}
	s, rev := w.c.s, w.rev
	return func(ctx context.Context, uri string) (iter.Seq2[time.Time, error], error) {
		p := new(call.PathCall)
		if s.route(uri, &p.Values) < 0 {
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
func (w subscriber) subscribe(uri string) error {
	w.uri, w.target = uri, uri
	if !w.c.s.takesSubscriptions() {
		return errNoMethod
	}
	r, err := w.subscribable(uri)
	if err != nil {
		return err
	}
	if w.c.s.linked.fenced() {
		return errCutOff
	}
	if w.c.keeper() != nil {
		return w.subscribeShared(r, uri)
	}
	if r.Watch != nil || r.Guard.Asks() {
		return w.subscribeLater(r, uri)
	}
	u, err := w.c.streams().Subscribe(w.subscription(r, uri))
	if err != nil {
		return subscriptionError(err, w.id)
	}
	return w.accept(u, always)
}

// subscribeLater is subscribe for a resource whose watcher or policies must run before the answer.
func (w subscriber) subscribeLater(r *feature.Resource, uri string) error {
	call, err := w.startResource(r)
	if err != nil {
		return err
	}
	q := w.subscription(r, uri)
	u, err := w.c.streams().Subscribe(q)
	if err != nil {
		return subscriptionError(err, w.id)
	}
	granted := false
	defer func() {
		if !granted { // refused, or a policy has ended the goroutine
			w.c.streams().Withdraw(u)
		}
	}()
	w.enter()
	if err := w.askPolicies(call, r.Guard, true, notFound(w.rev, uri)); err != nil {
		return err
	}
	if err := w.watch(call, u, &q); err != nil {
		return err
	}
	granted = true
	return w.accept(u, call.SettleNow)
}

// watch waits until u is watched, if there is something to watch.
func (w subscriber) watch(call *call.Call, u *pubsub.Subscription, q *pubsub.Request) error {
	if q.Exists != nil && !q.Exists(q.URI) {
		w.c.s.hub.WatchLater(u, false)
		return call.Live()
	}
	// If the client has unsubscribed meanwhile, that was what ended the watcher, and no failure.
	if err := w.c.s.hub.Watch(call, u); err != nil && !u.HasEnded() {
		return subscriptionError(err, w.id)
	}
	return nil
}

// accept confirms a subscription. In a batch the answer has to wait for others, and updates do not
// wait for it: a client that sends batches must take what it asked for at any time, as one must whose
// answers and updates come in different streams.
func (w subscriber) accept(u *pubsub.Subscription, live func() bool) error {
	if !w.responder.Ordered() {
		w.c.streams().Accept(u, nil, w.unsettled)
		return nil
	}
	answer := append(wire.AppendResult(nil, w.id), "{}}\n"...)
	w.c.streams().Accept(u, answer, live)
	return errResponded
}

// unsettled reports whether the request at hand is still to be answered.
func (w subscriber) unsettled() bool { return w.call == nil || w.call.Running() }

// unsubscribe handles resources/unsubscribe. To unsubscribe from what was never subscribed to is
// no error. The answer, which the caller writes, is behind the last update.
func (w subscriber) unsubscribe(uri string) error {
	w.uri = uri
	if !w.c.s.takesSubscriptions() {
		return errNoMethod
	}
	if w.c.keeper() != nil {
		return w.unsubscribeShared(uri)
	}
	w.c.streams().Unsubscribe(uri)
	return nil
}

// always reports that a request is live, for one that cannot be cancelled.
func always() bool { return true }
