package mcphttp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// A stream ends when its caller has to prove again who it is, in both eras; the session stays, and whoever comes with a
// new proof hears on.
func TestStreamsEndWithTheirCaller(t *testing.T) {
	t.Attr("requirements", "auth-rotation")
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		r := newRig(t, &mcphttp.Options{Authenticate: func(*http.Request) (mcp.Caller, error) {
			return mcp.Caller{Subject: "ann", Expires: time.Now().Add(time.Minute)}, nil
		}})
		defer func() { _ = r.srv.Close() }()
		session := r.initialize(t, "2025-11-25")
		for range 2 {
			begun := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			req := httptest.NewRequestWithContext(ctx, "GET", target, nil)
			setHeaders(req, session)
			w := httptest.NewRecorder()
			r.http.ServeHTTP(w, req) // returns when the stream has ended
			cancel()
			want(t, w, 200)
			if d := time.Since(begun); d != time.Minute {
				t.Errorf("the stream of a session lasted %v, its caller a minute", d)
			}
		}
		body, headers := modern("subscriptions/listen", "", `"notifications":{"resourcesListChanged":true}`)
		want(t, r.do("POST", body, headers...), 200, `"id":1,"result":{`)
		if d := time.Since(start); d != 3*time.Minute {
			t.Errorf("all streams together lasted %v", d)
		}
		want(t, r.do("POST", ping, session...), 200)
		want(t, r.do("DELETE", "", session...), 204)
	})
}
