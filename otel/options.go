package mcpotel

import (
	"errors"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcpgen/mcpgen/mcp/stats"
)

// Options changes what is recorded, and where. The zero value and nil mean the defaults.
type Options struct {
	// TracerProvider and MeterProvider are where spans and metrics go; nil means the global ones, also those that are
	// set later.
	TracerProvider trace.TracerProvider
	MeterProvider  metric.MeterProvider
	// Propagator reads and writes params._meta; nil means W3C trace context and baggage, whatever the global one is,
	// because only their names are reserved there.
	Propagator propagation.TextMapPropagator
	// PublicEndpoint does not make spans children of those of clients, but links them: clients that are not trusted
	// cannot choose the trace, nor whether it is sampled. Their baggage is dropped.
	PublicEndpoint bool
	// Mode is what is done at all.
	Mode Mode
}

// Mode says what is done.
type Mode uint8

// The values of Mode.
const (
	// Native records spans and metrics.
	Native Mode = iota
	// PropagationOnly records nothing, because another layer does. Handlers get the trace of the client, unless there is
	// a span already, and hand it on to questions and tasks.
	PropagationOnly
	// Off does nothing.
	Off
)

// New returns an observer for mcp.Options.Observer; nil if the mode is Off. One that cannot make its instruments tells
// the error handler of OpenTelemetry, and goes on without them.
func New(o *Options) stats.Observer {
	opts := o.withDefaults()
	if opts.Mode == Off {
		return nil
	}
	x := &observer{opts: opts}
	if opts.Mode == PropagationOnly {
		return x
	}
	x.tracer = opts.TracerProvider.Tracer(scope, trace.WithInstrumentationVersion(scopeVersion))
	meter := opts.meter()
	var errs [2]error
	x.received, errs[0] = meter.Float64Histogram(serverDuration, metric.WithUnit("s"),
		metric.WithDescription("Duration of requests and notifications of clients, without waiting for the client."),
		metric.WithExplicitBucketBoundaries(boundaries...))
	x.asked, errs[1] = meter.Float64Histogram(clientDuration, metric.WithUnit("s"),
		metric.WithDescription("Duration of requests to clients, until the answer."),
		metric.WithExplicitBucketBoundaries(boundaries...))
	if err := errors.Join(errs[:]...); err != nil {
		otel.Handle(err)
	}
	return x
}

func (o *Options) withDefaults() Options {
	var out Options
	if o != nil {
		out = *o
	}
	if out.TracerProvider == nil {
		out.TracerProvider = otel.GetTracerProvider()
	}
	if out.MeterProvider == nil {
		out.MeterProvider = otel.GetMeterProvider()
	}
	if out.Propagator == nil {
		out.Propagator = propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})
	}
	return out
}

func (o *Options) meter() metric.Meter {
	return o.MeterProvider.Meter(scope, metric.WithInstrumentationVersion(scopeVersion))
}
