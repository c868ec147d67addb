package suite_test

import (
	"encoding/json"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/guides/ops"
	"github.com/mcpgen/mcpgen/golden/internal/transcript"
	"github.com/mcpgen/mcpgen/golden/jobs"
	"github.com/mcpgen/mcpgen/golden/search"
	"github.com/mcpgen/mcpgen/golden/suite"
	"github.com/mcpgen/mcpgen/golden/suite/sheets"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start returns the server with options for it and for that with the page. The work on a document takes some time.
func start(t *testing.T, pace time.Duration, opts, page *mcp.Options) *suite.SuiteServer {
	t.Helper()
	table, err := sheets.NewSheetsServer(sheets.SheetsImpl{}, page)
	if err != nil {
		t.Fatal(err)
	}
	o, err := ops.NewOpsServer(ops.OpsImpl{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	find, err := search.NewSearchServer(search.SearchImpl{
		Index: search.NewIndex(search.Page{Name: "start", Text: "welcome to the sheets"}),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	work, err := jobs.NewJobsServer(jobs.JobsImpl{
		Archive: jobs.New(pace, jobs.Document{Name: "minutes", Text: "We met and left."}),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	srv, err := suite.NewSuiteServer(suite.SuiteImpl{TableSheets: table, Ops: o, Search: find, WorkJobs: work}, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = srv.Close()
		_ = work.Close()
	})
	return srv
}

// all declares that a client has each of the extensions.
var all = []mcptest.Option{
	mcptest.WithExtension("io.modelcontextprotocol/ui", `{"mimeTypes":["text/html;profile=mcp-app"]}`),
	mcptest.WithExtension("io.modelcontextprotocol/skills", ""),
	mcptest.WithExtension("com.example/search", ""),
	mcptest.WithTasks(),
}

// What is mounted is declared once and answers as it does alone: an app, skills of two servers, an extension, tasks.
func TestWire(t *testing.T) {
	begin := func(t *testing.T) mcptest.Server { return start(t, time.Second, nil, nil) }
	transcript.Run(t, "wire", begin, func(c *mcptest.Client, rev protocol.Revision) {
		if protocol.HasMethod(rev, protocol.MethodServerDiscover) {
			c.Do(protocol.MethodServerDiscover, nil)
		}
		for _, r := range []struct{ method, params string }{
			{protocol.MethodToolsList, `{}`},
			{protocol.MethodToolsCall, `{"name":"table.show"}`},
			{protocol.MethodToolsCall, `{"name":"totals"}`},
			{protocol.MethodToolsCall, `{"name":"show"}`},
			{protocol.MethodResourcesList, `{}`},
			{protocol.MethodResourcesRead, `{"uri":"ui://sheets/table"}`},
			{"skills/list", `{}`},
			{"skills/get", `{"uri":"skill://restart/SKILL.md"}`},
			{"resources/directory/read", `{"uri":"skill://close-books"}`},
			{"com.example/search/query", `{"words":["sheets"]}`},
			{"com.example/search/remove", `{"name":"start"}`},
		} {
			c.Do(r.method, json.RawMessage(r.params))
		}
		call := `{"name":"work.count_words"}`
		if rev == protocol.Revision20251125 {
			call = `{"name":"work.count_words","task":{}}`
		}
		created, _ := c.Do(protocol.MethodToolsCall, json.RawMessage(call))
		if hasTasks(rev) {
			time.Sleep(1500 * time.Millisecond)
			c.Do(protocol.MethodTasksGet, json.RawMessage(`{"taskId":`+taskOf(created)+`}`))
		}
	}, all...)
}

// taskOf is the id of the task that a call has become, as JSON.
func taskOf(created json.RawMessage) string {
	for _, path := range [][]string{{"taskId"}, {"task", "taskId"}} {
		if id, ok := wire.Lookup(created, path...); ok {
			return string(id)
		}
	}
	return `"none"`
}
