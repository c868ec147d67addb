package limits

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/counters"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/internal/safelog"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

// gate is the listener of an [HTTPServer]. It limits the connections, of all clients and of one address, and gives
// every write on them a deadline.
type gate struct {
	net.Listener
	admit   *Admission
	timeout time.Duration         // for each write without a deadline of its own
	full    func(remote net.Addr) // counts and logs a connection that was refused

	mu       sync.Mutex
	open     map[*gatedConn]struct{}
	watching bool // while there are connections, a timer runs; guarded by mu
}

// newGate returns l with the limits of o. The connections count in counts.
func newGate(l net.Listener, o HTTPServer, counts *counters.Counters) *gate {
	trusted, _ := NewProxies(o.Trusted, nil) // checked before
	var s [NumResources]Share
	s[Connections] = o.Connections
	g := &gate{Listener: l, admit: NewAdmission(s, trusted, counts), timeout: o.AnswerTimeout,
		open: make(map[*gatedConn]struct{})}
	refused := new(safelog.Sparse)
	counts.AddSource(func(s *stats.Snapshot) {
		labels.Add(&s.Connections, labels.TransportHTTP, g.admit.Used(Connections))
		labels.Add(&s.LogRecordsDropped, labels.DroppedRate, refused.Dropped())
	})
	g.full = func(remote net.Addr) {
		g.admit.Deny(Connections)
		refused.Log(o.Logger, slog.LevelWarn, "mcphttp: connection refused: too many are open", "remote", remote.String())
	}
	return g
}

// Accept implements net.Listener.
func (g *gate) Accept() (net.Conn, error) {
	for {
		c, err := g.Listener.Accept()
		if err != nil {
			if tooManyFiles(err) && g.makeRoom(nil) {
				continue
			}
			return nil, err
		}
		u := g.admit.hold(g.key(c))
		for !g.admit.Take(u, Connections, 1) {
			if !g.makeRoom(u) {
				g.admit.Drop(u)
				u = nil
				break
			}
		}
		if u == nil {
			g.full(c.RemoteAddr())
			_ = c.Close()
			continue
		}
		gc := &gatedConn{Conn: c, gate: g, usage: u}
		gc.waiting.Store(time.Now().UnixNano())
		g.add(gc)
		return gc, nil
	}
}

// key returns whom a connection counts for: nobody in particular, if it is that of a trusted proxy.
func (g *gate) key(c net.Conn) clientKey {
	a := peerAddress(c.RemoteAddr().String())
	if g.admit.proxies.trusts(a) {
		return clientKey{}
	}
	return clientKey{addr: network(a)}
}

// makeRoom closes a connection that waits for its next request, to make room for a new one of u. It takes one of the
// client with the most connections, if these are more than those of u and u has not all that it may have; otherwise it
// takes one of u. Of the connections of that client it closes the one that has waited longest. u is nil if the client
// is not known yet; then it takes one of the client with the most connections. It returns false if no connection waits.
func (g *gate) makeRoom(u *Usage) bool {
	for {
		victim, since := g.longest(u)
		if victim == nil {
			return false
		}
		if victim.waiting.CompareAndSwap(since, closing) { // it still waits, and nothing has come
			_ = victim.Close()
			g.admit.counts.Closed[labels.ClosedIdle].Add(1)
			return true
		}
	}
}

// longest returns the connection that makeRoom closes for u, and the value of its field waiting; nil if there is none.
func (g *gate) longest(u *Usage) (victim *gatedConn, since int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	var own, held, oldest int64
	others := true // connections of other clients may be closed too
	if u != nil {
		own = u.used[Connections].Load()
		others = !g.admit.IsFull(u, Connections)
	}
	now := time.Now().UnixNano()
	for c := range g.open {
		at, n := c.waiting.Load(), c.usage.used[Connections].Load()
		if at == 0 || at == closing || c.usage != u && (!others || n <= own) {
			continue
		}
		began := at
		if at < 0 { // a request comes
			if began = -at; now-began < int64(HeaderTimeout) {
				continue
			}
		}
		if victim == nil || n > held || n == held && began < oldest {
			victim, held, since, oldest = c, n, at, began
		}
	}
	return victim, since
}

// gated returns the connection of the gate that c, a connection of net/http, is or wraps.
func gated(c net.Conn) (gc *gatedConn, ok bool) {
	if secure, isTLS := c.(*tls.Conn); isTLS {
		c = secure.NetConn()
	}
	gc, ok = c.(*gatedConn)
	return gc, ok
}

// state is the ConnState function of the http.Server.
func (g *gate) state(c net.Conn, s http.ConnState) {
	gc, ok := gated(c)
	if !ok {
		return
	}
	secure, isTLS := c.(*tls.Conn)
	if s == http.StateHijacked ||
		isTLS && s == http.StateActive && secure.ConnectionState().NegotiatedProtocol == "h2" {
		gc.shared.Store(true)
	}
	var now int64 // 0 for StateActive: the connection does not wait
	switch s {
	case http.StateIdle:
		now = time.Now().UnixNano()
		gc.framing.next()
	case http.StateActive:
	default:
		return
	}
	gc.change(now)
}

// change sets waiting. It returns false if the connection is being closed to make room.
func (c *gatedConn) change(to int64) bool {
	for {
		before := c.waiting.Load()
		if before == closing {
			return false
		}
		if c.waiting.CompareAndSwap(before, to) {
			return true
		}
	}
}

// closing is the value of waiting for a connection that is closed to make room.
const closing = -1

// gatedConn is a connection that a gate has accepted.
type gatedConn struct {
	net.Conn
	gate  *gate
	usage *Usage
	gone  context.CancelFunc // ends the contexts of its requests; nil if they have none; guarded by gate.mu
	// waiting is when the connection became idle, in nanoseconds; 0 while it has a request, and closing once it makes room
	// for another. While a header is coming it is the negative time of its first byte: the connection then does not make
	// room for another, for as long as a header may take.
	waiting  atomic.Int64
	deadline atomic.Uint32 // what is known of the deadline for writes: hasDeadline, isCut, wasLate
	reads    readDeadline
	leave    sync.Once // gives the place back
	// shared is set for a connection of HTTP/2, and for one that net/http has given up: what is read from it is not the
	// header of its next request.
	shared  atomic.Bool
	unread  atomic.Bool // a write was not done in time
	framing framing
}

// SyscallConn implements syscall.Conn.
func (c *gatedConn) SyscallConn() (syscall.RawConn, error) {
	if s, ok := c.Conn.(syscall.Conn); ok {
		return s.SyscallConn()
	}
	return nil, errors.ErrUnsupported
}

// CloseWrite closes the side of the server, so that net/http can wait until the client has read the response.
func (c *gatedConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}

// Close implements net.Conn. After it the place of the connection is free, whoever else closes it at the same time.
func (c *gatedConn) Close() error {
	err := c.Conn.Close()
	c.leave.Do(func() {
		c.gate.remove(c)
		c.gate.admit.Give(c.usage, Connections, 1)
		c.gate.admit.Drop(c.usage)
	})
	return err
}
