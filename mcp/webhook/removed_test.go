package webhook_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/mcpevent"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/webhook"
	"github.com/mcpgen/mcpgen/mcp/webhook/webhooktest"
)

// release is one of a server whose events and subscriptions outlive it.
func release(t *testing.T, log event.Log, store event.Store, types ...mcpevent.Any) *mcp.Server {
	t.Helper()
	o := local
	o.Store = store
	o.Retries = []time.Duration{time.Second, time.Second}
	s, err := serverWithTypes(t, mcp.Options{
		Keys:   [][]byte{bytes.Repeat([]byte{1}, 32)},
		Events: &event.Options{Log: log, Local: true, Webhooks: webhook.New(o)},
	}, types...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A subscription ends when the next release does not have its event any more, or has another payload for it, and its
// callback is told why. An event that is the same is delivered.
func TestNextRelease(t *testing.T) {
	typeOf := func(name string, schema int) *mcpevent.Type[opened, struct{}] {
		return &mcpevent.Type[opened, struct{}]{
			Name: name, Schema: schema, Modes: mcpevent.Webhook, Payload: json.RawMessage(`{"type":"object"}`),
			ID: func(e *opened) string { return e.ID },
		}
	}
	log, store := event.NewMemory(), new(event.MemoryStore)
	before := release(t, log, store, typeOf("same", 0), typeOf("removed", 0), typeOf("changed", 0))
	c := mcptest.New(t, before, mcptest.WithCaller(mcp.Caller{Subject: "ann"}))
	hooks := map[string]*webhooktest.Receiver{}
	for _, name := range []string{"same", "removed", "changed"} {
		hooks[name] = webhooktest.New(t)
		text := strings.Replace(string(params(hooks[name], "")), "incident.opened", name, 1)
		text = strings.Replace(text, `"service":""`, "", 1)
		if _, err := c.Do("events/subscribe", []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	_ = before.Close()

	same := typeOf("same", 0)
	release(t, log, store, same, typeOf("changed", 1))
	if err := same.Commit(t.Context(), &opened{ID: "1"}); err != nil {
		t.Fatal(err)
	}
	if m := hooks["same"].Next(); m.ID != "1" {
		t.Errorf("%s", m.Body)
	}
	for name, want := range map[string]string{"removed": "-32023", "changed": "schema_changed"} {
		if m := hooks[name].Next(); m.Type != "terminated" || !strings.Contains(string(m.Error), want) {
			t.Errorf("%s: %s", name, m.Body)
		}
	}
}
