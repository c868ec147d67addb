package incidents_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/incidents"
	"github.com/mcpgen/mcpgen/golden/internal/transcript"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

var bob = mcp.Caller{Subject: "bob", Scopes: []string{"incidents.closed"}}

func newOps(t *testing.T) (*incidents.Ops, *incidents.IncidentsServer) {
	t.Helper()
	ops := incidents.NewOps()
	now := time.Now().UTC().Truncate(time.Second)
	ops.Now = func() time.Time { now = now.Add(time.Minute); return now }
	srv, err := incidents.New(ops, &mcp.Options{
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)), Events: &event.Options{Sessions: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	return ops, srv
}

func newServer(t *testing.T) mcptest.Server {
	t.Helper()
	_, srv := newOps(t)
	return srv
}

// play lists the events and polls them, with good and bad params.
func play(c *mcptest.Client, rev protocol.Revision) {
	if protocol.HasMethod(rev, protocol.MethodServerDiscover) {
		c.Do(protocol.MethodServerDiscover, nil)
	}
	c.Do("events/list", json.RawMessage(`{}`))
	for _, params := range []string{
		`{"name":"incident.opened","arguments":{"service":"api"}}`,
		`{"name":"incident.opened","arguments":{"severity":"grave","region":"eu"}}`,
		`{"name":"incident.closed","arguments":{}}`,
		`{"name":"incident.moved","arguments":{}}`,
		`{"arguments":{}}`,
	} {
		c.Do("events/poll", json.RawMessage(params))
	}
}

// What callers get who may hear of everything.
func TestDeclared(t *testing.T) {
	transcript.Run(t, "declared", newServer, play, mcptest.WithCaller(bob))
}

// What others get.
func TestRefused(t *testing.T) { transcript.Run(t, "refused", newServer, play) }

// polled is a result of events/poll.
type polled struct {
	Events []struct {
		EventID   string
		Timestamp time.Time
		Data      struct {
			Service, Title, Report string
			Severity               incidents.Severity
			Minutes                int
		}
		Meta map[string]any `json:"_meta"`
	}
	Cursor    string
	Truncated bool
}

// poll asks for what has happened since a cursor; empty for none.
func poll(t *testing.T, c *mcptest.Client, name, args, cursor string) (out polled) {
	t.Helper()
	params := `{"name":"` + name + `","arguments":` + args
	if cursor != "" {
		params += `,"cursor":"` + cursor + `"`
	}
	result, fault := c.Do("events/poll", json.RawMessage(params+"}"))
	if fault != nil {
		t.Fatal(fault)
	}
	if err := json.Unmarshal(result, &out); err != nil || out.Truncated {
		t.Fatal(err, string(result))
	}
	return out
}

func call(t *testing.T, c *mcptest.Client, name, args string) {
	t.Helper()
	if _, fault := c.Do("tools/call", json.RawMessage(`{"name":"`+name+`","arguments":`+args+`}`)); fault != nil {
		t.Fatal(fault)
	}
}

// opens opens an incident, and returns its id.
func opens(t *testing.T, c *mcptest.Client, severity string) string {
	t.Helper()
	r := c.Call("open_incident", `{"service":"api","severity":"`+severity+`","title":"down"}`)
	var opened incidents.Incident
	if err := json.Unmarshal(r.StructuredContent, &opened); err != nil || opened.ID == "" {
		t.Fatalf("open_incident: %s %v", r.StructuredContent, err)
	}
	return opened.ID
}

// A log that outlives a server does not take an incident for one from before.
func TestRestart(t *testing.T) {
	keys, log := [][]byte{[]byte("a key of at least 16 bytes")}, event.NewMemory()
	var got polled
	for range 2 {
		srv, err := incidents.New(incidents.NewOps(), &mcp.Options{Keys: keys, Events: &event.Options{Log: log}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = srv.Close() })
		c := mcptest.New(t, srv, mcptest.WithCaller(bob))
		got = poll(t, c, "incident.opened", `{}`, got.Cursor)
		opens(t, c, "high")
		if got = poll(t, c, "incident.opened", `{}`, got.Cursor); len(got.Events) != 1 {
			t.Errorf("%+v", got)
		}
	}
}

// Subscriptions get what their arguments ask for, with the id and the time of the payload.
func TestEventArguments(t *testing.T) {
	t.Attr("requirements", "event-id")
	c := mcptest.New(t, newServer(t), mcptest.WithCaller(bob))
	all := map[string]polled{}
	for _, args := range []string{`{}`, `{"service":"api"}`, `{"service":"api","severity":"high"}`} {
		all[args] = poll(t, c, "incident.opened", args, "")
	}
	for _, args := range []string{
		`{"service":"api","severity":"low","title":"slow"}`, `{"service":"api","severity":"high","title":"down"}`,
		`{"service":"web","severity":"high","title":"gone"}`,
	} {
		call(t, c, "open_incident", args)
	}
	for args, want := range map[string]string{
		`{}`: "slow down gone", `{"service":"api"}`: "slow down", `{"service":"api","severity":"high"}`: "down",
	} {
		got := ""
		for _, e := range poll(t, c, "incident.opened", args, all[args].Cursor).Events {
			if got += " " + e.Data.Title; e.EventID == "" || e.Timestamp.IsZero() || e.Meta["io.github.mcpgen/own"] != true {
				t.Errorf("%+v", e)
			}
		}
		if got != " "+want {
			t.Errorf("%s gets%s, want %s", args, got, want)
		}
	}
}

// A match function decides what a subscription gets, and a shape function what of it.
func TestFunctions(t *testing.T) {
	t.Attr("requirements", "event-minimal")
	srv := newServer(t)
	ann := mcptest.New(t, srv, mcptest.WithCaller(mcp.Caller{Subject: "ann", Scopes: bob.Scopes}))
	own := mcptest.New(t, srv, mcptest.WithCaller(bob))
	begin := poll(t, own, "incident.closed", `{"atLeast":"high"}`, "")
	for _, severity := range []string{"low", "critical"} {
		call(t, own, "close_incident", `{"id":"`+opens(t, own, severity)+`","report":"a cable"}`)
	}
	for _, x := range []struct {
		c    *mcptest.Client
		want string
	}{{own, "a cable"}, {ann, ""}} {
		var got polled
		for end := time.Now().Add(30 * time.Second); len(got.Events) == 0 && time.Now().Before(end); {
			got = poll(t, x.c, "incident.closed", `{"atLeast":"high"}`, begin.Cursor) // it is published soon
		}
		if len(got.Events) != 1 || got.Events[0].Data.Severity != incidents.Critical || got.Events[0].Data.Report != x.want ||
			got.Events[0].Data.Minutes != 1 {
			t.Errorf("%+v, want %q", got, x.want)
		}
	}
}

// The publishers say what is wrong with an event.
func TestPublish(t *testing.T) {
	_, srv := newOps(t)
	for _, e := range []*incidents.IncidentOpened{nil, {}, {ID: "a.b", Opened: time.Now()}} {
		if err := srv.CommitIncidentOpened(context.Background(), e); err == nil {
			t.Errorf("%+v is committed", e)
		}
	}
	if err := srv.PublishIncidentOpened(context.Background(), &incidents.IncidentOpened{}); err == nil {
		t.Error("an event without an id is published")
	}
}
