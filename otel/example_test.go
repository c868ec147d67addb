package mcpotel_test

import (
	"context"
	"log"
	"log/slog"
	"os"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdk "go.opentelemetry.io/otel/sdk/trace"

	"github.com/mcpgen/mcpgen/golden/ask"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/otel"
)

// A program whose spans go to OTEL_EXPORTER_OTLP_ENDPOINT.
func Example() {
	exporter, err := otlptracehttp.New(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	traces := sdk.NewTracerProvider(sdk.WithBatcher(exporter))
	defer func() { _ = traces.Shutdown(context.Background()) }()

	srv, err := ask.NewAskServer(ask.AskImpl{}, &mcp.Options{
		Observer: mcpotel.New(&mcpotel.Options{TracerProvider: traces}),
		Logger:   slog.New(mcpotel.LogHandler(slog.NewTextHandler(os.Stderr, nil))),
	})
	if err != nil {
		log.Print(err)
		return
	}
	mcphttp.Main(srv)
}
