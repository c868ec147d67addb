package server

import (
	"context"

	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/files"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/internal/relay"
	"github.com/mcpgen/mcpgen/mcp/internal/subscribe"
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

// ResourceUpdated tells the subscribers of uri that the resource may have changed, on all replicas and joined servers.
// It never blocks. subject is the subject of the caller whose call has caused the change; "" for none.
func (s *Server) ResourceUpdated(uri, subject string) {
	deliver(s, uri)
	s.joins.each(func(o *Server) { tellUpdated(o, uri, subject) })
	s.linked.Note(relay.Updated, uri)
}

// deliver publishes an update of uri to the subscribers of s and of the servers joined with it, on this replica only.
func deliver(s *Server, uri string) {
	s.host.Hub.Publish(uri)
	s.joins.eachOther(func(o *Server) bool { return o.registry.IndexOf(uri) >= 0 },
		func(o *Server) { o.host.Hub.Publish(uri) })
}

// ResourceListChanged tells the clients of s, and of the servers joined with it, that the list of resources may have
// changed. It never blocks.
func (s *Server) ResourceListChanged() {
	s.host.Hub.PublishList(subscribe.ListTopic(feature.KindResource))
	s.joins.eachOther(func(*Server) bool { return true },
		func(o *Server) { o.host.Hub.PublishList(subscribe.ListTopic(feature.KindResource)) })
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
		s.host.Hub.PublishList(subscribe.ListTopic(feature.KindResource))
		s.linked.NoteList(feature.KindResource)
	}
}

// attachLive makes the live values of the features publish their changes on s.
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
