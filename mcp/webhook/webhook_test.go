package webhook_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/mcpevent"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/webhook"
	"github.com/mcpgen/mcpgen/mcp/webhook/webhooktest"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

type opened struct {
	ID      string `json:"id"`
	Service string `json:"service"`
}

type incident = mcpevent.Type[opened, string]

// server has one event, and delivers it to callbacks on this machine.
func server(t *testing.T, o webhook.Options) (*mcp.Server, *incident, *webhook.Webhooks) {
	t.Helper()
	return serverWith(t, o, event.Options{})
}

func serverWith(t *testing.T, o webhook.Options, events event.Options) (
	*mcp.Server, *incident, *webhook.Webhooks,
) {
	t.Helper()
	return serverOf(t, o, mcp.Options{Events: &events})
}

func serverOf(t *testing.T, o webhook.Options, opts mcp.Options) (*mcp.Server, *incident, *webhook.Webhooks) {
	t.Helper()
	s, in, hooks, err := tryServer(t, o, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s, in, hooks
}

func tryServer(t *testing.T, o webhook.Options, opts mcp.Options) (
	*mcp.Server, *incident, *webhook.Webhooks, error,
) {
	t.Helper()
	in := &incident{
		Name: "incident.opened", Modes: mcpevent.Webhook,
		Arguments: json.RawMessage(`{"type":"object"}`), Payload: json.RawMessage(`{"type":"object"}`),
		ID: func(e *opened) string { return e.ID },
		Args: func(d *wire.Decoder, v *string) {
			for d.Object(); d.Next(); {
				*v = d.String()
			}
		},
		Match: func(service string, e *opened) bool { return service == "" || service == e.Service },
	}
	hooks := webhook.New(o)
	events, _ := opts.Events.(*event.Options)
	events.Webhooks, events.Local = hooks, true
	s, err := serverWithTypes(t, opts, in)
	return s, in, hooks, err
}

// serverWithTypes is a server with events of some types, which says nothing.
func serverWithTypes(t *testing.T, opts mcp.Options, types ...mcpevent.Any) (*mcp.Server, error) {
	t.Helper()
	opts.Logger = slog.New(slog.DiscardHandler)
	f := &mcprt.Features{Info: protocol.Implementation{Name: "incidents", Version: "1"}}
	mcpevent.Add(f, types...)
	s, err := mcprt.NewServer(f, &opts)
	if err == nil {
		t.Cleanup(func() { _ = s.Close() })
	}
	return s, err
}

// Subscriptions without an end cannot be granted by a server that forgets them.
func TestForeverNeedsStore(t *testing.T) {
	t.Attr("requirements", "event-ttl-forever")
	s, _, _, err := tryServer(t, webhook.Options{Forever: true}, mcp.Options{Events: &event.Options{}})
	if s != nil || err == nil || !strings.Contains(err.Error(), "need a Store that lasts") {
		t.Errorf("with subscriptions in memory: %v", err)
	}
}

var local = webhook.Options{
	AllowPrivate: true, AllowHTTP: true, Retries: []time.Duration{50 * time.Millisecond, 50 * time.Millisecond},
}

func params(hook *webhooktest.Receiver, service string) []byte {
	return fmt.Appendf(nil, `{"name":"incident.opened","arguments":{"service":%q},`+
		`"delivery":{"mode":"webhook","url":%q,"secret":%q}}`, service, hook.URL, hook.Secret)
}

// A subscription through the protocol, over real connections: verified, delivered, refreshed with another secret, tried
// again, and ended.
func TestServer(t *testing.T) {
	t.Attr("requirements", "event-principal event-headers")
	s, in, hooks := server(t, local)
	c := mcptest.New(t, s, mcptest.WithCaller(mcp.Caller{Subject: "ann"}))
	hook := webhooktest.New(t)
	subscribe := func() (granted struct{ ID, RefreshBefore, Cursor string }) {
		t.Helper()
		text, err := c.Do("events/subscribe", params(hook, "api"))
		if err != nil || json.Unmarshal(text, &granted) != nil {
			t.Fatalf("events/subscribe: %s %v", text, err)
		}
		return granted
	}
	commit := func(id, service string) {
		t.Helper()
		if err := in.Commit(t.Context(), &opened{id, service}); err != nil {
			t.Fatal(err)
		}
	}
	first := subscribe()
	commit("1", "db")
	commit("2", "api")
	m := hook.Next()
	if m.ID != "2" || m.EventID != "2" || m.Name != "incident.opened" || m.Subscription != first.ID || m.Cursor == nil ||
		!strings.Contains(string(m.Data), `"service":"api"`) {
		t.Fatalf("%+v %s", m, m.Body)
	}
	hook.Rotate()
	if again := subscribe(); again.ID != first.ID || again.RefreshBefore < first.RefreshBefore {
		t.Errorf("refresh: %+v after %+v", again, first)
	}
	hook.Forget()
	tries := 0
	hook.Answer(func(webhooktest.Message) int {
		if tries++; tries < 3 {
			return http.StatusServiceUnavailable
		}
		return http.StatusOK
	})
	commit("3", "api")
	if m = hook.Next(); m.ID != "3" || tries != 3 {
		t.Errorf("after %d attempts: %s", tries, m.Body)
	}
	if _, err := c.Do("events/unsubscribe", params(hook, "api")); err != nil {
		t.Fatal(err)
	}
	commit("4", "api")
	hook.None(100 * time.Millisecond)
	got := hooks.Stats()
	for end := time.Now().Add(10 * time.Second); got.Delivered < 2 && time.Now().Before(end); got = hooks.Stats() {
		time.Sleep(time.Millisecond) // it is counted after it has come
	}
	if got.Delivered != 2 || got.Retried != 2 || got.Failures["http_5xx"] != 2 || got.Challenges != 1 {
		t.Errorf("stats %+v", got)
	}
	n := s.Stats().Events.Webhooks
	if n.Delivered != 2 || n.Retried != 2 || n.Failures["http_5xx"] != 2 || n.Challenges != 1 || n.Shards != event.Shards {
		t.Errorf("numbers of the server %+v", n)
	}
}

// A client like ChatGPT: it begins with initialize, does not say how long a subscription is to last, ignores messages
// about the subscription, unsubscribes with the mode, and takes the codes of an earlier draft.
func TestShippedClient(t *testing.T) {
	s, in, _ := serverWith(t, local, event.Options{Sessions: true, Profile: event.Shipped})
	who := mcptest.WithCaller(mcp.Caller{Subject: "ann"})
	c := mcptest.New(t, s, who, mcptest.WithRevision(protocol.Revision20251125))
	hook := webhooktest.New(t)
	text, err := c.Do("events/subscribe", params(hook, "api"))
	if err != nil || !strings.Contains(string(text), `"refreshBefore":"`) {
		t.Fatalf("events/subscribe: %s %v", text, err)
	}
	if err := in.Commit(t.Context(), &opened{"1", "api"}); err != nil {
		t.Fatal(err)
	}
	if m := hook.Next(); m.ID != "1" || m.ID != m.EventID {
		t.Errorf("%s", m.Body)
	}
	for range 2 { // the second one is not known any more, and is no error
		if text, err := c.Do("events/unsubscribe", params(hook, "api")); err != nil || string(text) != `{}` {
			t.Errorf("events/unsubscribe: %s %v", text, err)
		}
	}
	hook.Mute(true)
	hook.URL += "?other"
	var rpc *wire.Error
	if _, err := c.Do("events/subscribe", params(hook, "api")); !errors.As(err, &rpc) || rpc.Code != -32015 {
		t.Errorf("a callback that is mute: %v", err)
	}
}

// Without the options for tests nothing of this machine is reached, and the answer does not say what is there.
func TestInward(t *testing.T) {
	t.Attr("requirements", "event-addresses event-verify-path")
	s, _, hooks := server(t, webhook.Options{})
	c := mcptest.New(t, s, mcptest.WithCaller(mcp.Caller{Subject: "ann"}))
	hook := webhooktest.New(t)
	for url, want := range map[string]string{
		hook.URL: "https", strings.Replace(hook.URL, "http:", "https:", 1): "not public", "https://localhost:1/": "challenge",
	} {
		hook.URL = url
		text, err := c.Do("events/subscribe", params(hook, ""))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s %v, want %q", url, text, err, want)
		}
	}
	if got := hooks.Stats().Refused; got != 1 {
		t.Errorf("%d refused", got)
	}
	_ = s.Close()
}

// A receiver whose clock is wrong by more than five minutes takes nothing, and the event is given up.
func TestSkew(t *testing.T) {
	o := local
	o.Retries = []time.Duration{20 * time.Millisecond, time.Second}
	s, in, hooks := server(t, o)
	c := mcptest.New(t, s, mcptest.WithCaller(mcp.Caller{Subject: "ann"}))
	hook := webhooktest.New(t)
	if _, err := c.Do("events/subscribe", params(hook, "")); err != nil {
		t.Fatal(err)
	}
	hook.Skew(6 * time.Minute)
	if err := in.Commit(t.Context(), &opened{"1", "api"}); err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(10 * time.Second); hooks.Stats().Abandoned == 0 && time.Now().Before(until); {
		time.Sleep(10 * time.Millisecond)
	}
	if got := hooks.Stats(); got.Abandoned == 0 || got.Failures["http_4xx"] < 3 {
		t.Errorf("stats %+v", got)
	}
	hook.Skew(4 * time.Minute)
	if m := hook.Next(); m.Type != "gap" || m.Cursor == nil {
		t.Errorf("%s", m.Body)
	}
}
