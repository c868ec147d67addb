package subscribe

import (
	"errors"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

func subscriptions(capabilities protocol.ServerCapabilities) *Subscriptions {
	r := new(feature.Registry)
	r.Init(&feature.Features{Info: protocol.Implementation{Name: "t"}, Capabilities: capabilities})
	return &Subscriptions{Config{Registry: r}}
}

// The notification of each topic, in a session and in a listen, which is named.
func TestAppendUpdate(t *testing.T) {
	s := subscriptions(protocol.ServerCapabilities{})
	in := s.Encoder(new(session.Conn), protocol.Revision20251125)
	of := &encoder{c: new(session.Conn), s: s, rev: protocol.Latest, id: wire.StringID("x")}
	for _, c := range []struct {
		topic  pubsub.Topic
		method string
	}{
		{pubsub.Topic{URI: "a:x"}, protocol.MethodNotificationsResourcesUpdated},
		{pubsub.Topic{Kind: ListTopic(feature.KindTool)}, "notifications/tools/list_changed"},
		{pubsub.Topic{Kind: ListTopic(feature.KindPrompt)}, "notifications/prompts/list_changed"},
		{pubsub.Topic{Kind: ListTopic(feature.KindResource)}, "notifications/resources/list_changed"},
	} {
		for _, e := range []pubsub.Encoder{in, of} {
			got := string(e.AppendUpdate(nil, c.topic))
			named := e == pubsub.Encoder(of)
			if !strings.Contains(got, `"method":"`+c.method+`"`) || strings.Contains(got, `"x"}`) != named ||
				c.topic.URI != "" && !strings.Contains(got, `"uri":"a:x"`) || !strings.HasSuffix(got, "}\n") {
				t.Errorf("%+v, in a listen: %v: %s", c.topic, named, got)
			}
		}
	}
	if ends := of.End(); len(ends) != 1 || !strings.Contains(string(ends[0]), `"id":"x"`) {
		t.Errorf("a listen ends with %q", ends)
	}
	of.c.EndsListen = true
	if ends := of.End(); len(ends) != 2 || !strings.Contains(string(ends[1]), protocol.MethodNotificationsCancelled) {
		t.Errorf("a listen beside other requests ends with %q", ends)
	}
}

// What is refused by pubsub is told in the words of the protocol; a second listen is named.
func TestSubscribeError(t *testing.T) {
	if text := subscribeError(pubsub.ErrDuplicate, wire.StringID("x")).Error(); text != "id x belongs to an open listen" {
		t.Error(text)
	}
	if err := subscribeError(errCutOff, wire.StringID("x")); !errors.Is(err, errCutOff) {
		t.Error(err)
	}
}

// Clients can subscribe to what the server declares, and to nothing else.
func TestDeclared(t *testing.T) {
	s := subscriptions(protocol.ServerCapabilities{})
	if s.Takes() || len(s.Lists()) != 0 {
		t.Errorf("without capabilities: %v, %v", s.Takes(), s.Lists())
	}
	s = subscriptions(protocol.ServerCapabilities{
		Tools:     &protocol.ServerCapabilitiesTools{ListChanged: new(true)},
		Resources: &protocol.ServerCapabilitiesResources{Subscribe: new(true)},
	})
	if lists := s.Lists(); !s.Takes() || len(lists) != 1 || lists[0] != ListTopic(feature.KindTool) {
		t.Errorf("%v, %v", s.Takes(), lists)
	}
}
