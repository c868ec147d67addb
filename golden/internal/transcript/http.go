package transcript

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/generated/protocol/ext/tasks"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/transport"
)

const (
	sessionHeader = "Mcp-Session-Id"
	versionKey    = "io.modelcontextprotocol/protocolVersion"
)

// web carries the messages of a client to a server as a client of Streamable HTTP does, without a network, and records
// each request together with all of its response. It lives in a bubble of synctest.
type web struct {
	srv      mcphttp.Server
	handler  http.Handler
	path     string
	revision string
	session  string
	to       transport.Conn

	exchanges []*exchange // in the order of the requests
	listens   map[string]*exchange
}

func newWeb(srv mcphttp.Server, rev protocol.Revision) *web {
	h, err := mcphttp.Handler(srv, nil)
	if err != nil {
		panic(err) // never without options
	}
	return &web{srv: srv, handler: h, path: mcphttp.Path, revision: rev.String(), listens: map[string]*exchange{}}
}

// Serve implements mcptest.Server. The next message goes out when the server has nothing left to do about the last one.
func (w *web) Serve(ctx context.Context, c transport.Conn) error {
	w.to = c
	for {
		text, err := c.ReadMessage(nil)
		if err != nil {
			break
		}
		w.post(ctx, bytes.TrimSpace(text))
		synctest.Wait()
	}
	for _, x := range w.exchanges {
		x.hangUp()
	}
	if w.session != "" {
		w.open(ctx, http.MethodDelete, nil, nil)
		synctest.Wait()
	}
	_ = w.srv.Base().Close()
	for _, x := range w.exchanges {
		<-x.done
	}
	return c.Close()
}

// post sends a message. Of the newest revision, hanging up says what a notification says elsewhere.
func (w *web) post(ctx context.Context, text []byte) {
	m := peek(text)
	if m.Method == protocol.MethodNotificationsCancelled && m.version != "" {
		if x := w.listens[string(m.Params["requestId"])]; x != nil {
			x.hangUp()
		}
		return
	}
	head := http.Header{"Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}}
	switch {
	case m.version != "":
		head["Mcp-Protocol-Version"], head["Mcp-Method"] = []string{m.version}, []string{m.Method}
		if name := m.target(); name != "" {
			head.Set("Mcp-Name", name)
		}
	case w.session != "" && w.revision >= "2025-06-18":
		head.Set("Mcp-Protocol-Version", w.revision)
	}
	x := w.open(ctx, http.MethodPost, head, text)
	if m.ID != nil {
		w.listens[string(m.ID)] = x
	}
	switch m.Method {
	case protocol.MethodInitialize:
		synctest.Wait()
		w.session = x.header.Get(sessionHeader)
	case protocol.MethodNotificationsInitialized:
		synctest.Wait()
		head = http.Header{"Accept": {"text/event-stream"}}
		if w.revision >= "2025-06-18" {
			head.Set("Mcp-Protocol-Version", w.revision)
		}
		w.open(ctx, http.MethodGet, head, nil)
	}
}

// open sends a request.
func (w *web) open(ctx context.Context, method string, head http.Header, body []byte) *exchange {
	if head == nil {
		head = http.Header{}
	}
	if w.session != "" {
		head.Set(sessionHeader, w.session)
	}
	ctx, cancel := context.WithCancel(ctx)
	r := httptest.NewRequestWithContext(ctx, method, "http://localhost"+w.path, bytes.NewReader(body))
	r.Header = head
	x := &exchange{to: w.to, cancel: cancel, done: make(chan struct{}), header: http.Header{}}
	x.addf("%s %s", method, w.path)
	x.addHeader(head)
	if body != nil {
		x.addf("-> %s", body)
	}
	w.exchanges = append(w.exchanges, x)
	go func() {
		defer close(x.done)
		w.handler.ServeHTTP(x, r)
		x.end()
	}()
	return x
}

// text returns the record.
func (w *web) text() string {
	var all []string
	for _, x := range w.exchanges {
		all = append(all, strings.Join(x.lines, "\n")+"\n")
	}
	text := strings.Join(all, "\n")
	if w.session != "" {
		text = strings.ReplaceAll(text, w.session, "SESSION")
	}
	return text
}

// message is what the headers repeat of one.
type message struct {
	ID      json.RawMessage
	Method  string
	Params  map[string]json.RawMessage
	version string // that params._meta claims
}

func peek(text []byte) (m message) {
	_ = json.Unmarshal(text, &m)
	var meta map[string]json.RawMessage
	_ = json.Unmarshal(m.Params["_meta"], &meta)
	_ = json.Unmarshal(meta[versionKey], &m.version)
	return m
}

// target is the value of Mcp-Name.
func (m *message) target() string {
	var name string
	switch m.Method {
	case protocol.MethodToolsCall, protocol.MethodPromptsGet:
		_ = json.Unmarshal(m.Params["name"], &name)
	case protocol.MethodResourcesRead:
		_ = json.Unmarshal(m.Params["uri"], &name)
	case tasks.MethodTasksGet, tasks.MethodTasksUpdate, tasks.MethodTasksCancel:
		_ = json.Unmarshal(m.Params["taskId"], &name)
	}
	if strings.Trim(name, " ") == name && !strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r > '~' }) {
		return name
	}
	return fmt.Sprintf("=?base64?%s?=", base64.StdEncoding.EncodeToString([]byte(name)))
}

