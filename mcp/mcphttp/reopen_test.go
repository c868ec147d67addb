package mcphttp_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

const subscribeA = `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"r:///ä"}}`

// both returns when the stream has told of the resource and of the list, with the id of the last event.
func (l *live) both(t testing.TB) (id string) {
	t.Helper()
	missing := []string{"resources/updated", "resources/list_changed"}
	for len(missing) > 0 {
		at, data := l.event()
		if data == "" {
			t.Fatalf("the stream has ended without %v", missing)
		}
		id = at
		missing = slices.DeleteFunc(missing, func(method string) bool { return strings.Contains(data, method) })
	}
	return id
}

// silent opens a stream as a client that vanishes: nothing is read of it any more, and nothing tells the server so.
func silent(t testing.TB, url string, headers ...string) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	text := "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
	for i := 0; i < len(headers); i += 2 {
		text += headers[i] + ": " + headers[i+1] + "\r\n"
	}
	if _, err := io.WriteString(conn, text+"\r\n"); err != nil {
		t.Fatal(err)
	}
	if head, err := io.ReadAll(io.LimitReader(conn, 15)); string(head) != "HTTP/1.1 200 OK" {
		t.Fatalf("%q %v", head, err)
	}
}

// What changes while a session has no stream, or one whose client does not read it any more, is told to the stream
// that comes next, whatever that says about what its client has.
func TestReopenedStreamTellsAll(t *testing.T) {
	t.Attr("requirements", "subscribe-implications")
	for _, revision := range legacyRevisions {
		for _, row := range []struct {
			name, last string // Last-Event-ID; "seen" is that of the last event that was read
			evicted    bool
			vanishes   bool // the client of the first stream, which so takes what changes
		}{
			{name: "without an id"},
			{name: "without an id, half open", vanishes: true},
			{name: "the last id", last: "seen"},
			{name: "the last id, half open", last: "seen", vanishes: true},
			{name: "an unknown id", last: "0-999999"},
			{name: "an unknown id, half open", last: "0-999999", vanishes: true},
			{name: "a forgotten id", last: "seen", evicted: true},
			{name: "a forgotten id, half open", last: "seen", evicted: true, vanishes: true},
		} {
			t.Run(revision+"/"+row.name, func(t *testing.T) {
				r := newRigWith(t, nil, &mcp.Options{UpdateDelay: -1})
				url := r.listen(t)
				s := r.initialize(t, revision)
				want(t, r.do("POST", subscribeA, s...), 200, `"result":{}`)
				change := func() {
					r.srv.ResourceUpdated("r:///ä")
					r.srv.ResourceListChanged()
				}
				first := open(t, url, "GET", "", s...)
				change()
				last := first.both(t)
				if row.evicted {
					for range 300 {
						r.srv.ResourceUpdated("r:///ä")
						if _, data := first.event(); data == "" {
							t.Fatal("the stream has ended")
						}
					}
				}
				if row.vanishes {
					silent(t, url, s...)
				}
				first.close()
				change()
				if row.last == "seen" {
					row.last = last
				}
				headers := s
				if row.last != "" {
					headers = append(slices.Clip(s), "Last-Event-Id", row.last)
				}
				again := open(t, url, "GET", "", headers...)
				if again.StatusCode != http.StatusOK {
					t.Fatalf("reopened: %s", again.Status)
				}
				again.both(t)
				change()
				again.both(t)
			})
		}
	}
}

// stalled is a response whose client has vanished with its buffers full: an update waits until it may wait no longer.
type stalled struct {
	http.ResponseWriter
	waits, cut chan struct{}
}

func (s *stalled) Write(b []byte) (int, error) {
	if !strings.Contains(string(b), "resources/updated") {
		return len(b), nil
	}
	close(s.waits)
	<-s.cut
	return 0, os.ErrDeadlineExceeded
}

func (s *stalled) SetWriteDeadline(at time.Time) error {
	switch {
	case at.IsZero(): // the stream has ended, and its request still counts
		time.Sleep(20 * time.Millisecond)
	case at.Before(time.Now()):
		close(s.cut)
		time.Sleep(10 * time.Millisecond) // the write fails before the stream is looked at again
	}
	return nil
}

