package server

import (
	"errors"
	"iter"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
)

// updateServer is a server whose resources can be subscribed to: plain:///{x}, live:///{x} with a watcher,
// and fix:///a not.
type updateServer struct {
	*Server
	watching chan *call.Call // a Watch function has been called
	proceed  chan error      // lets it return
	changed  chan struct{}   // makes the watcher of live:///ok report a change
}

func newUpdateServer(t testing.TB, opts *Options) *updateServer {
	t.Helper()
	n := &updateServer{watching: make(chan *call.Call, 100), proceed: make(chan error), changed: make(chan struct{})}
	if opts == nil {
		opts = &Options{UpdateDelay: -1}
	}
	if opts.Logger == nil {
		opts.Logger = silent()
	}
	template := func(scheme string) feature.Resource {
		return feature.Resource{
			Template:  &protocol.ResourceTemplate{URITemplate: scheme + ":///{x}", Name: scheme},
			Read:      func(c *call.Call) (content.Contents, error) { return content.Text(c.URI()), nil },
			Subscribe: true,
			Topic: func(b []byte, v *uri.Vars) ([]byte, error) {
				x := v.Text(0, "x")
				if x == "wrong" {
					v.Fail("x", "want right")
				}
				return append(append(b, scheme+":///"...), x...), v.Err()
			},
		}
	}
	live := template("live")
	live.Watch = n.watch
	s, err := NewServer(&feature.Features{
		Info: protocol.Implementation{Name: "updates", Version: "v1"},
		Capabilities: protocol.ServerCapabilities{
			Resources: &protocol.ServerCapabilitiesResources{ListChanged: new(true), Subscribe: new(true)},
		},
		Resources: []feature.Resource{
			{Entry: &protocol.Resource{URI: "fix:///a", Name: "a"}, Static: new(content.Text("fixed"))},
			template("plain"), live,
		},
		Route: routeNews,
	}, opts)
	if err != nil {
		t.Fatal(err)
	}
	n.Server = s
	t.Cleanup(func() { _ = s.Close() })
	return n
}

func routeNews(uri string, v *uri.Vars) int {
	if uri == "fix:///a" {
		return 0
	}
	if v.Split(uri) && v.N == 2 && v.Seg[0] == "" && v.Take(0, v.Seg[1]) {
		switch v.Scheme {
		case "plain":
			return 1
		case "live":
			return 2
		}
	}
	return -1
}

// watch does what the variable says: ok, fail, panic; slow waits for the test.
func (n *updateServer) watch(c *call.Call) (iter.Seq2[time.Time, error], error) {
	switch c.Vars.Text(0, "x") {
	case "fail":
		return nil, errors.New("secret")
	case "panic":
		panic("secret")
	case "slow":
		n.watching <- c
		select {
		case err := <-n.proceed:
			return never(c), err
		case <-c.Done():
			return nil, c.Err()
		}
	}
	return func(yield func(time.Time, error) bool) {
		for {
			select {
			case <-n.changed:
				if !yield(time.Now(), nil) {
					return
				}
			case <-c.Done():
				return
			}
		}
	}, nil
}

func subscribeTo(id, uri string) string {
	return request(id, "resources/subscribe", `"uri":"`+uri+`"`)
}

func unsubscribeFrom(id, uri string) string {
	return request(id, "resources/unsubscribe", `"uri":"`+uri+`"`)
}

func listenTo(id, filter string) string {
	return modern(id, "subscriptions/listen", `"notifications":{`+filter+`}`)
}

func cancelled(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`
}

func updated(meta, uri string) string {
	return `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{` + meta + `"uri":"` + uri + `"}}`
}

// forListen is the _meta of everything on a listen.
func forListen(id string) string {
	return `"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `},`
}

func acknowledged(id, filter string) string {
	return `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{` +
		forListen(id) + `"notifications":{` + filter + `}}}`
}

const emptyResult = `{"jsonrpc":"2.0","id":1,"result":{}}`
