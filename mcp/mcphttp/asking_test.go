package mcphttp_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// sentEarly is a response that tells when it has left.
type sentEarly struct {
	*httptest.ResponseRecorder
	left chan struct{}
}

func (f sentEarly) FlushError() error {
	f.Flush()
	close(f.left)
	return nil
}

// A call of Authenticate that does not look at its context is answered in time all the same, once.
func TestAuthenticateThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		known := make(chan struct{})
		r := newRig(t, &mcphttp.Options{Authenticate: func(*http.Request) (mcp.Caller, error) {
			<-known
			return mcp.Caller{Subject: "ann"}, nil
		}})
		defer func() { _ = r.srv.Close() }()
		body, headers := modern("tools/call", "who", `"name":"who"`)
		req := httptest.NewRequest(http.MethodPost, target, strings.NewReader(body))
		setHeaders(req, headers)
		w := sentEarly{httptest.NewRecorder(), make(chan struct{})}
		returned, begin := make(chan struct{}), time.Now()
		go func() {
			defer close(returned)
			r.http.ServeHTTP(w, req)
		}()
		<-w.left
		if took := time.Since(begin); took != 10*time.Second {
			t.Errorf("the response leaves after %v", took)
		}
		if w.Header().Get("Connection") != "close" {
			t.Error("the client may send its next request on the connection")
		}
		close(known)
		<-returned
		want(t, w.ResponseRecorder, 503, "in time")
		if strings.Count(w.Body.String(), "jsonrpc") != 1 {
			t.Errorf("answered twice: %s", w.Body)
		}
	})
}

// The context of a call of Authenticate ends in time, and with the call.
func TestContextOfAuthenticate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var waits, kept context.Context
		r := newRig(t, &mcphttp.Options{Authenticate: func(req *http.Request) (mcp.Caller, error) {
			begin := time.Now()
			if end, ok := req.Context().Deadline(); !ok || !end.Equal(begin.Add(10*time.Second)) {
				t.Errorf("deadline %v", end)
			}
			if kept = req.Context(); waits == nil {
				waits = kept //nolint:fatcontext // it is looked at only
				inner, cancel := context.WithCancel(kept)
				defer cancel()
				<-inner.Done()
				return mcp.Caller{}, inner.Err()
			}
			return mcp.Caller{Subject: "ann"}, kept.Err()
		}})
		defer func() { _ = r.srv.Close() }()
		body, headers := modern("tools/call", "who", `"name":"who"`)
		want(t, r.do("POST", body, headers...), 503, "in time")
		if waits.Err() != context.DeadlineExceeded {
			t.Error(waits.Err())
		}
		want(t, r.do("POST", body, headers...), 200, "caller=ann")
		if kept.Err() == nil {
			t.Error("the context goes on after the call")
		}
	})
}

// A call of Authenticate that ends its goroutine, that of the request, is answered.
func TestAuthenticateThatExits(t *testing.T) {
	r := newRig(t, &mcphttp.Options{Authenticate: func(*http.Request) (mcp.Caller, error) {
		runtime.Goexit()
		return mcp.Caller{}, nil
	}})
	srv := httptest.NewServer(r.http)
	defer srv.Close()
	res, err := http.Post(srv.URL, "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusInternalServerError {
		t.Errorf("%s: %s %v", res.Status, text, err)
	}
}
