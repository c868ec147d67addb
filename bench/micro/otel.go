package main

import (
	"context"

	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/mcpgen/mcpgen/bench/internal/work"
	"github.com/mcpgen/mcpgen/bench/servers/ours"
	"github.com/mcpgen/mcpgen/mcp"
	mcpotel "github.com/mcpgen/mcpgen/otel"
)

// otelModes are ours without module otel, and with its modes. Off is the same as without, because New returns nil.
func otelModes() []*library {
	observed := func(mode mcpotel.Mode) func(work.Kind, work.Era) (subject, error) {
		return func(work.Kind, work.Era) (subject, error) {
			o := &mcpotel.Options{Mode: mode}
			if mode == mcpotel.Native {
				o.TracerProvider = trace.NewTracerProvider(trace.WithSpanProcessor(nowhere{}))
				o.MeterProvider = metric.NewMeterProvider(metric.WithReader(metric.NewManualReader()))
			}
			s, err := ours.NewBenchServer(ours.BenchImpl{}, &mcp.Options{Observer: mcpotel.New(o)})
			if err != nil {
				return nil, err
			}
			return serve(s.Server), nil
		}
	}
	return []*library{
		{name: work.Ours, make: newOurs},
		{name: work.Propagation, make: observed(mcpotel.PropagationOnly)},
		{name: work.Native, make: observed(mcpotel.Native)},
	}
}

// nowhere is where spans end that are recorded and not sent, because exporters differ.
type nowhere struct{}

// OnStart implements trace.SpanProcessor.
func (nowhere) OnStart(context.Context, trace.ReadWriteSpan) {}

// OnEnd implements trace.SpanProcessor.
func (nowhere) OnEnd(trace.ReadOnlySpan) {}

// Shutdown implements trace.SpanProcessor.
func (nowhere) Shutdown(context.Context) error { return nil }

// ForceFlush implements trace.SpanProcessor.
func (nowhere) ForceFlush(context.Context) error { return nil }
