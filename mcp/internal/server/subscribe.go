package server

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// openStreams gives c its subscriptions. A failed write ends c, and they with it.
func (c *conn) openStreams() {
	c.streams = newStreams(c.s.hub, c.out, &c.s.opts)
	c.streams.endFrames = c.listenEnds
	c.out.died = c.fail
}

// markInitialized lets the legacy session hear of changes.
func (c *conn) markInitialized() {
	c.streams.initialized(c.session(), c.s.listsThatChange())
}

// listsThatChange are the kinds of lists of whose changes clients may hear.
func (s *Server) listsThatChange() []signalKind {
	var kinds []signalKind
	caps := &s.features.Capabilities
	if r := caps.Resources; r != nil && isTrue(r.ListChanged) {
		kinds = append(kinds, listOfResources)
	}
	if t := caps.Tools; t != nil && isTrue(t.ListChanged) {
		kinds = append(kinds, listOfTools)
	}
	if p := caps.Prompts; p != nil && isTrue(p.ListChanged) {
		kinds = append(kinds, listOfPrompts)
	}
	return kinds
}

// takesSubscriptions reports whether any resource can be subscribed to.
func (s *Server) takesSubscriptions() bool {
	r := s.features.Capabilities.Resources
	return r != nil && isTrue(r.Subscribe)
}

func isTrue(b *bool) bool { return b != nil && *b }

