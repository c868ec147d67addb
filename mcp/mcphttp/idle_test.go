//go:build !race

package mcphttp_test

import (
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// maxIdleSession is the most bytes of heap that an idle session costs.
const maxIdleSession = 768

// An idle session costs little, whatever its client has done before, and whether or not it is anonymous. Counted is all
// that stays on the heap for it after a collection: what this package and the server have, the entries of their tables,
// its id, and who has opened it. Not counted is what a client may have beside: a connection, a stream of notifications,
// subscriptions, what Authenticate makes.
func TestIdleSessions(t *testing.T) {
	const n = 20_000
	ann := mcp.Caller{Subject: "ann", Scopes: []string{"read"}, Expires: time.Now().Add(time.Hour)}
	for name, row := range map[string]struct {
		auth bool
		use  func(r *rig, s []string)
	}{
		"opened":        {false, func(*rig, []string) {}},
		"authenticated": {true, func(*rig, []string) {}},
		"used": {false, func(r *rig, s []string) {
			for _, text := range []string{ping, request("tools/list", ""), request("tools/call", `"name":"who"`),
				request("resources/read", `"uri":"r:///ä"`),
				`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`} {
				r.do("POST", text, s...)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			opts := &mcphttp.Options{MaxSessions: 2 * n, MaxPerClient: 2 * n}
			if row.auth {
				opts.Authenticate = func(*http.Request) (mcp.Caller, error) { return ann, nil }
			}
			r := newRig(t, opts)
			row.use(r, r.initialize(t, "2025-11-25"))
			before := heap()
			for range n {
				row.use(r, r.initialize(t, "2025-11-25"))
			}
			each := (heap() - before) / n
			t.Logf("an idle session costs %d bytes", each)
			if each > maxIdleSession {
				t.Errorf("an idle session costs %d bytes, want %d at most", each, maxIdleSession)
			}
			runtime.KeepAlive(r)
		})
	}
}

// heap returns what is left on the heap after a collection, pools included.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
