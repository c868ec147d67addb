// Command repo serves a git repository over MCP, on stdio or with -http.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/mcpgen/mcpgen/golden/repo"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

func main() {
	dir := flag.String("dir", ".", "directory of the repository")
	serve := mcphttp.AddFlags(flag.CommandLine)
	flag.Parse()
	if err := run(*dir, serve); err != nil {
		log.Fatal(err)
	}
}

func run(dir string, serve *mcphttp.Command) error {
	r, err := repo.Open(dir)
	if err != nil {
		return err
	}
	srv, err := repo.NewRepoServer(repo.RepoImpl{Repo: r}, nil)
	if err != nil {
		return err
	}
	return serve.Run(context.Background(), srv)
}
