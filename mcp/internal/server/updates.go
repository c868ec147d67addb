package server

import (
	"context"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/files"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/internal/relay"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// newHub returns the hub of s, which Close closes.
func (s *Server) newHub() *pubsub.Hub {
	return pubsub.NewHub(pubsub.Config{
		Log:      s.host.Log,
		NewKeyer: func() pubsub.Keyer { return feature.NewKey(&s.registry) },
		Context:  files.WithLimit(context.Background(), s.opts.MaxFileBytes),
		Grace:    s.host.Grace,

		Subscriptions: firstPositive(s.opts.MaxTotalSubscriptions, defaultMaxTotal),
		Watchers:      firstPositive(s.opts.MaxWatchers, defaultMaxWatchers),
		Changed:       func(text string) { s.linked.Note(relay.Updated, text) },
	})
}

// streamEncoder implements [pubsub.Encoder] for the legacy session of a connection, or for one listen.
type streamEncoder struct {
	c   *session.Conn
	s   *Server
	rev protocol.Revision
	id  wire.ID // of the listen, verbatim; zero for the session
}

// AppendUpdate implements [pubsub.Encoder].
func (e *streamEncoder) AppendUpdate(b []byte, t pubsub.Topic) []byte {
	if t.Kind == pubsub.Resource {
		b = wire.AppendNotification(b, protocol.MethodNotificationsResourcesUpdated)
		p := protocol.ResourceUpdatedNotificationParams{URI: t.URI, Meta: e.meta()}
		b = p.AppendJSON(b, e.rev)
	} else {
		if t.Kind == extensionList {
			b = wire.AppendNotification(b, e.s.extensions.List().Changed)
		} else {
			b = wire.AppendNotification(b, feature.Kinds[kindOf(t.Kind)].Changed)
		}
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
		ServerInfo:     &e.s.features.Info,
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

// subscriptionError returns the error for a client that may not subscribe: that of a [pubsub.Error], else err.
func subscriptionError(err error, id wire.ID) error {
	refused, ok := err.(pubsub.Error) //nolint:errorlint // pubsub does not wrap it
	switch {
	case !ok:
		return err
	case refused == pubsub.ErrDuplicate:
		return content.Errorf("id %s belongs to an open listen", id)
	}
	return content.Public(refused)
}

// ResourceUpdated publishes an update to the subscribers of uri: the resource may have changed. It never blocks. by is
// the subject whose call has caused it; "" for none.
func (s *Server) ResourceUpdated(uri, by string) {
	deliver(s, uri)
	eachOfFamily(s, func(o *Server) { tellUpdated(o, uri, by) })
	s.linked.Note(relay.Updated, uri)
}

// deliver publishes uri on this replica only.
func deliver(s *Server, uri string) {
	s.host.Hub.Publish(uri)
	s.eachJoined(func(o *Server) bool { return o.registry.IndexOf(uri) >= 0 }, func(o *Server) { o.host.Hub.Publish(uri) })
}

// ResourceListChanged announces to clients that the list of resources may have changed. It never blocks.
func (s *Server) ResourceListChanged() {
	s.host.Hub.PublishList(listTopic(feature.KindResource))
	s.eachJoined(func(*Server) bool { return true },
		func(o *Server) { o.host.Hub.PublishList(listTopic(feature.KindResource)) })
	s.linked.NoteList(feature.KindResource)
}

// PublishLive implements [feature.Publisher].
func (s *Server) PublishLive(uri string, list, reloaded bool) {
	s.host.Hub.Publish(uri)
	kind := relay.Updated
	if reloaded {
		kind = relay.Reloaded
	} else {
		tellUpdated(s, uri, "")
	}
	s.linked.Note(kind, uri)
	if list {
		s.host.Hub.PublishList(listTopic(feature.KindResource))
		s.linked.NoteList(feature.KindResource)
	}
}

// attachLive connects s to the live values of its features.
func (s *Server) attachLive() {
	for i := range s.features.Resources {
		if r := &s.features.Resources[i]; r.Value != nil {
			r.Value.Attach(s, r.List != nil)
		}
	}
}

func (s *Server) detachLive() {
	for i := range s.features.Resources {
		if live := s.features.Resources[i].Value; live != nil {
			live.Detach(s)
		}
	}
}
