// Command suite serves an app, skills, an extension of its own and tasks of several packages over MCP, on stdio or with
// -http.
package main

import (
	"context"
	"flag"
	"log"
	"time"

	"github.com/mcpgen/mcpgen/golden/guides/ops"
	"github.com/mcpgen/mcpgen/golden/jobs"
	"github.com/mcpgen/mcpgen/golden/search"
	"github.com/mcpgen/mcpgen/golden/suite"
	"github.com/mcpgen/mcpgen/golden/suite/sheets"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

func main() {
	serve := mcphttp.AddFlags(flag.CommandLine)
	flag.Parse()
	if err := run(serve); err != nil {
		log.Fatal(err)
	}
}

func run(serve *mcphttp.Command) error {
	table, err := sheets.NewSheetsServer(sheets.SheetsImpl{}, nil)
	if err != nil {
		return err
	}
	o, err := ops.NewOpsServer(ops.OpsImpl{}, nil)
	if err != nil {
		return err
	}
	index := search.NewIndex(search.Page{Name: "start", Text: "welcome to the sheets"})
	find, err := search.NewSearchServer(search.SearchImpl{Index: index}, nil)
	if err != nil {
		return err
	}
	archive := jobs.New(time.Second, jobs.Document{Name: "minutes", Text: "We met and left."})
	work, err := jobs.NewJobsServer(jobs.JobsImpl{Archive: archive}, nil)
	if err != nil {
		return err
	}
	srv, err := suite.NewSuiteServer(suite.SuiteImpl{TableSheets: table, Ops: o, Search: find, WorkJobs: work}, nil)
	if err != nil {
		return err
	}
	return serve.Run(context.Background(), srv)
}
