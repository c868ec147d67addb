package mcphttp_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// A client whose address has changed since it opened its session can answer questions: the place of the request that
// asks belongs to the address that has sent it.
func TestAnswerFromNewAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newAsking(t, &mcphttp.Options{MaxRequests: 2}, nil)
		defer func() { _ = x.srv.Close() }()
		from := func(body string) *httptest.ResponseRecorder {
			req := httptest.NewRequestWithContext(t.Context(), "POST", target, strings.NewReader(body))
			req.RemoteAddr = "9.9.9.9:1"
			setHeaders(req, x.session)
			w := httptest.NewRecorder()
			x.http.ServeHTTP(w, req)
			return w
		}
		for i := range 3 { // nothing is left over
			done := make(chan *httptest.ResponseRecorder, 1)
			go func() { done <- from(callOf(10+i, "ask")) }()
			synctest.Wait()
			want(t, from(`{"jsonrpc":"2.0","id":1,"method":"ping"}`), 200)
			want(t, from(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"roots":[]}}`, i+1)), 202)
			want(t, <-done, 200, "0 roots")
		}
	})
}

// A client that has all of its places can cancel what takes them.
func TestCancelAtLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &mcphttp.Options{MaxRequests: 2})
		defer func() { _ = r.srv.Close() }()
		s := r.initialize(t, "2025-11-25")
		done := make(chan *httptest.ResponseRecorder, 1)
		go func() { done <- r.do("POST", callOf(7, "wait"), s...) }()
		<-r.started
		want(t, r.do("POST", callOf(8, "who"), s...), 503, "requests")
		want(t, r.do("POST", cancelOf(7), s...), 202)
		<-done
		want(t, r.do("POST", callOf(9, "who"), s...), 200)
	})
}
