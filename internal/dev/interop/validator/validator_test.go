package validator_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/dev/interop/validator"
)

const root = "../../../.."

func schemas(t *testing.T) *validator.Schemas {
	t.Helper()
	s, err := validator.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// serverMessages are the cases of TestFromServer.
var serverMessages = []struct {
	name, revision, ask, answer string
	wrong                       string // part of the complaint; empty: none
}{
	{"ping", "2024-11-05", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`, ""},
	{"no jsonrpc", "2024-11-05", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"id":1,"result":{}}`, "jsonrpc"},
	{"id of another type", "2024-11-05", `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":"1","result":{}}`, "nobody made"},
	{"answered twice", "2025-06-18", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"result":{}}` +
		"\n" + `{"jsonrpc":"2.0","id":1,"result":{}}`, "nobody made"},
	{"no contents", "2025-11-25", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b"}}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`, "contents"},
	{"text", "2025-11-25", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b"}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"a:b","text":"x"}]}}`, ""},
	{"bad base64", "2025-11-25", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b"}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"a:b","blob":"%"}]}}`, "blob"},
	{"relative uri", "2025-11-25", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b"}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"b","text":"x"}]}}`, "uri"},
	{"field of a later revision", "2025-11-25",
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b"}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"contents":[],"ttlMs":0}}`, "ttlMs"},
	{"title before its time", "2025-03-26", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","title":"A","inputSchema":{"type":"object","additionalProperties":false}}]}}`, "title"},
	{"modern read", "2025-11-25", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b",` + meta +
		`}}`, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","contents":[]}}`,
		""},
	{"modern read without cache", "2025-11-25",
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b",` + meta + `}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","contents":[]}}`, "cacheScope"},
	{"old code", "2025-11-25", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b",` + meta + `}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"not found"}}`, "-32002"},
	{"unsupported version without data", "2025-11-25", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta +
		`}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no"}}`, "data"},
	{"null id", "2025-06-18", `not json`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}`,
		""},
	{"null id before initialize", "2025-11-25", `not json`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}`, ""},
	{"null id after initialize", "2025-11-25", `{"jsonrpc":"2.0","id":1,"method":"initialize"}`,
		`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"a","version":"1"}}}` + "\n" + `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}`, "id"},
	{"null id in the newest", "2026-07-28", `not json`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}`, "id"},
	{"no id in the newest", "2026-07-28", `not json`, `{"jsonrpc":"2.0","error":{"code":-32700,"message":"parse error"}}`,
		""},
	{"updated", "2025-06-18", ``, `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:b"}}`,
		""},
	{"template with a query", "2025-06-18", `{"jsonrpc":"2.0","id":1,"method":"resources/templates/list"}`, `{"jsonrpc":"2.0","id":1,"result":{"resourceTemplates":[{"name":"a","uriTemplate":"a:///{b}{?c,d}"}]}}`, ""},
	{"template with an open brace", "2025-06-18", `{"jsonrpc":"2.0","id":1,"method":"resources/templates/list"}`, `{"jsonrpc":"2.0","id":1,"result":{"resourceTemplates":[{"name":"a","uriTemplate":"a:///{b"}]}}`, "uriTemplate"},
	{"updated without uri", "2025-06-18", ``, `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{}}`, "uri"},
	{"acknowledged to the older", "2025-06-18", ``, `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{}}}`, "does not send"},
	{"tagged updated", "2025-06-18", ``, `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:b","_meta":{"io.modelcontextprotocol/subscriptionId":"x"}}}`, ""},
	{"batch", "2025-03-26", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `[{"jsonrpc":"2.0","id":1,"result":{}}]`, ""},
	{"batch elsewhere", "2025-06-18", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`,
		`[{"jsonrpc":"2.0","id":1,"result":{}}]`, "array"},
}

// TestFromServer shows the validator answers that are right and answers that are wrong in one way each.
func TestFromServer(t *testing.T) {
	t.Attr("requirements", "msg-jsonrpc msg-result msg-result-or-error msg-notification-id")
	tests := serverMessages
	all := schemas(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := all.Session(tt.revision)
			s.FromClient([]byte(tt.ask))
			var err error
			for line := range strings.Lines(tt.answer) {
				if e := s.FromServer([]byte(strings.TrimSpace(line))); e != nil {
					err = e
				}
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

// TestInitializeSettlesTheRevision: what comes after initialize is judged by the revision that was agreed on.
func TestInitializeSettlesTheRevision(t *testing.T) {
	s := schemas(t).Session("2025-11-25")
	s.FromClient([]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`))
	answer := `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"a","version":"1"}}}`
	if err := s.FromServer([]byte(answer)); err != nil {
		t.Fatal(err)
	}
	s.FromClient([]byte(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`))
	err := s.FromServer([]byte(`{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"},"annotations":{}}]}}`))
	if err == nil || !strings.Contains(err.Error(), "annotations") {
		t.Errorf("annotations of a tool pass in 2024-11-05: %v", err)
	}
}
