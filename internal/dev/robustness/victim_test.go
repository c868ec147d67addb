package robustness

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/internal/dev/robustness/served"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/stdio"
)

func TestMain(m *testing.M) {
	if os.Getenv(serveVariable) != "" {
		served.Main()
	}
	goleak.VerifyTestMain(m)
}

const (
	patience   = time.Minute
	modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	openParams = `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"fault","version":"1"}`
)

// victim is a server that is maltreated.
type victim struct {
	t     testing.TB
	srv   *mcp.Server
	http  http.Handler
	calls atomic.Int64 // of the tool echo
}

func newVictim(t testing.TB, opts *mcp.Options, over *mcphttp.Options, edits ...func(*mcprt.Features)) *victim {
	t.Helper()
	v := &victim{t: t}
	o := mcp.Options{Grace: time.Second}
	if opts != nil {
		o = *opts
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	f := v.features()
	for _, edit := range edits {
		edit(f)
	}
	srv, err := mcprt.NewServer(f, &o)
	if err != nil {
		t.Fatal(err)
	}
	var h mcphttp.Options
	if over != nil {
		h = *over
	}
	h.Logger = o.Logger
	v.srv = srv
	if v.http, err = mcphttp.Handler(srv, &h); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	return v
}

// features are a tool that echoes its argument, a resource, a template and a list of several pages.
func (v *victim) features() *mcprt.Features {
	on := true
	pages := make([]mcprt.Resource, 10)
	for i := range pages {
		uri := fmt.Sprintf("page:///%d", i)
		pages[i] = mcprt.Resource{Entry: &protocol.Resource{URI: uri, Name: uri}, Subscribe: true,
			Static: new(mcprt.Text(uri))}
	}
	item := mcprt.Resource{
		Template: &protocol.ResourceTemplate{URITemplate: "item:///{name}{?n*}", Name: "item"},
		Read:     func(c *mcprt.Call) (mcprt.Contents, error) { return mcprt.Text(c.Vars.Text(0, "name")), c.Vars.Err() },
	}
	return &mcprt.Features{
		Info:     protocol.Implementation{Name: "victim", Version: "1"},
		PageSize: 4,
		Capabilities: protocol.ServerCapabilities{
			Resources: &protocol.ServerCapabilitiesResources{Subscribe: &on},
			Tools:     new(protocol.ServerCapabilitiesTools),
		},
		Resources: append(pages, item),
		Route: func(uri string, vars *mcprt.Vars) int {
			for i := range pages {
				if uri == pages[i].Entry.URI {
					return i
				}
			}
			if vars.Split(uri) && vars.Scheme == "item" && vars.N == 2 && vars.Take(0, vars.Seg[1]) {
				vars.TakeParam(1, "n")
				return len(pages)
			}
			return -1
		},
		Tools: []mcprt.Tool{{
			Entry: &protocol.Tool{Name: "echo", InputSchema: json.RawMessage(`{"type":"object"}`)},
			Call: func(_ *mcprt.Call, args []byte) (mcprt.ToolResult, error) {
				v.calls.Add(1)
				return mcprt.ToolResultOf(mcp.ToolText(string(args)), nil)
			},
		}},
	}
}

// entry is a way in. send delivers one text and returns what came back, one message a line, behind the status of HTTP.
type entry struct {
	name string
	meta string // member of params that good requests have, with a comma
	send func(text []byte) string
}

// entries are the ways into a new server.
func entries(t testing.TB, v *victim) []*entry {
	t.Helper()
	return []*entry{v.onStdio(), v.legacy(), v.modern()}
}

// onStdio serves v on pipes.
func (v *victim) onStdio() *entry {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- v.srv.Serve(v.t.Context(), stdio.New(&stdio.Options{In: in, Out: out, NoSignals: true}))
	}()
	lines := make(chan string, 1<<16)
	go func() {
		defer close(lines)
		r := bufio.NewReaderSize(fromServer, 1<<20)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			lines <- strings.TrimSuffix(line, "\n")
		}
	}()
	v.t.Cleanup(func() {
		_ = toServer.Close()
		if err := <-served; err != nil {
			v.t.Errorf("Serve: %v", err)
		}
		_ = out.Close()
		for range lines { // to its end
		}
	})
	e := &entry{name: "stdio"}
	fences := 0
	e.send = func(text []byte) string {
		fences++
		fence := fmt.Sprintf(`{"jsonrpc":"2.0","id":"fence %d","method":"ping"}`, fences)
		if _, err := toServer.Write(append(append(bytes.Clone(text), '\n'), fence+"\n"...)); err != nil {
			v.t.Fatal(err)
		}
		var got []string
		for {
			select {
			case line, ok := <-lines:
				if !ok {
					return "ended"
				}
				if strings.Contains(line, fmt.Sprintf(`"fence %d"`, fences)) {
					return strings.Join(got, "\n")
				}
				got = append(got, line)
			case <-time.After(patience):
				v.t.Fatalf("nothing came after %.200q", text)
			}
		}
	}
	e.send([]byte(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{` + openParams + `}}`))
	e.send([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	return e
}

// legacy opens a session over HTTP.
func (v *victim) legacy() *entry {
	open := v.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{`+openParams+`}}`, nil)
	session := open.Header().Get("Mcp-Session-Id")
	if open.Code != http.StatusOK || session == "" {
		v.t.Fatalf("no session: %d %s", open.Code, open.Body)
	}
	e := &entry{name: "legacy"}
	e.send = func(text []byte) string {
		return answered(v.post(string(text), http.Header{"Mcp-Session-Id": {session},
			"Mcp-Protocol-Version": {"2025-11-25"}}))
	}
	return e
}

