package mcptest_test

import (
	"encoding/json"
	"fmt"
	"log"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/golden/config"
	"github.com/mcpgen/mcpgen/golden/incidents"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

// t stands for the *testing.T of a test.
var t testing.TB = exampleTB{}

// A test talks to a server as a client would, in each revision of the protocol.
func Example() {
	for _, rev := range mcp.Revisions() {
		settings := config.NewSettingsHolder(config.Settings{Theme: config.Light})
		srv, err := config.NewConfigServer(config.ConfigImpl{
			Settings: settings,
			Banner:   config.NewBannerHolder(config.Banner{Text: "Hello."}),
			Panel:    &config.Panel{Settings: settings},
		}, nil)
		if err != nil {
			log.Fatal(err)
		}
		c := mcptest.New(t, srv, mcptest.WithRevision(rev))
		updates := c.Subscribe("config:///settings")
		if err := settings.Set(config.Settings{Theme: config.Dark}); err != nil {
			log.Fatal(err)
		}
		fmt.Println(rev, updates.Next(), c.Read("config:///banner"))
		if err := srv.Close(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// 2024-11-05 config:///settings Hello.
	// 2025-03-26 config:///settings Hello.
	// 2025-06-18 config:///settings Hello.
	// 2025-11-25 config:///settings Hello.
	// 2026-07-28 config:///settings Hello.
}

// A test of an event polls twice: the first poll says from when on, and the second one returns what has happened. The
// clock is a function that the program has for its tests. Time that passes in the server itself, such as the hour for
// which an event is kept, passes at once in a bubble of testing/synctest: see TestHour in golden/incidents.
func Example_event() {
	ops := incidents.NewOps()
	ops.Now = func() time.Time { return time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC) }
	srv, err := incidents.New(ops, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer srv.Close()
	c := mcptest.New(t, srv)
	begin := poll(c, `{"name":"incident.opened","arguments":{"service":"api"}}`)
	c.Call("open_incident", `{"service":"db","severity":"low","title":"slow"}`)
	c.Call("open_incident", `{"service":"api","severity":"high","title":"down"}`)
	since := poll(c, `{"name":"incident.opened","arguments":{"service":"api"},"cursor":"`+begin.Cursor+`"}`)
	for _, e := range since.Events {
		fmt.Println(e.Timestamp, e.Data.Service, e.Data.Title)
	}
	// Output:
	// 2026-11-28T09:00:00.000Z api down
}

// polled is a part of the result of events/poll.
type polled struct {
	Cursor string
	Events []struct {
		Timestamp string
		Data      incidents.IncidentOpened
	}
}

// poll asks for events.
func poll(c *mcptest.Client, params string) (p polled) {
	result, err := c.Do("events/poll", json.RawMessage(params))
	if err != nil {
		log.Fatal(err)
	}
	if err := json.Unmarshal(result, &p); err != nil {
		log.Fatal(err)
	}
	return p
}

// exampleTB is what package mcptest needs of a test.
type exampleTB struct{ testing.TB }

func (exampleTB) Helper()                      {}
func (exampleTB) Cleanup(func())               {}
func (exampleTB) Log(args ...any)              { fmt.Println(args...) }
func (exampleTB) Errorf(f string, args ...any) { fmt.Printf(f+"\n", args...) }
func (exampleTB) Fatalf(f string, args ...any) { log.Fatalf(f, args...) }
