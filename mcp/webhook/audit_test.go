package webhook_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/webhook/webhooktest"
)

// records are those of an audit.
type records struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *records) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(b)
}

func (r *records) all() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// want waits for a record with a principal, a method, a target and a status.
func (r *records) want(t *testing.T, principal, method, target, status string) {
	t.Helper()
	for until := time.Now().Add(10 * time.Second); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
		for line := range strings.Lines(r.all()) {
			var got map[string]any
			if json.Unmarshal([]byte(line), &got) == nil && got["principal"] == principal && got["method"] == method &&
				got["target"] == target && got["status"] == status {
				return
			}
		}
	}
	t.Errorf("no record %s %s %s %s in:\n%s", principal, method, target, status, r.all())
}

// What happens to an event and a subscription leaves records, by the name of the event. They have no arguments,
// payloads and URLs.
func TestAudit(t *testing.T) {
	const name = "incident.opened"
	var r records
	audit := slog.New(slog.NewJSONHandler(&r, nil))
	s, in, hooks := serverOf(t, local, mcp.Options{Audit: audit, Events: &event.Options{}})
	c := mcptest.New(t, s, mcptest.WithCaller(mcp.Caller{Subject: "ann"}))
	hook := webhooktest.New(t)
	text, err := c.Do("events/subscribe", params(hook, "private-service"))
	if err != nil {
		t.Fatal(err)
	}
	r.want(t, "ann", "events/subscribe", name, "ok")
	if err := in.Commit(t.Context(), &opened{"private-1", "private-service"}); err != nil {
		t.Fatal(err)
	}
	r.want(t, "", "event/commit", name, "ok")
	r.want(t, "ann", "event/deliver", name, "ok")
	hook.Answer(func(webhooktest.Message) int { return http.StatusInternalServerError })
	if err := in.Publish(t.Context(), &opened{"private-2", "private-service"}); err != nil {
		t.Fatal(err)
	}
	r.want(t, "", "event/publish", name, "ok")
	r.want(t, "ann", "event/deliver", name, "http_5xx")
	var granted struct{ ID string }
	if err := json.Unmarshal(text, &granted); err != nil {
		t.Fatal(err)
	}
	if found, err := hooks.End(t.Context(), granted.ID); !found || err != nil {
		t.Errorf("%v %v", found, err)
	}
	r.want(t, "ann", "event/end", name, "ended")
	if err := hooks.Erase(t.Context(), "ann"); err != nil {
		t.Error(err)
	}
	r.want(t, "ann", "event/end", name, "erased")
	if told := r.all(); strings.Contains(told, "private") || strings.Contains(told, "127.0.0.1") {
		t.Errorf("too much is told:\n%s", told)
	}
}
