package server

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/internal/subscribe"
	"github.com/mcpgen/mcpgen/mcp/transport"
)

func TestLegacySubscription(t *testing.T) {
	t.Attr("requirements", "subscribe-answer subscribe-told")
	for _, rev := range era.Revisions() {
		if era.IsModern(rev) {
			continue
		}
		t.Run(rev.String(), func(t *testing.T) {
			n := newUpdateServer(t, nil)
			c := newSession(t, n.Server, rev)
			wantMatch(t, c.ask(subscribeTo("1", "plain:///a")), emptyResult)
			n.ResourceUpdated("plain:///b", "")
			n.ResourceUpdated("plain:///a", "")
			wantMatch(t, c.recv(), updated("", "plain:///a"))
			n.ResourceListChanged()
			wantMatch(t, c.recv(), `{"jsonrpc":"2.0","method":"notifications/resources/list_changed","params":{}}`)
			wantMatch(t, c.ask(subscribeTo("1", "live:///ok")), emptyResult)
			n.changed <- struct{}{}
			wantMatch(t, c.recv(), updated("", "live:///ok"))
			wantMatch(t, c.ask(unsubscribeFrom("1", "plain:///a")), emptyResult)
			wantMatch(t, c.ask(unsubscribeFrom("1", "plain:///a")), emptyResult)
			wantMatch(t, c.ask(unsubscribeFrom("1", "live:///ok")), emptyResult)
			n.ResourceUpdated("plain:///a", "")
			n.ResourceUpdated("live:///ok", "")
			c.quiet()
		})
	}
}

func TestRefusedSubscriptions(t *testing.T) {
	t.Attr("requirements", "subscribe-optional")
	n := newUpdateServer(t, nil)
	c := newSession(t, n.Server, protocol.Revision20251125)
	const fails = `{"jsonrpc":"2.0","id":1,"error":{"code":%s}}`
	for uri, want := range map[string]string{
		"nothing:///a":   `-32002,"message":"*","data":{"uri":"nothing:///a"}`,
		"fix:///a":       `-32602,"message":"*cannot be subscribed"`,
		"plain:///wrong": `-32602,"message":"*want right","data":{"uri":"plain:///wrong"}`,
		"live:///fail":   `-32603,"message":"*internal error (ref ","data":{"uri":"live:///fail"}`,
		"live:///panic":  `-32603,"message":"*internal error (ref ","data":{"uri":"live:///panic"}`,
	} {
		wantMatch(t, c.ask(subscribeTo("1", uri)), fmt.Sprintf(fails, want))
	}
	const noMethod = `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"*"}}`
	wantMatch(t, c.ask(modern("1", "resources/subscribe", `"uri":"plain:///a"`)), noMethod)
	wantMatch(t, c.ask(request("1", "subscriptions/listen", `"notifications":{}`)), noMethod)
	wantMatch(t, c.ask(modern("1", "subscriptions/listen", "")), `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"*notifications"}}`)
	if n.subscriptions() != 1 { // the list of resources
		t.Errorf("%d subs left", n.subscriptions())
	}
}

