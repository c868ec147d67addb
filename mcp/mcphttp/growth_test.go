//go:build unix && !race

package mcphttp_test

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/task"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// steepest is the largest exponent with which a cost may grow: it is about proportional to its size.
const steepest = 1.1

// growths are costs by their size. A function prepares n of something, and the one that it returns is measured.
var growths = map[string]func(t *testing.T, n int) (cost func()){
	"a server of templates": declaresTemplates,
	"reads of templates":    readsTemplates,
	"lists of resources":    listsResources,
	"sessions":              opensSessions,
	"subscriptions of one":  subscribesOften,
	"streams":               opensListens,
	"updates to streams":    updatesListens,
	"updates to sessions":   updatesSessions,
	"tasks":                 createsTasks,
	"lists of tasks":        listsTasks,
}

// TestGrowth: what something allocates grows with its size, and not faster. Unlike times, allocations do not depend on
// what else the machine does. Bytes are counted too: what is copied again and again allocates them.
func TestGrowth(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // which empties pools
	for name, prepare := range growths {
		t.Run(name, func(t *testing.T) {
			var points [2][][2]float64
			for _, n := range []int{100, 200, 400, 800} {
				run := prepare(t, n)
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				run()
				runtime.ReadMemStats(&after)
				x := math.Log(float64(n))
				points[0] = append(points[0], [2]float64{x, math.Log(float64(after.Mallocs - before.Mallocs))})
				points[1] = append(points[1], [2]float64{x, math.Log(float64(after.TotalAlloc - before.TotalAlloc))})
			}
			allocs, bytes := slope(points[0]), slope(points[1])
			t.Logf("allocations grow with exponent %.2f, bytes with %.2f", allocs, bytes)
			if allocs > steepest || bytes > steepest {
				t.Errorf("exponents are %.2f and %.2f, want %v at most", allocs, bytes, steepest)
			}
		})
	}
}

// slope is that of the line through points with the least squares.
func slope(points [][2]float64) float64 {
	var x, y, xx, xy float64
	for _, p := range points {
		x, y, xx, xy = x+p[0], y+p[1], xx+p[0]*p[0], xy+p[0]*p[1]
	}
	n := float64(len(points))
	return (n*xy - x*y) / (n*xx - x*x)
}

func declaresTemplates(t *testing.T, n int) func() {
	return func() { newRigWith(t, nil, nil, withTemplates(n)) }
}

func readsTemplates(t *testing.T, n int) func() {
	r := newRigWith(t, nil, nil, withTemplates(n))
	return func() {
		for i := range n {
			uri := fmt.Sprintf("t%d:///x", i)
			body, headers := modern("resources/read", uri, `"uri":"`+uri+`"`)
			want(t, r.do("POST", body, headers...), 200, uri)
		}
	}
}

func listsResources(t *testing.T, n int) func() {
	r := newRigWith(t, nil, nil, withTemplates(n))
	session := r.initialize(t, "2025-11-25")
	return func() {
		if got := r.pages(t, session, "resources/list", "resources"); got <= n {
			t.Errorf("%d resources", got)
		}
	}
}

// pages returns how many there are in a list.
func (r *rig) pages(t *testing.T, session []string, method, member string) (n int) {
	t.Helper()
	params := ""
	for {
		w := r.do("POST", request(method, params), session...)
		want(t, w, 200, `"`+member+`"`)
		list, _ := wire.Lookup(w.Body.Bytes(), "result", member)
		n += strings.Count(string(list), `{"`)
		next, more := wire.Lookup(w.Body.Bytes(), "result", "nextCursor")
		if !more {
			return n
		}
		params = `"cursor":` + string(next)
	}
}

func opensSessions(t *testing.T, n int) func() {
	r := newRig(t, nil)
	return func() {
		for range n {
			r.initialize(t, "2025-11-25")
		}
	}
}

// audience are streams of updates without a network.
type audience struct {
	*rig
	missing atomic.Int64  // events: the next one of each
	heard   chan struct{} // has something once none is missing
}

// hearing is the response of a stream.
type hearing struct {
	of   *audience
	head http.Header
}

func (h *hearing) Header() http.Header { return h.head }
func (h *hearing) WriteHeader(int)     {}
func (h *hearing) FlushError() error   { return nil }

