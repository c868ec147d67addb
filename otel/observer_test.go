package mcpotel_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/otel"
)

// Each request is a span with the names of the conventions, in both eras. Errors of the server are errors of the span,
// and mistakes of the client are not.
func TestSpans(t *testing.T) {
	for _, rev := range []protocol.Revision{protocol.Revision20251125, protocol.Revision20260728} {
		r := newRig(t)
		c := mcptest.New(t, newServer(t, mcp.Options{Observer: mcpotel.New(r.Options)}), mcptest.WithRevision(rev))
		for _, row := range []struct{ method, params, name, status, attrs string }{
			{"tools/call", `{"name":"ok"}`, "tools/call ok", "Unset",
				"gen_ai.operation.name=execute_tool gen_ai.tool.name=ok mcp.method.name=tools/call"},
			{"tools/call", `{"name":"fails"}`, "tools/call fails", "Error",
				"error.type=tool_error gen_ai.operation.name=execute_tool gen_ai.tool.name=fails mcp.method.name=tools/call"},
			{"tools/call", `{"name":"breaks"}`, "tools/call breaks", "Error",
				"error.type=-32603 gen_ai.operation.name=execute_tool gen_ai.tool.name=breaks " +
					"mcp.method.name=tools/call rpc.response.status_code=-32603"},
			{"tools/call", `{"name":"forbidden"}`, "tools/call forbidden", "Unset",
				"gen_ai.operation.name=execute_tool gen_ai.tool.name=forbidden " +
					"mcp.method.name=tools/call rpc.response.status_code=-32603"},
			{"tools/call", `{"name":"made up"}`, "tools/call", "Unset",
				"gen_ai.operation.name=execute_tool mcp.method.name=tools/call rpc.response.status_code=-32602"},
			{"resources/read", `{"uri":"ask:///none"}`, "resources/read", "Unset",
				"mcp.method.name=resources/read mcp.resource.uri=ask:///none rpc.response.status_code=" + notFound(rev)},
			{"prompts/get", `{"name":"plan"}`, "prompts/get plan", "Unset",
				"gen_ai.prompt.name=plan mcp.method.name=prompts/get rpc.response.status_code=-32602"},
			{"prompts/get", `{"name":"made up"}`, "prompts/get", "Unset",
				"mcp.method.name=prompts/get rpc.response.status_code=-32602"},
			{"tools/list", `{}`, "tools/list", "Unset", "mcp.method.name=tools/list"},
			{"made/up", `{}`, "other", "Unset", "mcp.method.name=other rpc.response.status_code=-32601"},
		} {
			r.take()
			_, _ = c.Do(row.method, []byte(row.params))
			spans := r.take()
			if len(spans) != 1 {
				t.Fatalf("%s %s: %d spans", rev, row.params, len(spans))
			}
			s := spans[0]
			if got := words(s.Attributes); s.Name != row.name || s.Status.Code.String() != row.status || got != row.attrs ||
				s.SpanKind != trace.SpanKindServer {
				t.Errorf("%s %s: %s %s %s\n%s\nwant %s %s\n%s", rev, row.params, s.SpanKind, s.Name, s.Status.Code, got,
					row.name, row.status, row.attrs)
			}
			if strings.Contains(fmt.Sprint(s), "secret") {
				t.Errorf("a span has the text of a panic: %+v", s)
			}
			if attr(s.Attributes, "mcp.protocol.version") != rev.String() || attr(s.Attributes, "network.transport") != "pipe" ||
				attr(s.Attributes, "jsonrpc.request.id") == "" {
				t.Errorf("%s: %v", rev, s.Attributes)
			}
			if has := attr(s.Attributes, "mcp.session.id") != ""; has != (rev == protocol.Revision20251125) {
				t.Errorf("%s: a session id: %t", rev, has)
			}
		}
	}
}

func notFound(rev protocol.Revision) string {
	if rev == protocol.Revision20260728 {
		return "-32602"
	}
	return "-32002"
}

