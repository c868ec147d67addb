package mcphttp_test

import (
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/replica/memory"
)

// A client that has subscribed to a resource by two spellings, and unsubscribes from one, keeps the other, with a store
// as without one. By a third spelling it unsubscribes from all.
func TestUnsubscribeFromOneSpelling(t *testing.T) {
	for name, opts := range map[string]*mcphttp.Options{"alone": nil, "store": {SessionStore: new(memory.Sessions)}} {
		t.Run(name, func(t *testing.T) {
			const one, other, third = "r:///ä", "r:///%C3%A4", "r:///%c3%a4"
			r := newRigWith(t, opts, &mcp.Options{Keys: [][]byte{[]byte(sharedKey)}}, withQuestions, func(f *mcprt.Features) {
				route := f.Route
				f.Route = func(uri string, v *mcprt.Vars) int {
					return route(strings.NewReplacer(other, one, third, one).Replace(uri), v)
				}
			})
			s := r.initialize(t, "2025-11-25")
			l := open(t, r.listen(t), "GET", "", s...)
			defer time.AfterFunc(time.Minute, l.close).Stop()
			subscribed := func(n int64) {
				t.Helper()
				if got := r.srv.Stats().Subscriptions; got != n {
					t.Errorf("%d subscriptions, want %d", got, n)
				}
			}
			for _, uri := range []string{one, other, "r:///b"} {
				want(t, r.do("POST", subscribeTo(uri), s...), 200, `"result":{}`)
			}
			subscribed(3)
			want(t, r.do("POST", unsubscribeFrom(one), s...), 200, `"result":{}`)
			subscribed(2)
			r.srv.ResourceUpdated(one)
			l.until(t, other)
			want(t, r.do("POST", unsubscribeFrom(third), s...), 200, `"result":{}`)
			subscribed(1)
		})
	}
}
