package validator_test

import (
	"strings"
	"testing"
)

const (
	metaWith  = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`
	discover  = `{"jsonrpc":"2.0","id":"d","method":"server/discover","params":{` + meta + `}}`
	callTool  = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a",` + meta + `}}`
	callAgree = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a",` + metaWith + `}}`
	getTask   = `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"t",` + metaWith + `}}`
	count     = `{"jsonrpc":"2.0","id":1,"method":"com.example/search/count","params":{` + meta + `}}`
	listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}`
	directory = `{"jsonrpc":"2.0","id":1,"method":"resources/directory/read","params":{"uri":"a:b",` + meta + `}}`

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
	{"own method", searchDeclared, count, `"resultType":"complete","count":1`, ""},
	{"own method, not declared", "", count, `"resultType":"complete","count":1`, "does not send"},
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