func (h *hearing) Write(b []byte) (int, error) {
	if strings.Contains(string(b), "data: {") {
		if h.of.missing.Add(-1) == 0 {
			h.of.heard <- struct{}{}
		}
	}
	return len(b), nil
}

// newAudience returns one that has no streams yet.
func newAudience(t *testing.T) *audience {
	return &audience{rig: newRigWith(t, &mcphttp.Options{MaxPerClient: 10_000, MaxStreams: 10_000},
		&mcp.Options{UpdateDelay: -1}), heard: make(chan struct{}, 1)}
}

// hears waits for as many events as are missing.
func (a *audience) hears(t *testing.T) {
	t.Helper()
	select {
	case <-a.heard:
	case <-time.After(time.Minute):
		t.Fatalf("%d events are missing after a minute", a.missing.Load())
	}
}

// opens opens a stream, which ends with the test.
func (a *audience) opens(t *testing.T, method, body string, headers ...string) {
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	req := httptest.NewRequestWithContext(ctx, method, target, strings.NewReader(body))
	setHeaders(req, headers)
	go a.http.ServeHTTP(&hearing{a, make(http.Header)}, req)
}

// listens opens n listens.
func (a *audience) listens(t *testing.T, n int) {
	body, headers := modern("subscriptions/listen", "", `"notifications":{"resourceSubscriptions":["r:///ä"]}`)
	a.missing.Add(int64(n)) // the acknowledgements
	for range n {
		a.opens(t, "POST", body, headers...)
	}
	a.hears(t)
}

// update has n streams hear of some updates.
func (a *audience) update(t *testing.T, n int) {
	for range 10 {
		a.missing.Add(int64(n))
		a.srv.ResourceUpdated("r:///ä")
		a.hears(t)
	}
}

func opensListens(t *testing.T, n int) func() {
	a := newAudience(t)
	return func() { a.listens(t, n) }
}

func updatesListens(t *testing.T, n int) func() {
	a := newAudience(t)
	a.listens(t, n)
	a.update(t, n)
	return func() { a.update(t, n) }
}

func updatesSessions(t *testing.T, n int) func() {
	a := newAudience(t)
	a.missing.Add(int64(n))
	for range n {
		session := a.initialize(t, "2025-11-25")
		want(t, a.do("POST", request("resources/subscribe", `"uri":"r:///ä"`), session...), 200)
		a.opens(t, "GET", "", session...)
	}
	a.srv.ResourceUpdated("r:///ä") // comes when the stream has begun
	a.hears(t)
	return func() { a.update(t, n) }
}

func subscribesOften(t *testing.T, n int) func() {
	r := newRigWith(t, nil, &mcp.Options{MaxSubscriptions: 10_000}, withTemplates(n), func(f *mcprt.Features) {
		for i := range f.Resources {
			f.Resources[i].Subscribe = true
		}
	})
	session := r.initialize(t, "2025-11-25")
	return func() {
		for i := range n {
			want(t, r.do("POST", request("resources/subscribe", fmt.Sprintf(`"uri":"f:///%d"`, i)), session...), 200)
		}
	}
}

// newTasks returns a rig of a client with tasks, and how it makes them: a few at a time, until all have ended.
func newTasks(t *testing.T) (r *rig, session []string, create func(n int)) {
	many := task.Options{MaxPerPrincipal: 10_000, MaxTotal: 10_000}
	r = newRigWith(t, &mcphttp.Options{Authenticate: named}, &mcp.Options{Tasks: many}, withTasks)
	session = r.initialize(t, "2025-11-25", "Name", "ada")
	ended := int64(0)
	return r, session, func(n int) {
		for i := range n {
			want(t, r.do("POST", request("tools/call", `"name":"short","task":{}`), session...), 200, `"taskId"`)
			if ended++; i%10 < 9 {
				continue
			}
			for r.srv.Stats().Tasks.Ended["completed"] < ended {
				time.Sleep(10 * time.Millisecond) // what is asked for allocates too
			}
		}
	}
}

func createsTasks(t *testing.T, n int) func() {
	_, _, create := newTasks(t)
	create(10)
	return func() { create(n) }
}

func listsTasks(t *testing.T, n int) func() {
	r, session, create := newTasks(t)
	create(n)
	return func() {
		if got := r.pages(t, session, "tasks/list", "tasks"); got != n {
			t.Errorf("%d tasks, want %d", got, n)
		}
	}
}
