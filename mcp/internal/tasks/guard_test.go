package tasks_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
)

// Who must not know of a tool does not learn of it from the way its calls are refused as tasks.
func TestTaskToolsAreHidden(t *testing.T) {
	for name, rules := range map[string]access.Access{
		"scopes": {Scopes: []string{"key"}},
		"policy": {Policies: []access.Policy{func(*call.Call) error { return errors.New("no") }}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := newTaskServer(t, nil)
				for i := range st.features.Tools {
					st.features.Tools[i].Guard = &access.Guard{Access: rules}
				}
				c, old := newHarness(t, st.Server), newSession(t, st.Server, protocol.Revision20251125)
				unknown := func(tool, response string) {
					t.Helper()
					contains(t, response, `"code":-32602`, `unknown tool \"`+tool+`\"`)
				}
				for _, tool := range []string{"work", "must", "plain"} {
					unknown(tool, c.ask(withTasks("1", "tools/call", `"name":"`+tool+`"`)))
					unknown(tool, c.ask(modern("1", "tools/call", `"name":"`+tool+`"`)))
					unknown(tool, old.ask(request("1", "tools/call", `"name":"`+tool+`","task":{}`)))
					unknown(tool, old.ask(request("1", "tools/call", `"name":"`+tool+`"`)))
				}
				c.cancel()
				old.cancel()
			})
		})
	}
}