func TestListen(t *testing.T) {
	t.Attr("requirements", "listen-acknowledged")
	n := newUpdateServer(t, nil)
	c := newHarness(t, n.Server)
	wantMatch(t, c.ask(listenTo("1", `"toolsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["plain:///a","live:///fail","live:///ok","fix:///a","plain:///a","x"]`)),
		acknowledged("1", `"resourcesListChanged":true,"resourceSubscriptions":["plain:///a","live:///ok"]`))
	wantMatch(t, c.ask(listenTo(`"1"`, `"resourcesListChanged":false,"resourceSubscriptions":["plain:///a"]`)),
		acknowledged(`"1"`, `"resourceSubscriptions":["plain:///a"]`))
	wantMatch(t, c.ask(listenTo("2", `"resourceSubscriptions":["x"]`)), acknowledged("2", `"resourceSubscriptions":[]`))
	wantMatch(t, c.ask(listenTo("3", ``)), acknowledged("3", ``))

	n.ResourceUpdated("plain:///a", "")
	wantMatch(t, c.recv(), updated(forListen("1"), "plain:///a"))
	wantMatch(t, c.recv(), updated(forListen(`"1"`), "plain:///a"))
	n.changed <- struct{}{}
	wantMatch(t, c.recv(), updated(forListen("1"), "live:///ok"))
	n.ResourceListChanged()
	wantMatch(t, c.recv(), `{"jsonrpc":"2.0","method":"notifications/resources/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}`)

	wantMatch(t, c.ask(modern("1", "server/discover", "")), `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"*"}}`)
	c.send(cancelled("1"))
	c.quiet()
	n.ResourceUpdated("plain:///a", "")
	wantMatch(t, c.recv(), updated(forListen(`"1"`), "plain:///a"))
	wantMatch(t, c.ask(listenTo("1", `"resourcesListChanged":true`)), acknowledged("1", `"resourcesListChanged":true`))
	n.ResourceUpdated("plain:///a", "")
	wantMatch(t, c.recv(), updated(forListen(`"1"`), "plain:///a"))
}

