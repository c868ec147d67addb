package mcphttp_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

// narrow is a listener whose connections hold little that the client has not read.
type narrow struct{ net.Listener }

func (n narrow) Accept() (net.Conn, error) {
	c, err := n.Listener.Accept()
	if err == nil {
		err = c.(*net.TCPConn).SetWriteBuffer(4 << 10)
	}
	return c, err
}

// large makes the tool "who" answer with a megabyte.
func large(f *mcprt.Features) {
	text := strings.Repeat("x", 1<<20)
	f.Tools = []mcprt.Tool{{
		Entry: &protocol.Tool{Name: "who", InputSchema: []byte(`{"type":"object"}`)},
		Call: func(*mcprt.Call, []byte) (mcprt.ToolResult, error) {
			return mcprt.ToolResultOf(mcp.ToolText(text), nil)
		},
	}}
}

// rawRequest is the text of a request.
func rawRequest(method, body string, headers ...string) string {
	text := method + " /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
	for i := 0; i < len(headers); i += 2 {
		text += headers[i] + ": " + headers[i+1] + "\r\n"
	}
	return fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", text, len(body), body)
}

// A client that does not read its answers loses its connection at the deadline, however many requests and however small
// answers it takes to fill the buffers, and whatever the answers are.
func TestAnswersThatNobodyReads(t *testing.T) {
	r := newRigWith(t, &mcphttp.Options{AnswerTimeout: 100 * time.Millisecond}, nil, large)
	closed := make(chan struct{}, 100)
	server := httptest.NewUnstartedServer(r.http)
	server.Listener = narrow{server.Listener}
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateClosed {
			closed <- struct{}{}
		}
	}
	// The buffers are so small that TCP may stall before the server writes: then it waits for the rest of a request, as
	// long as these say. They do not end a write.
	server.Config.ReadHeaderTimeout, server.Config.IdleTimeout = time.Second, time.Second
	server.Start()
	defer server.Close()
	s := r.initialize(t, "2025-11-25")
	body, headers := modern("tools/call", "who", `"name":"who"`)
	for name, request := range map[string]string{
		"legacy":        rawRequest("POST", callOf(1, "who"), s...),
		"modern":        rawRequest("POST", body, headers...),
		"small":         rawRequest("POST", ping, s...),
		"empty":         rawRequest("POST", `{"jsonrpc":"2.0","method":"notifications/x"}`, s...),
		"refused":       rawRequest("POST", ping, "Mcp-Session-Id", "none"),
		"refused host":  strings.Replace(rawRequest("POST", ping), "Host: localhost", "Host: "+strings.Repeat("x", 4000), 1),
		"other methods": rawRequest("PUT", ping),
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
			go func() { // more and more requests on one connection, until it is closed
				for {
					if _, err := io.WriteString(conn, request); err != nil {
						return
					}
				}
			}()
			select {
			case <-closed:
			case <-time.After(time.Minute):
				t.Error("the connection is still open")
			}
		})
	}
}

// paced is a response that notes its deadlines.
type paced struct {
	http.ResponseWriter
	n     int  // bytes
	fresh bool // a deadline was set since the last write
	late  int  // writes without one, or too large
}

func (p *paced) SetWriteDeadline(at time.Time) error {
	p.fresh = !at.IsZero()
	return nil
}

func (p *paced) Write(b []byte) (int, error) {
	if !p.fresh || len(b) > 32<<10 {
		p.late++
	}
	p.n += len(b)
	p.fresh = false
	return len(b), nil
}

// Each piece of a large answer has a deadline of its own, so that a client that reads slowly, but reads, gets all of
// it; and what net/http writes afterwards has one.
func TestDeadlinesOfPieces(t *testing.T) {
	r := newRigWith(t, nil, nil, large)
	body, headers := modern("tools/call", "who", `"name":"who"`)
	req := httptest.NewRequest(http.MethodPost, target, strings.NewReader(body))
	setHeaders(req, headers)
	w := &paced{ResponseWriter: httptest.NewRecorder()}
	r.http.ServeHTTP(w, req)
	if w.n < 1<<20 || w.late > 0 || !w.fresh {
		t.Errorf("%d bytes, %d writes without a deadline, one at the end: %v", w.n, w.late, w.fresh)
	}
}