// A stream whose client has vanished without a word is ended by the next one of its session, even while a write to it
// waits, and even where one more stream would be one too many.
func TestHalfOpenStreamIsTakenOver(t *testing.T) {
	t.Attr("requirements", "http-no-broadcast ping-send")
	r := newRigWith(t, &mcphttp.Options{MaxStreams: 1}, &mcp.Options{UpdateDelay: -1})
	url := r.listen(t)
	s := r.initialize(t, "2025-11-25")
	want(t, r.do("POST", subscribeA, s...), 200, `"result":{}`)
	for range 3 {
		w := &stalled{httptest.NewRecorder(), make(chan struct{}), make(chan struct{})}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			req := httptest.NewRequest(http.MethodGet, target, nil)
			setHeaders(req, s)
			r.http.ServeHTTP(w, req)
		}()
		r.srv.ResourceUpdated("r:///ä")
		<-w.waits
		l := open(t, url, "GET", "", s...)
		<-ended
		l.both(t)
		silent(t, url, s...)
		if rest := drain(l); strings.Count(rest, "resources/updated") > 1 {
			t.Errorf("the stream that was replaced: %s", rest)
		}
	}
}

// A client that proves again who it is keeps its session and what it has subscribed to; another one gets neither.
func TestRenewedCaller(t *testing.T) {
	for _, revision := range legacyRevisions {
		t.Run(revision, func(t *testing.T) {
			opts := &mcphttp.Options{Authenticate: tokens}
			r := newRigWith(t, opts, &mcp.Options{UpdateDelay: -1}, func(f *mcprt.Features) {
				f.Resources[0].Guard = &mcprt.Guard{Access: mcprt.Access{Scopes: []string{"read"}}}
			})
			url := r.listen(t)
			as := func(s []string, token string) []string {
				return append(s[:2:2], "Authorization", "Bearer "+token)
			}
			s := r.initialize(t, revision, "Authorization", "Bearer ann read 1h")
			want(t, r.do("POST", subscribeA, s...), 200, `"result":{}`)
			// The proof of the last message is over: nothing is told until there is a new one, and then nothing is lost.
			want(t, r.do("POST", `{"jsonrpc":"2.0","method":"notifications/x"}`, as(s, "ann read -1h")...), 202)
			l := open(t, url, "GET", "", as(s, "ann read -1h")...)
			if rest := drain(l); strings.Contains(rest, "data: {") {
				t.Errorf("an expired caller hears %s", rest)
			}
			r.srv.ResourceUpdated("r:///ä")
			want(t, r.do("GET", "", as(s, "bob read 1h")...), 404)
			l = open(t, url, "GET", "", as(s, "ann read 2h")...)
			if _, data := l.event(); !strings.Contains(data, "resources/updated") {
				t.Fatalf("renewed: %q", data)
			}
			// A message without the scope ends what it does not cover, and says that the list is another one.
			want(t, r.do("POST", `{"jsonrpc":"2.0","method":"notifications/x"}`, as(s, "ann write 2h")...), 202)
			if _, data := l.event(); !strings.Contains(data, "resources/list_changed") {
				t.Errorf("after the scope has gone: %q", data)
			}
			// The subscription ends a little after its session is told.
			until(t, func() bool { return r.srv.Stats().Subscriptions == 0 })
			want(t, r.do("POST", `{"jsonrpc":"2.0","method":"notifications/x"}`, as(s, "ann read 2h")...), 202)
			r.srv.ResourceUpdated("r:///ä")
			r.srv.ResourceListChanged()
			if _, data := l.event(); !strings.Contains(data, "resources/list_changed") {
				t.Errorf("what has ended comes back by itself: %q", data)
			}
		})
	}
}

// What falls due in the moment in which the caller expires is told once it has renewed its proof, by whatever request.
func TestUpdateAtExpiry(t *testing.T) {
	r := newRigWith(t, &mcphttp.Options{Authenticate: tokens}, &mcp.Options{UpdateDelay: -1}, func(f *mcprt.Features) {
		f.Resources[0].Guard = &mcprt.Guard{Access: mcprt.Access{Scopes: []string{"read"}}}
	})
	url := r.listen(t)
	s := r.initialize(t, "2025-11-25", "Authorization", "Bearer ann read 1h")
	want(t, r.do("POST", subscribeA, s...), 200, `"result":{}`)
	l := open(t, url, "GET", "", s...)
	notice := `{"jsonrpc":"2.0","method":"notifications/x"}`
	want(t, r.do("POST", notice, append(s[:2:2], "Authorization", "Bearer ann read -1h")...), 202)
	r.srv.ResourceUpdated("r:///ä")
	r.srv.ResourceListChanged() // which needs no right, so that it is seen that the update was held back
	if _, data := l.event(); !strings.Contains(data, "resources/list_changed") {
		t.Fatalf("%q", data)
	}
	want(t, r.do("POST", notice, s...), 202)
	if _, data := l.event(); !strings.Contains(data, "resources/updated") {
		t.Errorf("%q", data)
	}
}
