package mcpotel

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcpgen/mcpgen/mcp/stats"
)

// maxDescription bounds the text of an error of a span, in bytes: that of a client has any size.
const maxDescription = 512

// observer implements [stats.Observer].
type observer struct {
	opts            Options
	tracer          trace.Tracer            // nil if nothing is recorded
	received, asked metric.Float64Histogram // nil if they cannot be made
}

// operation is what the context of an operation has of it.
type operation struct {
	span  trace.Span
	kind  stats.OperationKind
	begun time.Time
	attrs []attribute.KeyValue // of the metrics
}

// operationKey finds the operation in its context.
type operationKey struct{}

// Begin implements [stats.Observer].
func (x *observer) Begin(ctx context.Context, op stats.Operation) context.Context {
	ctx, links := x.extract(ctx, op)
	if x.tracer == nil {
		return ctx
	}
	own := &operation{kind: op.Kind(), begun: time.Now()}
	var all []attribute.KeyValue
	own.attrs, all = attributes(op)
	ctx, own.span = x.tracer.Start(ctx, spanName(op), trace.WithTimestamp(own.begun), trace.WithSpanKind(kindOf(op)),
		trace.WithAttributes(all...), trace.WithLinks(links...))
	return context.WithValue(ctx, operationKey{}, own)
}

// extract returns ctx with the trace that the client has written into the metadata of its request.
func (x *observer) extract(ctx context.Context, op stats.Operation) (context.Context, []trace.Link) {
	if op.Kind() == stats.OperationAsked {
		return ctx, nil
	}
	before := trace.SpanContextFromContext(ctx)
	in := x.opts.Propagator.Extract(ctx, readCarrier(op.Meta))
	theirs := trace.SpanContextFromContext(in)
	hasTheirs := theirs.IsValid() && !theirs.Equal(before)
	switch {
	case op.Kind() == stats.OperationTask: // the server itself has written it
		return in, nil
	case x.opts.PublicEndpoint && hasTheirs:
		return ctx, []trace.Link{{SpanContext: theirs}}
	case x.opts.PublicEndpoint:
		return ctx, nil
	case x.tracer == nil && before.IsValid():
		return trace.ContextWithSpan(in, trace.SpanFromContext(ctx)), nil
	case hasTheirs && before.IsValid():
		return in, []trace.Link{{SpanContext: before}}
	}
	return in, nil
}

// End implements [stats.Observer].
func (x *observer) End(ctx context.Context, out stats.Outcome) {
	own, ok := ctx.Value(operationKey{}).(*operation)
	if !ok {
		return
	}
	took := time.Since(own.begun)
	attrs := own.attrs
	failed := ""
	code, message := out.Fault()
	if code != 0 {
		attrs = append(attrs, keyStatusCode.String(strconv.Itoa(code)))
		if own.kind == stats.OperationAsked || isFailure(code) && !out.Denied() {
			failed = strconv.Itoa(code)
		}
	}
	if out.ToolError() {
		failed = toolError
	}
	if failed != "" {
		attrs = append(attrs, keyErrorType.String(failed))
		own.span.SetStatus(codes.Error, strings.ToValidUTF8(message[:min(len(message), maxDescription)], ""))
	}
	if out.Cancelled() {
		own.span.AddEvent("cancelled")
	}
	own.span.SetAttributes(attrs[len(own.attrs):]...)
	own.span.End()
	if out.Cancelled() {
		return // how long it was is the choice of the client
	}
	switch {
	case own.kind == stats.OperationReceived && x.received != nil:
		x.received.Record(ctx, max(took-out.Waited(), 0).Seconds(), metric.WithAttributes(attrs...))
	case own.kind == stats.OperationAsked && x.asked != nil:
		x.asked.Record(ctx, took.Seconds(), metric.WithAttributes(attrs...))
	}
}

// Carry implements [stats.Observer].
func (x *observer) Carry(ctx context.Context, set func(name, value string)) {
	x.opts.Propagator.Inject(ctx, writeCarrier(set))
}

// spanName is the method and, if there are few of them, the target.
func spanName(op stats.Operation) string {
	if key := targetKey(op.Method()); op.Target() == "" || key == "" || key == keyURI {
		return op.Method()
	}
	return op.Method() + " " + op.Target()
}

func kindOf(op stats.Operation) trace.SpanKind {
	switch op.Kind() {
	case stats.OperationTask:
		return trace.SpanKindInternal
	case stats.OperationAsked:
		return trace.SpanKindClient
	case stats.OperationReceived:
	}
	return trace.SpanKindServer
}

// attributes returns the attributes of metrics, which have few values, and all of them. Neither has room for more.
func attributes(op stats.Operation) (few, all []attribute.KeyValue) {
	all = make([]attribute.KeyValue, 0, 12)
	all = append(all, keyMethod.String(op.Method()))
	key := targetKey(op.Method())
	if op.Target() != "" && (key == keyTool || key == keyPrompt) {
		all = append(all, key.String(op.Target()))
	}
	if op.Method() == methodTool {
		all = append(all, keyOperation.String(executeTool))
	}
	if op.Revision() != "" {
		all = append(all, keyRevision.String(op.Revision()))
	}
	switch {
	case op.HTTP():
		all = append(all, keyTransport.String("tcp"), keyProtocol.String("http"))
	case op.Kind() != stats.OperationTask:
		all = append(all, keyTransport.String("pipe"))
	}
	few = slices.Clip(all)
	if op.Target() != "" && key == keyURI {
		all = append(all, keyURI.String(op.Target()))
	}
	if op.ID() != "" && op.Kind() != stats.OperationTask {
		all = append(all, keyRequestID.String(op.ID()))
	}
	if op.Session() != "" {
		all = append(all, keySession.String(op.Session()))
	}
	return few, all
}

// readCarrier reads metadata of a request.
type readCarrier func(name string) string

// Get implements propagation.TextMapCarrier.
func (c readCarrier) Get(key string) string { return c(key) }

// Set implements propagation.TextMapCarrier.
func (readCarrier) Set(string, string) {}

// Keys implements propagation.TextMapCarrier.
func (readCarrier) Keys() []string { return nil }

// writeCarrier writes metadata.
type writeCarrier func(name, value string)

// Get implements propagation.TextMapCarrier.
func (writeCarrier) Get(string) string { return "" }

// Set implements propagation.TextMapCarrier.
func (c writeCarrier) Set(key, value string) { c(key, value) }

// Keys implements propagation.TextMapCarrier.
func (writeCarrier) Keys() []string { return nil }
