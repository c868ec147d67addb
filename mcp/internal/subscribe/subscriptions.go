package subscribe

import (
	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/pipeline"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
)

// Config is what subscriptions need of their server.
type Config struct {
	*feature.Registry
	Hub *pubsub.Hub
	// Fenced reports whether subscriptions are refused, because changes of other replicas do not reach this one.
	Fenced func() bool
	// Filters returns the members of listen filters that extensions and tasks have added.
	Filters func() []session.Filter
}

// Subscriptions handle the requests of all clients of one server. They are safe for concurrent use.
type Subscriptions struct{ Config }

// request handles one request of a client: resources/subscribe, resources/unsubscribe or subscriptions/listen.
type request struct {
	*session.Worker
	pipeline *pipeline.Pipeline
	s        *Subscriptions
}

func (s *Subscriptions) request(p *pipeline.Pipeline) request { return request{p.Worker, p, s} }

// Subscribe handles resources/subscribe. Its error is the answer to send; nil for an empty result.
func (s *Subscriptions) Subscribe(p *pipeline.Pipeline, uri string) error {
	return s.request(p).subscribe(uri)
}

// Unsubscribe handles resources/unsubscribe.
func (s *Subscriptions) Unsubscribe(p *pipeline.Pipeline, uri string) error {
	return s.request(p).unsubscribe(uri)
}

// Listen handles subscriptions/listen.
func (s *Subscriptions) Listen(p *pipeline.Pipeline, filter *protocol.SubscriptionFilter) error {
	return s.request(p).listen(filter)
}

// Encoder returns the encoder of the notifications of a legacy session.
func (s *Subscriptions) Encoder(c *session.Conn, rev protocol.Revision) pubsub.Encoder {
	return &encoder{c: c, s: s, rev: rev}
}

// errCutOff refuses a subscription while this replica does not hear the others.
var errCutOff = content.Errorf("this replica of the server is cut off from the others: try again")

// Lists returns the topics of the lists whose changes clients can subscribe to.
func (s *Subscriptions) Lists() []pubsub.Kind {
	var lists []pubsub.Kind
	for k, row := range feature.Kinds {
		if _, listChanged := row.Offered(&s.Capabilities); listChanged {
			lists = append(lists, ListTopic(feature.Kind(k)))
		}
	}
	return lists
}

// Takes reports whether any resource can be subscribed to.
func (s *Subscriptions) Takes() bool {
	r := s.Capabilities.Resources
	return r != nil && feature.IsTrue(r.Subscribe)
}

// ListTopic returns the kind of topic for changes of the list of k.
func ListTopic(k feature.Kind) pubsub.Kind { return pubsub.ResourceList + pubsub.Kind(k) }

// kindOf is the reverse of ListTopic.
func kindOf(list pubsub.Kind) feature.Kind { return feature.Kind(list - pubsub.ResourceList) }
