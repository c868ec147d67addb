package validator_test

import (
	"strings"
	"testing"
)

const (
	metaWith   = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`
	discover   = `{"jsonrpc":"2.0","id":"d","method":"server/discover","params":{` + meta + `}}`
	callTool   = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a",` + meta + `}}`
	callAgree  = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a",` + metaWith + `}}`
	getTask    = `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"t",` + metaWith + `}}`
	count      = `{"jsonrpc":"2.0","id":1,"method":"com.example/search/count","params":{` + meta + `}}`
	countAgree = `{"jsonrpc":"2.0","id":1,"method":"com.example/search/count","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"com.example/search":{}}}}}}`
	listTools  = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}`
	directory  = `{"jsonrpc":"2.0","id":1,"method":"resources/directory/read","params":{"uri":"a:b",` + meta + `}}`

	taskMembers = `"taskId":"t","createdAt":"2000-01-01T00:00:00Z","lastUpdatedAt":"2000-01-01T00:00:00Z","ttlMs":1`
	created     = `"resultType":"task","status":"working",` + taskMembers
	completed   = `"resultType":"complete","status":"completed",` + taskMembers + `,"result":`

	tasksDeclared  = `"io.modelcontextprotocol/tasks":{}`
	searchDeclared = `"com.example/search":{"maxHits":1}`
	uiDeclared     = `"io.modelcontextprotocol/ui":{}`
)

// extensionMessages are answers in 2026-07-28, to a server/discover first that declares the extensions.
var extensionMessages = []struct {
	name, declared, ask, result string
	wrong                       string // part of the complaint; empty: none
}{
	{"method of nobody", tasksDeclared + "," + searchDeclared + "," + uiDeclared,
		strings.Replace(count, "com.example/search", "com.example/other", 1), `"resultType":"complete"`, "does not send"},
	{"method of the core's namespace", searchDeclared, strings.Replace(count, "com.example/search", "tools", 1),
		`"resultType":"complete"`, "does not send"},
	{"question for a method of nobody", "", count, `"resultType":"input_required","requestState":"x"`, "does not send"},
	{"own method", searchDeclared, countAgree, `"resultType":"complete","count":1`, ""},
	{"own method, not declared", "", countAgree, `"resultType":"complete","count":1`, "does not send"},
	{"own method, not declared by the client", searchDeclared, count, `"resultType":"complete"`, "did not declare"},
	{"own method for all", searchDeclared, strings.Replace(count, "/count", "/size", 1), `"resultType":"complete"`, ""},
	{"own method without resultType", searchDeclared, count, `"count":1`, "resultType"},
	{"own method with another resultType", searchDeclared, count, `"resultType":"done"`, "done"},
	{"own method with a bad _meta", searchDeclared, count, `"resultType":"complete","_meta":1`, "_meta"},
	{"settings that are no object", `"com.example/search":1`, "", "", "search"},
	{"name without a vendor", `"search":{}`, "", "", "identifier"},
	{"settings of tasks", `"io.modelcontextprotocol/tasks":{"list":{}}`, "", "", "tasks"},
	{"task", tasksDeclared, callAgree, created, ""},
	{"task that the client does not know", tasksDeclared, callTool, created, "did not declare"},
	{"task that the server did not declare", "", callAgree, created, "did not declare"},
	{"task without a time", tasksDeclared, callAgree, strings.Replace(created, "createdAt", "created", 1), "createdAt"},
	{"tasks/get", tasksDeclared, getTask, completed + `{"resultType":"complete","content":[]}`, ""},
	{"tasks/get, not declared", "", getTask, completed + `{"resultType":"complete","content":[]}`, "does not send"},
	{"tasks/get without a task", tasksDeclared, getTask, `"resultType":"complete"`, "taskId"},
	{"task with a member too many", tasksDeclared, callAgree, created + `,"result":{}`, "result"},
	{"task with a member of nobody", tasksDeclared, callAgree, created + `,"extra":1`, "extra"},
	{"tasks/get with a member too many", tasksDeclared, getTask,
		completed + `{"resultType":"complete","content":[]},"error":{"code":1,"message":"x"}`, "error"},
	{"tasks/get of one that works, with a result", tasksDeclared, getTask,
		`"resultType":"complete","status":"working",` + taskMembers + `,"result":{}`, "result"},
	{"tasks/cancel with a member too many", tasksDeclared, strings.Replace(getTask, "tasks/get", "tasks/cancel", 1),
		`"resultType":"complete","taskId":"t"`, "taskId"},
	{"tasks/cancel", tasksDeclared, strings.Replace(getTask, "tasks/get", "tasks/cancel", 1),
		`"resultType":"complete","_meta":{"a/b":1}`, ""},
	{"tasks/get with a result of no tool", tasksDeclared, getTask, completed + `{"resultType":"complete"}`, "content"},
	{"directory without its setting", `"io.modelcontextprotocol/skills":{}`, directory, `"resultType":"complete"`,
		"does not send"},
	{"directory", `"io.modelcontextprotocol/skills":{"directoryRead":true}`, directory, `"resultType":"complete"`, ""},
	{"tool of an app", uiDeclared, listTools, tools(`{"ui":{"resourceUri":"ui://a/b"}}`), ""},
	{"tool of an app for nobody", uiDeclared, listTools, tools(`{"ui":{"visibility":["user"]}}`), "visibility"},
	{"_meta of a server without apps", "", listTools, tools(`{"ui":{"visibility":["user"]}}`), ""},
}

func tools(meta string) string {
	return `"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{"name":"a","inputSchema":{"type":"object"},"_meta":` + meta + `}]`
}