// A probe, a listen and a legacy session share a conn and take no notice of each other.
func TestBothErasOnOneConn(t *testing.T) {
	t.Attr("requirements", "res-unlisted version-era")
	n := newUpdateServer(t, nil)
	c := newHarness(t, n.Server)
	c.ask(modern("0", "server/discover", ""))
	c.ask(listenTo("1", `"resourcesListChanged":true,"resourceSubscriptions":["plain:///a"]`))
	c.ask(`{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	wantMatch(t, c.ask(request("1", "resources/subscribe", `"uri":"plain:///a"`)), `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"*"}}`)
	c.ask(subscribeTo("3", "plain:///a"))
	n.ResourceUpdated("plain:///a", "")
	wantMatch(t, c.recv(), updated(forListen("1"), "plain:///a"))
	c.quiet()
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	wantMatch(t, c.recv(), updated("", "plain:///a"))
	c.send(cancelled("1"))
	c.quiet()
	n.ResourceUpdated("plain:///a", "")
	wantMatch(t, c.recv(), updated("", "plain:///a"))
	c.quiet()
}

// A request that waits for its watcher keeps nobody waiting; cancelled, it leaves nothing behind.
func TestCancelWhileWatcherOpens(t *testing.T) {
	n := newUpdateServer(t, nil)
	c := newSession(t, n.Server, protocol.Revision20251125)
	for _, open := range []string{
		subscribeTo("1", "live:///slow"),
		listenTo("1", `"resourceSubscriptions":["plain:///a","live:///slow"]`),
	} {
		c.send(open)
		watch := <-n.watching
		if watch.URI() != "live:///slow" {
			t.Errorf("watcher of %q", watch.URI())
		}
		n.ResourceUpdated("plain:///a", "")
		n.ResourceUpdated("live:///slow", "")
		c.quiet()
		c.send(cancelled("1"))
		<-watch.Done()
		c.quiet()
		eventually(t, func() error {
			if got := n.subscriptions(); got != 1 { // the list of resources
				return fmt.Errorf("%d subs left", got)
			}
			return nil
		})
		c.send(open) // with the same id
		<-n.watching
		n.ResourceUpdated("live:///slow", "")
		c.quiet()
		n.proceed <- nil
		if got := c.recv(); strings.Contains(got, "resources/updated") {
			t.Errorf("the update comes first: %s", got)
		}
		if got := c.recv(); !strings.Contains(got, "resources/updated") {
			t.Errorf("the update is lost: %s", got)
		}
		c.send(cancelled("1"))
		wantMatch(t, c.ask(unsubscribeFrom("9", "live:///slow")), `{"jsonrpc":"2.0","id":9,"result":{}}`)
	}
}

// Subscribe and unsubscribe count in the order in which they were sent, although the watcher
// that a subscribe waits for lets later messages be read meanwhile.
func TestSubscriptionsKeepTheirOrder(t *testing.T) {
	n := newUpdateServer(t, nil)
	c := newSession(t, n.Server, protocol.Revision20251125)
	c.send(subscribeTo("1", "live:///slow"))
	<-n.watching
	c.send(unsubscribeFrom("2", "live:///slow"))
	for range 2 {
		wantMatch(t, c.recv(), `{"jsonrpc":"2.0","id":"*","result":{}}`)
	}
	n.ResourceUpdated("live:///slow", "")
	c.quiet()
	if got := n.subscriptions(); got != 1 {
		t.Errorf("%d subs left", got)
	}
	for i := range 200 {
		c.send(subscribeTo(fmt.Sprint("1", i), "live:///ok"))
		c.send(unsubscribeFrom(fmt.Sprint("2", i), "live:///ok"))
	}
	for range 400 {
		if got := c.recv(); !strings.Contains(got, `"result":{}`) {
			t.Fatalf("got %s", got)
		}
	}
	if got := n.subscriptions(); got != 1 {
		t.Errorf("%d subs left", got)
	}
}

// When the server ends, each listen gets its result and then, as requests share the conn, a
// cancellation. Those that were not open yet are acknowledged first.
func TestServerEndsListens(t *testing.T) {
	t.Attr("requirements", "cancel-listen listen-end")
	for name, end := range map[string]func(*updateServer, *harness){
		"close":   func(n *updateServer, _ *harness) { go n.Close() },
		"eof":     func(_ *updateServer, c *harness) { cutInput(c) },
		"context": func(_ *updateServer, c *harness) { c.cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			n := newUpdateServer(t, nil)
			c := newSession(t, n.Server, protocol.Revision20251125)
			c.ask(listenTo(`"a"`, `"resourceSubscriptions":["plain:///a"]`))
			c.send(listenTo("7", `"resourceSubscriptions":["live:///slow"]`))
			<-n.watching
			c.quiet()
			end(n, c)
			result := func(id string) string {
				return `{"jsonrpc":"2.0","id":` + id + `,"result":{"resultType":"complete","_meta":{` +
					`"io.modelcontextprotocol/subscriptionId":` + id + `,"io.modelcontextprotocol/serverInfo":{"name":"updates","version":"v1"}}}}`
			}
			wantMatch(t, c.recv(), result(`"a"`))
			wantMatch(t, c.recv(), cancelled(`"a"`))
			n.ResourceUpdated("plain:///a", "")
			n.proceed <- nil
			wantMatch(t, c.recv(), acknowledged("7", `"resourceSubscriptions":["live:///slow"]`))
			wantMatch(t, c.recv(), result("7"))
			wantMatch(t, c.recv(), cancelled("7"))
			if rest, err := c.wait(); err != nil || len(rest) != 0 {
				t.Errorf("rest %q, Serve: %v", rest, err)
			}
			if got := n.subscriptions(); got != 0 {
				t.Errorf("%d subs left", got)
			}
		})
	}
}

// A listen whose watcher does not open within the grace period is given up with the server.
func TestGraceEndsUnopenedListen(t *testing.T) {
	n := newUpdateServer(t, &Options{Grace: 20 * time.Millisecond})
	c := newHarness(t, n.Server)
	c.send(listenTo("7", `"resourceSubscriptions":["live:///slow","plain:///a"]`))
	watch := <-n.watching
	c.cancel()
	rest, err := c.wait()
	if err != nil || len(rest) != 1 {
		t.Fatalf("%q, Serve: %v", rest, err)
	}
	wantMatch(t, rest[0], `{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"*"}}`)
	<-watch.Done()
	eventually(t, func() error {
		if got := n.subscriptions(); got != 0 {
			return fmt.Errorf("%d subs left", got)
		}
		return nil
	})
}

// Open listens do not use up the requests that may be in flight, and limits are told plainly.
func TestSubscriptionLimits(t *testing.T) {
	n := newUpdateServer(t, &Options{UpdateDelay: -1, MaxInFlight: 1, MaxListens: 2, MaxSubscriptions: 3})
	c := newSession(t, n.Server, protocol.Revision20251125)
	c.ask(listenTo("1", `"resourceSubscriptions":["plain:///a","plain:///b"]`))
	c.ask(listenTo("2", `"resourceSubscriptions":["plain:///a"]`))
	const full = `{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"*at most %s per connection"}}`
	wantMatch(t, c.ask(listenTo("3", ``)), fmt.Sprintf(full, "2"))
	wantMatch(t, c.ask(subscribeTo("3", "plain:///c")),
		strings.Replace(fmt.Sprintf(full, "3 resources"), `"}}`, `","data":{"uri":"plain:///c"}}}`, 1))
	wantMatch(t, c.ask(read("3", "plain:///c")), `{"jsonrpc":"2.0","id":3,"result":{"…":0}}`)
	c.send(cancelled("2"))
	wantMatch(t, c.ask(subscribeTo("1", "plain:///c")), `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"*"}}`)
	wantMatch(t, c.ask(subscribeTo("3", "plain:///c")), `{"jsonrpc":"2.0","id":3,"result":{}}`)
}

// In a batch the answers to subscriptions come with the others.
func TestSubscribeInBatch(t *testing.T) {
	n := newUpdateServer(t, nil)
	c := newSession(t, n.Server, protocol.Revision20250326)
	got := c.ask("[" + subscribeTo("1", "plain:///a") + "," + subscribeTo("2", "live:///fail") + "," +
		unsubscribeFrom("3", "plain:///b") + "," + subscribeTo("4", "live:///ok") + "]")
	for _, want := range []string{`"id":1,"result":{}`, `"id":2,"error"`, `"id":3,"result":{}`, `"id":4,"result":{}`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	n.ResourceUpdated("plain:///a", "")
	wantMatch(t, c.recv(), updated("", "plain:///a"))
	n.changed <- struct{}{}
	wantMatch(t, c.recv(), updated("", "live:///ok"))
}

// A client that goes takes its subscriptions along, and the watchers that were its alone.
func TestGoneClientLeavesNothing(t *testing.T) {
	t.Attr("requirements", "res-cleanup listen-no-replay")
	n := newUpdateServer(t, nil)
	stays, goes := newSession(t, n.Server, protocol.Revision20251125), newSession(t, n.Server, protocol.Revision20241105)
	stays.ask(subscribeTo("1", "plain:///a"))
	goes.ask(subscribeTo("1", "plain:///a"))
	goes.ask(subscribeTo("2", "live:///ok"))
	goes.ask(listenTo("3", `"resourcesListChanged":true,"resourceSubscriptions":["plain:///a","live:///ok"]`))
	_ = goes.conn.Close()
	_, _ = goes.wait()
	eventually(t, func() error {
		if got := n.host.Hub.Stats(); got.Resources != 1 || got.Subscriptions != 2 { // one to the list
			return fmt.Errorf("left: %+v", got)
		}
		return nil
	})
	n.ResourceUpdated("plain:///a", "")
	wantMatch(t, stays.recv(), updated("", "plain:///a"))
}

// A client that takes no updates is given up: its connection ends with an error, and others
// notice nothing.
func TestClientThatDoesNotReadIsEnded(t *testing.T) {
	t.Attr("requirements", "ping-send")
	n := newUpdateServer(t, nil)
	healthy := newSession(t, n.Server, protocol.Revision20251125)
	healthy.ask(subscribeTo("1", "plain:///a"))
	client, server := transport.Pipe(&transport.PipeOptions{Messages: 1, WriteTimeout: 10 * time.Millisecond})
	served := make(chan error, 1)
	go func() { served <- n.Serve(t.Context(), server) }()
	if err := client.WriteMessage([]byte(listenTo("1", `"resourceSubscriptions":["plain:///a"]`))); err != nil {
		t.Fatal(err)
	}
	if _, err := client.ReadMessage(nil); err != nil {
		t.Fatal(err)
	}
	for ended := false; !ended; {
		n.ResourceUpdated("plain:///a", "")
		wantMatch(t, healthy.recv(), updated("", "plain:///a"))
		select {
		case err := <-served:
			if ended = true; !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("Serve: %v", err)
			}
		default:
		}
	}
	eventually(t, func() error {
		if got := n.subscriptions(); got != 2 {
			return fmt.Errorf("%d subs left", got)
		}
		return nil
	})
}

// A listen gets the kinds of lists that the server has declared, and hears of each under its method.
func TestListenToDeclaredLists(t *testing.T) {
	t.Attr("requirements", "listen-requested list-changed")
	const all = `"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true`
	for filter, caps := range map[string]protocol.ServerCapabilities{
		`"toolsListChanged":true`:     {Tools: &protocol.ServerCapabilitiesTools{ListChanged: new(true)}},
		`"promptsListChanged":true`:   {Prompts: &protocol.ServerCapabilitiesPrompts{ListChanged: new(true)}},
		`"resourcesListChanged":true`: {Resources: &protocol.ServerCapabilitiesResources{ListChanged: new(true)}},
		``: {Tools: &protocol.ServerCapabilitiesTools{},
			Resources: &protocol.ServerCapabilitiesResources{ListChanged: new(false)}},
	} {
		s, err := NewServer(&feature.Features{Capabilities: caps}, &Options{Logger: silent()})
		if err != nil {
			t.Fatal(err)
		}
		c := newHarness(t, s)
		wantMatch(t, c.ask(listenTo("1", all+`,"resourceSubscriptions":["plain:///a"]`)), acknowledged("1", filter))
		wantMatch(t, c.ask(listenTo("2", filter)), acknowledged("2", filter))
		for _, kind := range []pubsub.Kind{subscribe.ListTopic(feature.KindTool), subscribe.ListTopic(feature.KindPrompt),
			subscribe.ListTopic(feature.KindResource)} {
			s.host.Hub.PublishList(kind)
		}
		if kind, _, declared := strings.Cut(strings.TrimPrefix(filter, `"`), "ListChanged"); declared {
			for _, id := range []string{"1", "2"} {
				wantMatch(t, c.recv(), `{"jsonrpc":"2.0","method":"notifications/`+kind+`/list_changed","params":{`+
					strings.TrimSuffix(forListen(id), ",")+`}}`)
			}
		}
		c.quiet()
		if s.subs.Takes() {
			t.Error("nothing can be subscribed to")
		}
	}
}