// A capability that the client lacks is no error of the server, though its code is in the range of these.
func TestMissingCapability(t *testing.T) {
	r := newRig(t)
	c := mcptest.New(t, newServer(t, mcp.Options{Observer: mcpotel.New(r.Options)}))
	if _, fault := c.Do("tools/call", []byte(`{"name":"lacks"}`)); mcptest.CodeOf(fault) != -32021 {
		t.Fatalf("%v", fault)
	}
	s := find(t, r.take(), "tools/call lacks")
	if s.Status.Code != codes.Unset || attr(s.Attributes, "rpc.response.status_code") != "-32021" ||
		attr(s.Attributes, "error.type") != "" {
		t.Errorf("%v %v", s.Status, s.Attributes)
	}
}

// The handler sees the span and the baggage of the client; the parent is the span of the client, and that of the HTTP
// request is linked. Without one of the client, the HTTP request is the parent.
func TestParent(t *testing.T) {
	t.Attr("requirements", "meta-trace")
	r := newRig(t)
	h := overHTTP(t, r, mcp.Options{Observer: mcpotel.New(r.Options)})
	h.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ok",` + modernMeta + `}}`)
	spans := r.take()
	s, outer := find(t, spans, "tools/call ok"), find(t, spans, "POST /mcp")
	if s.Parent.TraceID().String() != clientTrace || s.Parent.SpanID().String() != clientSpan || !s.Parent.IsRemote() ||
		s.SpanContext.TraceState().String() != "v=1" {
		t.Errorf("the parent is %v", s.Parent)
	}
	if len(s.Links) != 1 || !s.Links[0].SpanContext.Equal(outer.SpanContext) {
		t.Errorf("links: %v, want one to %v", s.Links, outer.SpanContext)
	}
	if got := attr(s.Attributes, "network.transport") + attr(s.Attributes, "network.protocol.name"); got != "tcphttp" {
		t.Errorf("transport %q", got)
	}
	h.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ok",` +
		strings.Replace(modernMeta, "traceparent", "nothing", 1) + `}}`)
	spans = r.take()
	s, outer = find(t, spans, "tools/call ok"), find(t, spans, "POST /mcp")
	if s.Parent.SpanID() != outer.SpanContext.SpanID() || len(s.Links) != 0 {
		t.Errorf("the parent is %v, links %v", s.Parent, s.Links)
	}
}

// At a public endpoint the span of the client is linked, and its baggage is dropped.
func TestPublicEndpoint(t *testing.T) {
	r := newRig(t)
	r.Options.PublicEndpoint = true
	h := overHTTP(t, r, mcp.Options{Observer: mcpotel.New(r.Options)})
	h.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"seen",` + modernMeta + `}}`)
	s := find(t, r.take(), "tools/call seen")
	if !h.seen.Equal(s.SpanContext) {
		t.Errorf("the handler sees %v, want %v", h.seen, s.SpanContext)
	}
	if s.SpanContext.TraceID().String() == clientTrace || len(s.Links) != 1 ||
		s.Links[0].SpanContext.SpanID().String() != clientSpan {
		t.Errorf("%v, links %v", s.SpanContext, s.Links)
	}
	if h.baggage != "" {
		t.Errorf("baggage %q", h.baggage)
	}
	h.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"seen",` +
		strings.Replace(modernMeta, "traceparent", "nothing", 1) + `}}`) // baggage without a trace
	if h.baggage != "" {
		t.Errorf("baggage %q", h.baggage)
	}
}

// Propagation only records nothing, and handlers see the trace of the client. Off does nothing.
func TestModes(t *testing.T) {
	r := newRig(t)
	r.Options.Mode = mcpotel.PropagationOnly
	h := overHTTP(t, r, mcp.Options{Observer: mcpotel.New(r.Options)})
	h.plain = true
	h.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"seen",` + modernMeta + `}}`)
	if spans := r.take(); len(spans) != 0 || h.seen.SpanID().String() != clientSpan || h.baggage != "k=v" {
		t.Errorf("%d spans, the handler sees %v and %q", len(spans), h.seen, h.baggage)
	}
	if got := r.histogram("mcp.server.operation.duration"); len(got) != 0 {
		t.Errorf("metrics: %v", got)
	}
	h.plain, h.baggage = false, "" // another layer has a span: it stays
	h.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"seen",` + modernMeta + `}}`)
	if outer := find(t, r.take(), "POST /mcp"); !h.seen.Equal(outer.SpanContext) || h.baggage != "k=v" {
		t.Errorf("the handler sees %v and %q, want %v", h.seen, h.baggage, outer.SpanContext)
	}
	if got := mcpotel.New(&mcpotel.Options{Mode: mcpotel.Off}); got != nil {
		t.Errorf("Off: %v", got)
	}
}

