package server

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/subscribe"
	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/replica/memory"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// newPublisher returns a server with an extension whose filter follows the topic that its value is.
func newPublisher(t *testing.T, name string, opts *Options) *Server {
	t.Helper()
	f := &feature.Features{Info: protocol.Implementation{Name: name, Version: "1"}}
	f.Extensions = NewExtensions(feature.Extension{ID: "com.example/" + name, Filters: []feature.Filter{{
		Name: name, Undeclared: true, Topics: func(_ *call.Call, value []byte) ([]string, error) {
			d := wire.NewDecoder(value)
			return []string{d.String()}, d.Err()
		},
	}}})
	s, err := NewServer(f, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// publish publishes params, a JSON object, on a topic of the extension of that name.
func publish(t *testing.T, s *Server, name, topic, params string) {
	t.Helper()
	if err := Publish(s, wire.Notification{
		Extension: "com.example/" + name, Method: "notifications/com.example/new", Topic: topic,
		Params: func() (json.RawMessage, error) { return json.RawMessage(params), nil },
	}); err != nil {
		t.Error(err)
	}
}

const published = `{"jsonrpc":"2.0","method":"notifications/com.example/new","params":{"_meta":` +
	`{"io.modelcontextprotocol/subscriptionId":1}`

// What one replica publishes reaches who listens to another. Of what comes at once the last one is sent.
func TestPublishReachesOtherReplica(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bus := new(memory.Bus)
		var all []*Server
		for range 2 {
			all = append(all, newPublisher(t, "a", &Options{UpdateDelay: -1, Bus: replica.Over(bus), Keys: busKey}))
		}
		settle()
		c := newHarness(t, all[1])
		c.ask(listenTo("1", `"a":"x"`))
		settle()
		for _, topic := range []string{"y", "x"} {
			for _, params := range []string{`{"n":1}`, `{"n":2}`} {
				publish(t, all[0], "a", topic, params)
			}
		}
		settle()
		wantText(t, "notification", c.recv(), published+`,"n":2}}`)
		publish(t, all[1], "a", "x", `{}`)
		wantText(t, "notification of its own replica", c.recv(), published+`}}`)
		c.end()
		for _, s := range all {
			_ = s.Close()
		}
	})
}

// What a member publishes reaches who listens to the server that it has been joined to, and stays in its extension.
func TestPublishReachesJoinedServer(t *testing.T) {
	a, b := newPublisher(t, "a", &Options{UpdateDelay: -1}), newPublisher(t, "b", &Options{UpdateDelay: -1})
	both := &feature.Features{Info: protocol.Implementation{Name: "both", Version: "1"}}
	s, err := Join(both, &Options{UpdateDelay: -1}, a, b)
	if err != nil {
		t.Fatal(err)
	}
	c := newHarness(t, s)
	c.ask(listenTo("1", `"a":"x"`))
	publish(t, b, "b", "x", `{"of":"b"}`)
	publish(t, a, "a", "x", `{"of":"a"}`)
	wantText(t, "notification", c.recv(), published+`,"of":"a"}}`)
	c.end()
}

// Replicas are not heard in order: what was published before the last one is left out, and so is what a later version
// of the extension has.
func TestPublishedOutOfOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newPublisher(t, "a", &Options{UpdateDelay: -1})
		c := newHarness(t, s)
		c.ask(listenTo("1", `"a":"x"`))
		for _, p := range []subscribe.Publication{
			{At: 2, Params: json.RawMessage(`{"n":2}`)},
			{At: 1, Params: json.RawMessage(`{"n":1}`)},
			{At: 3, Params: json.RawMessage(`{"n":3}`), Since: "2026-09-15"},
		} {
			p.Extension, p.Topic, p.Method = "com.example/a", "x", "notifications/com.example/new"
			s.extensions.Signal(p.Text())
			synctest.Wait()
		}
		wantText(t, "notification", c.recv(), published+`,"n":2}}`)
		c.quiet()
		c.end()
		_ = s.Close()
	})
}

// A value that a client makes too long a topic is the client's mistake, and what a program publishes the program's.
func TestTopicTooLong(t *testing.T) {
	s := newPublisher(t, "a", nil)
	c := newHarness(t, s)
	long := strings.Repeat("x", subscribe.MaxTopic+1)
	wantMatch(t, c.ask(listenTo("1", `"a":"`+long+`"`)),
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":`+
			`"*/notifications/a: a topic of 513 bytes: it may have 512, and none is NUL"}}`)
	for _, n := range []wire.Notification{{Topic: long}, {Topic: "x\x00y"}} {
		if Publish(s, n) == nil {
			t.Errorf("%q is published", n.Topic)
		}
	}
	c.end()
}

// Mistakes in a filter are errors of the constructor.
func TestFiltersRefused(t *testing.T) {
	topics := func(*call.Call, []byte) ([]string, error) { return nil, nil }
	for want, filters := range map[string][]feature.Filter{
		`two filters "f"`:   {{Name: "f", Topics: topics}, {Name: "f", Topics: topics}},
		`has no Topics`:     {{Name: "f"}},
		`there since "2026`: {{Name: "f", Topics: topics, Since: "2026-01-01"}},
	} {
		f := &feature.Features{Info: protocol.Implementation{Name: "s", Version: "1"}}
		f.Extensions = NewExtensions(feature.Extension{ID: "com.example/s", Filters: filters})
		if _, err := NewServer(f, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
