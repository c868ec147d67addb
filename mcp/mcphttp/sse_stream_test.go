package mcphttp_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/replica"
)

// recorder is a response that notes what is written, and how long each write may take.
type recorder struct {
	*httptest.ResponseRecorder
	write func() error // instead of a write that succeeds; nil for none

	mu       sync.Mutex
	text     bytes.Buffer
	deadline time.Time
	limits   []time.Duration // of the writes
	largest  int
	past     chan struct{} // closed by a deadline that is over
	late     int           // writes after that
}

func newRecorder() *recorder {
	return &recorder{ResponseRecorder: httptest.NewRecorder(), past: make(chan struct{})}
}

func (w *recorder) SetWriteDeadline(at time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !at.IsZero() && at.Before(time.Unix(2, 0)) && !w.isPast() {
		close(w.past)
	}
	w.deadline = at
	return nil
}

func (w *recorder) isPast() bool {
	select {
	case <-w.past:
		return true
	default:
		return false
	}
}

func (w *recorder) Write(b []byte) (int, error) {
	w.mu.Lock()
	w.limits = append(w.limits, time.Until(w.deadline))
	w.largest = max(w.largest, len(b))
	if w.isPast() {
		w.late++
	}
	w.text.Write(b)
	write := w.write
	w.mu.Unlock()
	if write != nil {
		return len(b), write()
	}
	return len(b), nil
}

// all is what was written.
func (w *recorder) all() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// sseStream is an open stream without a network.
type sseStream struct {
	*rig
	t     testing.TB
	w     *recorder
	path  string
	leave context.CancelFunc
	over  chan struct{} // closed when the request has ended
}

// openStream opens a stream, and returns when its first event is there.
func (r *rig) openStream(t testing.TB, headers ...string) *sseStream {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	s := &sseStream{rig: r, t: t, w: newRecorder(), leave: cancel, over: make(chan struct{})}
	req := httptest.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/sse", nil)
	setHeaders(req, headers)
	go func() {
		defer close(s.over)
		r.http.ServeHTTP(s.w, req)
	}()
	for !strings.Contains(s.w.all(), "\n\n") {
		time.Sleep(time.Millisecond) // the test has a time limit
	}
	_, path, _ := strings.Cut(strings.TrimSpace(s.w.all()), "data: ")
	s.path = path
	return s
}

// post sends a message.
func (s *sseStream) post(status int, body string, headers ...string) *httptest.ResponseRecorder {
	s.t.Helper()
	req := httptest.NewRequestWithContext(s.t.Context(), http.MethodPost, "http://localhost"+s.path,
		strings.NewReader(body))
	setHeaders(req, headers)
	if at := req.Header.Get("From"); at != "" {
		req.RemoteAddr = at
	}
	w := httptest.NewRecorder()
	s.http.ServeHTTP(w, req)
	if w.Code != status {
		s.t.Errorf("POST %.80s: %d, want %d: %s", body, w.Code, status, w.Body)
	}
	return w
}

// initialize opens the session of s.
func (s *sseStream) initialize(revision string, headers ...string) {
	s.t.Helper()
	s.post(202, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+revision+
		`","capabilities":{"roots":{}},"clientInfo":{"name":"t","version":"1"}}}`, headers...)
	s.next(`"protocolVersion":"` + revision + `"`)
	s.post(202, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, headers...)
}

// next waits for a text on the stream.
func (s *sseStream) next(text string) {
	s.t.Helper()
	for begin := time.Now(); !strings.Contains(s.w.all(), text); time.Sleep(time.Millisecond) {
		if time.Since(begin) > time.Minute {
			s.t.Fatalf("there is no %s", text)
		}
	}
}

// ends ends the stream, and checks that nothing is left of it.
func (s *sseStream) ends() {
	s.t.Helper()
	s.leave()
	<-s.over
	synctest.Wait()
	if held := mcphttp.HeldBy(s.http); held != "" {
		s.t.Errorf("still held: %s", held)
	}
}

