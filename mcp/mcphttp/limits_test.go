package mcphttp_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// One subject has 100 streams, unless the program says another number; nobody in particular has more, because an
// address may be that of a proxy.
func TestStreamsOfOneSubject(t *testing.T) {
	for _, row := range []struct {
		subject     string
		option, fit int
	}{{"ann", 0, 100}, {"ann", 150, 150}, {"", 0, 101}} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, &mcphttp.Options{MaxPerClient: row.option, Authenticate: func(q *http.Request) (mcp.Caller, error) {
				return mcp.Caller{Subject: row.subject + q.Header.Get("Other")}, nil
			}})
			body, headers := modern("subscriptions/listen", "", `"notifications":{}`)
			var wg sync.WaitGroup
			listen := func(headers []string) {
				wg.Go(func() { want(t, r.do("POST", body, headers...), 200) })
			}
			for range row.fit {
				listen(headers)
			}
			synctest.Wait()
			if row.subject != "" {
				want(t, r.do("POST", body, headers...), 503)
				listen(append(slices.Clip(headers), "Other", "bob"))
			}
			synctest.Wait()
			_ = r.srv.Close()
			wg.Wait()
		})
	}
}

// While Authenticate is slow, one address has half of the places, and others have the rest.
func TestSlowAuthenticateOfOneAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		known := make(chan struct{})
		r := newRig(t, &mcphttp.Options{MaxRequests: 4, Authenticate: func(*http.Request) (mcp.Caller, error) {
			<-known
			return mcp.Caller{Subject: "ann"}, nil
		}})
		defer func() { _ = r.srv.Close() }()
		from := func(addr string) int {
			body, headers := modern("tools/list", "", "")
			req := httptest.NewRequest(http.MethodPost, target, strings.NewReader(body))
			setHeaders(req, headers)
			req.RemoteAddr = addr + ":1"
			w := httptest.NewRecorder()
			r.http.ServeHTTP(w, req)
			return w.Code
		}
		var wg sync.WaitGroup
		for _, addr := range []string{"192.0.2.1", "192.0.2.1", "192.0.2.2", "192.0.2.3"} {
			wg.Go(func() { from(addr) })
			synctest.Wait()
			if addr == "192.0.2.2" {
				if code := from("192.0.2.1"); code != http.StatusServiceUnavailable {
					t.Errorf("a third request of one address: %d", code)
				}
			}
		}
		if code := from("192.0.2.4"); code != http.StatusServiceUnavailable {
			t.Errorf("a fifth request: %d", code)
		}
		close(known)
		wg.Wait()
		if code := from("192.0.2.1"); code != http.StatusOK {
			t.Errorf("places are not given back: %d", code)
		}
	})
}

// A few clients that take all the requests that they can leave some for others.
func TestRequestsLeftForOthers(t *testing.T) {
	for name, row := range map[string]struct {
		clients int   // that take all they can, one after the other
		took    []int // how many they have got
	}{
		"one": {1, []int{32}}, "two": {2, []int{32, 23}}, "three": {3, []int{32, 23, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, &mcphttp.Options{MaxRequests: 64})
				defer func() { _ = r.srv.Close() }()
				var wg sync.WaitGroup
				got := r.takeRequests(&wg, row.clients)
				if !slices.Equal(got, row.took) {
					t.Errorf("clients have got %v of 64, want %v", got, row.took)
				}
				if code := r.from("192.0.2.200", "who"); code != http.StatusOK {
					t.Errorf("a newcomer gets %d", code)
				}
				if n := r.srv.Stats().Refusals["requests"]; n == 0 {
					t.Error("refusals are not counted")
				}
				close(r.proceed)
				wg.Wait()
				for range 33 { // all is given back
					if code := r.from("192.0.2.1", "who"); code != http.StatusOK {
						t.Fatalf("afterwards: %d", code)
					}
				}
			})
		})
	}
}

// takeRequests has n addresses call the tool that waits, until each is refused, and returns how many calls of each run.
func (r *rig) takeRequests(wg *sync.WaitGroup, n int) (got []int) {
	for i := range n {
		for k := 0; ; k++ {
			var code atomic.Int64
			wg.Go(func() { code.Store(int64(r.from(fmt.Sprintf("192.0.2.%d", i+1), "wait"))) })
			synctest.Wait()
			if code.Load() == http.StatusServiceUnavailable {
				got = append(got, k)
				break
			}
		}
	}
	return got
}

// from calls a tool from an address, and returns the status of the response.
func (r *rig) from(addr, tool string) int {
	body, headers := modern("tools/call", tool, `"name":"`+tool+`"`)
	req := httptest.NewRequest(http.MethodPost, target, strings.NewReader(body))
	setHeaders(req, headers)
	req.RemoteAddr = addr + ":1"
	w := httptest.NewRecorder()
	r.http.ServeHTTP(w, req)
	return w.Code
}
