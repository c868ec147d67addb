package mcphttp_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

// sendsSlowly sends a part of a body of a client, whose rest does not come before the end of the test.
func (r *rig) sendsSlowly(t testing.TB, bytes int) (end func()) {
	t.Helper()
	body, more := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		req := httptest.NewRequestWithContext(t.Context(), "POST", target, body)
		setHeaders(req, nil)
		want(t, func() *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			r.http.ServeHTTP(w, req)
			return w
		}(), 400)
	}()
	if _, err := more.Write(make([]byte, bytes)); err != nil {
		t.Fatal(err)
	}
	return func() {
		_ = more.CloseWithError(errors.New("broken"))
		<-done
	}
}

// sizes makes the tool "who" answer with as many bytes as the call says, and log as many.
func sizes(f *mcprt.Features) {
	for i := range f.Tools {
		if f.Tools[i].Entry.Name != "who" {
			continue
		}
		f.Tools[i].Call = func(c *mcprt.Call, args []byte) (mcprt.ToolResult, error) {
			var n, m int
			_, _ = fmt.Sscanf(string(args), `{"n":%d,"m":%d}`, &n, &m)
			if m > 0 {
				c.Logger().Info(strings.Repeat("m", m))
			}
			return mcprt.ToolResultOf(mcp.ToolText(strings.Repeat("n", n)), nil)
		}
	}
}

// What is large counts among the unread bytes of the client that has the stream: there may be an error in place of an
// answer, a notification ends the stream, and who has too much unread asks for nothing more.
func TestSSEUnread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRigWith(t, &mcphttp.Options{SSE: true, MaxPendingBytes: 400 << 10}, nil, sizes)
		defer func() { _ = r.srv.Close() }()
		call := func(id, n, m int) string {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"who",`+
				`"arguments":{"n":%d,"m":%d}}}`, id, n, m)
		}
		denied := func(want int64) {
			t.Helper()
			if n := r.srv.Stats().Refusals["pending_bytes"]; n != want {
				t.Errorf("%d refusals of bytes, want %d", n, want)
			}
		}
		s := r.openStream(t)
		s.initialize("2025-03-26")
		s.post(202, request("logging/setLevel", `"level":"info"`))
		for id := range 3 { // all fit, one after another
			s.post(202, call(10+id, 60<<10, 0))
			s.next(fmt.Sprintf(`"id":%d,"result"`, 10+id))
			synctest.Wait() // the bytes count until the server has heard that they are written
		}
		s.post(202, `[`+call(15, 35<<10, 0)+`,`+call(16, 35<<10, 0)+`]`) // what is reserved for them counts once
		s.next(`"id":16,"result"`)
		synctest.Wait()
		end := r.sendsSlowly(t, 200<<10)
		synctest.Wait()
		denied(0)
		want(t, s.post(503, ping), 503, "unread bytes")
		want(t, s.post(503, ping, "From", "203.0.113.9:1"), 503, "unread bytes")
		denied(2)
		s.post(202, `{"jsonrpc":"2.0","method":"notifications/x"}`)
		end()
		end = r.sendsSlowly(t, 50<<10)
		synctest.Wait()
		s.post(202, call(20, 60<<10, 0))
		s.next(`"id":20,"error":{"code":-32603,"message":"too many bytes of earlier responses are unread`)
		synctest.Wait()
		denied(3)
		s.post(202, call(21, 1, 0))
		s.next(`"id":21,"result"`)
		s.post(202, call(22, 1, 60<<10))
		<-s.over
		denied(4)
		if got := r.srv.Stats().StreamsEnded["pending_bytes"]; got != 1 {
			t.Errorf("%d streams ended because of unread bytes", got)
		}
		end()
		s.ends()
	})
}

// Whatever becomes of messages, nothing is held afterwards.
func TestSSEGivesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &mcphttp.Options{SSE: true, MaxRequests: 2, MaxBody: 64 << 10})
		defer func() { _ = r.srv.Close() }()
		s := r.openStream(t)
		s.initialize("2025-03-26")
		long := strings.Repeat(" ", 20<<10)
		s.post(202, long+`{"jsonrpc":"2.0","method":"notifications/x"}`)
		s.post(400, long+`{"jsonrpc":`)
		if w := s.post(413, strings.Repeat(long, 4)); w.Header().Get("Connection") != "close" {
			t.Errorf("413: %v", w.Header())
		}
		s.post(415, ping, "Content-Type", "text/plain")
		s.post(202, long+ping)
		s.next(`"id":1,"result"`)
		synctest.Wait()
		s.post(202, long+callOf(5, "wait"))
		<-r.started
		batch := `[` + callOf(6, "exit") + `,` + callOf(7, "who") + `]`
		s.post(503, long+ping)
		s.post(503, batch) // which counts like a request
		r.proceed <- struct{}{}
		s.next("waited")
		synctest.Wait()
		s.post(202, batch)
		s.next(`"id":7,"result"`)
		synctest.Wait()
		s.post(202, long+callOf(8, "wait")) // which ends with the stream
		<-r.started
		s.ends()
		s.post(404, ping)
		w := httptest.NewRecorder()
		q := httptest.NewRequest(http.MethodGet, "http://localhost/sse", nil)
		setHeaders(q, []string{"Last-Event-Id", "1"})
		r.http.ServeHTTP(w, q)
		want(t, w, 400)
		if held := mcphttp.HeldBy(r.http); held != "" {
			t.Errorf("still held: %s", held)
		}
	})
}

// Questions to a person have a bound, and end with the stream.
func TestSSEQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newAsking(t, &mcphttp.Options{SSE: true, MaxRequests: 2, MaxWaiting: 1}, nil)
		defer func() { _ = x.srv.Close() }()
		want(t, x.do("DELETE", "", x.session...), 204)
		s := x.openStream(t)
		s.initialize("2025-11-25")
		s.post(202, callOf(1, "ask"))
		s.next("roots/list")
		synctest.Wait()
		s.post(202, callOf(2, "ask"))
		s.next("too many questions are open")
		synctest.Wait()
		s.post(202, `{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`)
		s.next("0 roots")
		synctest.Wait()
		s.post(202, callOf(3, "ask"))
		synctest.Wait()
		for len(x.fates) > 0 {
			<-x.fates
		}
		s.ends()
		if err := <-x.fates; err == nil {
			t.Error("the question was answered by nobody")
		}
	})
}