// TestExtensions: what a method, a result and a setting of an extension is judged by, and that a method which nobody
// declared is refused.
func TestExtensions(t *testing.T) {
	all := schemas(t)
	all.ForAll("com.example/search/size")
	for _, tt := range extensionMessages {
		t.Run(tt.name, func(t *testing.T) {
			s := all.Session("2026-07-28")
			s.FromClient([]byte(discover))
			err := s.FromServer([]byte(`{"jsonrpc":"2.0","id":"d","result":{"resultType":"complete","ttlMs":0,` +
				`"cacheScope":"private","supportedVersions":["2026-07-28"],"capabilities":{"extensions":{` + tt.declared + `}}}}`))
			if tt.ask != "" {
				if err != nil {
					t.Fatal(err)
				}
				s.FromClient([]byte(tt.ask))
				err = s.FromServer([]byte(`{"jsonrpc":"2.0","id":1,"result":{` + tt.result + `}}`))
			}
			switch {
			case tt.wrong == "" && err != nil:
				t.Errorf("complains about a good answer: %v", err)
			case tt.wrong != "" && (err == nil || !strings.Contains(err.Error(), tt.wrong)):
				t.Errorf("complaint %v, want one about %q", err, tt.wrong)
			}
		})
	}
}

// TestExtensionCalls: requests and notifications of both sides need a declaration too, and their envelope.
func TestExtensionCalls(t *testing.T) {
	const declares = `{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"extensions":{` + searchDeclared + `}}}}`
	s := schemas(t).Session("2026-07-28")
	changed := `{"jsonrpc":"2.0","method":"notifications/com.example/search/changed","params":{}}`
	if s.FromServer([]byte(changed)) == nil || s.CheckClient([]byte(count)) == nil {
		t.Error("a method that nobody declared passes")
	}
	s.Assume([]byte(declares))
	s.FromClient([]byte(count))
	if s.FromServer([]byte(changed)) == nil {
		t.Error("a notification for a client that did not declare the extension passes")
	}
	s.FromClient([]byte(countAgree))
	if err := s.FromServer([]byte(changed)); err != nil {
		t.Error(err)
	}
	if err := s.CheckClient([]byte(count)); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{
		strings.Replace(count, meta, "", 1),               // the core wants its _meta in every request
		strings.Replace(count, `"jsonrpc":"2.0",`, "", 1), // the envelope
		strings.Replace(count, `"id":1,`, "", 1),          // a notification by the name of a request
		strings.Replace(count, "search", "searching", 1),  // of another extension
		strings.Replace(count, `"id":1,`, `"id":1.5,`, 1), // an id is a string or an integer
	} {
		if s.CheckClient([]byte(bad)) == nil {
			t.Errorf("passes: %s", bad)
		}
	}
}