// modern is HTTP of 2026-07-28.
func (v *victim) modern() *entry {
	e := &entry{name: "modern", meta: "," + modernMeta}
	e.send = func(text []byte) string {
		return answered(v.post(string(text), http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"},
			"Mcp-Name": {"echo"}}))
	}
	return e
}

// post sends a request without a network.
func (v *victim) post(body string, header http.Header) *httptest.ResponseRecorder {
	return v.do(http.MethodPost, body, header)
}

func (v *victim) do(method, body string, header http.Header) *httptest.ResponseRecorder {
	ctx, cancel := context.WithTimeout(v.t.Context(), time.Minute) // for streams that should not have been opened
	defer cancel()
	r := httptest.NewRequest(method, "http://localhost/mcp", strings.NewReader(body)).WithContext(ctx)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for name, values := range header {
		r.Header[name] = values
		if name == "Host" {
			r.Host = values[0]
		}
	}
	w := httptest.NewRecorder()
	done := make(chan struct{})
	go func() { // of its own, as in net/http: handlers may end it
		defer close(done)
		v.http.ServeHTTP(w, r)
	}()
	<-done
	return w
}

// answered is the status, and the data of events without their frames.
func answered(w *httptest.ResponseRecorder) string {
	text := regexp.MustCompile(`(?m)^(?:id|event|retry): ?.*\n|^data: ?`).ReplaceAllString(w.Body.String(), "")
	return fmt.Sprintf("%d\n%s", w.Code, strings.TrimSpace(text))
}

// echo calls the tool and insists on its answer: the server is alive.
func (e *entry) echo(t testing.TB) {
	t.Helper()
	got := e.await(`{"jsonrpc":"2.0","id":"alive","method":"tools/call","params":{"name":"echo","arguments":{"x":1}` +
		e.meta + `}}`)
	if !strings.Contains(got, `"id":"alive"`) || !strings.Contains(got, `{\"x\":1}`) {
		t.Errorf("%s: the next request is answered with %.300s", e.name, got)
	}
}

// await is send for what will be answered, perhaps after what is sent next.
func (e *entry) await(text string) string {
	got := e.send([]byte(text))
	for got == "" {
		got = e.send(nil)
	}
	return got
}

// secrets are what no client may be shown.
var secrets = regexp.MustCompile(`goroutine \d|\.go:\d|runtime error|panic|/mcp/|internal/`)

// outcome is what came back, in short: the status of HTTP, and "result" or the code of each message.
func outcome(t testing.TB, got string) string {
	t.Helper()
	if s := secrets.FindString(got); s != "" {
		t.Errorf("the client is shown %q: %.300s", s, got)
	}
	var short []string
	for line := range strings.SplitSeq(got, "\n") {
		var m struct {
			Result *struct{ IsError bool }
			Error  *struct{ Code int }
		}
		switch err := json.Unmarshal([]byte(line), &m); {
		case line == "":
		case err != nil:
			short = append(short, line)
		case m.Error != nil:
			short = append(short, fmt.Sprint(m.Error.Code))
		case m.Result != nil && m.Result.IsError:
			short = append(short, "failed")
		case m.Result != nil:
			short = append(short, "result")
		case !strings.HasPrefix(line, "{"):
			short = append(short, line)
		}
	}
	return strings.Join(short, " ")
}

// allowed reports whether an outcome is one of those between the bars.
func allowed(got, want string) bool {
	for w := range strings.SplitSeq(want, "|") {
		if got == strings.TrimSpace(w) {
			return true
		}
	}
	return false
}
