package webhook_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/mcpevent"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/webhook/webhooktest"
)

// Events of a history that the program has are delivered from page to page, and after a restart those that the callback
// has refused before are found in the history again.
func TestReplay(t *testing.T) {
	const all, most = 30, 3
	var recorded atomic.Int64
	recorded.Store(5)
	ledger := func() *mcpevent.Type[opened, struct{}] {
		return &mcpevent.Type[opened, struct{}]{
			Name: "incident.opened", Modes: mcpevent.Webhook, Payload: json.RawMessage(`{"type":"object"}`),
			ID: func(e *opened) string { return e.ID }, At: func(*opened) time.Time { return time.Now() },
			Match: func(_ struct{}, e *opened) bool { return e.Service != "db" },
			Replay: func(_ context.Context, _ struct{}, cursor string, limit int) (p mcp.EventPage[opened], err error) {
				at, end := int(recorded.Load()), int(recorded.Load())
				if cursor != "" {
					at, err = strconv.Atoi(cursor)
				}
				for ; at < end && len(p.Events) < min(limit, most); at++ {
					p.Events = append(p.Events, opened{strconv.Itoa(at), []string{"api", "db"}[at%2]})
				}
				p.Next, p.More = strconv.Itoa(at), at < end
				return p, err
			},
		}
	}
	store, hook := new(event.MemoryStore), webhooktest.New(t)
	in := ledger()
	before := release(t, nil, store, in)
	c := mcptest.New(t, before, mcptest.WithCaller(mcp.Caller{Subject: "ann"}))
	if _, err := c.Do("events/subscribe", []byte(`{"name":"incident.opened","delivery":{"mode":"webhook","url":"`+
		hook.URL+`","secret":"`+hook.Secret+`"}}`)); err != nil {
		t.Fatal(err)
	}
	refused := make(chan struct{}, 1000)
	hook.Answer(func(m webhooktest.Message) int {
		refused <- struct{}{}
		return http.StatusServiceUnavailable
	})
	recorded.Store(all)
	in.Announce()
	for range 4 {
		<-refused
	}
	_ = before.Close()
	hook.Forget()
	hook.Answer(nil)
	release(t, nil, store, ledger())
	got := map[string]bool{}
	for len(got) < (all-5)/2 {
		m := hook.Next()
		if m.Type != "" || got[m.ID] {
			t.Errorf("again, or a message: %s", m.Body)
		}
		got[m.ID] = true
	}
	hook.None(100 * time.Millisecond)
}
