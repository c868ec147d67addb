package depot_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/depot"
	"github.com/mcpgen/mcpgen/golden/incidents"
	"github.com/mcpgen/mcpgen/golden/internal/transcript"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

func newServer(t *testing.T) mcptest.Server {
	t.Helper()
	srv, err := depot.New(incidents.NewOps(), &mcp.Options{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// everybody are the callers of the tests, by the name of a transcript.
var everybody = map[string]mcp.Caller{
	"nobody": {},
	"guest":  {Subject: "guest", Scopes: []string{"depot.read"}},
	"reader": {Subject: "ann", Scopes: []string{"depot.read"}},
	"guard":  {Subject: "bob", Scopes: []string{"depot.read", "incidents.closed"}, Roles: []string{"guard"}},
}

// What each of several callers is told of the events of the server and of the one that it mounts, by the same requests.
func TestWire(t *testing.T) {
	for name, who := range everybody {
		t.Run(name, func(t *testing.T) {
			transcript.Run(t, name, newServer, func(c *mcptest.Client, rev protocol.Revision) {
				if protocol.HasMethod(rev, protocol.MethodServerDiscover) {
					c.Do(protocol.MethodServerDiscover, nil)
				}
				c.Do("events/list", nil)
				for _, event := range []string{
					"goods.arrived", "alarm.raised", "goods.taken", "shelf.updated", "incident.opened", "incident.closed",
				} {
					c.Do("events/poll", json.RawMessage(`{"name":"`+event+`"}`))
				}
			}, mcptest.WithCaller(who))
		})
	}
}

// polled are the payloads that a caller gets of an event behind a cursor, and the next cursor.
func polled(t *testing.T, c *mcptest.Client, name, args, cursor string) (payloads []string, next string) {
	t.Helper()
	params := `{"name":"` + name + `","arguments":` + args + `,"cursor":` + cursor + `}`
	text, err := c.Do("events/poll", json.RawMessage(params))
	if err != nil {
		t.Fatal(name, err)
	}
	var p struct {
		Events []struct{ Data json.RawMessage }
		Cursor json.RawMessage
	}
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	for _, e := range p.Events {
		payloads = append(payloads, string(e.Data))
	}
	return payloads, string(p.Cursor)
}

// Events of the server, of its store and of the mounted server reach those who may have them, with their arguments.
func TestEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer(t)
		c := mcptest.New(t, srv, mcptest.WithCaller(everybody["guard"]))
		cases := []struct{ name, args, cursor, want string }{
			{"shelf.updated", `{}`, "", `{"uri":"shelves:///a"} {"uri":"shelves:///b"}`},
			{"shelf.updated", `{"uri":"shelves:///b"}`, "", `{"uri":"shelves:///b"}`},
			{"goods.arrived", `{"shelf":["b","c"]}`, "", `{"shelf":"b","goods":5}`},
			{"alarm.raised", `{}`, "", `{"door":"north"}`},
			{"incident.opened", `{"severity":"low"}`, "", `"title":"slow"}`},
		}
		for i := range cases {
			_, cases[i].cursor = polled(t, c, cases[i].name, cases[i].args, "null")
		}
		c.Call("store", `{"shelf":"a","goods":5}`)
		c.Call("store", `{"shelf":"b","goods":5}`)
		c.Call("open_door", `{"door":"north"}`)
		c.Call("open_incident", `{"service":"api","severity":"high","title":"down"}`)
		c.Call("open_incident", `{"service":"api","severity":"low","title":"slow"}`)
		synctest.Wait() // updates are published, and not committed
		for _, x := range cases {
			got, _ := polled(t, c, x.name, x.args, x.cursor)
			if text := strings.Join(got, " "); !strings.HasSuffix(text, x.want) || len(got) > 2 {
				t.Errorf("%s %s: got %s, want %s", x.name, x.args, text, x.want)
			}
		}
		_, err := c.Do("events/poll", json.RawMessage(`{"name":"goods.arrived"}`)) // the third in this minute
		if err != nil {
			t.Error(err)
		}
		if _, err = c.Do("events/poll", json.RawMessage(`{"name":"goods.arrived"}`)); err == nil {
			t.Error("four polls in a minute, and three are allowed")
		}
	})
}
