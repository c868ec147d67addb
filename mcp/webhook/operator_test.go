package webhook_test

import (
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/webhook"
	"github.com/mcpgen/mcpgen/mcp/webhook/webhooktest"
)

// all lists page by page, as docs/webhooks.md does.
func all(t *testing.T, hooks *webhook.Webhooks, principal string) (list []event.Stored) {
	t.Helper()
	for after := ""; ; {
		page, err := hooks.List(t.Context(), principal, after, 1)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			return list
		}
		list, after = append(list, page...), page[0].Subscription.ID
	}
}

// An operator lists subscriptions, ends one, and erases what is known of a principal. The others go on.
func TestOperator(t *testing.T) {
	s, in, hooks := server(t, local)
	hook := webhooktest.New(t)
	for subject, services := range map[string][]string{"ann": {"api", "db"}, "bob": {"api"}} {
		c := mcptest.New(t, s, mcptest.WithCaller(mcp.Caller{Subject: subject}))
		for _, service := range services {
			if _, err := c.Do("events/subscribe", params(hook, service)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := len(all(t, hooks, "")); n != 3 {
		t.Errorf("%d subscriptions in all, want 3", n)
	}
	ended := ""
	for _, x := range all(t, hooks, "ann") {
		if s := x.Subscription; s.Principal != "ann" || s.Name != "incident.opened" || s.URL != hook.URL ||
			s.State != event.Live || strings.Contains(string(s.Secrets), hook.Secret) {
			t.Errorf("ann has %+v", s)
		}
		if string(x.Subscription.Arguments) == `{"service":"api"}` {
			ended = x.Subscription.ID
		}
	}
	for _, want := range []bool{true, false} {
		if found, err := hooks.End(t.Context(), ended); found != want || err != nil {
			t.Errorf("End: %v %v, want %v", found, err, want)
		}
	}
	commitTo(t, in, hook, &opened{"1", "api"}, "bob")
	commitTo(t, in, hook, &opened{"2", "db"}, "ann")
	if err := hooks.Erase(t.Context(), "ann"); err != nil {
		t.Fatal(err)
	}
	for _, x := range all(t, hooks, "ann") {
		if s := x.Subscription; s.State != event.Ended || s.URL != "" || s.Arguments != nil || s.Secrets != nil {
			t.Errorf("after Erase ann has %+v", s)
		}
	}
	if err := in.Commit(t.Context(), &opened{"3", "db"}); err != nil {
		t.Fatal(err)
	}
	commitTo(t, in, hook, &opened{"4", "api"}, "bob")
}

// commitTo commits an incident, which only one principal must get.
func commitTo(t *testing.T, in *incident, hook *webhooktest.Receiver, e *opened, principal string) {
	t.Helper()
	if err := in.Commit(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if m := hook.Next(); m.EventID != e.ID {
		t.Errorf("%s gets %s, want %s", principal, m.Body, e.ID)
	}
	hook.None(50 * time.Millisecond)
}

// Webhooks that no server has say so.
func TestOperatorWithoutServer(t *testing.T) {
	hooks := webhook.New(local)
	if list, err := hooks.List(t.Context(), "", "", 10); len(list) > 0 || err != nil {
		t.Errorf("List: %v %v", list, err)
	}
	if _, err := hooks.End(t.Context(), "sub"); err == nil || !strings.Contains(err.Error(), "no server") {
		t.Errorf("End: %v", err)
	}
	if err := hooks.Erase(t.Context(), "ann"); err == nil || !strings.Contains(err.Error(), "no server") {
		t.Errorf("Erase: %v", err)
	}
}
