package incidents_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/incidents"
	"github.com/mcpgen/mcpgen/golden/internal/transcript"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

// granting grants every subscription without a network, so that a transcript of it is the same in every run.
type granting struct{ subscribed bool }

func (g *granting) Start(event.Host) error { return nil }

func (g *granting) Subscribe(_ context.Context, r *event.Request) (*event.Granted, error) {
	out := &event.Granted{ID: "subscription-1", At: r.Start, Truncated: r.Truncated}
	if !r.TTL.Never {
		out.RefreshBefore = time.Now().Add(time.Hour)
	}
	if g.subscribed {
		out.Status = &event.Status{Active: true, LastDelivery: time.Now(), LastError: "http_5xx", FailedSince: time.Now()}
	}
	g.subscribed = true
	return out, nil
}

func (g *granting) Unsubscribe(context.Context, *event.Request) (bool, error) {
	found := g.subscribed
	g.subscribed = false
	return found, nil
}

func (g *granting) Wake(string)                 {}
func (g *granting) Close(context.Context) error { return nil }
func (g *granting) Lasting() bool               { return false }
func (g *granting) Stats() stats.Webhooks       { return stats.Webhooks{} }

// All methods of events: those that a revision does not serve are unknown there.
func TestMethods(t *testing.T) {
	for _, profile := range []event.Profile{event.Specification, event.Shipped} {
		name := [...]string{event.Specification: "methods", event.Shipped: "shipped"}[profile]
		var srv *incidents.IncidentsServer
		start := func(t *testing.T) mcptest.Server {
			var err error
			srv, err = incidents.New(incidents.NewOps(), &mcp.Options{
				Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
				Events: &event.Options{Sessions: true, Local: true, Webhooks: new(granting), Profile: profile},
			})
			if err != nil {
				t.Fatal(err)
			}
			return srv
		}
		transcript.Run(t, name, start, func(c *mcptest.Client, rev protocol.Revision) {
			if c.Do("events/list", json.RawMessage(`{}`)); profile == event.Specification {
				polls(c, srv)
				streams(c, srv, rev)
			}
			webhooks(c)
		}, mcptest.WithCaller(bob))
	}
}

// opened commits the n-th incident.
func opened(srv *incidents.IncidentsServer, n int) {
	e := &incidents.IncidentOpened{ID: fmt.Sprint("incident-", n), Opened: time.Unix(int64(n), 0), Service: "api",
		Severity: incidents.High, Title: "down"}
	if err := srv.CommitIncidentOpened(context.Background(), e); err != nil {
		panic(err)
	}
}

// polls polls, and goes on from the cursor.
func polls(c *mcptest.Client, srv *incidents.IncidentsServer) {
	const params = `{"name":"incident.opened","arguments":{"service":"api"}`
	begin, _ := c.Do("events/poll", json.RawMessage(params+`}`))
	var got struct{ Cursor string }
	_ = json.Unmarshal(begin, &got)
	for n := range 3 {
		opened(srv, n)
	}
	cursor := `,"cursor":"` + got.Cursor + `"`
	c.Do("events/poll", json.RawMessage(params+cursor+`,"maxEvents":2}`))
	c.Do("events/poll", json.RawMessage(params+`,"cursor":"no cursor at all, but a text"}`))
	c.Do("events/poll", json.RawMessage(params+`,"maxEvents":0}`))
}

// streams opens a stream, and ends it when it has had an event, a heartbeat and an event that was switched off.
func streams(c *mcptest.Client, srv *incidents.IncidentsServer, rev protocol.Revision) {
	meta := ""
	if !protocol.HasMethod(rev, protocol.MethodInitialize) {
		meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + rev.String() + `",` +
			`"io.modelcontextprotocol/clientInfo":{"name":"mcptest","version":"1"},` +
			`"io.modelcontextprotocol/clientCapabilities":{}},`
	}
	stream := func(id, name string) {
		c.Send(`{"jsonrpc":"2.0","id":"` + id + `","method":"events/stream","params":{` + meta + `"name":"` + name + `"}}`)
		synctest.Wait()
	}
	stream("refused", "incident.moved")
	stream("opened", "incident.opened")
	opened(srv, 3)
	synctest.Wait()
	time.Sleep(21 * time.Second)
	synctest.Wait()
	c.Notify(protocol.MethodNotificationsCancelled, json.RawMessage(`{"requestId":"opened"}`))
	stream("closed", "incident.closed")
	srv.SetIncidentClosedEnabled(false)
	synctest.Wait()
	srv.SetIncidentClosedEnabled(true)
}

// webhooks subscribes, refreshes and unsubscribes, and says what is wrong.
func webhooks(c *mcptest.Client) {
	const secret = `,"secret":"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"`
	params := func(more, secret string) json.RawMessage {
		return json.RawMessage(`{"name":"incident.opened","arguments":{"severity":"high"},"delivery":{"mode":"webhook",` +
			`"url":"https://example.com/hook"` + secret + `}` + more + `}`)
	}
	c.Do("events/subscribe", params("", secret))
	c.Do("events/subscribe", params(`,"ttlMs":null`, secret))
	c.Do("events/subscribe", params(`,"ttlMs":-1`, secret))
	c.Do("events/subscribe", params("", ""))
	c.Do("events/subscribe", json.RawMessage(`{"name":"incident.closed","delivery":{"url":"https://example.com/hook"`+secret+`}}`))
	c.Do("events/unsubscribe", params("", ""))
	c.Do("events/unsubscribe", params("", ""))
}
