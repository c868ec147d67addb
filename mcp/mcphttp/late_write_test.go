//go:build unix

package mcphttp_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// stopping is a listener of connections on which the process does not run for a while, once for each value in pauses:
// after a deadline was set, and before what it is for is written.
type stopping struct {
	net.Listener
	pauses chan func()   // called before a write that is late; what it does happens meanwhile
	cut    chan struct{} // closed when the server ends the writes of a connection

	session []string // headers of a session that is subscribed
}

func (l stopping) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &stoppingConn{TCPConn: c.(*net.TCPConn), of: l}, nil
}

type stoppingConn struct {
	*net.TCPConn
	of    stopping
	until time.Time
}

func (c *stoppingConn) SetWriteDeadline(t time.Time) error {
	if t.Unix() == 1 {
		close(c.of.cut)
	} else {
		c.until = t
	}
	return c.TCPConn.SetWriteDeadline(t)
}

// Write implements net.Conn. The wait ends after the deadline, however long it takes.
func (c *stoppingConn) Write(b []byte) (int, error) {
	select {
	case meanwhile := <-c.of.pauses:
		time.Sleep(time.Until(c.until) + time.Millisecond)
		meanwhile()
	default:
	}
	return c.TCPConn.Write(b)
}

// stoppingServer is a server at a stopping listener, with a session and the requests that open streams.
func stoppingServer(t *testing.T) (r *rig, l stopping, requests map[string]string) {
	t.Helper()
	const timeout = 20 * time.Millisecond
	opts := &mcphttp.Options{WriteTimeout: timeout, AnswerTimeout: timeout, KeepAlive: time.Hour}
	r = newRigWith(t, opts, &mcp.Options{UpdateDelay: -1})
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l = stopping{Listener: tcp, pauses: make(chan func(), 1), cut: make(chan struct{})}
	hs := &http.Server{Handler: r.http}
	g, err := mcphttp.Limit(hs, l, r.srv, opts)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = hs.Serve(g) }()
	t.Cleanup(func() { _ = r.srv.Close(); _ = hs.Close(); <-done })
	l.session = r.initialize(t, "2025-11-25")
	want(t, r.do("POST", request("resources/subscribe", `"uri":"r:///ä"`), l.session...), 200)
	body, headers := modern("subscriptions/listen", "", `"notifications":{"resourceSubscriptions":["r:///ä"]}`)
	return r, l, map[string]string{
		"listen":  rawRequest("POST", body, headers...),
		"session": rawRequest("GET", "", l.session...),
	}
}

// begin sends a request, and reads the head of the response and the first event of a stream.
func (l stopping) begin(t *testing.T, text string) (c net.Conn, lines *bufio.Reader) {
	t.Helper()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_, _ = io.WriteString(c, text)
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp, err)
	}
	lines = bufio.NewReader(resp.Body)
	for line := ""; line != "\n"; {
		if line, err = lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	return c, lines
}

// A process that does not run for longer than a write may take, between the deadline and the write, ends no stream
// whose client reads.
func TestLateWriteOfEvent(t *testing.T) {
	for _, name := range []string{"listen", "session"} {
		t.Run(name, func(t *testing.T) {
			r, l, requests := stoppingServer(t)
			_, lines := l.begin(t, requests[name])
			for i := range 3 {
				l.pauses <- func() {}
				r.srv.ResourceUpdated("r:///ä")
				for text := ""; !strings.Contains(text, "resources/updated"); {
					var err error
					if text, err = lines.ReadString('\n'); err != nil {
						t.Fatalf("update %d: %v", i, err)
					}
				}
			}
			s := r.srv.Stats()
			if len(s.StreamsEnded) > 0 || s.ConnectionsClosed["unread"] > 0 {
				t.Errorf("streams that have ended: %v; connections: %v", s.StreamsEnded, s.ConnectionsClosed)
			}
		})
	}
}

// The response to a request is sent after such a pause too.
func TestLateWriteOfResponse(t *testing.T) {
	_, l, _ := stoppingServer(t)
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	body, headers := modern("tools/call", "who", `"name":"who"`)
	lines := bufio.NewReader(c)
	for range 3 {
		l.pauses <- func() {}
		_, _ = io.WriteString(c, rawRequest("POST", body, headers...))
		resp, err := http.ReadResponse(lines, nil)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(text), "caller=") {
			t.Fatal(string(text), err)
		}
	}
}

// A stream that was ended during the pause gets nothing more.
func TestLateWriteOfEndedStream(t *testing.T) {
	r, l, requests := stoppingServer(t)
	_, lines := l.begin(t, requests["session"])
	var group sync.WaitGroup
	defer group.Wait()
	l.pauses <- func() {
		group.Go(func() { r.do("DELETE", "", l.session...) })
		<-l.cut
	}
	r.srv.ResourceUpdated("r:///ä")
	if text, _ := io.ReadAll(lines); strings.Contains(string(text), "updated") {
		t.Errorf("a stream whose session has ended goes on: %s", text)
	}
	if s := r.srv.Stats(); s.ConnectionsClosed["unread"] != 0 {
		t.Error("the connection counts as one whose client does not read")
	}
}
