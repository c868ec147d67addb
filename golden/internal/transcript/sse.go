package transcript

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/transport"
)

// discover is a request of a revision that HTTP+SSE does not have.
const discover = `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{` +
	`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"mcptest",` +
	`"version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`

// RunSSE is Run over HTTP+SSE. testdata/sse_NAME.txtar has each POST with its response, and then what came on the
// stream; for revisions without sessions, how a request is refused. start must return a generated server.
func RunSSE(t *testing.T, name string, start Start, script Script, opts ...mcptest.Option) {
	t.Helper()
	comment := "Requests of " + t.Name() + " over HTTP+SSE, and what comes on the stream; -> to the server, <- from it."
	mcptest.Compare(t, "sse_"+name, comment, func(t *testing.T, rev protocol.Revision) func() string {
		srv, ok := start(t).(mcphttp.Server)
		if !ok {
			t.Fatal("no generated server")
		}
		h, err := mcphttp.Handler(srv, &mcphttp.Options{SSE: true})
		if err != nil {
			t.Fatal(err)
		}
		w := &eventWeb{web: web{srv: srv, handler: h, path: mcphttp.SSEPath}}
		if protocol.HasMethod(rev, protocol.MethodInitialize) {
			script(mcptest.New(t, w, append(opts, mcptest.WithRevision(rev), mcptest.WithTimeout(time.Hour))...), rev)
		} else {
			client, server := transport.Pipe(nil)
			go func() {
				_ = client.WriteMessage([]byte(discover + "\n"))
				_, _ = client.ReadMessage(nil)
				_ = client.Close()
			}()
			_ = w.Serve(t.Context(), server)
		}
		return w.text
	})
}

// eventWeb is a web over HTTP+SSE.
type eventWeb struct {
	web
	lines []string // in the order in which they are written
	seen  int      // how many lines of the stream are among them
}

// Serve implements mcptest.Server. The next message goes out when the server has nothing left to do about the last one.
func (w *eventWeb) Serve(ctx context.Context, c transport.Conn) error {
	w.to = c
	stream := w.open(ctx, http.MethodGet, http.Header{"Accept": {"text/event-stream"}}, nil)
	synctest.Wait()
	w.take(stream, nil)
	w.path = stream.endpoint
	for {
		text, err := c.ReadMessage(nil)
		if err != nil {
			break
		}
		w.take(stream, nil) // what has come meanwhile
		head := http.Header{"Content-Type": {"application/json"}}
		x := w.open(ctx, http.MethodPost, head, bytes.TrimSpace(text))
		synctest.Wait()
		w.take(stream, x)
	}
	stream.hangUp()
	<-stream.done
	w.take(stream, nil)
	_ = w.srv.Base().Close()
	return c.Close()
}

// take records a POST, which is over, and what has come on the stream since the last call.
func (w *eventWeb) take(stream, post *exchange) {
	if post != nil {
		w.lines = append(append(w.lines, ""), post.lines...)
	}
	stream.mu.Lock()
	defer stream.mu.Unlock()
	w.lines = append(w.lines, stream.lines[w.seen:]...)
	w.seen = len(stream.lines)
}

// text returns the record.
func (w *eventWeb) text() string {
	_, id, _ := strings.Cut(w.path, "=")
	return strings.ReplaceAll(strings.Join(w.lines, "\n")+"\n", id, "SESSION")
}
