package mcpevent_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
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

// Two servers that are joined serve the events of both.
func TestJoin(t *testing.T) {
	in, other := incidents(), incidents()
	other.Name = "incident.closed"
	a, b := serverOf(t, nil, in), serverOf(t, nil, other)
	f := &mcprt.Features{Info: protocol.Implementation{Name: "all", Version: "1"}}
	all, err := mcprt.Join(f, &mcp.Options{Logger: quiet()}, member{a}, member{b})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = all.Close() })
	c, alone := mcptest.New(t, all), mcptest.New(t, a)
	whole, part := poll(t, c, "", "").Cursor, poll(t, alone, "", "").Cursor
	if text, err := c.Do("events/list", nil); err != nil || !strings.Contains(string(text), "incident.closed") {
		t.Errorf("%s %v", text, err)
	}
	commit(t, in, "a", "api", 1)
	if p := poll(t, c, whole, ""); p.ids() != "a" {
		t.Errorf("the whole: %+v", p)
	}
	if p := poll(t, alone, part, ""); p.ids() != "a" {
		t.Errorf("the member: %+v", p)
	}
}

type member struct{ *mcp.Server }

func (m member) Base() *mcp.Server { return m.Server }
