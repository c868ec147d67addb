package webhook_test

import (
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/webhook/webhooktest"
)

// A secret that an old key of the server has sealed signs as long as the server has that key. Without it nothing is
// delivered until the subscription is refreshed.
func TestKeysOfTheServer(t *testing.T) {
	log, store := event.NewMemory(), new(event.MemoryStore)
	old, fresh := []byte("the old key of a server"), []byte("the new key of a server")
	hook := webhooktest.New(t)
	serve := func(keys ...[]byte) (*mcp.Server, *incident, *mcptest.Client) {
		o := local
		o.Store = store
		s, in, _ := serverOf(t, o, mcp.Options{Keys: keys, Events: &event.Options{Log: log}})
		return s, in, mcptest.New(t, s, mcptest.WithCaller(mcp.Caller{Subject: "ann"}))
	}
	subscribe := func(c *mcptest.Client) {
		t.Helper()
		if _, err := c.Do("events/subscribe", params(hook, "")); err != nil {
			t.Fatal(err)
		}
	}
	s, in, c := serve(old)
	subscribe(c)
	commitTo(t, in, hook, &opened{"1", "api"}, "ann")
	_ = s.Close()
	s, in, _ = serve(fresh, old)
	commitTo(t, in, hook, &opened{"2", "api"}, "ann")
	_ = s.Close()
	_, in, c = serve(fresh)
	if err := in.Commit(t.Context(), &opened{"3", "api"}); err != nil {
		t.Fatal(err)
	}
	hook.None(200 * time.Millisecond)
	subscribe(c)
	if err := in.Commit(t.Context(), &opened{"4", "api"}); err != nil {
		t.Fatal(err)
	}
	m := hook.Next()
	if m.EventID == "3" { // the server had not tried to deliver it before
		m = hook.Next()
	}
	if m.EventID != "4" {
		t.Errorf("%s, want event 4", m.Body)
	}
	hook.None(50 * time.Millisecond)
}
