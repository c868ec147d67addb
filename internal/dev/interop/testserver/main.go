// Command testserver serves handlers that fail on purpose, and tools that cause events at a known time, for the tests
// of internal/dev/interop that use a server in another process.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

func main() {
	grace := flag.Duration("grace", time.Second, "how long requests may go on after the end of input")
	inFlight := flag.Int("inflight", 0, "most requests at once; 0 for the default")
	listens := flag.Int("listens", 0, "most listens at once; 0 for the default")
	serve := mcphttp.AddFlags(flag.CommandLine)
	flag.Parse()
	if err := run(serve, &mcp.Options{Grace: *grace, MaxInFlight: *inFlight, MaxListens: *listens}); err != nil {
		log.Fatal(err)
	}
}

func run(serve *mcphttp.Command, opts *mcp.Options) error {
	p := &program{gate: make(chan struct{})}
	srv, err := mcprt.NewServer(p.features(), opts)
	if err != nil {
		return err
	}
	p.srv = srv
	return serve.Run(context.Background(), srv)
}

// features declares everything; the page size is small so that lists have several pages.
func (p *program) features() *mcprt.Features {
	return &mcprt.Features{
		Info: protocol.Implementation{Name: "testserver", Version: "1"},
		Capabilities: protocol.ServerCapabilities{
			Completions: &protocol.ServerCapabilitiesCompletions{},
			Resources:   &protocol.ServerCapabilitiesResources{ListChanged: new(true), Subscribe: new(true)},
			Tools:       &protocol.ServerCapabilitiesTools{},
		},
		PageSize:  4,
		Resources: p.resources(),
		Route:     route,
		Tools:     p.tools(),
	}
}

// instances are the listed ones of the template item.
func instances(yield func(string, error) bool) {
	for i := range 7 {
		if !yield(fmt.Sprintf("i%d", i), nil) {
			return
		}
	}
}