// A subscription that may not be made because of a limit starts no watcher.
func TestLimitStartsNoWatcher(t *testing.T) {
	n := newUpdateServer(t, &Options{MaxInFlight: 1, MaxSubscriptions: 1})
	c := newSession(t, n.Server, protocol.Revision20251125)
	const refused = `{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"*","data":"*"}}`
	c.send(subscribeTo("1", "live:///slow"))
	<-n.watching
	wantMatch(t, c.ask(subscribeTo("2", "live:///slow")), strings.Replace(refused, `,"data":"*"`, "", 1))
	wantMatch(t, c.ask(listenTo("2", `"resourceSubscriptions":["live:///slow"]`)),
		strings.Replace(refused, `,"data":"*"`, "", 1))
	n.proceed <- nil
	wantMatch(t, c.recv(), emptyResult)
	var got string
	eventually(t, func() error { // a request counts until its goroutine has come back from writing the response
		if got = c.ask(subscribeTo("2", "live:///ok")); strings.Contains(got, "in flight") {
			return errors.New(got)
		}
		return nil
	})
	wantMatch(t, got, refused)
	wantMatch(t, c.ask(subscribeTo("2", "live:///slow")), `{"jsonrpc":"2.0","id":2,"result":{}}`)
	if got := n.host.Hub.Stats(); len(n.watching) != 0 || got.Resources != 1 {
		t.Errorf("%d more watchers; %+v", len(n.watching), got)
	}
}
