package mcpotel_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/jobs"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/otel"
)

// A question of a session is a span inside of that of its request, the client gets its trace, and the time in which a
// person thinks is not in the histogram of the server.
func TestQuestion(t *testing.T) { synctest.Test(t, testQuestion) }

func testQuestion(t *testing.T) {
	r := newRig(t)
	think := func(protocol.ElicitRequestParams) protocol.ElicitResult {
		time.Sleep(300 * time.Millisecond)
		return mcptest.Accept(`{"name":"Ada","email":"ada@example.com","age":36,"vip":true,"luggage":20.5}`)
	}
	c := mcptest.New(t, newServer(t, mcp.Options{Observer: mcpotel.New(r.Options)}),
		mcptest.WithRevision(protocol.Revision20251125), mcptest.WithElicitation(think))
	r.take()
	c.Do("prompts/get", []byte(`{"name":"plan","arguments":{"to":"Rome"},`+inClient+`}`))
	spans := r.take()
	asked, outer := find(t, spans, "elicitation/create"), find(t, spans, "prompts/get plan")
	if asked.SpanKind != trace.SpanKindClient || asked.Parent.SpanID() != outer.SpanContext.SpanID() ||
		asked.SpanContext.TraceID().String() != clientTrace {
		t.Errorf("%s in %v", asked.SpanKind, asked.Parent)
	}
	parent := "00-" + clientTrace + "-" + asked.SpanContext.SpanID().String() + "-01"
	if said := strings.Join(c.Transcript(), "\n"); !strings.Contains(said, `"traceparent":"`+parent+`"`) {
		t.Errorf("the client was not told %s:\n%s", parent, said)
	}
	for _, p := range r.histogram("mcp.server.operation.duration") {
		if p.Sum > 0 { // no time passes in a bubble while somebody computes
			t.Errorf("%v took %v s", p.Attributes, p.Sum)
		}
	}
	if got := r.histogram("mcp.client.operation.duration"); len(got) != 1 || got[0].Sum < 0.3 {
		t.Errorf("%+v", got)
	}
}

// A client is told the trace of each question in a session, of whatever kind.
func TestQuestionsOfAllKinds(t *testing.T) {
	r := newRig(t)
	c := mcptest.New(t, newServer(t, mcp.Options{Observer: mcpotel.New(r.Options)}),
		mcptest.WithRevision(protocol.Revision20251125), mcptest.WithRoots(protocol.Root{URI: "file:///trips"}),
		mcptest.WithSampling(func(*protocol.CreateMessageRequestParams) protocol.CreateMessageResult {
			return mcptest.Reply("Old.")
		}))
	r.take()
	_, _ = c.Do("tools/call", []byte(`{"name":"advise","arguments":{"to":"Rome"},`+inClient+`}`))
	spans, said := r.take(), strings.Join(c.Transcript(), "\n")
	for _, method := range []string{"sampling/createMessage", "roots/list"} {
		asked := find(t, spans, method)
		parent := "00-" + clientTrace + "-" + asked.SpanContext.SpanID().String() + "-01"
		if asked.SpanKind != trace.SpanKindClient || !strings.Contains(said, `"traceparent":"`+parent+`"`) {
			t.Errorf("%s: the client was not told %s:\n%s", method, parent, said)
		}
	}
}

// A run of a task is a span inside of that of the call that has made the task, in both eras, and at a public endpoint.
// A request that waits for the end of the task takes no time.
func TestTask(t *testing.T) { synctest.Test(t, testTask) }

