package everything_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/everything"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// A server with skills has methods that are none of the protocol. Those about tasks still reach the tasks.
func TestTaskMethods(t *testing.T) {
	c := mcptest.New(t, newServer(t),
		mcptest.WithExtension("io.modelcontextprotocol/tasks", ""))
	for _, method := range []string{"tasks/get", "tasks/cancel", "tasks/update"} {
		_, fault := c.Do(method, []byte(`{"taskId":"unknown","inputResponses":{}}`))
		if mcptest.CodeOf(fault) != wire.CodeInvalidParams {
			t.Errorf("%s: %v, want -32602", method, fault)
		}
	}
}

// A client that leaves while it waits for the result of a task is no defect of the server.
func TestLeaveTaskResult(t *testing.T) {
	var log bytes.Buffer
	srv, err := everything.New(&mcp.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	id := ""
	t.Run("client", func(t *testing.T) {
		c := mcptest.New(t, srv, mcptest.WithRevision(protocol.Revision20251125))
		created, fault := c.Do("tools/call", []byte(`{"name":"slow_compute","arguments":{"seconds":3600},"task":{}}`))
		raw, _ := wire.Lookup(created, "task", "taskId")
		id = `{"taskId":` + string(raw) + `}`
		c.Send(`{"jsonrpc":"2.0","id":"waits","method":"tasks/result","params":` + id + `}`)
		if _, again := c.Do("tasks/get", []byte(id)); fault != nil || again != nil {
			t.Error(fault, again)
		}
	})
	t.Run("other client", func(t *testing.T) {
		c := mcptest.New(t, srv, mcptest.WithRevision(protocol.Revision20251125))
		if _, fault := c.Do("tasks/cancel", []byte(id)); fault != nil {
			t.Error(fault)
		}
	})
	if err := srv.Close(); err != nil {
		t.Error(err)
	}
	if strings.Contains(log.String(), "level=ERROR") { // that a request was abandoned is a warning
		t.Errorf("the log has %s", log.String())
	}
}

// Who knows the ids of some tasks cannot guess that of another: all but the time in an id is random.
func TestTaskIDsAreRandom(t *testing.T) {
	t.Attr("requirements", "task-anonymous practice-random")
	srv := newServer(t)
	t.Cleanup(func() { _ = srv.Close() })
	c := mcptest.New(t, srv, mcptest.WithRevision(protocol.Revision20251125))
	var ids []string
	for range 20 {
		created, fault := c.Do("tools/call", []byte(`{"name":"slow_compute","arguments":{"seconds":3600},"task":{}}`))
		if fault != nil {
			t.Fatal(fault)
		}
		raw, _ := wire.Lookup(created, "task", "taskId")
		ids = append(ids, strings.Trim(string(raw), `"`))
		if _, fault := c.Do("tasks/cancel", []byte(`{"taskId":`+string(raw)+`}`)); fault != nil {
			t.Error(fault)
		}
	}
	differ := 0
	for place := range ids[0] {
		seen := map[byte]int{}
		for _, id := range ids {
			seen[id[place]]++
		}
		if len(seen) > 5 { // of 32, in 20 ids
			differ++
		}
	}
	if bits := 5 * differ; bits < 128 {
		t.Errorf("%d bits of the ids are random, want 128: %q", bits, ids)
	}
}
