package robustness

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

// watchedWrites is a listener whose connections count the writes that have begun and those that have returned.
type watchedWrites struct {
	narrow
	begun, returned atomic.Int64
}

func (l *watchedWrites) Accept() (net.Conn, error) {
	c, err := l.narrow.Accept()
	if err != nil {
		return nil, err
	}
	return watchedConn{c, l}, nil
}

type watchedConn struct {
	net.Conn
	l *watchedWrites
}

func (c watchedConn) Write(b []byte) (int, error) {
	c.l.begun.Add(1)
	defer c.l.returned.Add(1)
	return c.Conn.Write(b)
}

// stalled is how many writes have not returned.
func (l *watchedWrites) stalled() int64 { return l.begun.Load() - l.returned.Load() }

// stall publishes until a write waits for its client: it is the same one for a while.
func (l *watchedWrites) stall(t *testing.T, srv *mcp.Server) {
	t.Helper()
	at, same := int64(-1), 0
	for end := time.Now().Add(patience); same < 300; time.Sleep(time.Millisecond) {
		for i := range 10 {
			srv.ResourceUpdated(fmt.Sprintf("page:///%d", i))
		}
		if begun := l.begun.Load(); l.stalled() == 1 && begun == at {
			same++
		} else {
			at, same = begun, 0
		}
		if time.Now().After(end) {
			t.Fatal("no write waits")
		}
	}
}

// TestStalledStreamHoldsNothingUp: while a write to the notification stream of a session waits for a client that does
// not read, all other requests of the session are answered. A new stream and the end of the session do not wait for it
// either.
func TestStalledStreamHoldsNothingUp(t *testing.T) {
	v := newVictim(t, &mcp.Options{UpdateDelay: -1}, &mcphttp.Options{WriteTimeout: time.Hour},
		func(f *mcprt.Features) { f.Capabilities.Logging = new(protocol.ServerCapabilitiesLogging) })
	server := httptest.NewUnstartedServer(v.http)
	writes := &watchedWrites{narrow: narrow{Listener: server.Listener}}
	server.Listener = writes
	server.Start()
	defer server.Close()
	defer func() { _ = v.srv.Close() }()
	session := v.openWhole()
	request := func(method, body string) (*raw, *http.Response) {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
		_ = conn.SetDeadline(time.Now().Add(patience))
		c := newRaw(t, conn)
		c.write(fmt.Sprintf("%s /mcp HTTP/1.1\r\nHost: localhost\r\nMcp-Session-Id: %s\r\nContent-Type: application/json\r\n"+
			"Accept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n%s", method, session, len(body), body))
		resp, err := http.ReadResponse(c.r, nil)
		if err != nil {
			t.Fatalf("%s %s: %v", method, body, err)
		}
		return c, resp
	}
	for i := range 10 {
		_, resp := request("POST", fmt.Sprintf(
			`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"page:///%d"}}`, i))
		if resp.StatusCode != http.StatusOK {
			t.Fatal(resp.Status)
		}
	}
	first, _ := request("GET", "")
	writes.stall(t, v.srv)
	for _, text := range []string{
		`"id":1,"method":"ping"`,
		`"id":1,"method":"resources/subscribe","params":{"uri":"page:///3"}`,
		`"id":1,"method":"resources/unsubscribe","params":{"uri":"page:///4"}`,
		`"id":1,"method":"resources/subscribe","params":{"uri":"page:///4"}`,
		`"id":1,"method":"logging/setLevel","params":{"level":"info"}`,
		`"id":1,"method":"tools/call","params":{"name":"echo","arguments":{}}`,
		`"method":"notifications/cancelled","params":{"requestId":1}`,
	} {
		_, resp := request("POST", `{"jsonrpc":"2.0",`+text+`}`)
		if resp.StatusCode >= 300 || writes.stalled() < 1 {
			t.Errorf("%s: %s, %d writes wait", text, resp.Status, writes.stalled())
		}
	}
	second, resp := request("GET", "")
	if resp.StatusCode != http.StatusOK || !first.closed() {
		t.Errorf("a new stream: %s", resp.Status)
	}
	writes.stall(t, v.srv)
	if _, resp = request("DELETE", ""); resp.StatusCode != http.StatusNoContent || !second.closed() {
		t.Errorf("the end of the session: %s", resp.Status)
	}
}