// subscribable returns the resource that serves uri, if clients may subscribe to it.
func (w *worker) subscribable(uri string) (*Resource, error) {
	s := w.c.s
	i := s.route(uri, &w.vars)
	if i < 0 || !s.offersResource(i, w.rev) {
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

// subscribeFault is why nobody can subscribe to the URI of the i-th resource that was routed last.
func (w *worker) subscribeFault(i int) error {
	s := w.c.s
	if !s.features.Resources[i].Subscribe {
		return invalid("resource cannot be subscribed to")
	}
	k := s.hub.takeKey()
	defer s.hub.keys.Put(k)
	b, err := s.appendTopic(k.b[:0], i, &w.vars)
	k.b = b
	return err
}

// afterPolicies is err for callers that the policies of r let in; to others the resource does not exist. The client
// waits for no watcher, so policies are asked at once.
func (w *worker) afterPolicies(r *Resource, uri string, err error) error {
	if !r.Guard.asks() || w.call != nil {
		return err // w.call: a listen, whose client is not told why
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

// opener returns what starts the watcher of uri, nil if r has none. The watcher is not bound to
// the request at hand: it may go on for other clients.
func (w *worker) opener(r *Resource, uri string) opener {
	if r.Watch == nil {
		return nil
	}
	rev, vars := w.rev, w.vars
	return func(ctx context.Context) (iter.Seq2[time.Time, error], error) {
		p := &pathCall{vars: vars}
		p.base, p.about, p.rev = ctx, uri, rev
		if r.Template != nil {
			p.Vars = &p.vars
		}
		context.AfterFunc(ctx, func() { p.end(context.Canceled) })
		return r.Watch(&p.Call)
	}
}

// subscribe handles resources/subscribe. Its error is the answer to send; nil for an empty result.
func (w *worker) subscribe(uri string) error {
	w.uri, w.target = uri, uri
	if !w.c.s.takesSubscriptions() {
		return errNoMethod
	}
	r, err := w.subscribable(uri)
	if err != nil {
		return err
	}
	if r.Watch != nil || r.Guard.asks() {
		return w.subscribeLater(r, uri)
	}
	u, err := w.c.streams.subscribe(uri, nil, w.wardenOf(r, uri))
	if err != nil {
		return err
	}
	return w.accept(u, always)
}

// subscribeLater is subscribe for a resource whose watcher or policies must run before the answer.
func (w *worker) subscribeLater(r *Resource, uri string) error {
	call, err := w.startResource(r)
	if err != nil {
		return err
	}
	u, err := w.c.streams.subscribe(uri, w.opener(r, uri), w.wardenOf(r, uri))
	if err != nil {
		return err
	}
	granted := false
	defer func() {
		if !granted { // refused, or a policy has ended the goroutine
			w.c.streams.withdraw(u)
		}
	}()
	w.enter()
	if err := w.askPolicies(call, r.Guard, true, notFound(w.rev, uri)); err != nil {
		return err
	}
	// If the client has unsubscribed meanwhile, that was what ended the watcher, and no failure.
	if err := w.c.s.hub.runs(call, u); err != nil && !u.isGone() {
		return err
	}
	granted = true
	return w.accept(u, call.settle)
}

// accept confirms a subscription. In a batch the answer has to wait for others, and updates do not
// wait for it: a client that sends batches must take what it asked for at any time, as one must whose
// answers and updates come in different streams.
func (w *worker) accept(u *sub, live func() bool) error {
	if !w.responder.Ordered() {
		w.c.streams.accept(u, nil, w.unsettled)
		return nil
	}
	answer := append(wire.AppendResult(nil, w.id), "{}}\n"...)
	w.c.streams.accept(u, answer, live)
	return errResponded
}

// unsettled reports whether the request at hand is still to be answered.
func (w *worker) unsettled() bool { return w.call == nil || w.call.state.Load() == callRunning }

// unsubscribe handles resources/unsubscribe. To unsubscribe from what was never subscribed to is
// no error. The answer, which the caller writes, is behind the last update.
func (w *worker) unsubscribe(uri string) error {
	w.uri = uri
	if !w.c.s.takesSubscriptions() {
		return errNoMethod
	}
	w.c.streams.unsubscribe(uri)
	return nil
}

// listen handles subscriptions/listen: all of its steps up to the acknowledgement. Its error is
// the answer to send; errResponded if the listen is open or cancelled.
func (w *worker) listen(filter *protocol.SubscriptionFilter) error {
	call, err := w.start()
	if err != nil {
		return err
	}
	topics, honoured := w.honour(filter)
	t := w.c.streams
	s, err := t.listen(call.id, call.rev, topics, call.settle)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(topics, func(q topicRequest) bool { return q.open != nil || q.warden != nil }) {
		w.enter()
	}
	granted := false
	defer func() {
		if !granted { // cancelled, or a policy has ended the goroutine
			t.drop(s)
		}
	}()
	refused := w.watchAll(s, topics)
	if call.Err() != nil {
		return errResponded
	}
	granted = true
	honoured.ResourceSubscriptions = slices.DeleteFunc(honoured.ResourceSubscriptions,
		func(uri string) bool { return refused[uri] })
	t.acknowledge(s, ackFrame(call, honoured))
	return errResponded
}

// watchAll asks the policies and waits for the watchers of a listen, for all of them together at most openTimeout, and
// returns the URIs that were refused. It gives up when the call ends.
func (w *worker) watchAll(s *stream, topics []topicRequest) (refused map[string]bool) {
	refused = make(map[string]bool)
	var watched []string
	for _, q := range topics {
		switch {
		case w.call.Err() != nil:
			return nil
		case q.warden != nil && !q.warden.permits():
			w.c.streams.refuse(s, q.uri)
			refused[q.uri] = true
			w.auditListen(q.uri, false)
		case q.open == nil:
			w.auditListen(q.uri, true)
		default:
			w.c.streams.begin(s, q.uri)
			watched = append(watched, q.uri)
		}
	}
	ctx, stop := untilLate(w.call)
	defer stop()
	for _, uri := range watched {
		err := w.c.streams.watched(ctx, s, uri)
		if w.call.Err() != nil {
			return nil
		}
		w.auditListen(uri, true)
		if err != nil {
			w.c.log.Warn("mcp: subscription refused", "err", err)
			refused[uri] = true
		}
	}
	return refused
}

// honour returns the topics that a listen gets of what filter asks for, and the filter that
// says so. What the server has not declared or does not know is left out.
func (w *worker) honour(filter *protocol.SubscriptionFilter) ([]topicRequest, *protocol.SubscriptionFilter) {
	var topics []topicRequest
	honoured := new(protocol.SubscriptionFilter)
	for _, kind := range w.c.s.listsThatChange() {
		if isTrue(*listFlag(filter, kind)) {
			*listFlag(honoured, kind) = new(true)
			topics = append(topics, topicRequest{signal: signal{kind: kind}})
		}
	}
	if filter.ResourceSubscriptions == nil || !w.c.s.takesSubscriptions() {
		return topics, honoured
	}
	honoured.ResourceSubscriptions = []string{}
	said := make(map[string]bool, len(filter.ResourceSubscriptions))
	for _, uri := range filter.ResourceSubscriptions {
		if said[uri] {
			continue
		}
		said[uri] = true
		r, err := w.subscribable(uri)
		if err != nil {
			w.auditListen(uri, !w.denied)
			w.denied = false
			w.c.log.Debug("mcp: subscription refused", "uri", uri, "err", err)
			continue
		}
		honoured.ResourceSubscriptions = append(honoured.ResourceSubscriptions, uri)
		topics = append(topics, topicRequest{signal{oneResource, uri}, w.opener(r, uri), w.wardenOf(r, uri)})
	}
	return topics, honoured
}

// listFlag returns the member of a filter for one kind of list.
func listFlag(f *protocol.SubscriptionFilter, kind signalKind) **bool {
	switch kind {
	case listOfTools:
		return &f.ToolsListChanged
	case listOfPrompts:
		return &f.PromptsListChanged
	}
	return &f.ResourcesListChanged
}

// ackFrame is the notification that opens a listen.
func ackFrame(call *Call, honoured *protocol.SubscriptionFilter) []byte {
	b := wire.AppendNotification(nil, protocol.MethodNotificationsSubscriptionsAcknowledged)
	p := protocol.SubscriptionsAcknowledgedNotificationParams{
		Meta:          &protocol.NotificationMetaObject{SubscriptionID: call.id},
		Notifications: *honoured,
	}
	return append(p.AppendJSON(b, call.rev), "}\n"...)
}

// listenEnds returns the frames that end a listen when the server does: the result and, where requests share a
// connection, a cancellation, in the order that lets clients see an orderly end.
func (c *conn) listenEnds(s *stream) [][]byte {
	result := protocol.SubscriptionsListenResult{Meta: protocol.SubscriptionsListenResultMetaObject{
		SubscriptionID: s.id,
		ServerInfo:     &c.s.features.Info,
	}}
	b := result.AppendJSON(wire.AppendResult(nil, s.id), s.rev)
	b = append(b, "}\n"...)
	if !c.endsListen {
		return [][]byte{b}
	}
	cancelled := protocol.CancelledNotificationParams{RequestID: s.id}
	n := cancelled.AppendJSON(wire.AppendNotification(nil, protocol.MethodNotificationsCancelled), s.rev)
	return [][]byte{b, append(n, "}\n"...)}
}
