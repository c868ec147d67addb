package server

import (
	"context"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// updateMethods are the notifications that tell clients of an update.
var updateMethods = [...]string{
	pubsub.Resource: protocol.MethodNotificationsResourcesUpdated,
	resourceList:    protocol.MethodNotificationsResourcesListChanged,
	toolList:        protocol.MethodNotificationsToolsListChanged,
	promptList:      protocol.MethodNotificationsPromptsListChanged,
}

// newHub returns the hub of s, which Close closes.
func (s *Server) newHub() *pubsub.Hub {
	return pubsub.NewHub(pubsub.Config{
		Log:      s.log,
		NewKeyer: func() pubsub.Keyer { return &resourceKey{s: s} },
		Context:  context.WithValue(context.Background(), maxFileKey{}, s.opts.MaxFileBytes),
		Grace:    s.grace,
	})
}

// streamEncoder implements [pubsub.Encoder] for the legacy session of a connection, or for one listen.
type streamEncoder struct {
	c   *conn
	rev protocol.Revision
	id  wire.ID // of the listen, verbatim; zero for the session
}

// AppendUpdate implements [pubsub.Encoder].
func (e *streamEncoder) AppendUpdate(b []byte, t pubsub.Topic) []byte {
	b = wire.AppendNotification(b, updateMethods[t.Kind])
	if t.Kind == pubsub.Resource {
		p := protocol.ResourceUpdatedNotificationParams{URI: t.URI, Meta: e.meta()}
		b = p.AppendJSON(b, e.rev)
	} else {
		p := protocol.NotificationParams{Meta: e.meta()}
		b = p.AppendJSON(b, e.rev)
	}
	return append(b, "}\n"...)
}

// meta returns the _meta of every notification of a stream: a listen is named, the session is not.
func (e *streamEncoder) meta() *protocol.NotificationMetaObject {
	if e.id.IsZero() {
		return nil
	}
	return &protocol.NotificationMetaObject{SubscriptionID: e.id}
}

// End implements [pubsub.Encoder]: the result and, where requests share a connection, a cancellation, in the order that
// lets clients see an orderly end.
func (e *streamEncoder) End() [][]byte {
	result := protocol.SubscriptionsListenResult{Meta: protocol.SubscriptionsListenResultMetaObject{
		SubscriptionID: e.id,
		ServerInfo:     &e.c.s.features.Info,
	}}
	b := result.AppendJSON(wire.AppendResult(nil, e.id), e.rev)
	b = append(b, "}\n"...)
	if !e.c.endsListen {
		return [][]byte{b}
	}
	cancelled := protocol.CancelledNotificationParams{RequestID: e.id}
	n := cancelled.AppendJSON(wire.AppendNotification(nil, protocol.MethodNotificationsCancelled), e.rev)
	return [][]byte{b, append(n, "}\n"...)}
}

// subscriptionError returns what the client is told that may not subscribe: the text of a [pubsub.Error], else err.
func subscriptionError(err error, id wire.ID) error {
	refused, ok := err.(pubsub.Error) //nolint:errorlint // pubsub does not wrap it
	switch {
	case !ok:
		return err
	case refused == pubsub.ErrDuplicate:
		return Errorf("id %s belongs to an open listen", id)
	}
	return Public(refused)
}

// ResourceUpdated tells the subscribers of uri that the resource may have changed. It never blocks.
func (s *Server) ResourceUpdated(uri string) {
	s.hub.Publish(uri)
	s.relatives(func(o *Server) bool { return o.routes(uri) }, func(o *Server) { o.hub.Publish(uri) })
}

// ResourceListChanged tells clients that resources/list may give another answer now. It never blocks.
func (s *Server) ResourceListChanged() {
	s.hub.PublishList(resourceList)
	s.relatives(func(*Server) bool { return true }, func(o *Server) { o.hub.PublishList(resourceList) })
}
