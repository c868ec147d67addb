package subscribe

import (
	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// encoder implements [pubsub.Encoder] for the legacy session of a connection, or for one listen.
type encoder struct {
	c   *session.Conn
	s   *Subscriptions
	rev protocol.Revision
	id  wire.ID // of the listen, verbatim; zero for the session
}

// AppendUpdate implements [pubsub.Encoder].
func (e *encoder) AppendUpdate(b []byte, t pubsub.Topic) []byte {
	if t.Kind == pubsub.Resource {
		b = wire.AppendNotification(b, protocol.MethodNotificationsResourcesUpdated)
		p := protocol.ResourceUpdatedNotificationParams{URI: t.URI, Meta: e.meta()}
		b = p.AppendJSON(b, e.rev)
	} else {
		b = wire.AppendNotification(b, feature.Kinds[kindOf(t.Kind)].Changed)
		p := protocol.NotificationParams{Meta: e.meta()}
		b = p.AppendJSON(b, e.rev)
	}
	return append(b, "}\n"...)
}

// meta returns the _meta of all notifications of a stream: it has the id of a listen, and is nil for a session.
func (e *encoder) meta() *protocol.NotificationMetaObject {
	if e.id.IsZero() {
		return nil
	}
	return &protocol.NotificationMetaObject{SubscriptionID: e.id}
}

// End implements [pubsub.Encoder]: the result, and behind it a cancellation where requests share a connection. In that
// order clients see an orderly end.
func (e *encoder) End() [][]byte {
	result := protocol.SubscriptionsListenResult{Meta: protocol.SubscriptionsListenResultMetaObject{
		SubscriptionID: e.id,
		ServerInfo:     &e.s.Info,
	}}
	b := result.AppendJSON(wire.AppendResult(nil, e.id), e.rev)
	b = append(b, "}\n"...)
	if !e.c.EndsListen {
		return [][]byte{b}
	}
	cancelled := protocol.CancelledNotificationParams{RequestID: e.id}
	n := cancelled.AppendJSON(wire.AppendNotification(nil, protocol.MethodNotificationsCancelled), e.rev)
	return [][]byte{b, append(n, "}\n"...)}
}

// subscribeError returns the error that a client that cannot subscribe gets. id is the id of its request. An err that
// is no [pubsub.Error] is returned as it is.
func subscribeError(err error, id wire.ID) error {
	refused, ok := err.(pubsub.Error) //nolint:errorlint // pubsub does not wrap it
	switch {
	case !ok:
		return err
	case refused == pubsub.ErrDuplicate:
		return content.Errorf("id %s belongs to an open listen", id)
	}
	return content.Public(refused)
}
