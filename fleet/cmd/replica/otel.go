package main

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	exporter "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"

	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/stats"
	mcpotel "github.com/mcpgen/mcpgen/otel"
)

// otelPath is where Prometheus reads the histograms of module otel.
const otelPath = "/otel"

// observe returns an observer that measures requests, and adds a route with its histograms to a command.
func observe(command *mcphttp.Command) (stats.Observer, error) {
	registry := prometheus.NewRegistry()
	reader, err := exporter.New(exporter.WithRegisterer(registry))
	if err != nil {
		return nil, err
	}
	meters := metric.NewMeterProvider(metric.WithReader(reader))
	command.Routes = map[string]http.Handler{otelPath: promhttp.HandlerFor(registry, promhttp.HandlerOpts{})}
	return mcpotel.New(&mcpotel.Options{MeterProvider: meters}), nil
}
