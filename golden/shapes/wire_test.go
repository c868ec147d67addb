package shapes

import (
	"log/slog"
	"net/netip"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/internal/transcript"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

// newServer returns a server that does not log what its lists leave out.
func newServer(t *testing.T) *ShapesServer {
	t.Helper()
	return newServerWith(t, &mcp.Options{Logger: slog.New(slog.DiscardHandler)})
}

func newServerWith(t *testing.T, opts *mcp.Options) *ShapesServer {
	t.Helper()
	srv, err := NewShapesServer(ShapesImpl{
		Attic: Attic{},
		Clock: &Clock{Now: time.Date(2026, 7, 28, 12, 0, 0, 0, time.UTC)},
		Shelf: Shelf{Things: []string{"cup", "pen", "map"}},
	}, opts)
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// The lists, and one read of every shape.
func TestReads(t *testing.T) {
	start := func(t *testing.T) mcptest.Server { return newServer(t) }
	transcript.Run(t, "reads", start, func(c *mcptest.Client, rev protocol.Revision) {
		if protocol.HasMethod(rev, protocol.MethodServerDiscover) {
			c.Do(protocol.MethodServerDiscover, nil)
		}
		c.Templates()
		for _, resource := range c.List() {
			c.Read(resource.URI)
		}
		for _, uri := range []string{
			"logs:///192.0.2.1/debug", "logs:///::1/warn?limit=5&step=2s&since=1990-01-01T00:00:00Z", "days:///2026-07-28",
			"files:///a/b.txt", "files:///a/b.txt/size", "trail:///3/-4", "places:///1.5,2", "places:///1,2?zoom=3",
			"things:///shelf/find?tag=a&page=3&tag=b&exact=1&all=0&text=x&colour=%23000010&rank=1", "things:///shelf/find",
			"attic:///cup", "raw:///..?must=x", "parts:///a.b;size=1", "urn:isbn:3-446", "maybe:///1", "names:///1/2/3/true/4",
			"stock:///AB-12?colour=red&colour=blue&size=1x2", "stock:///spare", "stock:///%41B-1",
			"maybe:///10?at=2026-07-28T00:00:00Z&addr=::1&wait=1s&ok=true",
		} {
			c.Read(uri)
		}
	})
}

// Completions from functions and from types.
func TestCompletions(t *testing.T) {
	t.Attr("requirements", "completion-fuzzy")
	start := func(t *testing.T) mcptest.Server { return newServer(t) }
	const logs = "logs:///{host}/{level}{?since,limit,step}"
	transcript.Run(t, "completions", start, func(c *mcptest.Client, rev protocol.Revision) {
		c.Complete(logs, "level", "")
		c.Complete(logs, "level", "w")
		c.Complete(logs, "host", "h")
		c.Complete(logs, "step", "1")
		c.Complete("maybe:///{rank}{?at,addr,wait,ok}", "ok", "t")
		c.Complete("maybe:///{rank}{?at,addr,wait,ok}", "rank", "1")
		c.Complete("things:///shelf/find{?tag*,page,exact,all,text,colour,rank}", "all", "")
		c.Complete("things:///shelf/find{?tag*,page,exact,all,text,colour,rank}", "exact", "f")
		c.Complete("things:///shelf/find{?tag*,page,exact,all,text,colour,rank}", "rank", "1")
		c.Complete("names:///{b}/{uri}/{err}/{string}/{wire}", "string", "")
		if rev >= protocol.Revision20250618 {
			c.Complete(logs, "host", "h", "level", "info")
			c.Complete(logs, "limit", "1", "host", "::1", "since", "2020-01-01T00:00:00Z")
		}
	})
}

const everything = `{"id":"i","name":"n","yes":true,"small":-128,"large":18446744073709551615,"ratio":1.5,"level":"info",` +
	`"point":{"x":1,"y":2},"points":[{"x":3,"y":4},{"x":5,"y":6}],"grid":[[1,2],[],[3]],"deep":{"k":[{"p":{"x":7,"y":8}}],"l":[]},` +
	`"limit":9,"next":{"id":"","name":"","level":"warn"},"labels":{"a":1},"shapes":{"s":{"x":0,"y":0}},` +
	`"raw":[1, "x"],"when":"2026-07-28T00:00:00Z","any":{"b":[null]}}`

// Tools with arguments of every kind, right and wrong.
func TestTools(t *testing.T) {
	start := func(t *testing.T) mcptest.Server { return newServer(t) }
	transcript.Run(t, "tools", start, func(c *mcptest.Client, rev protocol.Revision) {
		c.Tools()
		for _, call := range []struct{ tool, args string }{
			{"echo", everything},
			{"echo", `{"id":"","name":"","level":"debug"}`},
			{"echo", `{"id":"","name":"","level":"debug","points":[],"grid":[],"deep":{},"labels":{},"shapes":{}}`},
			{"describe.it", `{"id":"cup"}`},
			{"ping", ""},
			{"ping", `{}`},
			{"fail", `{"id":""}`},
			{"fail", `{"id":"x"}`},
			{"exact", `{}`},
		} {
			c.Call(call.tool, call.args)
		}
		for _, args := range []string{
			`{"name":"","level":"debug"}`, `{"id":"","level":"debug"}`, `{"id":"","name":""}`, `{"id":1}`, `{"name":null}`,
			`{"yes":"true"}`,
			`{"small":128}`, `{"large":-1}`, `{"ratio":1e39}`, `{"level":"loud"}`, `{"point":{"x":1}}`, `{"point":{"y":1}}`,
			`{"point":{"z":1}}`,
			`{"points":{}}`, `{"points":[{"x":1,"y":2},{"x":1,"y":"2"}]}`, `{"grid":[1]}`, `{"grid":[[1],["2"]]}`,
			`{"deep":{"k":[{"p":1}]}}`,
			`{"deep":[]}`, `{"limit":1.5}`, `{"next":{"id":"i","name":"n","level":"debug","next":{"id":2}}}`,
			`{"labels":{"a":"1"}}`, `{"labels":[]}`,
			`{"shapes":{"s":{"x":0}}}`, `{"when":"yesterday"}`, `{"ID":"x"}`, `{"extra":1}`,
			`{"limit":null,"next":null}`,
			`{"id":1,"name":2,"point":{"x":"1"},"points":[{"x":1,"y":2},[],{}],"no":{"a":[1]},"deep":{"a/b":[{"~":3}]}}`,
			`[]`,
		} {
			c.Do(protocol.MethodToolsCall, []byte(`{"name":"echo","arguments":`+args+`}`))
		}
		c.Do(protocol.MethodToolsCall, []byte(`{"name":"ping","arguments":{"x":1}}`))
		c.Do(protocol.MethodToolsCall, []byte(`{"name":"Echo"}`))
	})
}

// What a subscriber of each resource is told, under the spelling that the subscriber has chosen.
func TestUpdates(t *testing.T) {
	srv := newServerWith(t, &mcp.Options{UpdateDelay: -1})
	c := mcptest.New(t, srv)
	local, day := netip.MustParseAddr("127.0.0.1"), time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	updates := map[string]func(){
		"logs:///127.0.0.1/warn?limit=0100": func() {
			srv.LogsUpdated(local, Warn, time.Time{}, 100, 90*time.Second)
		},
		"logs:///127.0.0.1/info?since=2026-01-02T01:00:00%2B01:00": func() {
			srv.LogsUpdated(local, Info, day, 100, 90*time.Second)
		},
		"days:///2026-01-0%32":      func() { srv.DayUpdated(day) },
		"files:///a%2Fb":            func() { srv.FileUpdated("a/b") },
		"files:///%61/size":         func() { srv.FileSizeUpdated("a") },
		"trail:///01/2":             func() { srv.TrailUpdated([]int64{1, 2}) },
		"places:///1.0,2?zoom=3.50": func() { srv.PlaceUpdated(1, 2, 3.5) },
		"things:///shelf/find?tag=a&page=2&rank=1": func() {
			srv.FindUpdated([]Text{"a"}, new(2), false, true, "no text", 0xffffff, 1)
		},
		"things:///shelf/find?all=1": func() {
			srv.FindUpdated(nil, nil, false, true, "no text", 0xffffff, 10)
		},
		"raw:///a?must=%62":               func() { srv.RawUpdated("a", "b") },
		"parts:///n.%65;size=01":          func() { srv.PartsUpdated("n", "e", 1) },
		"urn:isbn:1%32":                   func() { srv.BookUpdated("12") },
		"maybe:///01":                     func() { srv.MaybeUpdated(1, nil, nil, nil, nil) },
		"maybe:///10?addr=127.0.0.1&ok=1": func() { srv.MaybeUpdated(10, nil, &local, nil, new(true)) },
		"attic:///cup":                    func() { srv.AtticThingUpdated("cup") },
		"things:///cup":                   func() { srv.ThingUpdated("cup") },
		"reports:///week-2026-5.md":       func() { srv.WeekUpdated(2026, 5) },
		"stock:///spare?size=1x2":         func() { srv.PartUpdated("spare", nil, new("1x2")) },
		"names:///a/b/c/1/01":             func() { srv.NamesUpdated("a", "b", "c", true, 1) },
	}
	subs := map[string]*mcptest.Subscription{}
	for uri := range updates {
		subs[uri] = c.Subscribe(uri)
	}
	for uri, update := range updates {
		update()
		if got := subs[uri].Next(); got != uri {
			t.Errorf("subscriber of %s is told of %s", uri, got)
		}
	}
	for uri, sub := range subs {
		if sub.Pending() > 0 {
			t.Errorf("subscriber of %s is told of others", uri)
		}
		sub.Close()
	}
	sub := c.Subscribe("shapes:///time") // its watcher reports a change at once
	if got := sub.Next(); got != "shapes:///time" {
		t.Errorf("told of %s", got)
	}
	list := c.SubscribeList()
	srv.WeekListChanged()
	list.Next()
}

// A subscription to something that cannot exist is refused.
func TestSubscribeChecksVariables(t *testing.T) {
	start := func(t *testing.T) mcptest.Server { return newServer(t) }
	transcript.Run(t, "subscribe", start, func(c *mcptest.Client, rev protocol.Revision) {
		for _, uri := range []string{
			"things:///x", "reports:///week-1-54.md", "names:///a/b/c/d/1", "files:///x", "other:///x", "shapes:///motto",
			"stock:///AB-12", "stock:///spared", "stock:///xAB-1", "stock:///AB-1%0A", "stock:///AB-1234567",
			"stock:///spare?colour=red&colour=Red",
			"stock:///spare?size=1x",
		} {
			if protocol.HasMethod(rev, protocol.MethodResourcesSubscribe) {
				c.Do(protocol.MethodResourcesSubscribe, []byte(`{"uri":"`+uri+`"}`))
			}
		}
	})
}

func TestConstructorNeedsItsValues(t *testing.T) {
	if _, err := NewShapesServer(ShapesImpl{}, nil); err == nil ||
		err.Error() != "mcp: ShapesImpl.Clock is nil: the server has nothing to call" {
		t.Errorf("got %v", err)
	}
}
