//go:build unix

package mcphttp_test

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// lateReads is a listener of connections on which the process does not run for a while before a read, once for each
// value in pauses: the deadline of the read passes, and only then its client sends something.
type lateReads struct {
	net.Listener
	pauses chan func() // called after the deadline; when it returns, something has come
}

func (l lateReads) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &lateReader{TCPConn: c.(*net.TCPConn), of: l}, nil
}

type lateReader struct {
	*net.TCPConn
	of    lateReads
	until atomic.Pointer[time.Time]
}

func (c *lateReader) SetReadDeadline(t time.Time) error {
	c.until.Store(&t)
	return c.TCPConn.SetReadDeadline(t)
}

func (c *lateReader) SetDeadline(t time.Time) error {
	c.until.Store(&t)
	return c.TCPConn.SetDeadline(t)
}

func (c *lateReader) Read(b []byte) (int, error) {
	if until := c.until.Load(); until != nil && until.Unix() > 1 { // and not the read ahead of net/http, or its end
		select {
		case late := <-c.of.pauses:
			time.Sleep(time.Until(*until) + time.Millisecond)
			late()
		default:
		}
	}
	return c.TCPConn.Read(b)
}

// lateServer is a server whose process does not run for a while when a connection gets a state.
type lateServer struct {
	t            *testing.T
	conn         net.Conn // to it
	responses    *bufio.Reader
	passed, sent chan struct{} // a deadline has passed; something has come
}

const lateTimeout = 2 * time.Second

// newLateServer returns once its client is connected.
func newLateServer(t *testing.T, secure bool, when http.ConnState) *lateServer {
	t.Helper()
	opts := &mcphttp.Options{ReadTimeout: lateTimeout}
	r := newRig(t, opts)
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &lateServer{t: t, passed: make(chan struct{}), sent: make(chan struct{})}
	l := lateReads{Listener: tcp, pauses: make(chan func(), 1)}
	once := sync.OnceFunc(func() { l.pauses <- func() { s.passed <- struct{}{}; <-s.sent } })
	hs := &http.Server{Handler: r.http, ReadHeaderTimeout: lateTimeout, IdleTimeout: lateTimeout,
		ConnState: func(_ net.Conn, now http.ConnState) {
			if now == when {
				once()
			}
		}}
	g, err := mcphttp.Limit(hs, l, r.srv, opts)
	if err != nil {
		t.Fatal(err)
	}
	serve := hs.Serve
	if secure {
		certified := httptest.NewTLSServer(nil)
		defer certified.Close()
		hs.TLSConfig = &tls.Config{Certificates: certified.TLS.Certificates, NextProtos: []string{"http/1.1"}}
		serve = func(l net.Listener) error { return hs.ServeTLS(l, "", "") }
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = serve(g) }()
	t.Cleanup(func() { _ = r.srv.Close(); _ = hs.Close(); <-done })
	if s.conn, err = net.Dial("tcp", tcp.Addr().String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.conn.Close() })
	if secure {
		s.conn = tls.Client(s.conn, &tls.Config{InsecureSkipVerify: true})
	}
	s.responses = bufio.NewReader(s.conn)
	return s
}

// answered reads a response.
func (s *lateServer) answered() {
	s.t.Helper()
	_ = s.conn.SetReadDeadline(time.Now().Add(time.Minute))
	resp, err := http.ReadResponse(s.responses, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	if text, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(text), "caller=") {
		s.t.Fatal(resp.Status, string(text), err)
	}
}

// sendLate sends a text once a deadline has passed: half of it before the server reads again.
func (s *lateServer) sendLate(text string) {
	<-s.passed
	go func() {
		_, _ = io.WriteString(s.conn, text[:len(text)/2])
		time.Sleep(lateTimeout / 6)
		_, _ = io.WriteString(s.conn, text[len(text)/2:])
	}()
	time.Sleep(lateTimeout / 10)
	close(s.sent)
}

// A process that does not run for longer than a request may take, before anything of it has come, before its body has,
// or between two requests, resets no connection. What follows has its time too: the rest of a body, or a handshake.
func TestLateReadOfRequest(t *testing.T) {
	body, headers := modern("tools/call", "who", `"name":"who","arguments":{"who":"`+strings.Repeat("x", 1<<20)+`"}`)
	whole := rawRequest("POST", body, headers...)
	for name, secure := range map[string]bool{"plain": false, "TLS": true} {
		for _, when := range []http.ConnState{http.StateNew, http.StateActive, http.StateIdle} {
			t.Run(name+" "+when.String(), func(t *testing.T) {
				t.Parallel()
				s, late := newLateServer(t, secure, when), whole
				switch when {
				case http.StateActive: // with the header
					head := len(whole) - len(body)
					_, _ = io.WriteString(s.conn, whole[:head])
					late = whole[head:]
				case http.StateIdle:
					_, _ = io.WriteString(s.conn, whole)
					s.answered()
				}
				s.sendLate(late)
				s.answered()
			})
		}
	}
}

// The same with a process that is stopped, beyond the times that headers and bodies may take.
func TestRequestsWhileStopped(t *testing.T) {
	if testing.Short() {
		t.Skip("waits longer than a body may take")
	}
	t.Parallel()
	c := startChild(t, time.Second, 0)
	body, headers := modern("tools/call", "go", `"name":"go"`)
	text := rawRequest("POST", body, headers...)
	const each = 8
	var conns []net.Conn
	for i := range 2 * each {
		conn, err := net.Dial("unix", c.socket)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conns = append(conns, conn)
		if i >= each { // its header is there
			_, _ = io.WriteString(conn, text[:len(text)-10])
		}
	}
	time.Sleep(300 * time.Millisecond)
	if err := c.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	time.Sleep(10*time.Second + 500*time.Millisecond)
	for i, conn := range conns {
		rest := text
		if i >= each {
			rest = text[len(text)-10:]
		}
		_, _ = io.WriteString(conn, rest)
	}
	if err := c.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	for i, conn := range conns {
		_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Errorf("connection %d: %v", i, err)
			continue
		}
		if text, err := io.ReadAll(resp.Body); !strings.Contains(string(text), "gone") {
			t.Errorf("connection %d: %s %s %v", i, resp.Status, text, err)
		}
	}
}
