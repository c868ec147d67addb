package mcpotel

import (
	"context"
	"log/slog"
	"slices"

	"go.opentelemetry.io/otel/trace"
)

// LogHandler returns a handler that gives records to h, with the ids of the span of their context as trace_id and
// span_id, at the top level whatever groups there are. Records without a span are not changed. In mcp.Options it is for
// Logger and Audit, and in a handler of a server for what it logs with its context.
func LogHandler(h slog.Handler) slog.Handler { return &logHandler{Handler: h, first: h} }

type logHandler struct {
	slog.Handler

	first   slog.Handler // without what derives has added
	derives []func(slog.Handler) slog.Handler
	grouped bool
}

// Handle implements slog.Handler.
func (l *logHandler) Handle(ctx context.Context, r slog.Record) error {
	span := trace.SpanContextFromContext(ctx)
	if !span.IsValid() {
		return l.Handler.Handle(ctx, r)
	}
	ids := []slog.Attr{
		slog.String("trace_id", span.TraceID().String()), slog.String("span_id", span.SpanID().String()),
	}
	if !l.grouped {
		r = r.Clone()
		r.AddAttrs(ids...)
		return l.Handler.Handle(ctx, r)
	}
	h := l.first.WithAttrs(ids)
	for _, derive := range l.derives {
		h = derive(h)
	}
	return h.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (l *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return l.derive(l.grouped, func(h slog.Handler) slog.Handler { return h.WithAttrs(attrs) })
}

// WithGroup implements slog.Handler.
func (l *logHandler) WithGroup(name string) slog.Handler {
	if name == "" {
		return l
	}
	return l.derive(true, func(h slog.Handler) slog.Handler { return h.WithGroup(name) })
}

func (l *logHandler) derive(grouped bool, f func(slog.Handler) slog.Handler) slog.Handler {
	return &logHandler{f(l.Handler), l.first, append(slices.Clip(l.derives), f), grouped}
}
