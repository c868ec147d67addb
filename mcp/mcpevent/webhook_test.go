package mcpevent_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/mcpevent"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/webhook"
	"github.com/mcpgen/mcpgen/mcp/webhook/webhooktest"
	"github.com/mcpgen/mcpgen/mcp/wire"
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

// Arguments that cannot be read any more, because the program panics, do not end the process or the subscription.
func TestWebhookArgumentsPanic(t *testing.T) {
	in := incidents()
	var read atomic.Int32
	in.Args = func(d *wire.Decoder, v *wanted) {
		if read.Add(1) == 2 { // the first time was for the request
			panic("arguments")
		}
		readWanted(d, v)
	}
	hook := webhooktest.New(t)
	srv := serverOf(t, hooked(event.Specification), in)
	c := mcptest.New(t, srv, mcptest.WithCaller(mcp.Caller{Subject: "ann"}))
	if _, err := c.Do("events/subscribe", at(hook, in.Name)); err != nil {
		t.Fatal(err)
	}
	commit(t, in, "a", "api", 1)
	if m := hook.Next(); m.EventID != "a" {
		t.Errorf("%+v", m)
	}
	if n := srv.Stats().Events.Withheld; n != 1 {
		t.Errorf("%d were withheld", n)
	}
}

// Who ends no subscription of its own does not learn whether there is an event that it must not know of.
func TestUnsubscribeTellsNothing(t *testing.T) {
	for _, profile := range []event.Profile{event.Specification, event.Shipped} {
		in, streamed := incidents(), incidents()
		in.Guard = &mcprt.Guard{Access: mcprt.Access{Policies: []mcprt.Policy{func(c *mcprt.Call) error {
			if c.Principal() != "ops" {
				return errors.New("not for you")
			}
			return nil
		}}}}
		streamed.Name, streamed.Modes, streamed.Guard = "incident.streamed", mcpevent.Push, in.Guard
		srv := serverOf(t, hooked(profile), in, streamed)
		hook := webhooktest.New(t)
		for _, subject := range []string{"", "eve"} {
			c := mcptest.New(t, srv, mcptest.WithCaller(mcp.Caller{Subject: subject}))
			_, err := c.Do("events/unsubscribe", at(hook, "nothing"))
			code, data := faultOf(t, err)
			for _, name := range []string{in.Name, streamed.Name} {
				_, err := c.Do("events/unsubscribe", at(hook, name))
				if got, with := faultOf(t, err); got != code || with != data {
					t.Errorf("%q of %s: %d %s, for an event that there is not %d %s", subject, name, got, with, code, data)
				}
			}
		}
		ops := mcptest.New(t, srv, mcptest.WithCaller(mcp.Caller{Subject: "ops"}))
		if _, err := ops.Do("events/unsubscribe", at(hook, in.Name)); (err == nil) != (profile == event.Shipped) {
			t.Errorf("profile %d: no subscription: %v", profile, err)
		}
	}
}

// A subscription is ended by who has it, also after it has lost the right to the event.
func TestUnsubscribeWithoutRight(t *testing.T) {
	in := incidents()
	in.Guard = &mcprt.Guard{Access: mcprt.Access{Scopes: []string{"incidents.read"}}}
	srv := serverOf(t, hooked(event.Specification), in)
	hook := webhooktest.New(t)
	ann := mcp.Caller{Subject: "ann", Scopes: []string{"incidents.read"}}
	if _, err := mcptest.New(t, srv, mcptest.WithCaller(ann)).Do("events/subscribe", at(hook, in.Name)); err != nil {
		t.Fatal(err)
	}
	ann.Scopes = nil
	c := mcptest.New(t, srv, mcptest.WithCaller(ann))
	if _, err := c.Do("events/unsubscribe", at(hook, in.Name)); err != nil {
		t.Errorf("the first time: %v", err)
	}
	if _, err := c.Do("events/unsubscribe", at(hook, in.Name)); mcptest.CodeOf(err) != -32023 {
		t.Errorf("the second time: %v", err)
	}
}

// Polls, the begin of each stream and each events/subscribe count for one limit.
func TestLimitOfAllWays(t *testing.T) {
	for _, last := range []string{"poll", "stream", "subscribe"} {
		in := incidents()
		in.Guard = &mcprt.Guard{Limit: mcprt.Limit{Rate: 3, Per: time.Hour}}
		hook := webhooktest.New(t)
		ann := mcptest.WithCaller(mcp.Caller{Subject: "ann"})
		c := mcptest.New(t, serverOf(t, hooked(event.Specification), in), ann)
		poll(t, c, "", "")
		open(t, c, "1001", "", "").want("active", "")
		if _, err := c.Do("events/subscribe", at(hook, in.Name)); err != nil {
			t.Fatal(err)
		}
		var err error
		switch last {
		case "poll":
			_, err = c.Do("events/poll", pollParams("", ""))
		case "stream":
			open(t, c, "1002", "", "").want("error", "too often")
			continue
		case "subscribe":
			_, err = c.Do("events/subscribe", at(hook, in.Name))
		}
		if err == nil || !strings.Contains(err.Error(), "too often") {
			t.Errorf("%s as the fourth request: %v", last, err)
		}
	}
}
