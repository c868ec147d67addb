package limits

import (
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/counters"
)

// closedConn knows whether it is closed.
type closedConn struct {
	net.Conn
	closed chan struct{}
}

func (c *closedConn) Close() error {
	close(c.closed)
	return nil
}

// newGated returns a gate with one connection, which waits for a request.
func newGated() (*gate, *gatedConn) {
	var s [NumResources]Share
	s[Connections] = Share{All: 10, Client: 10, Subject: 10}
	g := &gate{admit: NewAdmission(s, nil, new(counters.Counters)), open: make(map[*gatedConn]struct{})}
	u := g.admit.hold(clientKey{})
	g.admit.Take(u, Connections, 1)
	c := &gatedConn{Conn: &closedConn{closed: make(chan struct{})}, gate: g, usage: u}
	g.open[c] = struct{}{}
	g.state(c, http.StateIdle)
	return g, c
}

// A connection whose request has come while room is made is not closed; one that is closed stays that.
func TestRoomOrRequest(t *testing.T) {
	for range 2000 {
		g, c := newGated()
		var wg sync.WaitGroup
		room := false
		wg.Go(func() { room = g.makeRoom(nil) })
		runtime.Gosched()
		g.state(c, http.StateActive)
		active := c.waiting.Load() == 0
		wg.Wait()
		if room == active {
			t.Fatalf("room was made: %v; the connection has a request: %v", room, active)
		}
		if g.makeRoom(nil) {
			t.Fatal("a connection that does not wait has made room")
		}
	}
}

// A connection is chosen once, whatever net/http says of it afterwards.
func TestRoomOfOneConnection(t *testing.T) {
	g, c := newGated()
	victim, since := g.longest(nil)
	if victim != c || !c.waiting.CompareAndSwap(since, closing) {
		t.Fatal("no connection waits")
	}
	for _, s := range []http.ConnState{http.StateActive, http.StateIdle, http.StateClosed} {
		g.state(c, s)
		if g.makeRoom(nil) {
			t.Errorf("the connection has made room twice, after %v", s)
		}
	}
}

// fed is a connection that a test gives bytes.
type fed struct {
	net.Conn
	from io.Reader
}

func (f fed) Read(b []byte) (int, error) { return f.from.Read(b) }
func (fed) Close() error                 { return nil }

// A connection on which the header of a request comes is not closed for another, until that takes too long.
func TestRoomWhileRequestComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, c := newGated()
		c.Conn = fed{from: strings.NewReader("POST /mcp HTTP/1.1")}
		time.Sleep(time.Minute)
		if n, err := c.Read(make([]byte, 4)); n != 4 || err != nil {
			t.Fatal(n, err)
		}
		time.Sleep(HeaderTimeout - time.Millisecond)
		if g.makeRoom(nil) {
			t.Fatal("a request was cut off")
		}
		if n, err := c.Read(make([]byte, 4)); n != 4 || err != nil { // which does not begin the time again
			t.Fatal(n, err)
		}
		time.Sleep(time.Millisecond)
		if !g.makeRoom(nil) {
			t.Fatal("a slow header keeps its place")
		}
		if n, err := c.Read(make([]byte, 4)); n != 0 || !errors.Is(err, net.ErrClosed) {
			t.Errorf("a connection that is closed has read %d bytes: %v", n, err)
		}
	})
}

// Whatever comes first counts: the first bytes of a request, or the end of the connection.
func TestRoomOrFirstBytes(t *testing.T) {
	for range 2000 {
		g, c := newGated()
		c.Conn = fed{from: strings.NewReader("POST")}
		var wg sync.WaitGroup
		room := false
		wg.Go(func() { room = g.makeRoom(nil) })
		runtime.Gosched()
		n, err := c.Read(make([]byte, 4))
		wg.Wait()
		if room == (n > 0) || room == (err == nil) {
			t.Fatalf("room was made: %v; %d bytes were read: %v", room, n, err)
		}
	}
}

// endedConn is a connection that net/http closes because the gate closes it, and before the gate goes on.
type endedConn struct {
	net.Conn
	gc      *gatedConn
	calls   atomic.Int32
	noticed chan struct{}
}

func (c *endedConn) Close() error {
	if c.calls.Add(1) == 2 {
		close(c.noticed)
		return nil
	}
	c.gc.gate.mu.Lock() // net/http stops there
	go func() { _ = c.gc.Close() }()
	<-c.noticed
	time.AfterFunc(2*time.Millisecond, c.gc.gate.mu.Unlock)
	time.Sleep(time.Millisecond)
	return nil
}

// Whoever closes the connection that makes room: when the gate goes on, the room is there.
func TestRoomIsThere(t *testing.T) {
	for range 20 {
		g, c := newGated()
		c.Conn = &endedConn{gc: c, noticed: make(chan struct{})}
		if !g.makeRoom(nil) {
			t.Fatal("no room was made")
		}
		if n := g.admit.used[Connections].Load(); n != 0 {
			t.Fatalf("room was made, and %d connections are open", n)
		}
	}
}
