package mcptest

import (
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Subscription receives the updates of a resource, or the changes of a list.
type Subscription struct {
	c      *Client
	uri    string
	listen wire.ID // of subscriptions/listen; zero in revisions that subscribe by session
	list   string  // the method of the notification, if it is about a list; else ""
	acked  chan struct{}
	more   chan struct{} // has an element if there may be events
	events []string      // not returned yet; guarded by c.mu
}

// Subscribe subscribes to updates of uri and returns after the server has confirmed it.
func (c *Client) Subscribe(uri string) *Subscription {
	c.t.Helper()
	s := c.newSubscription(uri, "")
	if c.modern {
		filter := append(wire.AppendString([]byte(`{"notifications":{"resourceSubscriptions":[`), uri), `]}}`...)
		s.open(filter)
		return s
	}
	params := protocol.SubscribeRequestParams{URI: uri}
	if _, fault := c.Do(protocol.MethodResourcesSubscribe, params.AppendJSON(nil, c.rev)); fault != nil {
		c.fatalf("subscribe %s: %v", uri, fault)
	}
	return s
}

// SubscribeList subscribes to changes of the list of resources. In revisions with a handshake every client gets the
// notifications without a subscription.
func (c *Client) SubscribeList() *Subscription {
	c.t.Helper()
	return c.subscribeList(protocol.MethodNotificationsResourcesListChanged, "resourcesListChanged")
}

// SubscribeTools is SubscribeList for the list of tools.
func (c *Client) SubscribeTools() *Subscription {
	c.t.Helper()
	return c.subscribeList(protocol.MethodNotificationsToolsListChanged, "toolsListChanged")
}

// SubscribePrompts is SubscribeList for the list of prompts.
func (c *Client) SubscribePrompts() *Subscription {
	c.t.Helper()
	return c.subscribeList(protocol.MethodNotificationsPromptsListChanged, "promptsListChanged")
}

func (c *Client) subscribeList(notification, member string) *Subscription {
	c.t.Helper()
	s := c.newSubscription("", notification)
	if c.modern {
		s.open([]byte(`{"notifications":{"` + member + `":true}}`))
	}
	return s
}

func (c *Client) newSubscription(uri, list string) *Subscription {
	s := &Subscription{c: c, uri: uri, list: list, acked: make(chan struct{}, 1), more: make(chan struct{}, 1)}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.subs = append(c.subs, s)
	return s
}

// open sends subscriptions/listen and waits for its acknowledgement.
func (s *Subscription) open(params []byte) {
	s.c.t.Helper()
	id, answer := s.c.newID()
	s.c.mu.Lock()
	s.listen = id
	s.c.mu.Unlock()
	b := s.c.appendParams(wire.AppendRequest(nil, id, protocol.MethodSubscriptionsListen), params, wire.ID{})
	s.c.send(append(b, '}'))
	select {
	case <-s.acked:
	case m := <-answer:
		s.c.fatalf("subscriptions/listen ended at once: %s%s", m.Result, m.Error)
	case <-s.c.read:
		s.c.fatalf("the server closed the connection before it answered subscriptions/listen")
	case <-time.After(s.c.timeout):
		s.c.fatalf("subscriptions/listen was not acknowledged within %v", s.c.timeout)
	}
}

// offer is called with each notification, in the order of the connection, with c.mu held.
func (s *Subscription) offer(m *wire.Message) {
	if s.c.modern {
		tag, _ := wire.Lookup(m.Params, "_meta", "io.modelcontextprotocol/subscriptionId")
		if id, ok := wire.ParseID(tag); !ok || id != s.listen {
			return
		}
	}
	switch string(m.Method) {
	case protocol.MethodNotificationsSubscriptionsAcknowledged:
		wake(s.acked)
	case protocol.MethodNotificationsResourcesUpdated:
		var p protocol.ResourceUpdatedNotificationParams
		d := wire.NewDecoder(m.Params)
		p.DecodeJSON(&d, s.c.rev)
		if s.list == "" && (s.c.modern || p.URI == s.uri) {
			s.push(p.URI)
		}
	case s.list:
		s.push("")
	}
}

// push keeps an event for Next; c.mu is held. It never blocks, because only one goroutine reads the connection.
func (s *Subscription) push(uri string) {
	s.events = append(s.events, uri)
	wake(s.more)
}

func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // the channel has an element already
	}
}

// pop takes the oldest event.
func (s *Subscription) pop() (uri string, ok bool) {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	if len(s.events) == 0 {
		return "", false
	}
	uri, s.events = s.events[0], s.events[1:]
	return uri, true
}

// Next waits for the next change and returns the URI of the update; "" for the change of a list. It ends the test if no
// change comes within the timeout of the client.
func (s *Subscription) Next() string {
	s.c.t.Helper()
	late := time.After(s.c.timeout)
	for {
		if uri, ok := s.pop(); ok {
			return uri
		}
		select {
		case <-s.more:
		case <-s.c.read:
			if uri, ok := s.pop(); ok { // came before the end
				return uri
			}
			s.c.fatalf("the server closed the connection")
		case <-late:
			s.c.fatalf("no change of %s within %v", s.what(), s.c.timeout)
		}
	}
}

// what names the subject of a subscription for messages: a URI or a list.
func (s *Subscription) what() string {
	if s.list != "" {
		return "the list (" + s.list + ")"
	}
	return s.uri
}

// Pending returns the number of changes that have arrived and that Next has not returned.
func (s *Subscription) Pending() int {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	return len(s.events)
}

// Close ends the subscription. Changes that were sent before may still arrive. In revisions with a handshake, Close
// does nothing for a list, because its notifications are not subscribed to.
func (s *Subscription) Close() {
	s.c.t.Helper()
	switch {
	case s.c.modern:
		s.c.mu.Lock()
		delete(s.c.answers, s.listen.Raw())
		s.c.mu.Unlock()
		s.c.Notify(protocol.MethodNotificationsCancelled, append(s.listen.AppendJSON([]byte(`{"requestId":`)), '}'))
	case s.list == "":
		params := protocol.UnsubscribeRequestParams{URI: s.uri}
		if _, fault := s.c.Do(protocol.MethodResourcesUnsubscribe, params.AppendJSON(nil, s.c.rev)); fault != nil {
			s.c.fatalf("unsubscribe %s: %v", s.uri, fault)
		}
	}
}
