package subscribe

import (
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// listen handles subscriptions/listen: all of its steps up to the acknowledgement. Its error is
// the answer to send; session.ErrResponded if the listen is open or cancelled.
func (req request) listen(filter *protocol.SubscriptionFilter) error {
	call, err := req.Start()
	if err != nil {
		return err
	}
	defer req.AuditRest()
	topics, accepted := req.acceptFilter(filter)
	more, err := req.acceptExtensions(filter, accepted)
	if err != nil {
		return err
	}
	topics = append(topics, more...)
	t := req.Conn.Streams()
	s, err := t.Listen(pubsub.Listen{
		ID:      session.ListenID(call.Request().ID),
		Encoder: &encoder{c: req.Conn, s: req.s, rev: call.Revision(), id: call.Request().ID},
		Settle:  call.SettleNow,
		Topics:  topics,
	})
	if err != nil {
		return subscribeError(err, call.Request().ID)
	}
	if req.s.Fenced() { // checked now that s is registered: if the replica is cut off later, s ends like all listens
		t.Drop(s)
		return errCutOff
	}
	if slices.ContainsFunc(topics, func(q pubsub.Request) bool { return q.Source != pubsub.NoSource }) {
		req.Enter()
	}
	granted := false
	defer func() {
		if !granted { // cancelled, or a policy has ended the goroutine
			t.Drop(s)
		}
	}()
	refused := req.watchAll(s, topics)
	if call.Err() != nil {
		return session.ErrResponded
	}
	granted = true
	accepted.ResourceSubscriptions = slices.DeleteFunc(accepted.ResourceSubscriptions,
		func(uri string) bool { return refused[uri] })
	t.Acknowledge(s, ackFrame(call, accepted))
	return session.ErrResponded
}

// watchAll prechecks the URIs of a listen and then waits for their watchers, for all of them together at most
// pubsub.OpenTimeout. It returns the URIs that were refused; nil if the call has ended.
func (req request) watchAll(s *pubsub.Stream, topics []pubsub.Request) (refused map[string]bool) {
	refused = make(map[string]bool)
	var watched []pubsub.Topic
	unwatched := 0
	var why error // of the last watcher that did not start
	for i, found := range req.precheck(topics) {
		q := &topics[i]
		switch {
		case req.Call.Err() != nil:
			return nil
		case found == precheckDenied || found == precheckLate && q.Authorizer != nil:
			req.Conn.Streams().Refuse(s, q.Topic)
			refused[q.URI] = true
			req.AuditListen(q.Topic, false)
		case q.Open == nil:
			req.AuditListen(q.Topic, true)
		case found != precheckFree:
			req.Conn.Streams().WatchLater(s, q.Topic, found == precheckLate)
			req.AuditListen(q.Topic, true)
		default:
			err := req.Conn.Streams().StartWatcher(s, q.Topic)
			if err == nil {
				watched = append(watched, q.Topic)
				continue
			}
			req.Conn.Streams().Refuse(s, q.Topic)
			refused[q.URI] = true
			why = err
			unwatched++
			req.AuditListen(q.Topic, false)
		}
	}
	if unwatched > 0 {
		req.Conn.Log.Warn("mcp: subscriptions refused", "err", why, "count", unwatched)
	}
	ctx, stop := pubsub.WithOpenTimeout(req.Call)
	defer stop()
	for _, of := range watched {
		err := req.Conn.Streams().WaitWatcher(ctx, s, of)
		if req.Call.Err() != nil {
			return nil
		}
		req.AuditListen(of, true)
		if err != nil {
			req.Conn.Log.Warn("mcp: subscription refused", "err", err)
			refused[of.URI] = true
		}
	}
	return refused
}

// acceptFilter returns the lists and resources of filter that the listen gets, and the filter that the client is told.
// What the server has not declared or does not know is left out.
func (req request) acceptFilter(filter *protocol.SubscriptionFilter) ([]pubsub.Request, *protocol.SubscriptionFilter) {
	var topics []pubsub.Request
	accepted := new(protocol.SubscriptionFilter)
	for _, list := range req.s.Lists() {
		member := feature.Kinds[kindOf(list)].Filter
		if feature.IsTrue(*member(filter)) {
			*member(accepted) = new(true)
			topics = append(topics, pubsub.Request{Topic: pubsub.Topic{Kind: list}, Source: pubsub.NoSource})
		}
	}
	if filter.ResourceSubscriptions == nil || !req.s.Takes() {
		return topics, accepted
	}
	accepted.ResourceSubscriptions = []string{}
	var own session.Sources
	said := make(map[string]bool, len(filter.ResourceSubscriptions))
	for _, uri := range filter.ResourceSubscriptions {
		if said[uri] {
			continue
		}
		said[uri] = true
		r, err := req.subscribable(uri)
		if err != nil {
			req.AuditListen(pubsub.Topic{URI: uri}, !req.TakeDenied())
			req.Conn.Log.Debug("mcp: subscription refused", "uri", uri, "err", err)
			continue
		}
		accepted.ResourceSubscriptions = append(accepted.ResourceSubscriptions, uri)
		topics = append(topics, pubsub.Request{Topic: pubsub.Topic{URI: uri}, Source: req.sourceOf(r, &own)})
	}
	return topics, accepted
}

// acceptExtensions returns the topics in members of extensions that the listen gets, and adds these members to
// accepted.
func (req request) acceptExtensions(filter, accepted *protocol.SubscriptionFilter) ([]pubsub.Request, error) {
	var topics []pubsub.Request
	for _, f := range req.s.Filters() {
		value, asked := filter.Extra.Get(f.Name)
		if !asked {
			continue
		}
		more, granted, err := f.Accept(req.Worker, value)
		switch {
		case err != nil:
			return nil, err
		case granted != nil:
			accepted.Extra.Set(f.Name, granted)
			topics = append(topics, more...)
		}
	}
	return topics, nil
}

// ackFrame returns the notification that acknowledges a listen.
func ackFrame(call *call.Call, accepted *protocol.SubscriptionFilter) []byte {
	b := wire.AppendNotification(nil, protocol.MethodNotificationsSubscriptionsAcknowledged)
	p := protocol.SubscriptionsAcknowledgedNotificationParams{
		Meta:          &protocol.NotificationMetaObject{SubscriptionID: call.Request().ID},
		Notifications: *accepted,
	}
	return append(p.AppendJSON(b, call.Revision()), "}\n"...)
}