// The endpoint is a path of this host, whatever the client has asked for, and what a mux has cut off is part of it.
func TestSSEEndpoint(t *testing.T) {
	t.Attr("requirements", "http-sse-endpoints")
	r := newRig(t, &mcphttp.Options{SSE: true})
	for _, row := range [][2]string{
		{"/sse", "/sse?"}, {"//evil.example/sse", "/evil.example/sse?"}, {"///evil.example//sse", "/evil.example//sse?"},
		{"/%2Fevil.example/sse", "/%2Fevil.example/sse?"}, {"/cut/off/sse?x=1", "/cut/off/sse?"},
	} {
		ctx, leave := context.WithCancel(t.Context())
		leave()
		req := httptest.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+row[0], nil)
		w := newRecorder()
		h := r.http
		if strings.HasPrefix(row[0], "/cut/off/") {
			h = http.StripPrefix("/cut/off", h)
		}
		h.ServeHTTP(w, req)
		if want := "event: endpoint\ndata: " + row[1] + "sessionId="; !strings.HasPrefix(w.all(), want) {
			t.Errorf("%s: %q, want %q", row[0], w.all(), want)
		}
	}
}

// Each piece of what is large has the deadline of an answer, and events end with one empty line.
func TestSSEPieces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRigWith(t, &mcphttp.Options{SSE: true, AnswerTimeout: 7 * time.Second}, nil, large)
		defer func() { _ = r.srv.Close() }()
		s := r.openStream(t)
		s.initialize("2025-11-25")
		s.post(202, callOf(1, "who"))
		s.next("xx\"}]}}\n\n")
		s.post(202, request("resources/subscribe", `"uri":"r:///ä"`))
		s.next(`"result":{}`)
		r.srv.ResourceUpdated("r:///ä")
		s.next("resources/updated")
		r.srv.ResourceListChanged()
		s.next("resources/list_changed")
		for i, d := range s.w.limits {
			if d != 7*time.Second {
				t.Errorf("write %d may take %v", i, d)
			}
		}
		if s.w.largest != 32<<10 || strings.Contains(s.w.all(), "\n\n\n") {
			t.Errorf("a piece of %d bytes, or too many line ends", s.w.largest)
		}
		s.ends()
	})
}

// A client that leaves in the middle of a large event gets no more of it, and counts as one that has left.
func TestSSECut(t *testing.T) {
	r := newRigWith(t, &mcphttp.Options{SSE: true}, nil, large)
	s := r.openStream(t)
	s.initialize("2025-11-25")
	if n := r.srv.Stats().Streams["notifications"]; n != 1 {
		t.Errorf("%d streams of notifications", n)
	}
	began := make(chan struct{}, 100)
	s.w.mu.Lock()
	s.w.write = func() error {
		began <- struct{}{}
		<-s.w.past // the client takes no more, until the deadline is over
		return nil
	}
	s.w.mu.Unlock()
	s.post(202, callOf(1, "who"))
	<-began
	s.leave()
	<-s.over
	if s.w.late != 0 {
		t.Errorf("%d pieces were written after the end", s.w.late)
	}
	want := map[string]int64{"other": 1}
	if got := r.srv.Stats(); !maps.Equal(got.StreamsEnded, want) {
		t.Errorf("ended %v", got.StreamsEnded)
	}
}

// A stream that cannot be written to any more is the end of the session, although its request goes on.
func TestSSEBroken(t *testing.T) {
	r := newRig(t, &mcphttp.Options{SSE: true})
	s := r.openStream(t)
	s.w.mu.Lock()
	s.w.write = func() error { return errors.New("broken") }
	s.w.mu.Unlock()
	s.post(202, ping)
	<-s.over
	s.post(404, ping)
}

