package server

import (
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// listen handles subscriptions/listen: all of its steps up to the acknowledgement. Its error is
// the answer to send; errResponded if the listen is open or cancelled.
func (w subscriber) listen(filter *protocol.SubscriptionFilter) error {
	call, err := w.start()
	if err != nil {
		return err
	}
	defer auditor(w).auditRest()
	topics, honoured := w.honour(filter)
	encoder := &streamEncoder{c: w.c, rev: call.Revision(), id: call.Request().ID}
	if w.c.s.tasks != nil {
		more, err := w.c.s.tasks.honour(w, filter, honoured, encoder)
		if err != nil {
			return err
		}
		topics = append(topics, more...)
	}
	t := w.c.streams()
	s, err := t.Listen(pubsub.Listen{
		ID:      listenID(call.Request().ID),
		Encoder: encoder,
		Settle:  call.SettleNow,
		Topics:  topics,
	})
	if err != nil {
		return subscriptionError(err, call.Request().ID)
	}
	if encoder.tasks != nil {
		w.c.s.tasks.placed(encoder, t, s)
	}
	if w.c.s.linked.fenced() { // looked at once it has its place: then it ends with the others
		t.Drop(s)
		return errCutOff
	}
	if slices.ContainsFunc(topics, func(q pubsub.Request) bool { return q.Source != noSource }) {
		w.enter()
	}
	granted := false
	defer func() {
		if !granted { // cancelled, or a policy has ended the goroutine
			t.Drop(s)
		}
	}()
	refused := w.watchAll(s, topics)
	if call.Err() != nil {
		return errResponded
	}
	granted = true
	honoured.ResourceSubscriptions = slices.DeleteFunc(honoured.ResourceSubscriptions,
		func(uri string) bool { return refused[uri] })
	t.Acknowledge(s, ackFrame(call, honoured))
	return errResponded
}

// watchAll screens the URIs of a listen and then waits for their watchers, for all of them together at most
// pubsub.OpenTimeout, and returns the URIs that were refused. It gives up when the call ends.
func (w subscriber) watchAll(s *pubsub.Stream, topics []pubsub.Request) (refused map[string]bool) {
	refused = make(map[string]bool)
	var watched []string
	unwatched := 0
	var why error // that of the last one
	for i, found := range w.screen(topics) {
		q := &topics[i]
		switch {
		case w.call.Err() != nil:
			return nil
		case found == screenDenied || found == screenLate && q.Authorizer != nil:
			w.c.streams().Refuse(s, q.URI)
			refused[q.URI] = true
			auditor(w).auditListen(q.URI, false)
		case q.Open == nil:
			auditor(w).auditListen(q.URI, true)
		case found != screenFree:
			w.c.streams().WatchLater(s, q.URI, found == screenLate)
			auditor(w).auditListen(q.URI, true)
		default:
			err := w.c.streams().StartWatcher(s, q.URI)
			if err == nil {
				watched = append(watched, q.URI)
				continue
			}
			w.c.streams().Refuse(s, q.URI)
			refused[q.URI] = true
			why = err
			unwatched++
			auditor(w).auditListen(q.URI, false)
		}
	}
	if unwatched > 0 {
		w.c.Log.Warn("mcp: subscriptions refused", "err", why, "count", unwatched)
	}
	ctx, stop := pubsub.WithOpenTimeout(w.call)
	defer stop()
	for _, uri := range watched {
		err := w.c.streams().WaitWatcher(ctx, s, uri)
		if w.call.Err() != nil {
			return nil
		}
		auditor(w).auditListen(uri, true)
		if err != nil {
			w.c.Log.Warn("mcp: subscription refused", "err", err)
			refused[uri] = true
		}
	}
	return refused
}

// honour returns the topics that a listen gets of what filter asks for, and the filter that
// says so. What the server has not declared or does not know is left out.
func (w subscriber) honour(filter *protocol.SubscriptionFilter) ([]pubsub.Request, *protocol.SubscriptionFilter) {
	var topics []pubsub.Request
	honoured := new(protocol.SubscriptionFilter)
	for _, list := range w.c.s.listsThatChange() {
		member := feature.Kinds[kindOf(list)].Filter
		if feature.IsTrue(*member(filter)) {
			*member(honoured) = new(true)
			topics = append(topics, pubsub.Request{Topic: pubsub.Topic{Kind: list}, Source: noSource})
		}
	}
	if x := w.c.s.extensions; x != nil && x.List().Honour(filter, honoured) {
		topics = append(topics, pubsub.Request{Topic: pubsub.Topic{Kind: extensionList}, Source: noSource})
	}
	if filter.ResourceSubscriptions == nil || !w.c.s.takesSubscriptions() {
		return topics, honoured
	}
	honoured.ResourceSubscriptions = []string{}
	var sources map[*feature.Resource]*pubsub.Source
	said := make(map[string]bool, len(filter.ResourceSubscriptions))
	for _, uri := range filter.ResourceSubscriptions {
		if said[uri] {
			continue
		}
		said[uri] = true
		r, err := w.subscribable(uri)
		if err != nil {
			auditor(w).auditListen(uri, !w.denied)
			w.denied = false
			w.c.Log.Debug("mcp: subscription refused", "uri", uri, "err", err)
			continue
		}
		honoured.ResourceSubscriptions = append(honoured.ResourceSubscriptions, uri)
		topics = append(topics, pubsub.Request{Topic: pubsub.Topic{URI: uri}, Source: w.sourceOf(r, &sources)})
	}
	return topics, honoured
}

// ackFrame is the notification that opens a listen.
func ackFrame(call *call.Call, honoured *protocol.SubscriptionFilter) []byte {
	b := wire.AppendNotification(nil, protocol.MethodNotificationsSubscriptionsAcknowledged)
	p := protocol.SubscriptionsAcknowledgedNotificationParams{
		Meta:          &protocol.NotificationMetaObject{SubscriptionID: call.Request().ID},
		Notifications: *honoured,
	}
	return append(p.AppendJSON(b, call.Revision()), "}\n"...)
}
