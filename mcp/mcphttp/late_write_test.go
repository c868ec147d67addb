package mcphttp_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

// stopping is a listener of connections on which the process does not run for a while, once for each value in pauses:
// after a deadline was set, and before what it is for is written.
type stopping struct {
	*pipes
	pauses chan func()   // called before a write that is late; what it does happens meanwhile
	cut    chan struct{} // gets something when the server ends the writes of a connection

	session []string // headers of a session that is subscribed
}

func (l stopping) Accept() (net.Conn, error) {
	c, err := l.pipes.Accept()
	if err != nil {
		return nil, err
	}
	return &stoppingConn{Conn: c, of: l}, nil
}

type stoppingConn struct {
	net.Conn
	of    stopping
	until time.Time
}

func (c *stoppingConn) SetWriteDeadline(t time.Time) error {
	if c.until = t; t.Unix() == 1 {
		close(c.of.cut)
	}
	return c.Conn.SetWriteDeadline(t)
}

func (c *stoppingConn) Write(b []byte) (int, error) {
	select {
	case meanwhile := <-c.of.pauses:
		time.Sleep(time.Until(c.until) + time.Second)
		meanwhile()
	default:
	}
	return c.Conn.Write(b)
}

// serveStopping serves r at a listener that is stopping, until the returned function ends it.
func (r *rig) serveStopping(t *testing.T) (l stopping, end func()) {
	t.Helper()
	l = stopping{pipes: newPipes(), pauses: make(chan func(), 1), cut: make(chan struct{})}
	hs := &http.Server{Handler: r.http}
	g, err := mcphttp.LimitServer(hs, l, r.srv, nil)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = hs.Serve(g) }()
	return l, func() { _ = r.srv.Close(); _ = hs.Close(); <-done }
}

// lateStreams is a server at a stopping listener, with a session and the requests that open streams.
func lateStreams(t *testing.T) (r *rig, l stopping, requests map[string]string, end func()) {
	t.Helper()
	r = newRigWith(t, nil, &mcp.Options{NoUpdateDelay: true})
	l, end = r.serveStopping(t)
	l.session = r.initialize(t, "2025-11-25")
	want(t, r.do("POST", request("resources/subscribe", `"uri":"r:///ä"`), l.session...), 200)
	body, headers := modern("subscriptions/listen", "", `"notifications":{"resourceSubscriptions":["r:///ä"]}`)
	return r, l, map[string]string{
		"listen":  rawRequest("POST", body, headers...),
		"session": rawRequest("GET", "", l.session...),
	}, end
}

// begin sends a request, and reads the head of the response and the first event of a stream.
func begin(t *testing.T, c net.Conn, text string) *bufio.Reader {
	t.Helper()
	go func() { _, _ = io.WriteString(c, text) }()
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp, err)
	}
	lines := bufio.NewReader(resp.Body)
	for line := ""; line != "\n"; {
		if line, err = lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	return lines
}

// A process that does not run for longer than a write may take, between the deadline and the write, ends no stream
// whose client reads.
func TestLateWriteOfEvent(t *testing.T) {
	for _, name := range []string{"listen", "session"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, l, requests, end := lateStreams(t)
				defer end()
				c := l.dial()
				defer c.Close()
				lines := begin(t, c, requests[name])
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
				if s := r.srv.Stats(); s.StreamsEnded != [stats.NumStreamEnds]int64{} {
					t.Errorf("streams that have ended: %v", s.StreamsEnded)
				}
				if n := r.srv.Stats().ConnectionsClosed[stats.ClosedUnread]; n > 0 {
					t.Errorf("%d connections count as those of clients that do not read", n)
				}
			})
		})
	}
}

// The response to a request is sent after such a pause too.
func TestLateWriteOfResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		l, end := r.serveStopping(t)
		defer end()
		c := l.dial()
		defer c.Close()
		body, headers := modern("tools/call", "who", `"name":"who"`)
		lines := bufio.NewReader(c)
		for range 3 {
			l.pauses <- func() {}
			go func() { _, _ = io.WriteString(c, rawRequest("POST", body, headers...)) }()
			resp, err := http.ReadResponse(lines, nil)
			if err != nil {
				t.Fatal(err)
			}
			if text, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(text), "caller=") {
				t.Fatal(string(text), err)
			}
		}
	})
}

// A client that does not read is not waited for longer because a write was late.
func TestLateWriteThatNobodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, l, requests, end := lateStreams(t)
		defer end()
		c := l.dial()
		defer c.Close()
		begin(t, c, requests["listen"]) // and reads no more
		l.pauses <- func() {}
		r.srv.ResourceUpdated("r:///ä")
		time.Sleep(7 * time.Second) // WriteTimeout, 1 second that the process stands still, and less than 1 second more
		if s := r.srv.Stats(); s.StreamsEnded[stats.EndedUnread] != 1 {
			t.Errorf("the stream of a client that does not read: %v", s.StreamsEnded)
		}
	})
}

// A write that was late is not tried again on a stream that has been ended meanwhile.
func TestLateWriteOfEndedStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, l, requests, end := lateStreams(t)
		defer end()
		c := l.dial()
		defer c.Close()
		lines := begin(t, c, requests["session"])
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
		if s := r.srv.Stats(); s.ConnectionsClosed[stats.ClosedUnread] != 0 {
			t.Error("the connection counts as one whose client does not read")
		}
	})
}
