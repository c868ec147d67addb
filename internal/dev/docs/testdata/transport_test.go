package lines

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/golden/ask"
	"github.com/mcpgen/mcpgen/golden/notes"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/exchange"
)

// site is a server behind the transport of docs/transports.md.
type site struct {
	t   *testing.T
	url string
}

func newSite(t *testing.T, srv exchange.Server) site {
	s := httptest.NewServer(&Handler{Server: srv})
	t.Cleanup(func() { _ = srv.Base().Close(); s.CloseClientConnections(); s.Close() })
	return site{t, s.URL}
}

// send makes a request; next returns the lines of the response, "" at its end.
func (s site) send(ctx context.Context, method, session, body string) (next func() string, head http.Header) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, s.url, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Session", session)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = resp.Body.Close() })
	in := bufio.NewReader(resp.Body)
	return func() string {
		line, _ := in.ReadString('\n')
		return strings.TrimSpace(line)
	}, resp.Header
}

func (s site) want(got string, parts ...string) {
	s.t.Helper()
	for _, part := range parts {
		if !strings.Contains(got, part) {
			s.t.Errorf("got %.400q, want %q in it", got, part)
		}
	}
}

// meta makes a message stand alone.
const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","progressToken":"p",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},` +
	`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}`

const book = `"name":"book","arguments":{"to":"Rome"}`

func request(id int, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`, id, method, params)
}

func TestMessagesThatStandAlone(t *testing.T) {
	srv, err := ask.NewAskServer(ask.AskImpl{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t, srv)
	next, _ := s.send(t.Context(), "POST", "", request(1, "tools/call", book+","+meta))
	s.want(next(), `"progressToken":"p"`, `"asking"`)
	s.want(next(), `"id":1`, `"resultType":"input_required"`, "Who goes to Rome?")
	s.want(next()+".", ".")
	next, _ = s.send(t.Context(), "POST", "", request(2, "tools/call", book))
	s.want(next(), `"id":2`, "no session")
	next, _ = s.send(t.Context(), "POST", "", `{"jsonrpc":"2.0",`)
	s.want(next(), `"code":-32700`)
	old := strings.Replace(meta, "2026-07-28", "2031-01-01", 1)
	next, _ = s.send(t.Context(), "POST", "", request(3, "tools/list", old))
	s.want(next(), `"id":3`, `"supported":`)
}

func TestSession(t *testing.T) {
	srv, err := ask.NewAskServer(ask.AskImpl{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t, srv)
	next, head := s.send(t.Context(), "POST", "", request(1, "initialize", `"protocolVersion":"2025-06-18",`+
		`"capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}`))
	id := head.Get("Session")
	s.want(next(), `"id":1`, `"protocolVersion":"2025-06-18"`)
	next, _ = s.send(t.Context(), "POST", id, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	if line := next(); line != "" {
		t.Errorf("a notification has the response %s", line)
	}
	next, _ = s.send(t.Context(), "POST", id, request(2, "tools/call", book+`,"_meta":{"progressToken":"p"}`))
	s.want(next(), `"asking"`)
	for i, answer := range []string{`"action":"accept","content":{"name":"Ada"}`, `"action":"decline"`} {
		var question struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		line := next()
		if err := json.Unmarshal([]byte(line), &question); err != nil || question.Method != "elicitation/create" {
			t.Fatalf("question %d: %s", i, line)
		}
		s.send(t.Context(), "POST", id, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{%s}}`, question.ID, answer))
		s.want(next(), `notifications/progress`)
	}
	s.want(next(), `"id":2`, `"name":"Ada"`)
	next, _ = s.send(t.Context(), "POST", id, "["+request(3, "ping", "")+"]")
	s.want(next(), "no batches")
	s.send(t.Context(), "DELETE", id, "")
	next, _ = s.send(t.Context(), "POST", id, request(4, "ping", ""))
	s.want(next(), "no session")
}

// Updates reach the stream of a session, and a listen that stands alone until its client leaves.
func TestUpdates(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "today.md"), []byte("# Today"), 0o600); err != nil {
		t.Fatal(err)
	}
	n, err := notes.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = n.Close() })
	srv, err := notes.NewNotesServer(notes.NotesImpl{Notes: n}, &mcp.Options{UpdateDelay: -1})
	if err != nil {
		t.Fatal(err)
	}
	const today = "notes:///today"
	s := newSite(t, srv)
	next, head := s.send(t.Context(), "POST", "", request(1, "initialize", `"protocolVersion":"2025-11-25",`+
		`"capabilities":{},"clientInfo":{"name":"c","version":"1"}`))
	id := head.Get("Session")
	next()
	s.send(t.Context(), "POST", id, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	next, _ = s.send(t.Context(), "POST", id, request(2, "resources/subscribe", `"uri":"`+today+`"`))
	s.want(next(), `"id":2`, `"result"`)
	srv.ResourceUpdated(today) // held back

	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	listen, _ := s.send(ctx, "POST", "", request(3, "subscriptions/listen",
		`"notifications":{"resourceSubscriptions":["`+today+`"]},`+meta))
	s.want(listen(), "subscriptions/acknowledged")
	srv.ResourceUpdated(today)
	s.want(listen(), "notifications/resources/updated", today)
	leave()
	for deadline := time.Now().Add(10 * time.Second); srv.Stats().Subscriptions > 1; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the listen of a client that has left goes on")
		}
	}

	// The response to a GET begins with its first notification.
	stream, _ := s.send(t.Context(), "GET", id, "")
	for line := stream(); !strings.Contains(line, "notifications/resources/updated"); line = stream() {
		if line == "" {
			t.Fatal("the stream has ended")
		}
	}
}

// A large response comes in pieces.
func TestLargeResponse(t *testing.T) {
	srv, err := ask.NewAskServer(ask.AskImpl{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	large := bytes.Repeat([]byte("lines and lines; "), 100_000)
	add := srv.AddTool(mcp.DynamicTool{Name: "large", Call: func(*mcp.Call, json.RawMessage) (mcp.ToolResult, error) {
		return mcp.ToolText(string(large)), nil
	}})
	if add != nil {
		t.Fatal(add)
	}
	w := &counted{header: http.Header{}}
	h := &Handler{Server: srv}
	body := request(1, "tools/call", `"name":"large",`+meta)
	h.ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader(body)))
	if w.writes < 10 || w.most > 1<<17 || !bytes.Contains(w.all.Bytes(), large) || !json.Valid(w.all.Bytes()) {
		t.Errorf("%d writes of at most %d bytes, %d in all", w.writes, w.most, w.all.Len())
	}
}

// counted is a response that counts how it was written.
type counted struct {
	header       http.Header
	all          bytes.Buffer
	writes, most int
}

func (c *counted) Header() http.Header { return c.header }
func (c *counted) WriteHeader(int)     {}
func (c *counted) Flush()              {}

func (c *counted) Write(b []byte) (int, error) {
	c.writes, c.most = c.writes+1, max(c.most, len(b))
	return c.all.Write(b)
}
