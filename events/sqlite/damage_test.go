package sqliteevents_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/webhook/webhooktest"
)

// A record that cannot be read stops its own subscription only, is told as damaged, and is as new after a refresh.
func TestDamage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "events.sqlite")
	good, bad := webhooktest.New(t), webhooktest.New(t)
	s, _, err := incidents(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	subscribe := func(s *mcp.Server, hook *webhooktest.Receiver) (id string) {
		c := mcptest.New(t, s, mcptest.WithCaller(mcp.Caller{Subject: "ann"}))
		result, err := c.Do("events/subscribe", fmt.Appendf(nil, `{"name":"incident.opened","arguments":{},
			"delivery":{"mode":"webhook","url":%q,"secret":%q}}`, hook.URL, hook.Secret))
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ ID string }
		if err := json.Unmarshal(result, &got); err != nil {
			t.Fatal(err)
		}
		return got.ID
	}
	subscribe(s, good)
	id := subscribe(s, bad)
	_ = s.Close()
	garble(t, file, id)

	s, in, err := incidents(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	store, err := open(t, file).Subscriptions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	list, err := store.List(t.Context(), "ann", "", 10)
	damaged := 0
	for _, l := range list {
		if l.Damage != nil && l.Subscription.ID == id {
			damaged++
		}
	}
	if err != nil || len(list) != 2 || damaged != 1 {
		t.Fatalf("%+v %v", list, err)
	}
	commit := func(id string, to ...*webhooktest.Receiver) {
		t.Helper()
		if err := in.Commit(t.Context(), &opened{id}); err != nil {
			t.Fatal(err)
		}
		for _, hook := range to {
			if m := hook.Next(); m.ID != id {
				t.Errorf("got %s, want %s", m.ID, id)
			}
		}
	}
	commit("one", good)
	if again := subscribe(s, bad); again != id {
		t.Errorf("another id: %s", again)
	}
	commit("two", good, bad)
}

func garble(t *testing.T, file, id string) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), `UPDATE subscriptions SET record = x'7b00' WHERE id = ?`, id); err != nil {
		t.Fatal(err)
	}
}