func testTask(t *testing.T) {
	const newest = protocol.Revision20260728
	for i, rev := range []protocol.Revision{protocol.Revision20251125, newest, newest} {
		r := newRig(t)
		r.Options.PublicEndpoint = i == 2
		archive := jobs.New(300*time.Millisecond, jobs.Document{Name: "a", Text: "b"})
		srv, err := jobs.NewJobsServer(jobs.JobsImpl{Archive: archive},
			&mcp.Options{Observer: mcpotel.New(r.Options), Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		c := mcptest.New(t, srv, mcptest.WithRevision(rev), mcptest.WithTasks())
		c.CallText("count_words", `{}`)
		if err := srv.Close(); err != nil {
			t.Fatal(err)
		}
		var run, call tracetest.SpanStub
		for _, s := range r.take() {
			switch {
			case s.Name != "tools/call count_words":
			case s.SpanKind == trace.SpanKindInternal:
				run = s
			default:
				call = s
			}
		}
		if !run.Parent.IsValid() || run.Parent.SpanID() != call.SpanContext.SpanID() ||
			run.SpanContext.TraceID() != call.SpanContext.TraceID() {
			t.Errorf("%s: the run is in %v, want %v", rev, run.Parent, call.SpanContext)
		}
		if n := count(r.histogram("mcp.server.operation.duration"), "tools/call"); n != 1 {
			t.Errorf("%s: %d calls in the histogram", rev, n)
		}
		for _, p := range r.histogram("mcp.server.operation.duration") {
			if p.Sum > 0 {
				t.Errorf("%s: %v took %v s", rev, p.Attributes.ToSlice(), p.Sum)
			}
		}
	}
}

func count(points []metricdata.HistogramDataPoint[float64], method string) (n uint64) {
	for _, p := range points {
		if attr(p.Attributes.ToSlice(), "mcp.method.name") == method {
			n += p.Count
		}
	}
	return n
}

// Records of a handler and of the server itself have the ids of the span, at the top level.
func TestLog(t *testing.T) {
	r := newRig(t)
	var out lockedBuffer
	logger := slog.New(mcpotel.LogHandler(slog.NewTextHandler(&out, nil)))
	c := mcptest.New(t, newServer(t, mcp.Options{
		Observer: mcpotel.New(r.Options), Logger: logger.WithGroup("g").With("k", "v"), Audit: logger,
	}))
	c.Call("log", "{}")
	s := find(t, r.take(), "tools/call log").SpanContext
	ids := fmt.Sprintf("trace_id=%s span_id=%s", s.TraceID(), s.SpanID())
	for _, msg := range []string{"in the handler", "mcp: request failed", "mcp: audit"} {
		line := ""
		for l := range strings.Lines(out.String()) {
			if strings.Contains(l, msg) {
				line = l
			}
		}
		if !strings.Contains(line, " "+ids) {
			t.Errorf("%s: %q has no %s", msg, line, ids)
		}
	}
	logger.Info("without a span")
	if strings.Count(out.String(), "trace_id") != 3 {
		t.Error(out.String())
	}
}

type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// The spans reach a receiver of OTLP over HTTP, and no token of a request is in them.
func TestOTLP(t *testing.T) {
	t.Attr("requirements", "auth-storage")
	var got lockedBuffer
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/v1/traces" {
			_, _ = io.Copy(&got, req.Body)
		}
	}))
	defer receiver.Close()
	exporter, err := otlptracehttp.New(context.Background(), otlptracehttp.WithEndpointURL(receiver.URL+"/v1/traces"))
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t)
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter))
	r.Options.TracerProvider = provider
	h := overHTTP(t, r, mcp.Options{Observer: mcpotel.New(r.Options)})
	h.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ok",`+modernMeta+`}}`,
		"Authorization", "Bearer token-of-ann")
	if err := provider.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	trace, _ := trace.TraceIDFromHex(clientTrace)
	for _, want := range []string{"tools/call ok", "gen_ai.tool.name", string(trace[:])} {
		if !strings.Contains(got.String(), want) {
			t.Errorf("%q is not in %d bytes", want, len(got.String()))
		}
	}
	if strings.Contains(got.String(), "token-of-ann") {
		t.Error("the token is in a span")
	}
}

// The numbers of the server are exported as they are for Prometheus.
func TestRegister(t *testing.T) {
	r := newRig(t)
	srv := newServer(t, mcp.Options{})
	registration, err := mcpotel.Register(srv, r.Options)
	if err != nil {
		t.Fatal(err)
	}
	mcptest.New(t, srv).Call("ok", "{}")
	var all metricdata.ResourceMetrics
	if err := r.reader.Collect(context.Background(), &all); err != nil {
		t.Fatal(err)
	}
	found, isGauge := false, false
	for _, m := range all.ScopeMetrics[0].Metrics {
		if m.Name == "mcp_sessions" {
			_, isGauge = m.Data.(metricdata.Gauge[float64])
		}
		sum, ok := m.Data.(metricdata.Sum[float64])
		for _, p := range sum.DataPoints {
			found = found || ok && m.Name == "mcp_requests_total" &&
				words(p.Attributes.ToSlice()) == "code=ok method=tools/call" &&
				p.Value == 1
		}
	}
	if !found || !isGauge {
		t.Errorf("%+v", all.ScopeMetrics)
	}
	if err := registration.Unregister(); err != nil {
		t.Error(err)
	}
	for _, mode := range []mcpotel.Mode{mcpotel.PropagationOnly, mcpotel.Off} {
		r := newRig(t)
		r.Options.Mode = mode
		if _, err := mcpotel.Register(srv, r.Options); err != nil {
			t.Fatal(err)
		}
		var none metricdata.ResourceMetrics
		if err := r.reader.Collect(context.Background(), &none); err != nil || len(none.ScopeMetrics) > 0 {
			t.Errorf("mode %d: %+v, %v", mode, none.ScopeMetrics, err)
		}
	}
}

// BenchmarkCall is the cost of a small call without and with telemetry.
func BenchmarkCall(b *testing.B) {
	r := newRig(b)
	r.Options.TracerProvider = sdk.NewTracerProvider(sdk.WithSpanProcessor(dropped{}))
	for _, row := range []struct {
		name string
		opts *mcpotel.Options
	}{
		{"off", &mcpotel.Options{Mode: mcpotel.Off}},
		{"propagation", &mcpotel.Options{Mode: mcpotel.PropagationOnly}},
		{"api only", nil},
		{"sdk", r.Options},
	} {
		b.Run(row.name, func(b *testing.B) {
			c := mcptest.New(b, newServer(b, mcp.Options{Observer: mcpotel.New(row.opts)}))
			b.ReportAllocs()
			for b.Loop() {
				_, _ = c.Do("tools/call", []byte(`{"name":"ok"}`))
			}
		})
	}
}

// dropped is a processor that exports nothing.
type dropped struct{}

func (dropped) OnStart(context.Context, sdk.ReadWriteSpan) {}
func (dropped) OnEnd(sdk.ReadOnlySpan)                     {}
func (dropped) Shutdown(context.Context) error             { return nil }
func (dropped) ForceFlush(context.Context) error           { return nil }
