//go:build unix

package mcphttp_test

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// front is a way in which a program serves the endpoint, and whether streams leave net/http there.
type front struct {
	opts   mcphttp.Options
	wrap   func(http.Handler) http.Handler    // what the http.Server gets; nil for the endpoint
	start  func(*rig, *httptest.Server)       // nil for plain HTTP
	client func(*testing.T, *httptest.Server) // changes how clients reach the server; nil for nothing
	proto  string                             // of requests, if not HTTP/1.1
	stays  bool                               // with net/http
}

// muxed is the endpoint at its path.
func muxed(h http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle(mcphttp.Path, h)
	return mux
}

// wrapped is a response as a program may wrap it.
type wrapped struct{ http.ResponseWriter }

// Flush is for what does not unwrap.
func (w wrapped) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }

// unwrapping is a response as most programs wrap it.
type unwrapping struct{ wrapped }

func (w unwrapping) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// through is middleware of a program.
func through(wrap func(http.ResponseWriter) http.ResponseWriter) func(http.Handler) http.Handler {
	return func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(wrap(w), r) })
	}
}

var (
	same    = through(func(w http.ResponseWriter) http.ResponseWriter { return w })
	hides   = through(func(w http.ResponseWriter) http.ResponseWriter { return wrapped{w} })
	unwraps = through(func(w http.ResponseWriter) http.ResponseWriter { return unwrapping{wrapped{w}} })
)

var fronts = map[string]front{
	"endpoint": {},
	"mux":      {wrap: muxed},
	"muxes":    {wrap: func(h http.Handler) http.Handler { m := http.NewServeMux(); m.Handle("/", muxed(h)); return m }},
	"limits":   {wrap: muxed, start: limited},
	"TLS":      {start: func(_ *rig, s *httptest.Server) { s.StartTLS() }},
	"limits and TLS": {start: func(r *rig, s *httptest.Server) {
		limitTo(r, s)
		s.StartTLS()
	}},
	"proxy":        {client: behindProxy},
	"HTTP/2":       {start: func(_ *rig, s *httptest.Server) { s.EnableHTTP2 = true; s.StartTLS() }, stays: true},
	"HTTP/1.0":     {proto: "HTTP/1.0", stays: true},
	"prefix":       {wrap: func(h http.Handler) http.Handler { return http.StripPrefix("/", h) }, stays: true},
	"middleware":   {wrap: same, stays: true},
	"hides":        {wrap: hides, stays: true},
	"unwraps":      {wrap: unwraps, stays: true},
	"its own":      {opts: mcphttp.Options{Middleware: same}, stays: true},
	"around a mux": {wrap: func(h http.Handler) http.Handler { return unwraps(muxed(h)) }, stays: true},
}

// limitTo gives s what a Command has.
func limitTo(r *rig, s *httptest.Server) {
	s.Listener, _ = mcphttp.Limit(s.Config, s.Listener, r.srv, nil)
}

func limited(r *rig, s *httptest.Server) {
	limitTo(r, s)
	s.Start()
}

// behindProxy makes clients use a proxy.
func behindProxy(t *testing.T, s *httptest.Server) {
	at, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(at) }}
	p := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Otherwise net/http may close the body before ReverseProxy has read its end, if the response comes quickly.
		_ = http.NewResponseController(w).EnableFullDuplex()
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	s.URL = p.URL
}

// serve serves a new rig; left counts the connections that have left net/http.
func (f *front) serve(t *testing.T) (r *rig, s *httptest.Server, left *atomic.Int32) {
	t.Helper()
	r, left = newRig(t, &f.opts), new(atomic.Int32)
	h := r.http
	if f.wrap != nil {
		h = f.wrap(h)
	}
	s = httptest.NewUnstartedServer(h)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateHijacked {
			left.Add(1)
		}
	}
	if f.start == nil {
		s.Start()
	} else {
		f.start(r, s)
	}
	t.Cleanup(func() { _ = r.srv.Close(); s.Close() })
	if f.client != nil {
		f.client(t, s)
	}
	return r, s, left
}

