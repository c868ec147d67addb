package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	mcpgosrv "github.com/mark3labs/mcp-go/server"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/bench/internal/work"
	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

// starts make a server with resources, each with a function of its own.
var starts = map[string]func(uris []string) (stop func() error, err error){
	work.Ours: startOurs, work.SDK: startSDK, work.MCPGo: startMCPGo,
}

// start is how long the server of a library with so many resources takes to make. It is the first that a process does.
func start(library string, resources int) (time.Duration, error) {
	uris := make([]string, resources)
	for i := range uris {
		uris[i] = fmt.Sprintf("bench:///declared/%d", i)
	}
	begin := time.Now()
	stop, err := starts[library](uris)
	took := time.Since(begin)
	if err != nil {
		return 0, err
	}
	return took, stop()
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