// Who sends a message is who its handler sees.
func TestSSECaller(t *testing.T) {
	r := newRig(t, &mcphttp.Options{SSE: true, Authenticate: func(q *http.Request) (mcp.Caller, error) {
		return mcp.Caller{Subject: q.Header.Get("Who")}, nil
	}})
	s := r.openStream(t, "Who", "ann")
	s.post(202, ping, "Who", "ann") // before initialize too
	s.next(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	s.initialize("2025-06-18", "Who", "ann")
	s.post(202, callOf(2, "who"), "Who", "ann")
	s.next("caller=ann")
	for _, kind := range []string{
		"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "",
	} {
		s.post(415, ping, "Who", "ann", "Content-Type", "", "Content-Type", kind)
	}
	if n := r.srv.Stats().Refusals["media_type"]; n != 4 {
		t.Errorf("%d refusals of media types", n)
	}
	// The rest of what is refused is not read.
	long := `"` + strings.Repeat("x", 5000) + `"`
	for _, row := range []struct {
		method, path string
		status       int
	}{{"POST", "/sse?sessionId=none", 404}, {"PUT", "/sse", 405}} {
		w := httptest.NewRecorder()
		r.http.ServeHTTP(w, httptest.NewRequest(row.method, "http://localhost"+row.path, strings.NewReader(long)))
		if row.status == 404 {
			w = httptest.NewRecorder()
			q := httptest.NewRequest(row.method, "http://localhost"+row.path, strings.NewReader(long))
			setHeaders(q, nil)
			r.http.ServeHTTP(w, q)
		} else if w.Header().Get("Allow") != "GET, POST, OPTIONS" {
			t.Errorf("Allow: %q", w.Header().Get("Allow"))
		}
		if w.Code != row.status || w.Header().Get("Connection") != "close" {
			t.Errorf("%s %s: %d %v", row.method, row.path, w.Code, w.Header())
		}
	}
	s.leave()
	<-s.over
}

// readDeadlines notes how long a body may take.
type readDeadlines struct {
	*httptest.ResponseRecorder
	last time.Time
}

func (w *readDeadlines) SetReadDeadline(at time.Time) error {
	if !at.IsZero() {
		w.last = at
	}
	return nil
}

// What Authenticate takes is not the time of the client, who has all of ReadTimeout for its body.
func TestSSEReadTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &mcphttp.Options{SSE: true, ReadTimeout: time.Minute,
			Authenticate: func(*http.Request) (mcp.Caller, error) {
				time.Sleep(5 * time.Second)
				return mcp.Caller{}, nil
			}})
		defer func() { _ = r.srv.Close() }()
		s := r.openStream(t)
		req := httptest.NewRequestWithContext(t.Context(), "POST", "http://localhost"+s.path, strings.NewReader(ping))
		setHeaders(req, nil)
		w := &readDeadlines{ResponseRecorder: httptest.NewRecorder()}
		r.http.ServeHTTP(w, req)
		if left := time.Until(w.last); w.Code != 202 || left != time.Minute {
			t.Errorf("%d, %v are left", w.Code, left)
		}
		s.ends()
	})
}

// A replica that does not hear itself ends its streams, and opens none. It has said that they are its own.
func TestSSEFenced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bus := new(cutBus)
		var log logText
		r := newRigWith(t, &mcphttp.Options{SSE: true, Logger: slog.New(slog.NewTextHandler(&log, nil))},
			&mcp.Options{Bus: replica.Over(bus), Keys: [][]byte{[]byte("0123456789abcdef")}})
		defer func() { _ = r.srv.Close() }()
		if !strings.Contains(log.String(), "sessions of HTTP+SSE are those of one replica") {
			t.Errorf("the log has %s", log.String())
		}
		time.Sleep(5 * time.Second)
		s := r.openStream(t)
		s.initialize("2025-11-25")
		bus.cut.Store(true)
		time.Sleep(40 * time.Second)
		synctest.Wait()
		select {
		case <-s.over:
		default:
			t.Error("the stream is still open")
		}
		w := httptest.NewRecorder()
		r.http.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/sse", nil))
		want(t, w, 503, "cut off")
	})
}
