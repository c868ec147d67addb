package mcphttp

import (
	"net"
	"net/http"
	"runtime"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/internal/server"
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
	var s [resources]share
	s[connections] = share{10, 10, 10}
	g := &gate{admit: newAdmission(s, new(server.Counters)), open: make(map[*gatedConn]struct{})}
	u := g.admit.hold(clientKey{})
	g.admit.take(u, connections, 1)
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
