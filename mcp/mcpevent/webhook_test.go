package mcpevent_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/webhook"
	"github.com/mcpgen/mcpgen/mcp/webhook/webhooktest"
)

// hooked are options of a server that delivers to callbacks on this machine.
func hooked(profile event.Profile) *mcp.Options {
	hooks := webhook.New(webhook.Options{AllowPrivate: true, AllowHTTP: true})
	return &mcp.Options{Events: &event.Options{Webhooks: hooks, Local: true, Profile: profile}}
}

// at are the params of a subscription to the event of a name.
func at(hook *webhooktest.Receiver, name string) []byte {
	return fmt.Appendf(nil, `{"name":%q,"delivery":{"mode":"webhook","url":%q,"secret":%q}}`, name, hook.URL, hook.Secret)
}

// A policy that fails has not refused: the subscription stays, and the event comes later.
func TestWebhookUndecided(t *testing.T) {
	in := incidents()
	var fails atomic.Bool
	in.Guard = &mcprt.Guard{Access: mcprt.Access{Policies: []mcprt.Policy{func(*mcprt.Call) error {
		if fails.CompareAndSwap(true, false) {
			panic("the database is away")
		}
		return nil
	}}}}
	hook := webhooktest.New(t)
	c := mcptest.New(t, serverOf(t, hooked(event.Specification), in), mcptest.WithCaller(mcp.Caller{Subject: "ann"}))
	if _, err := c.Do("events/subscribe", at(hook, in.Name)); err != nil {
		t.Fatal(err)
	}
	fails.Store(true)
	commit(t, in, "a", "api", 1)
	if m := hook.Next(); m.EventID != "a" {
		t.Errorf("%+v", m)
	}
	if fails.Load() {
		t.Error("the policy was not asked")
	}
}
