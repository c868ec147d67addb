package mcphttp_test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// crowd is a server, and requests to it that stay.
type crowd struct {
	*asking
	stay sync.WaitGroup
}

// send sends a request from an address. It is 0 while the request stays.
func (c *crowd) send(addr, method, body string, headers ...string) (code int) {
	req := httptest.NewRequestWithContext(c.t.Context(), method, target, strings.NewReader(body))
	setHeaders(req, headers)
	req.RemoteAddr = addr + ":1"
	w := httptest.NewRecorder()
	done := make(chan struct{})
	c.stay.Go(func() {
		defer close(done)
		c.http.ServeHTTP(w, req)
	})
	synctest.Wait()
	select {
	case <-done:
		return w.Code
	default:
		return 0
	}
}

// session opens a session from an address.
func (c *crowd) session(addr string) (headers []string) {
	req := httptest.NewRequestWithContext(c.t.Context(), http.MethodPost, target, strings.NewReader(
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
			`"capabilities":{"roots":{}},"clientInfo":{"name":"t","version":"1"}}}`))
	setHeaders(req, nil)
	req.RemoteAddr = addr + ":1"
	w := httptest.NewRecorder()
	c.http.ServeHTTP(w, req)
	return []string{"Mcp-Session-Id", w.Header().Get("Mcp-Session-Id")}
}

// Clients that take as much as they can of anything leave some for one more: two do, and six too.
func TestThirdClientIsServed(t *testing.T) {
	listenBody, listen := modern("subscriptions/listen", "", `"notifications":{}`)
	call, calls := modern("tools/call", "ask", `"name":"ask"`)
	for _, row := range []struct {
		name string
		opts mcphttp.Options
		one  func(c *crowd, addr string) int // takes one place from an address
	}{
		{"streams", mcphttp.Options{MaxStreams: 64}, func(c *crowd, addr string) int {
			return c.send(addr, "POST", listenBody, listen...)
		}},
		{"streams, half for each", mcphttp.Options{MaxStreams: 64, MaxPerClient: 32}, func(c *crowd, addr string) int {
			return c.send(addr, "POST", listenBody, listen...)
		}},
		{"streams of sessions", mcphttp.Options{MaxStreams: 64}, func(c *crowd, addr string) int {
			return c.send(addr, "GET", "", c.session(addr)...)
		}},
		{"sessions in use", mcphttp.Options{MaxSessions: 64}, func(c *crowd, addr string) int {
			s := c.session(addr)
			if s[1] == "" {
				return http.StatusServiceUnavailable
			}
			return c.send(addr, "GET", "", s...)
		}},
		{"callers", mcphttp.Options{MaxRequests: 64, Authenticate: func(r *http.Request) (mcp.Caller, error) {
			if r.Header.Get("Mcp-Method") != "" {
				<-r.Context().Done()
			}
			return mcp.Caller{}, nil
		}}, func(c *crowd, addr string) int { return c.send(addr, "POST", call, calls...) }},
		{"questions", mcphttp.Options{MaxWaiting: 64}, func(c *crowd, addr string) int {
			code := c.send(addr, "POST", callOf(1, "ask"), c.session(addr)...)
			if code == http.StatusOK { // the tool has got an error
				<-c.fates
				return http.StatusServiceUnavailable
			}
			return code
		}},
	} {
		for _, greedy := range []int{1, 2, 3, 6} {
			t.Run(fmt.Sprintf("%s, %d clients", row.name, greedy), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { oneMore(t, greedy, row.opts, row.one) })
			})
		}
	}
}

// oneMore lets greedy clients take all that they get of 64 places, and one more ask for one.
func oneMore(t *testing.T, greedy int, opts mcphttp.Options, one func(c *crowd, addr string) int) {
	c := &crowd{asking: newAsking(t, &opts, nil)}
	took := 0
	for i := range greedy {
		addr := fmt.Sprintf("198.51.100.%d", i+1)
		for one(c, addr) == 0 {
			took++
		}
	}
	if code := one(c, "203.0.113.1"); code != 0 {
		t.Errorf("%d clients have %d places of 64, and one more gets %d", greedy, took, code)
	}
	if took < 32 {
		t.Errorf("%d clients get %d places of 64", greedy, took)
	}
	_ = c.srv.Close()
	c.stay.Wait()
}

// arrivals is a listener with connections from addresses, one after the other.
type arrivals struct {
	net.Listener
	from []string
}

type arrived struct {
	net.Conn
	from *net.TCPAddr
}

func (a arrived) RemoteAddr() net.Addr { return a.from }
func (arrived) Close() error           { return nil }

func (a *arrivals) Accept() (net.Conn, error) {
	if len(a.from) == 0 {
		return nil, errors.New("nobody comes any more")
	}
	ip := net.ParseIP(a.from[0])
	a.from = a.from[1:]
	return arrived{from: &net.TCPAddr{IP: ip, Port: 1}}, nil
}

// Two addresses that open as many connections as they can, each of which says something all the time, leave some.
func TestThirdConnectionIsServed(t *testing.T) {
	const all = 64
	for _, greedy := range []int{1, 2, 3, 6} {
		t.Run(fmt.Sprint(greedy), func(t *testing.T) {
			var from []string
			for i := range greedy {
				for range all {
					from = append(from, fmt.Sprintf("198.51.100.%d", i+1))
				}
			}
			from = append(from, "203.0.113.1")
			r := newRig(t, nil)
			hs := new(http.Server)
			l, err := mcphttp.Limit(hs, &arrivals{from: from}, r.srv, &mcphttp.Options{MaxConnections: all})
			if err != nil {
				t.Fatal(err)
			}
			var last net.Addr
			for {
				c, err := l.Accept()
				if err != nil {
					break
				}
				hs.ConnState(c, http.StateActive)
				last = c.RemoteAddr()
			}
			if last.String() != "203.0.113.1:1" {
				t.Errorf("the last connection is that of %v", last)
			}
		})
	}
}
