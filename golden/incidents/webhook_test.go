package incidents_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/golden/incidents"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/webhook"
	"github.com/mcpgen/mcpgen/mcp/webhook/webhooktest"
)

// A callback gets the incidents that its subscription asks for. Nobody subscribes without a subject.
func TestWebhook(t *testing.T) {
	hook := webhooktest.New(t)
	srv, err := incidents.New(incidents.NewOps(), &mcp.Options{
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Events: &event.Options{
			Local: true, Webhooks: webhook.New(webhook.Options{AllowPrivate: true, AllowHTTP: true}),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	params := json.RawMessage(`{"name":"incident.opened","arguments":{"severity":"high"},` +
		`"delivery":{"mode":"webhook","url":"` + hook.URL + `","secret":"` + hook.Secret + `"}}`)
	if _, fault := mcptest.New(t, srv).Do("events/subscribe", params); fault == nil || !strings.Contains(fault.Error(), "-32024") {
		t.Errorf("a caller without a subject gets %v", fault)
	}
	c := mcptest.New(t, srv, mcptest.WithCaller(bob))
	if _, fault := c.Do("events/subscribe", params); fault != nil {
		t.Fatal(fault)
	}
	call(t, c, "open_incident", `{"service":"api","severity":"low","title":"slow"}`)
	high := opens(t, c, "high")
	if m := hook.Next(); m.Name != "incident.opened" || m.EventID != high {
		t.Errorf("%+v", m)
	}
	if _, fault := c.Do("events/unsubscribe", params); fault != nil {
		t.Error(fault)
	}
}
