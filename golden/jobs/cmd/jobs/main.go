// Command jobs serves an archive whose tools are tasks over MCP, on stdio or with -http.
package main

import (
	"context"
	"flag"
	"log"
	"time"

	"github.com/mcpgen/mcpgen/golden/jobs"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

func main() {
	serve := mcphttp.AddFlags(flag.CommandLine)
	pace := flag.Duration("pace", time.Second, "`time` that the work on one document takes")
	flag.Parse()
	if err := run(serve, *pace); err != nil {
		log.Fatal(err)
	}
}

func run(serve *mcphttp.Command, pace time.Duration) error {
	a := jobs.New(pace, jobs.Document{Name: "minutes", Text: "We met and left."},
		jobs.Document{Name: "draft-1", Text: "To be done"}, jobs.Document{Name: "draft-2", Text: "To be done as well"})
	srv, err := jobs.NewJobsServer(jobs.JobsImpl{Archive: a}, nil)
	if err != nil {
		return err
	}
	return serve.Run(context.Background(), srv)
}
