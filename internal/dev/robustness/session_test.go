package robustness

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

// callEcho is a call of the tool in a session.
const callEcho = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{}}}`

// inSession are the headers of a session, with more.
func inSession(id string, more ...string) http.Header {
	h := http.Header{"Mcp-Session-Id": {id}, "Mcp-Protocol-Version": {"2025-11-25"}}
	for i := 0; i < len(more); i += 2 {
		h.Set(more[i], more[i+1])
	}
	return h
}

// openWhole is open with the handshake done, without which there are no news.
func (v *victim) openWhole() string {
	session := v.open()
	v.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, inSession(session))
	return session
}

// tool makes call what the tool echo does.
func tool(call func(*mcprt.Call) error) func(*mcprt.Features) {
	return func(f *mcprt.Features) {
		f.Capabilities.Logging = new(protocol.ServerCapabilitiesLogging)
		f.Tools[0].Call = func(c *mcprt.Call, _ []byte) (mcprt.ToolResult, error) { return mcprt.AsToolText("said", call(c)) }
	}
}

// A session that is deleted while its request runs: the handler is told, the request is answered, the session is gone.
func TestDeleteDuringRequest(t *testing.T) {
	running, told := make(chan struct{}), make(chan error, 1)
	v := newVictim(t, nil, nil, tool(func(c *mcprt.Call) error {
		close(running)
		<-c.Done()
		told <- c.Err()
		return c.Err()
	}))
	session := v.open()
	answer := make(chan *httptest.ResponseRecorder)
	go func() { answer <- v.post(callEcho, inSession(session)) }()
	<-running
	if w := v.do(http.MethodDelete, "", inSession(session)); w.Code != http.StatusNoContent {
		t.Errorf("DELETE: %d", w.Code)
	}
	if err := <-told; err != context.Canceled {
		t.Errorf("the handler is told %v", err)
	}
	w := <-answer
	if w.Code != http.StatusNotFound || outcome(t, w.Body.String()) != "-32600" ||
		!strings.Contains(w.Body.String(), `"id":7`) {
		t.Errorf("the request: %d %s", w.Code, w.Body)
	}
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
		if w := v.do(method, callEcho, inSession(session)); w.Code != http.StatusNotFound {
			t.Errorf("%s afterwards: %d", method, w.Code)
		}
	}
}

// Requests that come at the instant at which their sessions expire are answered: by the session, which then lives on,
// or with 404. None is taken and dropped.
func TestRequestsOfExpiringSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVictim(t, nil, &mcphttp.Options{SessionTimeout: time.Hour, MaxPerClient: 10_000, MaxRequests: 10_000},
			tool(func(c *mcprt.Call) error {
				select {
				case <-c.Done():
				case <-time.After(time.Second):
				}
				return c.Err()
			}))
		sessions := make([]string, 1_000)
		for i := range sessions {
			sessions[i] = v.open()
		}
		var group sync.WaitGroup
		for _, session := range sessions {
			group.Go(func() {
				time.Sleep(time.Hour)
				switch w := v.post(callEcho, inSession(session)); {
				case w.Code == http.StatusOK && strings.Contains(w.Body.String(), "said"):
					if again := v.post(callEcho, inSession(session)); again.Code != http.StatusOK {
						t.Errorf("a session that was used: %d %s", again.Code, again.Body)
					}
				case w.Code != http.StatusNotFound:
					t.Errorf("%d %q", w.Code, w.Body)
				}
			})
		}
		group.Wait()
		_ = v.srv.Close()
		time.Sleep(2 * time.Hour) // the sweeper has nothing left to do
	})
}

// A client that comes back for more than is kept gets what is left: the answer of a request, and of the news that
// everything may have changed.
func TestResumeBehindTheMemory(t *testing.T) {
	const messages = 90 // of 40 KB, which is more than is kept
	text := strings.Repeat("x", 40<<10)
	v := newVictim(t, &mcp.Options{UpdateDelay: -1}, nil, tool(func(c *mcprt.Call) error {
		for n := range messages {
			c.Logger().Info("message", "n", n, "text", text)
		}
		return nil
	}))
	session := v.openWhole()
	v.post(`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"info"}}`, inSession(session))
	whole := v.post(callEcho, inSession(session)).Body.String()
	if n := strings.Count(whole, "notifications/message"); n != messages || !strings.Contains(whole, `"id":7,"result"`) {
		t.Fatalf("the stream has %d messages and ends in %.300s", n, whole[max(0, len(whole)-300):])
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(whole, "id: "), "\n")
	rest := v.do(http.MethodGet, "", inSession(session, "Last-Event-Id", first)).Body.String()
	if n := strings.Count(rest, "notifications/message"); n == 0 || n >= messages ||
		!strings.Contains(rest, `"id":7,"result"`) {
		t.Errorf("resumed with %d messages, answer %v", n, strings.Contains(rest, `"id":7,"result"`))
	}

	v.post(`{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"page:///1"}}`, inSession(session))
	server := httptest.NewServer(v.http)
	defer server.Close()
	defer func() { _ = v.srv.Close() }()
	news := stream(t, server.URL, inSession(session))
	for n := range messages {
		v.srv.ResourceUpdated("page:///1")
		if got := news(); !strings.Contains(got, "resources/updated") {
			t.Fatalf("update %d: %q", n, got)
		}
	}
	again := stream(t, server.URL, inSession(session, "Last-Event-Id", "0-1"))
	if got := again(); !strings.Contains(got, "resources/updated") {
		t.Errorf("after what was missed: %q", got)
	}
}

// stream opens a GET stream and returns what reads its next message.
func stream(t *testing.T, url string, header http.Header) func() string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header
	r.Header.Set("Accept", "text/event-stream")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = resp.Body.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("GET: %s", resp.Status)
	}
	lines := bufio.NewScanner(resp.Body)
	return func() string {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok && data != "" {
				return data
			}
		}
		return fmt.Sprint("end of the stream: ", lines.Err())
	}
}

// narrow is a listener whose connections hold little that the client has not read.
type narrow struct {
	net.Listener
	closed chan<- struct{} // gets an element when the server closes a connection, if there is room
}

func (n narrow) Accept() (net.Conn, error) {
	c, err := n.Listener.Accept()
	if err != nil {
		return nil, err
	}
	conn := narrowConn{c.(*net.TCPConn), n.closed}
	return conn, conn.SetWriteBuffer(4 << 10)
}

type narrowConn struct {
	*net.TCPConn
	closed chan<- struct{}
}

// Close implements net.Conn. http.Server.ConnState does not tell of a stream that has left net/http.
func (c narrowConn) Close() error {
	select {
	case c.closed <- struct{}{}:
	default:
	}
	return c.TCPConn.Close()
}

// A client that opens a stream and does not read is cut off at the write deadline. Until then what it misses takes no
// room, however much that is, and afterwards the server is as it was.
func TestSlowReaderOfEvents(t *testing.T) {
	v := newVictim(t, &mcp.Options{UpdateDelay: -1}, &mcphttp.Options{WriteTimeout: 200 * time.Millisecond})
	closed := make(chan struct{}, 100)
	server := httptest.NewUnstartedServer(v.http)
	server.Listener = narrow{server.Listener, closed}
	server.Start()
	defer server.Close()
	defer func() { _ = v.srv.Close() }()
	var uris []string
	for i := range 10 {
		uris = append(uris, fmt.Sprintf("page:///%d", i))
	}
	session := v.openWhole()
	for _, uri := range uris {
		v.post(`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"`+uri+`"}}`, inSession(session))
	}
	list, _ := json.Marshal(uris)
	listen := `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":` + string(list) + `},` + modernMeta + `}}`
	for name, head := range map[string]string{
		"legacy": "GET /mcp HTTP/1.1\r\nMcp-Session-Id: " + session + "\r\n",
		"modern": "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nMcp-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\n",
	} {
		body := ""
		if name == "modern" {
			body = listen
		}
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
		_, _ = fmt.Fprintf(conn, "%sHost: localhost\r\nAccept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n%s", head, len(body), body)
		if _, err := conn.Read(make([]byte, 1)); err != nil { // the stream has begun, and no more is read
			t.Fatal(err)
		}
		before := heap()
		published := publishUntil(t, v, uris, closed)
		if grown := heap() - before; grown > 8<<20 {
			t.Errorf("%s: %d updates have cost %d bytes", name, published, grown)
		}
		_, _ = io.Copy(io.Discard, conn) // what it had missed ends
		_ = conn.Close()
	}
	v.modern().echo(t)
	if w := v.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, inSession(session)); w.Code != http.StatusOK {
		t.Errorf("the session of the slow reader: %d", w.Code)
	}
}

// publishUntil publishes, at least 200,000 times, until the connection is closed.
func publishUntil(t *testing.T, v *victim, uris []string, closed <-chan struct{}) (n int) {
	t.Helper()
	limit := time.After(patience)
	for gone := false; !gone || n < 200_000; n++ {
		v.srv.ResourceUpdated(uris[n%len(uris)])
		if gone {
			continue
		}
		select {
		case <-closed:
			gone = true
		case <-limit:
			t.Fatalf("not cut off after %d updates", n)
		default:
		}
	}
	return n
}

// heap is how much memory is in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
