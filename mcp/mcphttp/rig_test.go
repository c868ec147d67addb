package mcphttp_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if socket := os.Getenv(socketOfChild); socket != "" {
		serveStubbornly(socket)
	}
	goleak.VerifyTestMain(m)
}

const (
	modernVersion = "2026-07-28"
	modernMeta    = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	target        = "http://localhost/mcp"
)

// rig is a server with a tool for each thing that a transport has to do with.
type rig struct {
	srv     *mcp.Server
	http    http.Handler
	started chan struct{} // a call of "wait" has begun
	ended   chan struct{} // the context of a call of "wait" has ended
	proceed chan struct{} // lets calls of "wait" go on
}

const routed = `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},
	"deep":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"},"b":{"type":"boolean","x-mcp-header":"B"}}},"who":{"type":"string"}}}`

func newRig(t testing.TB, opts *mcphttp.Options) *rig {
	t.Helper()
	return newRigWith(t, opts, nil)
}

// newRigWith is newRig with other options of the server and other features.
func newRigWith(t testing.TB, opts *mcphttp.Options, o *mcp.Options, edits ...func(*mcprt.Features)) *rig {
	t.Helper()
	r := &rig{started: make(chan struct{}, 100), ended: make(chan struct{}, 100), proceed: make(chan struct{})}
	on := true
	silent := slog.New(slog.DiscardHandler)
	tools := r.tools()
	f := &mcprt.Features{
		Info: protocol.Implementation{Name: "rig", Version: "1"},
		Capabilities: protocol.ServerCapabilities{
			Logging:   new(protocol.ServerCapabilitiesLogging),
			Resources: &protocol.ServerCapabilitiesResources{Subscribe: &on, ListChanged: &on},
			Tools:     &protocol.ServerCapabilitiesTools{},
		},
		Tools: tools,
		Resources: []mcprt.Resource{{
			Entry: &protocol.Resource{URI: "r:///ä", Name: "a"}, Subscribe: true,
			Read: func(*mcprt.Call) (mcprt.Contents, error) { return mcprt.Text("text"), nil },
		}},
		Route: func(uri string, _ *mcprt.Vars) int {
			if uri == "r:///ä" {
				return 0
			}
			return -1
		},
	}
	for _, edit := range edits {
		edit(f)
	}
	var server mcp.Options
	if o != nil {
		server = *o
	}
	server.Logger, server.Grace = cmp.Or(server.Logger, silent), time.Second
	srv, err := mcprt.NewServer(f, &server)
	if err != nil {
		t.Fatal(err)
	}
	var h mcphttp.Options
	if opts != nil {
		h = *opts
	}
	if h.Logger == nil {
		h.Logger = silent
	}
	r.srv = srv
	if r.http, err = mcphttp.Handler(srv, &h); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	return r
}

// tokens reads a subject, a scope and how long they count from the Authorization header.
func tokens(r *http.Request) (mcp.Caller, error) {
	word := strings.Fields(r.Header.Get("Authorization"))
	if len(word) != 4 {
		return mcp.Caller{}, fmt.Errorf("no token in %q", word)
	}
	d, err := time.ParseDuration(word[3])
	return mcp.Caller{Subject: word[1], Scopes: word[2:3], Expires: time.Now().Add(d)}, err
}

// tools are the tools of the rig.
func (r *rig) tools() []mcprt.Tool {
	tool := func(name, schema string, f func(*mcprt.Call, []byte) (mcprt.ToolResult, error)) mcprt.Tool {
		return mcprt.Tool{Entry: &protocol.Tool{Name: name, InputSchema: []byte(schema)}, Call: f}
	}
	return []mcprt.Tool{
		tool("who", `{"type":"object"}`, func(c *mcprt.Call, _ []byte) (mcprt.ToolResult, error) {
			return mcprt.ToolResultOf(mcp.ToolText("caller="+c.Caller().Subject), nil)
		}),
		tool("routed", routed, func(_ *mcprt.Call, args []byte) (mcprt.ToolResult, error) {
			return mcprt.ToolResultOf(mcp.ToolText(string(args)), nil)
		}),
		tool("wait", `{"type":"object"}`, r.wait),
		tool("log", `{"type":"object"}`, func(c *mcprt.Call, _ []byte) (mcprt.ToolResult, error) {
			c.Logger().Info("first")
			c.Logger().Info("second")
			return mcprt.ToolResultOf(mcp.ToolText("done"), nil)
		}),
		tool("exit", `{"type":"object"}`, func(*mcprt.Call, []byte) (mcprt.ToolResult,
			error) {
			runtime.Goexit()
			panic("unreachable")
		}),
	}
}

