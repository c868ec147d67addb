package mcpotel

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

// Register exports the numbers of a server, those of [stats.Metrics] with the same names, to the MeterProvider of o:
// for programs that push metrics and are not scraped. Unregister of the result ends that. In modes other than Native it
// exports nothing.
func Register(srv interface{ Base() *mcp.Server }, o *Options) (metric.Registration, error) {
	opts := o.withDefaults()
	if opts.Mode != Native {
		return noop.Registration{}, nil
	}
	meter := opts.meter()
	table := stats.Metrics()
	instruments := make([]metric.Float64Observable, len(table))
	all := make([]metric.Observable, len(table))
	for i := range table {
		m := &table[i]
		var err error
		if m.Kind == stats.Gauge {
			instruments[i], err = meter.Float64ObservableGauge(m.Name, metric.WithDescription(m.Meaning),
				metric.WithUnit("{"+m.Unit+"}"))
		} else {
			instruments[i], err = meter.Float64ObservableCounter(m.Name, metric.WithDescription(m.Meaning),
				metric.WithUnit("{"+m.Unit+"}"))
		}
		if err != nil {
			return nil, err
		}
		all[i] = instruments[i]
	}
	base := srv.Base()
	return meter.RegisterCallback(func(_ context.Context, to metric.Observer) error {
		now := base.Stats()
		for i := range table {
			table[i].Each(&now, func(n float64, values ...string) {
				to.ObserveFloat64(instruments[i], n, metric.WithAttributes(labels(&table[i], values)...))
			})
		}
		return nil
	}, all...)
}

func labels(m *stats.Metric, values []string) []attribute.KeyValue {
	out := make([]attribute.KeyValue, len(values))
	for i, v := range values {
		out[i] = attribute.String(m.Labels[i].Name, v)
	}
	return out
}
