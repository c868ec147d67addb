package robustness

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

// from dials a site from another loopback address than the usual one. The test is skipped where there is none.
func (s *fixture) from(addr string) *raw {
	s.t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(addr)}}
	conn, err := d.DialContext(s.t.Context(), "tcp", s.addr)
	if err != nil {
		s.t.Skipf("there is no second loopback address: %v", err)
	}
	_ = conn.SetDeadline(time.Now().Add(patience))
	s.t.Cleanup(func() { _ = conn.Close() })
	return newRaw(s.t, conn)
}

// slowBody is a request whose body begins and does not go on.
func slowBody(method, path string, headers ...string) string {
	return rawHead(method, path, headers...) + "Content-Length: 1000\r\n\r\n{\"jsonrpc\":"
}

// TestSlowBodies: a body that does not come ends its connection, whether the request is handled or refused.
func TestSlowBodies(t *testing.T) {
	s := serve(t, newVictim(t, nil, nil).srv, mcphttp.Options{ReadTimeout: 20 * time.Millisecond})
	for _, row := range []struct{ name, text string }{
		{"handled", slowBody("POST", "/mcp")},
		{"403", slowBody("POST", "/mcp", "Host", "evil.example")},
		{"403 by origin", slowBody("POST", "/mcp", "Origin", "https://evil.example")},
		{"404", slowBody("POST", "/nothing")},
		{"301", slowBody("POST", "//mcp/../mcp")},
		{"405", slowBody("PUT", "/mcp")},
		{"405 of a probe", slowBody("POST", "/livez")},
		{"406", slowBody("POST", "/mcp", "Accept", "text/html")},
		{"415", slowBody("POST", "/mcp", "Content-Type", "text/plain")},
		{"GET", slowBody("GET", "/mcp")},
		{"GET of no session", slowBody("GET", "/mcp", "Mcp-Session-Id", "x")},
		{"DELETE", slowBody("DELETE", "/mcp", "Mcp-Session-Id", "x")},
		{"OPTIONS", slowBody("OPTIONS", "/mcp")},
		{"/livez", slowBody("GET", "/livez")},
		{"/readyz", slowBody("GET", "/readyz")},
		{"chunks", rawHead("POST", "/nothing") + "Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n"},
		{"a promise", rawHead("POST", "/nothing") + "Content-Length: 9\r\nExpect: 100-continue\r\n\r\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			c := s.dial()
			c.t = t
			c.write(row.text)
			if !c.closed() {
				t.Error("the connection is still open")
			}
		})
	}
}

// TestSlowBodiesOfMany: bodies that are awaited take no place among requests.
func TestSlowBodiesOfMany(t *testing.T) {
	s := serve(t, newVictim(t, nil, nil).srv, mcphttp.Options{MaxRequests: 4})
	for range 20 {
		s.dial().write(slowBody("POST", "/mcp"))
	}
	s.alive()
}

// TestConnectionsOfOneAddress: one address has at most half of the connections, however it keeps them open.
func TestConnectionsOfOneAddress(t *testing.T) {
	s := serve(t, newVictim(t, nil, nil).srv, mcphttp.Options{MaxConnections: 20, ReadTimeout: time.Hour})
	var conns []*raw
	for range 30 {
		c := s.dial()
		c.write(slowBody("POST", "/mcp"))
		conns = append(conns, c)
	}
	over := make(chan bool, len(conns))
	for _, c := range conns {
		go func() { over <- c.closed() }()
	}
	for range 20 {
		if !<-over {
			t.Fatal("more connections are open than one address may have")
		}
	}
	honest := s.from("127.0.0.2")
	honest.write(rawEcho())
	if got := honest.status(); got != http.StatusOK {
		t.Errorf("another address gets %d", got)
	}
	for _, c := range conns {
		_ = c.Close()
	}
	for range 10 {
		<-over
	}
}

// TestStreamsBelowConnections: without options, streams use up MaxStreams before MaxConnections. So a newcomer gets 503
// and not a closed connection.
func TestStreamsBelowConnections(t *testing.T) {
	const connections, streams = 40, 30
	s := serve(t, newVictim(t, nil, nil).srv, mcphttp.Options{MaxConnections: connections})
	body := `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{},` + modernMeta + `}}`
	head := strings.Replace(rawHead("POST", "/mcp", "Mcp-Method", "subscriptions/listen"), "Mcp-Name: echo\r\n", "", 1)
	for i := range streams + 5 {
		c := s.from(fmt.Sprintf("127.0.0.%d", 2+i))
		c.write(fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head, len(body), body))
		resp, err := http.ReadResponse(c.r, nil)
		if err != nil {
			t.Fatalf("stream %d: %v", i, err)
		}
		wanted := http.StatusOK
		if i >= streams {
			wanted = http.StatusServiceUnavailable
		}
		if resp.StatusCode != wanted || (resp.Header.Get("Retry-After") == "") != (i < streams) {
			t.Errorf("stream %d gets %s %v", i, resp.Status, resp.Header)
		}
	}
}

