package mcpevent_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

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
	list := listen(t, c)
	list.want("notifications/subscriptions/acknowledged", `{"notifications":{"eventsListChanged":true},`)
	stream := open(t, c, "7", "", "")
	stream.want("active", "")
	begin := poll(t, c, "", "").Cursor
	if _, err := c.Do("events/subscribe", at(hook, in.Name)); err != nil {
		t.Fatal(err)
	}
	in.Enable(false)
	in.Enable(false)
	list.want("list_changed", "")
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
	commit(t, in, "a", "api", 1)
	in.Enable(true)
	list.want("list_changed", "")
	if p := poll(t, c, "", ""); p.ids() != "" {
		t.Errorf("%+v", p)
	}
	if p := poll(t, c, begin, ""); p.ids() != "a" || p.Truncated {
		t.Errorf("what was committed meanwhile is kept: %+v", p)
	}
	if n := strings.Count(strings.Join(c.Transcript(), ""), "events/list_changed"); n != 2 {
		t.Errorf("%d changes, want 2: switching off twice is one", n)
	}
}

// stuttering is a log that fails once when it is read, and calls a function before.
type stuttering struct {
	event.Log
	before atomic.Pointer[func()]
}

func (l *stuttering) Read(ctx context.Context, name string, after uint64, limit int) (event.Page, error) {
	if f := l.before.Swap(nil); f != nil {
		(*f)()
		return event.Page{}, errors.New("the log is away")
	}
	return l.Log.Read(ctx, name, after, limit)
}

// An event that is switched off while its log cannot be read is off for callbacks too, as soon as the log is back.
func TestEnableWithoutLog(t *testing.T) {
	hook := webhooktest.New(t)
	in := incidents()
	in.Toggle = true
	opts, log := hooked(event.Specification), &stuttering{Log: event.NewMemory()}
	opts.Events.(*event.Options).Log = log
	c := mcptest.New(t, serverOf(t, opts, in), mcptest.WithCaller(mcp.Caller{Subject: "ann"}))
	if _, err := c.Do("events/subscribe", at(hook, in.Name)); err != nil {
		t.Fatal(err)
	}
	commit(t, in, "a", "api", 1)
	hook.Next()
	time.Sleep(time.Second) // until it waits for more
	log.before.Store(new(func() { in.Enable(false) }))
	if m := hook.Next(); m.Type != "terminated" {
		t.Errorf("the callback gets %s", m.Body)
	}
}

// listen listens to changes of the list.
func listen(t *testing.T, c *mcptest.Client) *streaming {
	t.Helper()
	c.Send(`{"jsonrpc":"2.0","id":8,"method":"subscriptions/listen","params":{` + meta +
		`,"notifications":{"eventsListChanged":true}}}`)
	return &streaming{t: t, c: c, id: "8"}
}

// A server whose events cannot be switched off declares no changes, and honours nobody who asks for them.
func TestListNeverChanges(t *testing.T) {
	t.Attr("requirements", "event-changed")
	c := mcptest.New(t, serverOf(t, nil, incidents()))
	listen(t, c).want("notifications/subscriptions/acknowledged", `{"notifications":{},`)
}
