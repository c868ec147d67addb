package jobs_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/generated/protocol/ext/tasks"
	"github.com/mcpgen/mcpgen/golden/internal/transcript"
	"github.com/mcpgen/mcpgen/golden/jobs"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newServer(t *testing.T) mcptest.Server {
	t.Helper()
	a := jobs.New(time.Second, jobs.Document{Name: "minutes", Text: "We met and left."},
		jobs.Document{Name: "draft-1", Text: "To be done"}, jobs.Document{Name: "draft-2", Text: "To be done as well"})
	s, err := jobs.NewJobsServer(jobs.JobsImpl{Archive: a}, &mcp.Options{Caller: mcp.Caller{Subject: "ada"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func consents(protocol.ElicitRequestParams) protocol.ElicitResult {
	return mcptest.Accept(`{"delete":true}`)
}

// start calls a tool as a task and returns its id; "" if the revision has no tasks.
func start(c *mcptest.Client, rev protocol.Revision, tool, args string) string {
	params := `{"name":"` + tool + `","arguments":` + args + `}`
	path := []string{"taskId"}
	if rev == protocol.Revision20251125 {
		params = strings.TrimSuffix(params, "}") + `,"task":{"ttl":60000}}`
		path = []string{"task", "taskId"}
	}
	result, _ := c.Do(protocol.MethodToolsCall, json.RawMessage(params))
	raw, _ := wire.Lookup(result, path...)
	return strings.Trim(string(raw), `"`)
}

func about(id string) json.RawMessage { return json.RawMessage(`{"taskId":"` + id + `"}`) }

// Tasks in the revisions that have them; in the others the tools answer with their results, but for the one that
// cannot.
func TestWire(t *testing.T) {
	t.Attr("requirements", "task-ext-kind task-ext-text task-sse")
	t.Attr("requirements", "task-capability task-transitions task-input task-related task-times task-ttl "+
		"task-poll task-created task-result-ended task-list-complete task-list-pages "+
		"task-list-anonymous task-cancel-ended task-cancel task-ext-get task-ext-cancel "+
		"task-ext-state")
	script := func(c *mcptest.Client, rev protocol.Revision) {
		if rev > protocol.Revision20251125 {
			c.Do(protocol.MethodServerDiscover, nil)
		}
		c.Do(protocol.MethodToolsList, nil)
		id := start(c, rev, "count_words", "{}")
		if rev < protocol.Revision20251125 {
			c.Do(protocol.MethodToolsCall, json.RawMessage(`{"name":"rebuild"}`))
			c.Do(protocol.MethodTasksGet, about("X"))
			return
		}
		if wrong := start(c, rev, "send_letters", `{"document":"none","to":[]}`); wrong != "" {
			t.Errorf("%v: wrong arguments make a task", rev)
		}
		time.Sleep(1500 * time.Millisecond)
		c.Do(protocol.MethodTasksGet, about(id))
		failing := start(c, rev, "send_letters", `{"document":"none","to":["Ada"]}`)
		time.Sleep(2 * time.Second)
		c.Do(protocol.MethodTasksGet, about(id))
		c.Do(protocol.MethodTasksGet, about(failing))
		purge := start(c, rev, "purge", `{"prefix":"draft"}`)
		time.Sleep(time.Second)
		c.Do(protocol.MethodTasksGet, about(purge))
		if rev == protocol.Revision20251125 {
			legacy(c, id, purge)
		} else {
			c.Do(tasks.MethodTasksUpdate, json.RawMessage(`{"taskId":"`+purge+
				`","inputResponses":{"consent":{"action":"accept","content":{"delete":true}}}}`))
			time.Sleep(2 * time.Second)
			c.Do(protocol.MethodTasksGet, about(purge))
			c.Do(protocol.MethodTasksList, nil)
		}
		rebuild := start(c, rev, "rebuild", "{}")
		c.Do(protocol.MethodTasksCancel, about(rebuild))
		c.Do(protocol.MethodTasksGet, about(rebuild))
		c.Do(protocol.MethodTasksCancel, about(rebuild))
		c.Do(protocol.MethodTasksGet, about("UNKNOWN"))
		if rev == protocol.Revision20251125 {
			c.Do(protocol.MethodToolsCall, json.RawMessage(`{"name":"rebuild"}`))
			time.Sleep(time.Second) // the last notifications
			return
		}
		c.Do(protocol.MethodToolsCall, json.RawMessage(`{"name":"rebuild","_meta":{`+bare+`}}`))
		c.Do(protocol.MethodTasksGet, json.RawMessage(`{"taskId":"UNKNOWN","_meta":{`+bare+`}}`))
	}
	transcript.Both(t, "wire", newServer, script, mcptest.WithElicitation(consents), mcptest.WithExtension(tasks.ID, "{}"))
}

// legacy has what only 2025-11-25 has.
func legacy(c *mcptest.Client, counted, purge string) {
	c.Do(protocol.MethodTasksResult, about(counted))
	c.Do(protocol.MethodTasksResult, about(purge))
	c.Do(protocol.MethodTasksList, nil)
}

// bare is the _meta of a client of 2026-07-28 that does not know tasks.
const bare = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`
