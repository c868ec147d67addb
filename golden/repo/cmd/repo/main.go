// Command repo serves a git repository over MCP on stdio.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/mcpgen/mcpgen/golden/repo"
	"github.com/mcpgen/mcpgen/mcp/transport/stdio"
)

func main() {
	dir := flag.String("dir", ".", "directory of the repository")
	flag.Parse()
	if err := run(*dir); err != nil {
		log.Fatal(err)
	}
}

func run(dir string) error {
	r, err := repo.Open(dir)
	if err != nil {
		return err
	}
	srv, err := repo.NewRepoServer(repo.RepoImpl{Repo: r}, nil)
	if err != nil {
		return err
	}
	return srv.Serve(context.Background(), stdio.New(nil))
}
