package jobs_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/jobs"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// newArchive returns a server with two documents, whose work takes no time.
func newArchive(t *testing.T) mcptest.Server {
	t.Helper()
	srv, err := jobs.NewJobsServer(jobs.JobsImpl{Archive: jobs.New(0, jobs.Document{Name: "minutes", Text: "We met"},
		jobs.Document{Name: "draft", Text: "To be done"})}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	return srv
}

func TestCountWords(t *testing.T) {
	c := mcptest.New(t, newArchive(t), mcptest.WithTasks())
	if got := c.CallText("count_words", `{}`); got != `{"documents":2,"words":5}` {
		t.Errorf("count_words = %s", got)
	}
}

func TestPurge(t *testing.T) {
	yes := func(protocol.ElicitRequestParams) protocol.ElicitResult { return mcptest.Accept(`{"delete":true}`) }
	c := mcptest.New(t, newArchive(t), mcptest.WithTasks(), mcptest.WithElicitation(yes))
	if got := c.CallText("purge", `{"prefix":"draft"}`); got != "1" {
		t.Errorf("purge = %s", got)
	}
}

// A client of the test kit that knows tasks gets the same results in all revisions, and tasks in those that have them.
func TestKit(t *testing.T) {
	no := func(protocol.ElicitRequestParams) protocol.ElicitResult { return mcptest.Decline() }
	for _, rev := range mcp.Revisions() {
		c := mcptest.New(t, newArchive(t), mcptest.WithRevision(rev), mcptest.WithTasks(), mcptest.WithElicitation(no))
		if got := c.CallText("count_words", `{}`); !strings.Contains(got, `"words":5`) {
			t.Errorf("%s: count_words = %s", rev, got)
		}
		if got := c.CallError("send_letters", `{"document":"none","to":["ann"]}`); !strings.Contains(got.Error(), "no document") {
			t.Errorf("%s: send_letters = %s", rev, got)
		}
		hasTasks := rev == protocol.Revision20251125 ||
			protocol.HasMethod(rev, protocol.MethodServerDiscover)
		if got := c.CallError("purge", `{"prefix":"draft"}`); hasTasks && !strings.Contains(got.Error(), "declined") {
			t.Errorf("%s: purge = %s", rev, got)
		}
		said := strings.Join(c.Transcript(), "\n")
		if strings.Contains(said, `"taskId"`) != hasTasks {
			t.Errorf("%s: tasks are wanted: %t\n%s", rev, hasTasks, said)
		}
		if hasTasks {
			c.Call("rebuild", `{}`)
		} else {
			c.CallError("rebuild", `{}`)
		}
	}
}

// A store that only a member of a joined server has would keep nothing.
func TestStoreOfMember(t *testing.T) {
	store := new(task.Memory)
	member, err := jobs.NewJobsServer(jobs.JobsImpl{Archive: jobs.New(0)}, &mcp.Options{Tasks: task.Options{Store: store}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = member.Close() })
	all := &mcprt.Features{Info: protocol.Implementation{Name: "all", Version: "1.0.0"}}
	if _, err := mcprt.Join(all, nil, member); err == nil || !strings.Contains(err.Error(), "Options.Tasks.Store") {
		t.Errorf("joined without a store: %v", err)
	}
	joined, err := mcprt.Join(all, &mcp.Options{Tasks: task.Options{Store: store}}, member)
	if err != nil {
		t.Fatal(err)
	}
	_ = joined.Close()
}
