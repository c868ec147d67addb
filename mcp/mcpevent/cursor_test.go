package mcpevent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/webhook/webhooktest"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// A cursor that another process has sealed, or one before the restart, is a gap and no error.
func TestLostCursor(t *testing.T) {
	t.Attr("requirements", "event-truncated")
	in := incidents()
	old := poll(t, mcptest.New(t, serverOf(t, nil, in)), "", "").Cursor
	again := incidents()
	c := mcptest.New(t, serverOf(t, nil, again))
	commit(t, again, "a", "api", 1)
	if p := poll(t, c, old, ""); !p.Truncated || p.ids() != "a" {
		t.Errorf("other keys: %+v", p)
	}
	keys := [][]byte{[]byte("a key of at least 16 bytes")}
	in = incidents()
	old = poll(t, mcptest.New(t, serverOf(t, &mcp.Options{Keys: keys}, in)), "", "").Cursor
	again = incidents()
	c = mcptest.New(t, serverOf(t, &mcp.Options{Keys: keys}, again))
	commit(t, again, "a", "api", 1)
	if p := poll(t, c, old, ""); !p.Truncated || p.ids() != "a" {
		t.Errorf("another epoch: %+v", p)
	}
}

// A cursor belongs to one event of one server, also if another one has the same keys.
func TestCursorOfAnotherEvent(t *testing.T) {
	opened, closed := incidents(), incidents()
	closed.Name = "incident.closed"
	opts := hooked(event.Specification)
	opts.Keys = [][]byte{[]byte("a key of at least 16 bytes")}
	c := mcptest.New(t, serverOf(t, opts, opened, closed), mcptest.WithCaller(mcp.Caller{Subject: "ann"}))
	cursor := poll(t, c, "", "").Cursor // of incident.opened
	hook := webhooktest.New(t)
	for method, delivery := range map[string]string{
		"events/poll": "", "events/stream": "",
		"events/subscribe": fmt.Sprintf(`,"delivery":{"mode":"webhook","url":%q,"secret":%q}`, hook.URL, hook.Secret),
	} {
		_, err := c.Do(method, fmt.Appendf(nil, `{"name":"incident.closed","cursor":%q%s}`, cursor, delivery))
		if mcptest.CodeOf(err) != wire.CodeInvalidParams {
			t.Errorf("%s of incident.closed: %v", method, err)
		}
	}
	if p := poll(t, c, cursor, ""); p.Truncated {
		t.Errorf("of its own event: %+v", p)
	}
}

// With keys of its own a server shows nothing from before to who has a text that none of them has sealed.
func TestForeignCursor(t *testing.T) {
	t.Attr("requirements", "event-truncated")
	one, other := []byte("a key of at least 16 bytes"), []byte("another key of 16 bytes or more")
	old := poll(t, mcptest.New(t, serverOf(t, &mcp.Options{Keys: [][]byte{one}}, incidents())), "", "").Cursor
	in := incidents()
	c := mcptest.New(t, serverOf(t, &mcp.Options{Keys: [][]byte{other}}, in))
	commit(t, in, "before", "api", 1)
	p := poll(t, c, old, "")
	if !p.Truncated || p.ids() != "" {
		t.Errorf("other keys: %+v", p)
	}
	// What has the form of a cursor is one of keys that nobody knows; the rest is none.
	for _, looksLike := range []string{strings.Repeat("A", 54), strings.Repeat("-", 512)} {
		if p := poll(t, c, looksLike, ""); !p.Truncated || p.ids() != "" {
			t.Errorf("%d characters: %+v", len(looksLike), p)
		}
	}
	for _, none := range []string{"A", strings.Repeat("A", 52), strings.Repeat("A", 514), strings.Repeat("+", 54)} {
		if _, err := c.Do("events/poll", pollParams(none, "")); mcptest.CodeOf(err) != wire.CodeInvalidParams {
			t.Errorf("%s: %v", none, err)
		}
	}
	commit(t, in, "after", "api", 1)
	if p = poll(t, c, p.Cursor, ""); p.Truncated || p.ids() != "after" {
		t.Errorf("from there on: %+v", p)
	}
}
