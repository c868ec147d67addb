package mcphttp_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// named is who a request says it is; nobody without the header.
func named(r *http.Request) (mcp.Caller, error) {
	return mcp.Caller{Subject: r.Header.Get("Name")}, nil
}

// The id of a task is unknown to everybody but its subject, in each method of both revisions. Without a subject the id
// alone counts, and there is no list.
func TestTasksAreTheirSubjects(t *testing.T) {
	t.Attr("requirements", "task-list-anonymous task-owner")
	synctest.Test(t, func(t *testing.T) {
		o := &observed{rig: newRigWith(t, &mcphttp.Options{Authenticate: named}, nil, withTasks), t: t}
		defer func() { _ = o.srv.Close() }()
		create := func(name string) string {
			return taskOf(t, o.as(name, "tools/call", "job", `"name":"job"`))
		}
		ids := map[string]string{"ada": create("ada"), "": create("")}
		for owner, id := range ids {
			for _, who := range []string{"eve", "ada", ""} {
				knows := who == owner
				check := func(method, got string) {
					t.Helper()
					if strings.Contains(got, `"result"`) != knows || !knows && !strings.Contains(got, "unknown task") {
						t.Errorf("%s of a task of %q by %q: %s", method, owner, who, got)
					}
				}
				check("get", o.as(who, "tasks/get", id, `"taskId":"`+id+`"`))
				check("update", o.as(who, "tasks/update", id, `"taskId":"`+id+`","inputResponses":{}`))
				if !knows {
					check("cancel", o.as(who, "tasks/cancel", id, `"taskId":"`+id+`"`))
				}
				s := o.session("Name", who)
				legacy := func(method, params string) string {
					return o.do("POST", `{"jsonrpc":"2.0","id":9,"method":"`+method+`","params":{`+params+`}}`, s...).Body.String()
				}
				check("2025-11-25 get", legacy("tasks/get", `"taskId":"`+id+`"`))
				if !knows {
					check("2025-11-25 result", legacy("tasks/result", `"taskId":"`+id+`"`))
					check("2025-11-25 cancel", legacy("tasks/cancel", `"taskId":"`+id+`"`))
				}
				list := legacy("tasks/list", "")
				if who == "" && !strings.Contains(list, "-32601") || who != "" && strings.Contains(list, id) != knows {
					t.Errorf("list of %q: %s", who, list)
				}
			}
			if got := o.as(owner, "tasks/get", id, `"taskId":"`+id+`"`); !strings.Contains(got, `"status":"working"`) {
				t.Errorf("somebody else has changed it: %s", got)
			}
		}
	})
}
