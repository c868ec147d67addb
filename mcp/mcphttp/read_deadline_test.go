package mcphttp_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// deadlined is a response that knows the deadline of the request, whose body cannot be read after it.
type deadlined struct {
	*httptest.ResponseRecorder
	body io.Reader
	end  time.Time
}

func (d *deadlined) SetReadDeadline(t time.Time) error {
	d.end = t
	return nil
}

func (d *deadlined) Read(b []byte) (int, error) {
	if !d.end.IsZero() && time.Now().After(d.end) {
		return 0, http.ErrHandlerTimeout
	}
	return d.body.Read(b)
}

// The time that Authenticate takes is not taken from the body.
func TestBodyAfterSlowAuthenticate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &mcphttp.Options{ReadTimeout: time.Second, Authenticate: func(*http.Request) (mcp.Caller, error) {
			time.Sleep(2 * time.Second)
			return mcp.Caller{Subject: "ann"}, nil
		}})
		defer func() { _ = r.srv.Close() }()
		body, headers := modern("tools/call", "who", `"name":"who"`)
		w := &deadlined{ResponseRecorder: httptest.NewRecorder(), body: strings.NewReader(body)}
		req := httptest.NewRequest(http.MethodPost, target, w)
		req.ContentLength = int64(len(body))
		setHeaders(req, headers)
		r.http.ServeHTTP(w, req)
		want(t, w.ResponseRecorder, 200, "caller=ann")
	})
}