// subscribed opens a stream of updates, in either era, and returns once it is open.
func (f *front) subscribed(t *testing.T, r *rig, s *httptest.Server, era string) *live {
	t.Helper()
	method, body := "POST", ""
	var headers []string
	if era == modernVersion {
		body, headers = modern("subscriptions/listen", "", `"notifications":{"resourceSubscriptions":["r:///ä"]}`)
	} else {
		headers = r.initialize(t, era)
		want(t, r.do("POST", request("resources/subscribe", `"uri":"r:///ä"`), headers...), 200)
		method = "GET"
	}
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+mcphttp.Path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	setHeaders(req, headers)
	var resp *http.Response
	if f.proto == "" {
		resp, err = s.Client().Do(req)
	} else {
		resp, err = oldExchange(t, s, req, f.proto)
	}
	if err != nil {
		t.Fatal(err)
	}
	l := &live{resp, bufio.NewScanner(resp.Body), func() {}}
	t.Cleanup(l.close)
	if era == modernVersion {
		if _, ack := l.event(); !strings.Contains(ack, "acknowledged") {
			t.Fatalf("no acknowledgement: %s", ack)
		}
	}
	return l
}

// oldExchange sends a request with another version of the protocol.
func oldExchange(t *testing.T, s *httptest.Server, req *http.Request, proto string) (*http.Response, error) {
	t.Helper()
	c := dialServer(t, s)
	var text strings.Builder
	if err := req.Write(&text); err != nil {
		t.Fatal(err)
	}
	_, err := io.WriteString(c, strings.Replace(text.String(), "HTTP/1.1", proto, 1))
	if err != nil {
		return nil, err
	}
	return http.ReadResponse(bufio.NewReader(c), req)
}

// Streams leave net/http where nothing stands in between, and are the same elsewhere: updates come, and the end.
func TestDetachedStreams(t *testing.T) {
	for name, f := range fronts {
		for _, era := range []string{"2025-11-25", modernVersion} {
			t.Run(name+" "+era, func(t *testing.T) {
				r, s, left := f.serve(t)
				l := f.subscribed(t, r, s, era)
				for range 3 {
					r.srv.ResourceUpdated("r:///ä")
					if _, update := l.event(); !strings.Contains(update, `"uri":"r:///ä"`) {
						t.Fatalf("no update: %s", update)
					}
				}
				if has := left.Load() > 0; has == f.stays {
					t.Errorf("it has left: %v", has)
				}
				_ = r.srv.Close()
				if result := l.end(t); (era == modernVersion) != strings.Contains(result, `"result"`) {
					t.Errorf("the last event is %s", result)
				}
				until(t, func() bool { return r.open() == 0 })
			})
		}
	}
}

// end returns the last event of a stream that has to end in order.
func (l *live) end(t *testing.T) (last string) {
	t.Helper()
	for _, data := l.event(); data != ""; _, data = l.event() {
		last = data
	}
	if err := l.lines.Err(); err != nil {
		t.Errorf("the stream ends with %v", err)
	}
	return last
}

// open returns the streams and connections that r counts.
func (r *rig) open() (n int64) {
	got := r.srv.Stats()
	for _, streams := range got.Streams {
		n += streams
	}
	return n + got.Connections["http"]
}

// The end of a client that is idle is noticed at once, whatever it has sent before.
func TestDetachedClientLeaves(t *testing.T) {
	for name, leave := range map[string]func(*net.TCPConn) error{
		"closes":      (*net.TCPConn).Close,
		"closes half": (*net.TCPConn).CloseWrite,
		"resets":      func(c *net.TCPConn) error { _ = c.SetLinger(0); return c.Close() },
		"sends more": func(c *net.TCPConn) error {
			_, _ = io.WriteString(c, "GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n")
			return c.CloseWrite()
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := fronts["limits"]
			r, s, left := f.serve(t)
			c := dialServer(t, s)
			r.listenOn(t, c)
			if left.Load() != 1 || r.open() != 2 {
				t.Fatalf("%d have left, %d are open", left.Load(), r.open())
			}
			if err := leave(c.(*net.TCPConn)); err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			until(t, func() bool { return r.open() == 0 })
			if took := time.Since(begin); took > 10*time.Second {
				t.Errorf("noticed after %v", took)
			}
		})
	}
}

