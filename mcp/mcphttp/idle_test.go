//go:build !race

package mcphttp_test

import (
	"net/http/httptest"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// maxIdleSession is the most bytes of heap that an idle session costs.
const maxIdleSession = 768

// An idle session costs little. Counted is all that stays on the heap for it after a collection: what this package, the
// server and its subscriptions to the lists have, the entries of their tables, its id, the name of its client and what
// that has declared. Not counted are a connection, which an idle session needs none of, and a stream of notifications.
func TestIdleSessions(t *testing.T) {
	const n = 20_000
	r := newRig(t, &mcphttp.Options{MaxSessions: 3 * n, MaxPerClient: 3 * n})
	before := heap()
	openSessions(t, r, n)
	each := (heap() - before) / n
	t.Logf("an idle session costs %d bytes", each)
	if each > maxIdleSession {
		t.Errorf("an idle session costs %d bytes, want %d at most", each, maxIdleSession)
	}
	if name := os.Getenv("HEAPPROF"); name != "" {
		f, _ := os.Create(name)
		pprof.Lookup("heap").WriteTo(f, 0)
		f.Close()
	}
	runtime.KeepAlive(r)
}

// openSessions opens sessions as clients do: by initialize and notifications/initialized.
func openSessions(t *testing.T, r *rig, n int) {
	for range n {
		r.initialize(t, "2025-11-25")
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

var _ = httptest.NewRecorder
var _ = strings.Contains