// wait tells of itself, and returns when it may or must.
func (r *rig) wait(c *mcprt.Call, _ []byte) (mcprt.ToolResult, error) {
	c.Logger().Info("waiting")
	r.started <- struct{}{}
	select {
	case <-r.proceed:
		return mcprt.ToolResultOf(mcp.ToolText("waited"), nil)
	case <-c.Done():
		r.ended <- struct{}{}
		return mcprt.ToolResult{}, c.Err()
	}
}

// do sends a request without a network. Headers are name, value pairs that come after the usual ones; an
// empty value removes a header.
func (r *rig) do(method, body string, headers ...string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, target, strings.NewReader(body))
	setHeaders(req, headers)
	w := httptest.NewRecorder()
	r.http.ServeHTTP(w, req)
	return w
}

func setHeaders(req *http.Request, headers []string) {
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		switch name, value := headers[i], headers[i+1]; {
		case name == "Host":
			req.Host = value
		case value == "":
			req.Header.Del(name)
		default:
			req.Header.Add(name, value)
		}
	}
}

// initialize opens a session and returns the header that names it.
func (r *rig) initialize(t testing.TB, revision string, headers ...string) []string {
	t.Helper()
	w := r.do("POST", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+revision+`","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, headers...)
	id := w.Header().Get("Mcp-Session-Id")
	if w.Code != 200 || len(id) < 22 || !strings.Contains(w.Body.String(), `"protocolVersion":"`+revision+`"`) {
		t.Fatalf("initialize: %d %v %s", w.Code, w.Header(), w.Body)
	}
	session := append([]string{"Mcp-Session-Id", id}, headers...)
	if w := r.do("POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, session...); w.Code != 202 ||
		w.Body.Len() > 0 {
		t.Fatalf("initialized: %d %s", w.Code, w.Body)
	}
	return session
}

// modern makes a request of 2026-07-28 and its headers; params are further members.
func modern(method, name, params string) (body string, headers []string) {
	if params != "" {
		params += ","
	}
	headers = []string{"Mcp-Protocol-Version", modernVersion, "Mcp-Method", method}
	if name != "" {
		headers = append(headers, "Mcp-Name", name)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s%s}}`, method, params, modernMeta), headers
}

// request is the text of a request.
func request(method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, method, params)
}

// want compares the status of a response and looks for texts in its body.
func want(t testing.TB, w *httptest.ResponseRecorder, status int, texts ...string) {
	t.Helper()
	if w.Code != status {
		t.Errorf("status %d, want %d: %s", w.Code, status, w.Body)
	}
	for _, text := range texts {
		if !strings.Contains(w.Body.String(), text) {
			t.Errorf("no %s in %s", text, w.Body)
		}
	}
}

// live is an open response of a real server.
type live struct {
	*http.Response
	lines  *bufio.Scanner
	cancel context.CancelFunc
}

// open sends a request to a real server and returns as soon as the head of the response is there.
func open(t testing.TB, url, method, body string, headers ...string) *live {
	t.Helper()
	return openAt(t, url+"/mcp", method, body, headers...)
}

// openAt is open at any address.
func openAt(t testing.TB, url, method, body string, headers ...string) *live {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	setHeaders(req, headers)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	l := &live{resp, bufio.NewScanner(resp.Body), cancel}
	l.lines.Buffer(nil, 1<<24)
	t.Cleanup(l.close)
	return l
}

func (l *live) close() {
	l.cancel()
	_ = l.Body.Close()
}

// event returns the next event that has data; "" at the end.
func (l *live) event() (id, data string) {
	for l.lines.Scan() {
		line := l.lines.Text()
		if v, ok := strings.CutPrefix(line, "id: "); ok {
			id = v
		}
		if v, ok := strings.CutPrefix(line, "data: "); ok && v != "" {
			return id, v
		}
	}
	return id, ""
}

// listen makes a real server of r, which ends with the test.
func (r *rig) listen(t testing.TB) (url string) {
	s := httptest.NewServer(r.http)
	t.Cleanup(func() {
		_ = r.srv.Close()
		s.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return s.URL
}

func drain(l *live) string {
	var b strings.Builder
	for l.lines.Scan() { // it has read ahead
		b.WriteString(l.lines.Text() + "\n")
	}
	return b.String()
}

// logText is a log that is read while records may come: how many were left out is told later.
type logText struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logText) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// until waits for a state of another process, which nobody here can be told of.
func until(t *testing.T, state func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !state(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not come about")
		}
	}
}