// TestIdleConnections: connections that wait for their next request make room for newcomers.
func TestIdleConnections(t *testing.T) {
	s := serve(t, newVictim(t, nil, nil).srv, mcphttp.Options{MaxConnections: 16})
	for i := range 40 {
		c := s.dial()
		c.write(rawEcho())
		if got := c.status(); got != http.StatusOK {
			t.Fatalf("connection %d gets %d", i, got)
		}
	}
}

// huge makes the tool answer with 8 MiB, unless it is told to answer small.
func huge(f *mcprt.Features) {
	text := strings.Repeat("x", 8<<20)
	f.Tools[0].Call = func(_ *mcprt.Call, args []byte) (mcprt.ToolResult, error) {
		if strings.Contains(string(args), "small") {
			return mcprt.ToolResultOf(mcp.ToolText("small"), nil)
		}
		return mcprt.ToolResultOf(mcp.ToolText(text), nil)
	}
}

// TestUnreadAnswers: answers that a client does not read are bounded in bytes; it gets no further ones before it reads,
// and others get theirs.
func TestUnreadAnswers(t *testing.T) {
	s := serve(t, newVictim(t, nil, nil, huge).srv, mcphttp.Options{MaxPendingBytes: 20 << 20, AnswerTimeout: time.Hour})
	first := s.dial()
	_ = first.Conn.(*net.TCPConn).SetReadBuffer(64 << 10)
	first.write(rawEcho())
	resp, err := http.ReadResponse(first.r, nil)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("the first gets %v, %v", resp, err)
	}
	for range 5 {
		c := s.dial()
		c.write(rawEcho())
		resp, body := c.response()
		if resp == nil || resp.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, `"id":1`) ||
			resp.Header.Get("Retry-After") == "" {
			t.Fatalf("one more gets %v %.200s", resp, body)
		}
	}
	small := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"small":1},` +
		modernMeta + `}}`
	other := s.from("127.0.0.2")
	other.write(fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", rawHead("POST", "/mcp"), len(small), small))
	if got := other.status(); got != http.StatusOK {
		t.Errorf("another address gets %d", got)
	}
	n := 0
	for b := make([]byte, 1<<20); ; {
		m, err := resp.Body.Read(b)
		if n += m; err != nil {
			break
		}
	}
	if n < 8<<20 {
		t.Errorf("who reads late gets %d bytes", n)
	}
	s.alive()
}

// TestPipelinedRefusals: nothing that a server writes waits for ever for a client that does not read, not even what
// net/http says about a request that it cannot read.
func TestPipelinedRefusals(t *testing.T) {
	// Not TCP, which may stall before the server writes: then it waits for the rest of a request.
	s := serve(t, newVictim(t, nil, nil).srv, mcphttp.Options{AnswerTimeout: 50 * time.Millisecond}, "-unix", socket(t))
	var group sync.WaitGroup
	for _, text := range []string{
		rawHead("GET", "/nothing") + "\r\n", rawHead("GET", "//x") + "\r\n", rawHead("PUT", "/livez") + "\r\n",
		rawHead("GET", "/livez") + "\r\n",
	} {
		group.Go(func() {
			c := s.dial()
			many := strings.Repeat(text, 1000)
			for { // until the connection is closed, because nobody reads
				if _, err := c.Write([]byte(many)); err != nil {
					if late, ok := err.(net.Error); ok && late.Timeout() {
						t.Errorf("%.20q: the connection is still open", text)
					}
					return
				}
			}
		})
	}
	group.Wait()
}

// socket returns a path for a Unix socket.
func socket(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "mcp") //nolint:usetesting // short: the name of a socket has 100 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return filepath.Join(dir, "s")
}

// TestConnectionsOfUnixSocket: clients of a socket have no address, and none of them counts for another.
func TestConnectionsOfUnixSocket(t *testing.T) {
	opts := mcphttp.Options{MaxConnections: 20, ReadTimeout: time.Hour}
	s := serve(t, newVictim(t, nil, nil).srv, opts, "-unix", socket(t))
	for range 19 {
		s.dial().write(slowBody("POST", "/mcp"))
	}
	s.alive()
}
