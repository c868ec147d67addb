package mcpotel_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/mcpgen/mcpgen/mcp/stats"
	"github.com/mcpgen/mcpgen/otel"
)

// operation and outcome are those of a server, as a table says.
type operation struct {
	kind            stats.OperationKind
	method, session string
}

func (o operation) Kind() stats.OperationKind { return o.kind }
func (o operation) Method() string            { return o.method }
func (operation) Target() string              { return "" }
func (operation) ID() string                  { return "1" }
func (operation) Meta(string) string          { return "" }
func (operation) Revision() string            { return "2025-11-25" }
func (o operation) Session() string           { return o.session }
func (operation) HTTP() bool                  { return true }

type outcome struct {
	code                         int
	toolError, cancelled, denied bool
}

func (o outcome) Fault() (int, string) { return o.code, "text" }
func (o outcome) ToolError() bool      { return o.toolError }
func (o outcome) Cancelled() bool      { return o.cancelled }
func (o outcome) Denied() bool         { return o.denied }
func (outcome) Waited() time.Duration  { return 0 }

// What counts as an error of the server is so in the span and in the metrics. What a client has cancelled is in no
// histogram, and no session is in a metric.
func TestOutcomes(t *testing.T) {
	const received, asked = stats.OperationReceived, stats.OperationAsked
	for _, x := range []struct {
		kind  stats.OperationKind
		out   outcome
		error string // error.type
	}{
		{received, outcome{}, ""},
		{received, outcome{toolError: true}, "tool_error"},
		{received, outcome{code: -32603}, "-32603"},
		{received, outcome{code: -32603, denied: true}, ""},
		{received, outcome{code: -32000}, "-32000"},
		{received, outcome{code: -32001}, "-32001"},
		{received, outcome{code: -32002}, ""},
		{received, outcome{code: -32020}, ""},
		{received, outcome{code: -32021}, ""},
		{received, outcome{code: -32022}, ""},
		{received, outcome{code: -32042}, ""},
		{received, outcome{code: -32050}, "-32050"},
		{received, outcome{code: -32099}, "-32099"},
		{received, outcome{code: -32100}, ""},
		{received, outcome{code: -32602}, ""},
		{received, outcome{code: -32600}, ""},
		{received, outcome{code: 7}, ""},
		{received, outcome{cancelled: true}, ""},
		{asked, outcome{code: -32602}, "-32602"},
		{asked, outcome{cancelled: true}, ""},
	} {
		t.Run(fmt.Sprintf("%d %+v", x.kind, x.out), func(t *testing.T) {
			r := newRig(t)
			o := mcpotel.New(r.Options)
			o.End(o.Begin(context.Background(), operation{x.kind, "tools/list", "session-7"}), x.out)
			s := find(t, r.take(), "tools/list")
			if got := attr(s.Attributes, "error.type"); got != x.error || (s.Status.Code.String() == "Error") != (got != "") {
				t.Errorf("error.type %q, status %v, want %q", got, s.Status, x.error)
			}
			if cancelled := len(s.Events) == 1 && s.Events[0].Name == "cancelled"; cancelled != x.out.cancelled {
				t.Errorf("events %v", s.Events)
			}
			if attr(s.Attributes, "mcp.session.id") != "session-7" {
				t.Errorf("no session in %v", s.Attributes)
			}
			name := map[stats.OperationKind]string{received: "mcp.server.operation.duration",
				asked: "mcp.client.operation.duration"}
			points := r.histogram(name[x.kind])
			if (len(points) == 0) != x.out.cancelled {
				t.Fatalf("%d points", len(points))
			}
			for _, p := range points {
				all := p.Attributes.ToSlice()
				if attr(all, "error.type") != x.error || attr(all, "mcp.session.id") != "" ||
					attr(all, "jsonrpc.request.id") != "" {
					t.Errorf("the metric has %v", all)
				}
			}
		})
	}
}

// Loggers that are made from one another have their own attributes, and a record that several handlers get stays as it
// is.
func TestLoggersAreNotShared(t *testing.T) {
	var out bytes.Buffer
	span := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}})
	ctx := trace.ContextWithSpanContext(context.Background(), span)
	base := slog.New(mcpotel.LogHandler(slog.NewTextHandler(&out, nil))).WithGroup("g").With("x", 1).With("y", 2)
	a, b := base.With("a", 1), base.With("b", 2)
	a.InfoContext(ctx, "of a")
	b.InfoContext(ctx, "of b")
	want := "trace_id=" + span.TraceID().String() + " span_id=" + span.SpanID().String() + " g.x=1 g.y=2 "
	for _, line := range []string{"msg=\"of a\" " + want + "g.a=1\n", "msg=\"of b\" " + want + "g.b=2\n"} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("no %s in %s", line, &out)
		}
	}
	out.Reset()
	record := slog.NewRecord(time.Time{}, slog.LevelInfo, "many", 0)
	for i := range 9 {
		record.Add(fmt.Sprint("k", i), i)
	}
	h := mcpotel.LogHandler(slog.NewTextHandler(&out, nil))
	for range 2 {
		if err := h.Handle(ctx, record); err != nil {
			t.Fatal(err)
		}
	}
	if lines := strings.SplitAfter(out.String(), "\n"); lines[0] != lines[1] ||
		!strings.Contains(lines[0], "k8=8 trace_id=") {
		t.Errorf("%q", lines)
	}
}
