//go:build !race

package mcphttp_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// inParts are functions that lock one of many parts of a table for a moment: of 64 with clients, and of 16 with
// requests; or what one request has, which waits only for its own timer.
var inParts = []string{"limits.(*Admission).hold", "limits.(*Admission).Drop",
	"session.(*Host).track", "session.(*Host).untrack",
	"session.(*leave).await", "session.(*leave).watch", "session.(*leave).stop"}

// Modern requests of many clients on many processors wait for no lock of this module that all of them take. The profile
// of locks sees only who has waited, so that a lock may be overlooked in one run.
func TestModernRequestsShareNoLock(t *testing.T) {
	const processors, requests = 16, 2000
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
	defer runtime.SetMutexProfileFraction(runtime.SetMutexProfileFraction(1))
	r := newRig(t, &mcphttp.Options{Authenticate: named})
	before := contended()
	var all sync.WaitGroup
	for i := range processors {
		all.Go(func() {
			body, headers := modern("tools/call", "who", `"name":"who"`)
			headers = append(headers, "Name", fmt.Sprint("client", i))
			for range requests {
				want(t, r.do("POST", body, headers...), 200, "caller=")
			}
		})
	}
	all.Wait()
	for name, n := range contended() {
		if n > before[name] {
			t.Errorf("%s: %d requests have waited for a lock that all may take", name, n-before[name])
		}
	}
}

// contended counts, by the function of this module that has unlocked it, how often a lock was waited for.
func contended() map[string]int64 {
	records := make([]runtime.BlockProfileRecord, 10_000)
	n, _ := runtime.MutexProfile(records)
	found := make(map[string]int64)
	for _, r := range records[:n] {
		frames := runtime.CallersFrames(r.Stack())
		for more := true; more; {
			var f runtime.Frame
			f, more = frames.Next()
			if strings.HasPrefix(f.Function, "sync.(*Mutex)") || strings.HasPrefix(f.Function, "sync.(*RWMutex)") ||
				strings.HasPrefix(f.Function, "internal/sync.") {
				continue
			}
			_, name, ours := strings.Cut(f.Function, "mcpgen/mcpgen/mcp/")
			if ours && !slices.ContainsFunc(inParts, func(end string) bool { return strings.HasSuffix(name, end) }) {
				found[name] += r.Count
			}
			break
		}
	}
	return found
}