// Names that clients make up are in no name of a span and in no metric, and long metadata is left out.
func TestHostile(t *testing.T) {
	t.Attr("requirements", "meta-trace")
	r := newRig(t)
	c := mcptest.New(t, newServer(t, mcp.Options{Observer: mcpotel.New(r.Options)}))
	long := strings.Repeat("x", 100_000)
	for i := range 200 {
		_, _ = c.Do("tools/call", fmt.Appendf(nil, `{"name":"tool%d"}`, i))
		_, _ = c.Do(fmt.Sprintf("method%d", i), nil)
		_, _ = c.Do("resources/read", fmt.Appendf(nil, `{"uri":"x:///%d"}`, i))
		_, _ = c.Do("resources/read", fmt.Appendf(nil, `{"uri":%d}`, i))
	}
	if got := r.histogram("mcp.server.operation.duration"); len(got) > 4 {
		t.Errorf("%d series", len(got))
	}
	for _, s := range r.take() {
		if strings.ContainsAny(s.Name, "0123456789") {
			t.Errorf("span %s", s.Name)
		}
	}
	hostile := strings.NewReplacer("00-"+clientTrace, long, `"v=1"`, "[]", "k=v", "k="+long).Replace(modernMeta)
	_, _ = c.Do("resources/read", []byte(`{"uri":"x:///`+long+`",`+hostile+`}`))
	s := find(t, r.take(), "resources/read")
	if got := attr(s.Attributes, "mcp.resource.uri"); len(got) > 600 || len(got) < 500 || s.Parent.IsValid() {
		t.Errorf("%d bytes of URI, parent %v", len(got), s.Parent)
	}
}

// httpRig is a server over HTTP, behind a handler that has a span for each request as otelhttp does.
type httpRig struct {
	t       *testing.T
	url     string
	plain   bool // without that span
	seen    trace.SpanContext
	baggage string
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientCapabilities":{},"traceparent":"00-` + clientTrace + `-` + clientSpan + `-01",` +
	`"tracestate":"v=1","baggage":"k=v"}`

func overHTTP(t *testing.T, r *rig, opts mcp.Options) *httpRig {
	t.Helper()
	h := &httpRig{t: t}
	srv := newServer(t, opts)
	see := mcp.DynamicTool{Name: "seen", Call: look(h)}
	if err := srv.AddTool(see); err != nil {
		t.Fatal(err)
	}
	inner, err := mcphttp.Handler(srv, nil)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if h.plain {
			inner.ServeHTTP(w, req)
			return
		}
		_, span := r.ambient()
		inner.ServeHTTP(w, req.WithContext(trace.ContextWithSpan(req.Context(), span)))
		span.End()
	}))
	t.Cleanup(web.Close)
	h.url = web.URL
	return h
}

func (h *httpRig) post(body string, headers ...string) string {
	h.t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url, bytes.NewReader([]byte(body)))
	if err != nil {
		h.t.Fatal(err)
	}
	name := "ok"
	if strings.Contains(body, `"seen"`) {
		name = "seen"
	}
	for k, v := range map[string]string{"Content-Type": "application/json",
		"Accept":               "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": name} {
		req.Header.Set(k, v)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		h.t.Fatalf("%s %s %v", resp.Status, b, err)
	}
	return string(b)
}

// baggageOf is the baggage of a context as text.
func baggageOf(ctx context.Context) string { return baggage.FromContext(ctx).String() }
