package mcpevent_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

func TestList(t *testing.T) {
	t.Attr("requirements", "event-declared event-list")
	in, other := incidents(), incidents()
	other.Name = "incident.closed"
	c := mcptest.New(t, serverOf(t, nil, in, other))
	text, err := c.Do("events/list", nil)
	want := `{"name":"incident.opened","title":"Incident opened","description":"An incident was opened.","inputSchema":{`
	if err != nil || !strings.Contains(string(text), want) {
		t.Errorf("events/list: %s %v", text, err)
	}
	if !strings.Contains(string(text), `"delivery":["poll","push"]`) { // no webhooks without Options.Events.Webhooks
		t.Errorf("delivery in %s", text)
	}
	_, after, _ := strings.Cut(string(text), `"payloadSchema":{"type":"object"}`)
	if !strings.Contains(after, `"name":"incident.closed"`) ||
		!strings.Contains(after, `"payloadSchema":{"type":"object"}`) {
		t.Errorf("events/list: %s", text)
	}
	found, err := c.Do("server/discover", nil)
	if err != nil || !strings.Contains(string(found), `"extensions":{"io.modelcontextprotocol/events":{}}`) ||
		!strings.Contains(string(found), `"events":{}`) {
		t.Errorf("server/discover: %s %v", found, err)
	}
}
