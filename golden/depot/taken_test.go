package depot_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/golden/depot"
	"github.com/mcpgen/mcpgen/golden/incidents"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/webhook"
	"github.com/mcpgen/mcpgen/mcp/webhook/webhooktest"
)

// The ledger is what clients get of goods that were taken: by polls, and at a callback that refuses them at first.
func TestTaken(t *testing.T) {
	hook := webhooktest.New(t)
	srv, err := depot.New(incidents.NewOps(), &mcp.Options{
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Events: &event.Options{Local: true, Webhooks: webhook.New(webhook.Options{
			AllowPrivate: true, AllowHTTP: true, Retries: []time.Duration{10 * time.Millisecond, 10 * time.Millisecond},
		})},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	c := mcptest.New(t, srv, mcptest.WithCaller(everybody["reader"]))
	c.Call("store", `{"shelf":"a","goods":100}`)
	c.Call("store", `{"shelf":"b","goods":100}`)
	_, cursor := polled(t, c, "goods.taken", `{"shelf":"a"}`, "null")
	if _, err := c.Do("events/subscribe", json.RawMessage(`{"name":"goods.taken","arguments":{"shelf":"a"},`+
		`"delivery":{"mode":"webhook","url":"`+hook.URL+`","secret":"`+hook.Secret+`"}}`)); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	tries := map[string]int{}
	hook.Answer(func(m webhooktest.Message) int {
		mu.Lock()
		defer mu.Unlock()
		if tries[m.ID]++; tries[m.ID] < 3 {
			return http.StatusServiceUnavailable
		}
		return http.StatusOK
	})
	want := map[string]bool{}
	for i := range 40 {
		c.Call("take", `{"shelf":"`+string("ab"[i%2])+`","goods":1}`)
	}
	payloads, _ := polled(t, c, "goods.taken", `{"shelf":"a"}`, cursor)
	for _, p := range payloads {
		want[p] = strings.Contains(p, `"shelf":"a"`)
	}
	if len(want) != 20 {
		t.Fatalf("polled %d: %v", len(want), payloads)
	}
	for len(want) > 0 {
		m := hook.Next()
		if !want[string(m.Data)] {
			t.Errorf("delivered %s twice, or not polled", m.Data)
		}
		delete(want, string(m.Data))
	}
}

// A cursor from before a restart, which has begun a new ledger, is one of a gap.
func TestTakenRestart(t *testing.T) {
	start := func() *mcptest.Client {
		srv, err := depot.New(incidents.NewOps(), &mcp.Options{
			Keys: [][]byte{[]byte(strings.Repeat("k", 32))}, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
			Events: &event.Options{Local: true, Webhooks: webhook.New(webhook.Options{})},
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = srv.Close() })
		c := mcptest.New(t, srv, mcptest.WithCaller(everybody["reader"]))
		c.Call("store", `{"shelf":"a","goods":100}`)
		c.Call("take", `{"shelf":"a","goods":1}`)
		return c
	}
	before := start()
	before.Call("take", `{"shelf":"a","goods":2}`)
	_, cursor := polled(t, before, "goods.taken", `{}`, "null")
	payloads, _ := polled(t, start(), "goods.taken", `{}`, cursor)
	if len(payloads) != 1 || !strings.Contains(payloads[0], `"goods":1`) {
		t.Errorf("after the restart: %v", payloads)
	}
}
