package main

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	mcpgosrv "github.com/mark3labs/mcp-go/server"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/bench/internal/report"
	"github.com/mcpgen/mcpgen/bench/internal/work"
	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

// declared is how many resources a server has whose start is measured.
const declared = 10_000

// startUp measures how long a server with many resources takes to make, each with a function of its own.
func startUp(_ string, rounds int, _ time.Duration) ([]table, []string, error) {
	row := report.Row{Name: fmt.Sprintf("server with %d resources", declared), Cost: map[string][]float64{},
		Text: map[string]string{}}
	uris := make([]string, declared)
	for i := range uris {
		uris[i] = fmt.Sprintf("bench:///declared/%d", i)
	}
	for range rounds {
		for _, library := range []struct {
			name string
			make func(uris []string) (func() error, error)
		}{{work.Ours, startOurs}, {work.SDK, startSDK}, {work.MCPGo, startMCPGo}} {
			runtime.GC() // or one would pay for what another has left
			begin := time.Now()
			stop, err := library.make(uris)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", library.name, err)
			}
			row.Cost[library.name] = append(row.Cost[library.name], float64(time.Since(begin)))
			if err := stop(); err != nil {
				return nil, nil, err
			}
		}
	}
	for name, list := range row.Cost {
		row.Text[name] = report.Duration(report.Median(list))
	}
	return []table{{"To make a server", memoryServers, []report.Row{row}}}, nil, nil
}

func startOurs(uris []string) (stop func() error, err error) {
	f := &mcprt.Features{Info: protocol.Implementation{Name: "bench", Version: "1"},
		Resources: make([]mcprt.Resource, len(uris))} // generated code has a literal, which has its size
	for i, uri := range uris {
		f.Resources[i] = mcprt.Resource{Entry: &protocol.Resource{URI: uri, Name: uri},
			Read: func(*mcprt.Call) (mcprt.Contents, error) { return mcprt.AsText("", mcp.ErrNotFound) }}
	}
	srv, err := mcprt.NewServer(f, &mcp.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	return srv.Close, nil
}

func startSDK(uris []string) (stop func() error, err error) {
	s := sdk.NewServer(&sdk.Implementation{Name: "bench", Version: "1"}, nil)
	for _, uri := range uris {
		s.AddResource(&sdk.Resource{URI: uri, Name: uri},
			func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
				return nil, sdk.ResourceNotFoundError(uri)
			})
	}
	return func() error { return nil }, nil
}

func startMCPGo(uris []string) (stop func() error, err error) {
	s := mcpgosrv.NewMCPServer("bench", "1")
	for _, uri := range uris {
		s.AddResource(mcpgo.NewResource(uri, uri),
			func(context.Context, mcpgo.ReadResourceRequest) ([]mcpgo.ResourceContents, error) { return nil, nil })
	}
	return func() error { return nil }, nil
}
