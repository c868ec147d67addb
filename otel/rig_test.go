package mcpotel_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/ask"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/otel"
)

// rig is what a server has recorded, in memory.
type rig struct {
	t        testing.TB
	spans    *tracetest.InMemoryExporter
	reader   *metric.ManualReader
	Options  *mcpotel.Options
	provider *sdk.TracerProvider
}

func newRig(t testing.TB) *rig {
	t.Helper()
	r := &rig{t: t, spans: tracetest.NewInMemoryExporter(), reader: metric.NewManualReader()}
	r.provider = sdk.NewTracerProvider(sdk.WithSyncer(r.spans))
	r.Options = &mcpotel.Options{
		TracerProvider: r.provider, MeterProvider: metric.NewMeterProvider(metric.WithReader(r.reader)),
	}
	return r
}

// take returns the spans since it was last called.
func (r *rig) take() tracetest.SpanStubs {
	out := r.spans.GetSpans()
	r.spans.Reset()
	return out
}

// find returns the one span with a name.
func find(t testing.TB, spans tracetest.SpanStubs, name string) tracetest.SpanStub {
	t.Helper()
	var names []string
	for _, s := range spans {
		if s.Name == name {
			return s
		}
		names = append(names, s.Name)
	}
	t.Fatalf("no span %q in %q", name, names)
	return tracetest.SpanStub{}
}

// words are attributes as text, sorted, without those that each span has.
func words(attrs []attribute.KeyValue) string {
	var out []string
	for _, a := range attrs {
		switch a.Key {
		case "jsonrpc.request.id", "mcp.session.id", "mcp.protocol.version", "network.transport", "network.protocol.name":
		default:
			out = append(out, string(a.Key)+"="+a.Value.String())
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func attr(attrs []attribute.KeyValue, key attribute.Key) string {
	for _, a := range attrs {
		if a.Key == key {
			return a.Value.String()
		}
	}
	return ""
}

// histogram returns the points of a histogram.
func (r *rig) histogram(name string) []metricdata.HistogramDataPoint[float64] {
	r.t.Helper()
	var all metricdata.ResourceMetrics
	if err := r.reader.Collect(context.Background(), &all); err != nil {
		r.t.Fatal(err)
	}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			if h, ok := m.Data.(metricdata.Histogram[float64]); ok && m.Name == name {
				return h.DataPoints
			}
		}
	}
	return nil
}

// traceparent is the trace of a client, in the metadata of a request.
const (
	clientTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	clientSpan  = "00f067aa0ba902b7"
	inClient    = `"_meta":{"traceparent":"00-` + clientTrace + `-` + clientSpan + `-01",` +
		`"tracestate":"v=1","baggage":"k=v"}`
)

// newServer returns a server of golden/ask with more tools: ok, fails, breaks, forbidden, lacks and log.
func newServer(t testing.TB, opts mcp.Options) *ask.AskServer {
	t.Helper()
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	srv, err := ask.NewAskServer(ask.AskImpl{}, &opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	add := func(tool mcp.DynamicTool) {
		if err := srv.AddTool(tool); err != nil {
			t.Fatal(err)
		}
	}
	says := func(name string, f func(c *mcp.Call) error) mcp.DynamicTool {
		return mcp.DynamicTool{Name: name, Call: func(c *mcp.Call, _ json.RawMessage) (mcp.ToolResult, error) {
			text := protocol.ContentBlock(mcp.TextBlock(name))
			return mcp.ToolResult{Content: []mcp.Block{text}}, f(c)
		}}
	}
	add(says("ok", func(*mcp.Call) error { return nil }))
	add(says("fails", func(*mcp.Call) error { return mcp.Errorf("no such hotel") }))
	add(says("breaks", func(*mcp.Call) error { panic("secret") }))
	add(says("lacks", func(*mcp.Call) error { return &mcp.MissingCapabilityError{Missing: 1} }))
	add(says("log", func(c *mcp.Call) error {
		opts.Logger.InfoContext(c, "in the handler")
		return errors.New("for the log")
	}))
	forbidden := says("forbidden", func(*mcp.Call) error { return nil })
	forbidden.Access = mcp.Access{Scopes: []string{"admin"}, Shown: true}
	add(forbidden)
	return srv
}

// ambient is a context with a span, like that of an HTTP request.
func (r *rig) ambient() (context.Context, trace.Span) {
	return r.provider.Tracer("test").Start(context.Background(), "POST /mcp")
}

// look returns a tool that tells h what it sees.
func look(h *httpRig) func(c *mcp.Call, _ json.RawMessage) (mcp.ToolResult, error) {
	return func(c *mcp.Call, _ json.RawMessage) (mcp.ToolResult, error) {
		h.seen, h.baggage = trace.SpanContextFromContext(c), baggageOf(c)
		return mcp.ToolResult{}, nil
	}
}
