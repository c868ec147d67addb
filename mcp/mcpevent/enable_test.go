package mcpevent_test

import (
	"context"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/webhook/webhooktest"
)

// An event that is switched off does not exist: lists, polls, streams and callbacks learn of it.
func TestEnable(t *testing.T) {
	t.Attr("requirements", "event-changed")
	hook := webhooktest.New(t)
	in := incidents()
	in.Toggle = true
	s := serverOf(t, hooked(event.Specification), in)
	c := mcptest.New(t, s, mcptest.WithCaller(mcp.Caller{Subject: "ann"}))
	if found, err := c.Do("server/discover", nil); err != nil ||
		strings.Count(string(found), `{"listChanged":true}`) != 2 {
		t.Errorf("server/discover: %s %v", found, err)
	}
	list := c.SubscribeEvents()
	if !strings.Contains(strings.Join(c.Transcript(), ""), `"params":{"notifications":{"eventsListChanged":true},`) {
		t.Error("the filter is not honoured")
	}
	stream := open(t, c, "7", "", "")
	stream.want("active", "")
	if _, err := c.Do("events/subscribe", at(hook, in.Name)); err != nil {
		t.Fatal(err)
	}
	in.Enable(false)
	in.Enable(false)
	list.Next()
	stream.want("terminated", "-32023")
	if m := hook.Next(); m.Type != "terminated" {
		t.Errorf("the callback gets %s", m.Body)
	}
	_, err := c.Do("events/poll", pollParams("", ""))
	if code, _ := faultOf(t, err); code != -32023 {
		t.Errorf("events/poll: %v", err)
	}
	if text, err := c.Do("events/list", nil); err != nil || !strings.Contains(string(text), `"events":[]`) {
		t.Errorf("events/list: %s %v", text, err)
	}
	if err := in.Commit(context.Background(), &opened{ID: "a", Opened: day}); err != nil {
		t.Error(err)
	}
	in.Enable(true)
	list.Next()
	if p := poll(t, c, "", ""); p.ids() != "" {
		t.Errorf("%+v", p)
	}
	if n := list.Pending(); n != 0 {
		t.Errorf("%d changes more: switching off twice is one", n)
	}
}

// A server whose events cannot be switched off declares no changes, and honours nobody who asks for them.
func TestListNeverChanges(t *testing.T) {
	t.Attr("requirements", "event-changed")
	c := mcptest.New(t, serverOf(t, nil, incidents()))
	c.SubscribeEvents()
	if text := strings.Join(c.Transcript(), ""); !strings.Contains(text, `"params":{"notifications":{},`) {
		t.Error(text)
	}
}
