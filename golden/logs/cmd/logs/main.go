// Command logs serves the log files of a directory over MCP, on stdio or with -http.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/mcpgen/mcpgen/golden/logs"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

func main() {
	dir := flag.String("dir", ".", "directory of the log files")
	serve := mcphttp.AddFlags(flag.CommandLine)
	flag.Parse()
	if err := run(*dir, serve); err != nil {
		log.Fatal(err)
	}
}

func run(dir string, serve *mcphttp.Command) error {
	l, err := logs.Open(dir)
	if err != nil {
		return err
	}
	defer l.Close()
	srv, err := logs.NewLogsServer(logs.LogsImpl{Logs: l}, nil)
	if err != nil {
		return err
	}
	return serve.Run(context.Background(), srv)
}
