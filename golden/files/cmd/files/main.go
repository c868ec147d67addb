// Command files serves the files below one or two directories over MCP, on stdio or with -http.
package main

import (
	"context"
	"flag"
	"log"
	"os"

	"github.com/mcpgen/mcpgen/golden/files"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

func main() {
	pages := flag.String("dir", ".", "directory of the handbook")
	pictures := flag.String("pictures", "", "directory of the pictures; empty for none")
	serve := mcphttp.AddFlags(flag.CommandLine)
	flag.Parse()
	if err := run(*pages, *pictures, serve); err != nil {
		log.Fatal(err)
	}
}

func run(pages, pictures string, serve *mcphttp.Command) error {
	root, err := os.OpenRoot(pages)
	if err != nil {
		return err
	}
	if pictures != "" {
		if files.Pictures, err = os.OpenRoot(pictures); err != nil {
			return err
		}
	}
	srv, err := files.NewFilesServer(files.FilesImpl{Handbook: &files.Handbook{Pages: root}}, nil)
	if err != nil {
		return err
	}
	return serve.Run(context.Background(), srv)
}
