package natsbus_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/bus/nats"
	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/mcpevent"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/webhook"
	"github.com/mcpgen/mcpgen/mcp/webhook/webhooktest"
)

type opened struct {
	ID string `json:"id"`
}

// incidents is a replica of a server whose events and subscriptions are in NATS.
func incidents(t *testing.T, address string) (*mcp.Server, *mcpevent.Type[opened, struct{}]) {
	t.Helper()
	js, err := jetstream.New(connect(t, address))
	if err != nil {
		t.Fatal(err)
	}
	log, err := natsbus.NewEvents(js, "events", natsbus.EventsOptions{})
	if err != nil {
		t.Fatal(err)
	}
	store, err := natsbus.NewSubscriptions(js, "hooks", natsbus.SubscriptionsOptions{})
	if err != nil {
		t.Fatal(err)
	}
	in := &mcpevent.Type[opened, struct{}]{
		Name: "incident.opened", Modes: mcpevent.Webhook, Payload: json.RawMessage(`{"type":"object"}`),
		ID: func(e *opened) string { return e.ID },
	}
	f := &mcprt.Features{Info: protocol.Implementation{Name: "incidents", Version: "1"}}
	mcpevent.Add(f, in)
	s, err := mcprt.NewServer(f, &mcp.Options{
		Keys: [][]byte{bytes.Repeat([]byte{1}, 32)}, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Events: &event.Options{Log: log, Webhooks: webhook.New(webhook.Options{
			Store: store, AllowPrivate: true, AllowHTTP: true, Lease: 5 * time.Second,
		})},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, in
}

// The broker is killed while replicas commit and deliver. Every event that was committed arrives, whichever replica has
// committed it. The store has no secret that can be read.
func TestWebhooksKill(t *testing.T) {
	const kills, events = 3, 150
	b := start(t, "")
	hook := webhooktest.New(t)
	var types []*mcpevent.Type[opened, struct{}]
	var servers []*mcp.Server
	for range 2 {
		s, in := incidents(t, b.Addr)
		servers, types = append(servers, s), append(types, in)
	}
	c := mcptest.New(t, servers[0], mcptest.WithCaller(mcp.Caller{Subject: "ann"}))
	_, err := c.Do("events/subscribe", fmt.Appendf(nil,
		`{"name":"incident.opened","arguments":{},"delivery":{"mode":"webhook","url":%q,"secret":%q}}`, hook.URL, hook.Secret))
	if err != nil {
		t.Fatal(err)
	}
	sealed(t, b.Addr, hook)
	left := map[string]bool{}
	for n := range events {
		if n%(events/kills) == events/kills/2 {
			do(t, b.Kill)
			time.Sleep(100 * time.Millisecond)
			do(t, func() error { return b.Start(t.Context()) })
		}
		id := fmt.Sprint("e", n)
		left[id] = true
		eventually(t, func() error { return types[n%2].Commit(limit(t), &opened{id}) })
	}
	for len(left) > 0 {
		m := hook.Next()
		if m.Type != "" {
			t.Fatalf("an unexpected message: %s", m.Body)
		}
		delete(left, m.ID)
	}
}

// sealed fails the test if the secret of a callback can be read in the store.
func sealed(t *testing.T, address string, hook *webhooktest.Receiver) {
	t.Helper()
	list, err := newSubscriptions(t, address, natsbus.SubscriptionsOptions{}).List(limit(t), "ann", "", 10)
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v %v", list, err)
	}
	text := strings.TrimPrefix(hook.Secret, "whsec_")
	plain, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	kept := list[0].Subscription.Secrets
	if len(kept) == 0 || bytes.Contains(kept, plain) || bytes.Contains(kept, []byte(text)) {
		t.Errorf("the secret is not sealed: %x", kept)
	}
}
