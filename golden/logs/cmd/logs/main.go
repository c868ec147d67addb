// Command logs serves the log files of a directory over MCP on stdio.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/mcpgen/mcpgen/golden/logs"
	"github.com/mcpgen/mcpgen/mcp/transport/stdio"
)

func main() {
	dir := flag.String("dir", ".", "directory of the log files")
	flag.Parse()
	if err := run(*dir); err != nil {
		log.Fatal(err)
	}
}

func run(dir string) error {
	l, err := logs.Open(dir)
	if err != nil {
		return err
	}
	defer l.Close()
	srv, err := logs.NewLogsServer(logs.LogsImpl{Logs: l}, nil)
	if err != nil {
		return err
	}
	return srv.Serve(context.Background(), stdio.New(nil))
}
