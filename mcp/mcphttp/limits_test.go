package mcphttp_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
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