// listenOn opens a listen on a connection.
func (r *rig) listenOn(t *testing.T, c net.Conn) (head string) {
	t.Helper()
	body, headers := modern("subscriptions/listen", "", `"notifications":{"resourceSubscriptions":["r:///ä"]}`)
	var b strings.Builder
	for i := 0; i < len(headers); i += 2 {
		fmt.Fprintf(&b, "%s: %s\r\n", headers[i], headers[i+1])
	}
	_, err := fmt.Fprintf(c, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+
		"Accept: application/json, text/event-stream\r\n%sContent-Length: %d\r\n\r\n%s", b.String(), len(body), body)
	if err != nil {
		t.Fatal(err)
	}
	var text []byte
	for !strings.Contains(string(text), "acknowledged") {
		more := make([]byte, 4096)
		n, err := c.Read(more)
		if err != nil {
			t.Fatalf("%v after %s", err, text)
		}
		text = append(text, more[:n]...)
	}
	return string(text)
}

// dialServer opens a connection that ends with the test.
func dialServer(t *testing.T, s *httptest.Server) net.Conn {
	t.Helper()
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if s.TLS != nil {
		return tls.Client(c, &tls.Config{InsecureSkipVerify: true})
	}
	return c
}

// What a client sends behind the request of a stream is not served, and the client knows: the connection closes after
// the stream, whose end it gets.
func TestDetachedPipelinedBytes(t *testing.T) {
	f := fronts["limits"]
	r, s, left := f.serve(t)
	c := dialServer(t, s)
	head := r.listenOn(t, c)
	if !strings.Contains(head, "\r\nConnection: close\r\n") ||
		!strings.Contains(head, "\r\nTransfer-Encoding: chunked\r\n") || left.Load() != 1 {
		t.Errorf("the head is %s", head)
	}
	if _, err := io.WriteString(c, strings.Repeat("GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", 100)); err != nil {
		t.Fatal(err)
	}
	_ = r.srv.Close()
	text, err := io.ReadAll(c)
	if err != nil || strings.Contains(string(text), "HTTP/1.1") || !strings.HasSuffix(string(text), "}\n\n\r\n0\r\n\r\n") {
		t.Errorf("the end is %v, %q", err, text)
	}
}

// The server that closes waits for streams that have left, which http.Server.Shutdown does not.
func TestDetachedShutdown(t *testing.T) {
	f := fronts["mux"]
	r, s, left := f.serve(t)
	var all []*live
	for range 50 {
		all = append(all, f.subscribed(t, r, s, modernVersion))
	}
	if n := left.Load(); n != 50 {
		t.Fatalf("%d have left", n)
	}
	if err := s.Config.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := r.open(); n != 50 {
		t.Errorf("%d are open", n)
	}
	_ = r.srv.Close()
	if n := r.open(); n != 0 {
		t.Errorf("%d are open after the end", n)
	}
	for _, l := range all {
		if result := l.end(t); !strings.Contains(result, `"result"`) {
			t.Errorf("the last event is %s", result)
		}
	}
}

// A client that ends TLS and leaves the connection open has left.
func TestDetachedTLSClientLeaves(t *testing.T) {
	f := fronts["limits and TLS"]
	r, s, left := f.serve(t)
	c := dialServer(t, s).(*tls.Conn)
	r.listenOn(t, c)
	if left.Load() != 1 {
		t.Fatalf("%d have left", left.Load())
	}
	if err := c.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	until(t, func() bool { return r.open() == 0 })
}

// The answer to a message of a session stays with net/http, whatever its headers say: its call goes on without its
// client, and the connection does not.
func TestSessionMessageStays(t *testing.T) {
	f := fronts["limits"]
	r, s, left := f.serve(t)
	headers := r.initialize(t, "2025-11-25")
	want(t, r.do("POST", request("logging/setLevel", `"level":"info"`), headers...), 200)
	c := dialServer(t, s)
	body := request("tools/call", `"name":"wait","arguments":{}`)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+mcphttp.Path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	setHeaders(req, append(headers, "Mcp-Method", "subscriptions/listen"))
	if err := req.Write(c); err != nil {
		t.Fatal(err)
	}
	for text := ""; !strings.Contains(text, "waiting"); {
		more := make([]byte, 4096)
		n, err := c.Read(more)
		if text += string(more[:n]); err != nil {
			t.Fatalf("%v after %s", err, text)
		}
	}
	<-r.started
	if n := left.Load(); n != 0 {
		t.Errorf("%d have left", n)
	}
	_ = c.Close()
	until(t, func() bool { return r.srv.Stats().Connections["http"] == 0 })
	r.proceed <- struct{}{}
}