// exchange is one request and the writer of its response.
type exchange struct {
	to     transport.Conn
	cancel context.CancelFunc
	done   chan struct{} // closed when the response is complete
	header http.Header

	mu    sync.Mutex
	lines []string
	began bool
	rest  []byte // what is written of a line, or of a body

	endpoint string // of HTTP+SSE
}

func (x *exchange) addf(format string, args ...any) {
	x.lines = append(x.lines, fmt.Sprintf(format, args...))
}

func (x *exchange) addHeader(h http.Header) {
	var b strings.Builder
	_ = h.WriteSubset(&b, map[string]bool{"Content-Length": true}) // sorted; lengths say nothing of what is masked
	for line := range strings.Lines(b.String()) {
		x.addf("%s", strings.TrimSpace(line))
	}
}

// hangUp ends an exchange that is still going on, as a client does by closing the connection.
func (x *exchange) hangUp() {
	select {
	case <-x.done:
		return
	default:
	}
	x.mu.Lock()
	x.addf("(the client hangs up)")
	x.mu.Unlock()
	x.cancel()
}

// Header implements http.ResponseWriter.
func (x *exchange) Header() http.Header { return x.header }

// WriteHeader implements http.ResponseWriter.
func (x *exchange) WriteHeader(status int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.beginLocked(status)
}

func (x *exchange) beginLocked(status int) {
	if x.began {
		return
	}
	x.began = true
	x.addf("%d %s", status, http.StatusText(status))
	x.addHeader(x.header)
}

// Flush makes the handler believe that it can.
func (x *exchange) Flush() {}

// Write implements http.ResponseWriter.
func (x *exchange) Write(b []byte) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.beginLocked(http.StatusOK)
	x.rest = append(x.rest, b...)
	if x.header.Get("Content-Type") != "text/event-stream" {
		return len(b), nil
	}
	for {
		line, rest, ok := bytes.Cut(x.rest, []byte("\n"))
		if !ok {
			return len(b), nil
		}
		data, ok := bytes.CutPrefix(line, []byte("data: "))
		if ok && x.lines[len(x.lines)-1] == "event: endpoint" {
			x.endpoint, ok = string(data), false
		}
		if ok && len(data) > 0 {
			x.addf("<- %s", data)
			_ = x.to.WriteMessage(data) // who has gone needs no answer
		} else if len(line) > 0 {
			x.addf("%s", bytes.TrimSpace(line))
		}
		x.rest = bytes.Clone(rest)
	}
}

// end completes a response.
func (x *exchange) end() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.beginLocked(http.StatusOK)
	body := bytes.TrimSpace(x.rest)
	if len(body) == 0 {
		return
	}
	if x.header.Get("Content-Type") != "application/json" {
		x.addf("%s", body)
		return
	}
	x.addf("<- %s", body)
	_ = x.to.WriteMessage(body)
}