// TestTaskSubscriptions: an acknowledgement names tasks only if both sides have declared them, and nothing else that
// the core does not know.
func TestTaskSubscriptions(t *testing.T) {
	for _, tt := range []struct{ declared, meta, filter, wrong string }{
		{tasksDeclared, metaWith, `"taskIds":["t"]`, ""},
		{tasksDeclared, metaWith, `"taskIds":["t"],"toolsListChanged":true`, ""},
		{tasksDeclared, metaWith, `"taskIds":[1]`, "taskIds"},
		{tasksDeclared, metaWith, `"taskIds":["t"],"others":[]`, "others"},
		{tasksDeclared, meta, `"taskIds":["t"]`, "did not declare"},
		{searchDeclared, metaWith, `"taskIds":["t"]`, "taskIds"},
	} {
		s := schemas(t).Session("2026-07-28")
		s.Assume([]byte(`{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"extensions":{` + tt.declared + `}}}}`))
		s.FromClient([]byte(`{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{` + tt.meta +
			`,"notifications":{` + tt.filter + `}}}`))
		err := s.FromServer([]byte(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{` +
			`"_meta":{"io.modelcontextprotocol/subscriptionId":7},"notifications":{` + tt.filter + `}}}`))
		if tt.wrong == "" && err != nil || tt.wrong != "" && (err == nil || !strings.Contains(err.Error(), tt.wrong)) {
			t.Errorf("%s of %s: %v, want %q", tt.filter, tt.declared, err, tt.wrong)
		}
	}
}

// TestClientsBefore: in older revisions a client declares an extension of a program when the session begins.
func TestClientsBefore(t *testing.T) {
	for capabilities, good := range map[string]bool{
		`"extensions":{"com.example/search":{}}`: true, `"experimental":{"com.example/search":{}}`: true,
		`"extensions":{"com.example/other":{}}`: false, ``: false,
	} {
		s := schemas(t).Session("2025-11-25")
		s.FromClient([]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{` + capabilities + `}}}`))
		s.Assume([]byte(`{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"extensions":{` + searchDeclared + `}}}}`))
		s.FromClient([]byte(`{"jsonrpc":"2.0","id":2,"method":"com.example/search/count"}`))
		for _, text := range []string{
			`{"jsonrpc":"2.0","method":"notifications/com.example/search/changed","params":{}}`,
			`{"jsonrpc":"2.0","id":2,"result":{"count":1}}`,
		} {
			if err := s.FromServer([]byte(text)); (err == nil) != good {
				t.Errorf("{%s}: %s: %v", capabilities, text, err)
			}
		}
	}
}

// TestExtensionsBefore: revisions before extensions have them among their capabilities, but no tasks.
func TestExtensionsBefore(t *testing.T) {
	for declared, good := range map[string]bool{
		searchDeclared: true, uiDeclared: true, tasksDeclared: false, `"a":{}`: false,
	} {
		s := schemas(t).Session("2025-11-25")
		s.FromClient([]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`))
		err := s.FromServer([]byte(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18",` +
			`"capabilities":{"extensions":{` + declared + `}},"serverInfo":{"name":"a","version":"1"}}}`))
		if (err == nil) != good {
			t.Errorf("%s: %v", declared, err)
		}
	}
}
