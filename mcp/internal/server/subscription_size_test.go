//go:build !race

package server

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
)

// maxSubscriptionSize is the most bytes of heap that a subscription to a resource without a watcher may cost in all,
// its URI included.
const maxSubscriptionSize = 200

// TestSubscriptionSize: what clients are subscribed to and nothing watches is small, whether a listen has 10,000 URIs
// or a session asks for one after the other, and whether the resource has a policy or not.
func TestSubscriptionSize(t *testing.T) {
	const clients, each = 4, 9_999 // and one that makes what every client has
	for _, guarded := range []bool{false, true} {
		for _, legacy := range []bool{false, true} {
			t.Run(fmt.Sprintf("guarded=%v/legacy=%v", guarded, legacy), func(t *testing.T) {
				var policies []access.Policy
				if guarded {
					policies = []access.Policy{func(*call.Call) error { return nil }}
				}
				a := newAbsentServer(t, policies...)
				all := make([]*harness, clients+1)
				for i := range all {
					all[i] = newHarness(t, a.Server)
					if legacy {
						all[i] = newSession(t, a.Server, protocol.Revision20251125)
					}
					subscribeToMany(t, all[i], legacy, i, 1)
				}
				before := heapInUse()
				for i, c := range all[1:] {
					subscribeToMany(t, c, legacy, i+1, each)
				}
				size := (heapInUse() - before) / (clients * each)
				t.Logf("a subscription costs %d bytes", size)
				if size > maxSubscriptionSize {
					t.Errorf("a subscription costs %d bytes, want %d at most", size, maxSubscriptionSize)
				}
				for _, c := range all {
					c.cancel()
					_, _ = c.wait()
				}
				_ = a.Close()
			})
		}
	}
}

// subscribeToMany subscribes the i-th client to n resources that do not exist.
func subscribeToMany(t *testing.T, c *harness, legacy bool, i, n int) {
	t.Helper()
	uris := make([]string, n)
	for j := range uris {
		uris[j] = fmt.Sprintf("live:///report-%d-%d-%06d", n, i, j)
		if legacy {
			got := c.ask(request("1", "resources/subscribe", `"uri":"`+uris[j]+`"`))
			wantMatch(t, got, `{"jsonrpc":"2.0","id":1,"result":{}}`)
		}
	}
	if !legacy {
		c.send(listenTo(fmt.Sprint(n), `"resourceSubscriptions":["`+strings.Join(uris, `","`)+`"]`))
		if got := c.recv(); !strings.Contains(got, uris[n-1]) {
			t.Errorf("not acknowledged: %.200s", got)
		}
	}
}

// heapInUse returns what is left on the heap after a collection, pools included.
func heapInUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
