package server

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
)

func TestNegotiation(t *testing.T) {
	t.Attr("requirements", "init-version init-version-latest")
	st := newTestServer(t, nil)
	for asked, want := range map[string]string{
		"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25",
		"2026-07-28": "2025-11-25", "1999-01-01": "2025-11-25", "": "2025-11-25",
	} {
		c := newHarness(t, st.Server)
		got := c.ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, asked))
		wantMatch(t, got, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":%q,"instructions":"play","serverInfo":{"name":"stage","version":"v1"},"capabilities":{"…":0}}}`, want))
		if old := want == "2024-11-05"; strings.Contains(got, "completions") == old {
			t.Errorf("%s: completions capability: %s", want, got)
		}
	}
}

// bad is the response to params that are not valid.
func bad(text string) string {
	return `{"jsonrpc":"2.0","id":"*","error":{"code":-32602,"message":"*` + text + `"}}`
}

// Responses in TestEras.
const (
	unknown        = `{"jsonrpc":"2.0","id":"*","error":{"code":-32601,"message":"*"}}`
	notInitialized = `{"jsonrpc":"2.0","id":"*","error":{"code":-32602,"message":"*not initialized"}}`
	modernRead     = `{"jsonrpc":"2.0","id":"*","result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","contents":["*"],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"stage","version":"v1"}}}}`
	legacyRead     = `{"jsonrpc":"2.0","id":"*","result":{"contents":["*"]}}`
)

// TestEras walks through one connection: each line is judged by what it says itself and, without
// a version, by the session.
func TestEras(t *testing.T) {
	t.Attr("requirements", "state-connection")
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	meta := func(fields string) string { return `"_meta":{` + fields + `}` }
	const declares, caps = `"io.modelcontextprotocol/protocolVersion":`, `"io.modelcontextprotocol/clientCapabilities":{}`
	unsupported := func(asked string) string {
		return `{"jsonrpc":"2.0","id":"*","error":{"code":-32022,"message":"*","data":{"supported":["2026-07-28"],"requested":"` + asked + `"}}}`
	}
	const pong = `{"jsonrpc":"2.0","id":"*","result":{}}`

	st := newTestServer(t, nil)
	c := newHarness(t, st.Server)
	for i, step := range []struct{ name, send, want string }{
		{"ping before initialize", request("1", "ping", ""), pong},
		{"legacy request too early", read("2", "fix:///a"), notInitialized},
		{"no version at all", request("3", "server/discover", ""), notInitialized},
		{"discover", modern(`"d"`, "server/discover", ""),
			`{"jsonrpc":"2.0","id":"d","result":{"…":0,"resultType":"complete","ttlMs":0,"cacheScope":"private",` +
				`"supportedVersions":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],"instructions":"play","capabilities":{"…":0},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"stage","version":"v1"}}}}`},
		{"discover does not initialize", read("4", "fix:///a"), notInitialized},
		{"modern read", modern("5", "resources/read", `"uri":"fix:///a"`), modernRead},
		{"modern ping does not exist", modern("6", "ping", ""), unknown},
		{"modern initialize does not exist", modern("7", "initialize", `"protocolVersion":"2025-06-18"`), unknown},
		{"modern subscribe does not exist", modern("8", "resources/subscribe", `"uri":"do:///text"`), unknown},
		{"modern setLevel does not exist", modern("9", "logging/setLevel", `"level":"info"`), unknown},
		{"capabilities missing", request("10", "resources/read", meta(declares+`"2026-07-28"`)+`,"uri":"fix:///a"`),
			bad("clientCapabilities is required")},
		{"capabilities of a wrong type", request("10", "x", meta(declares+`"2026-07-28","io.modelcontextprotocol/clientCapabilities":[]`)), bad("clientCapabilities must be an object")},
		{"version of a wrong type", request("11", "server/discover", meta(declares+`7,`+caps)),
			bad("protocolVersion must be a string")},
		{"malformed before unsupported", request("12", "server/discover", meta(declares+`"v999"`)),
			bad("clientCapabilities is required")},
		{"unsupported before unknown method", request("13", "no/such", meta(declares+`"v999",`+caps)), unsupported("v999")},
		{"version of a legacy revision", request("14", "server/discover", meta(declares+`"2025-11-25",`+caps)),
			unsupported("2025-11-25")},
		{"wrong level", request("15", "server/discover",
			meta(declares+`"2026-07-28","io.modelcontextprotocol/logLevel":"loud",`+caps)), bad("logLevel is not a level")},
		{"version with escapes", request("16", "resources/read", `"\u005fmeta":{"io.modelcontextprotocol/protocol\u0056ersion":"2026-07-\u0032\u0038",`+caps+`},"uri":"fix:///a"`), modernRead},
		{"version elsewhere is none", request("17", "resources/read", declares+`"2026-07-28","uri":"fix:///a"`),
			notInitialized},
		{"initialize with wrong params", request("18", "initialize", `"protocolVersion":7`), bad("protocolVersion")},
		{"initialize without params", `{"jsonrpc":"2.0","id":18,"method":"initialize"}`, bad("is required")},
		{"it did not initialize", read("18", "fix:///a"), notInitialized},
		{"initialize after modern requests", initialize, `{"jsonrpc":"2.0","id":1,"result":{"…":0,"protocolVersion":"2025-06-18"}}`},
		{"initialize twice", initialize, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"*already initialized"}}`},
		{"legacy read", read("18", "fix:///a"), legacyRead},
		{"modern beside a session", modern("19", "resources/read", `"uri":"fix:///a"`), modernRead},
		{"modern unsupported beside a session", request("20", "ping", meta(declares+`"v999",`+caps)), unsupported("v999")},
		{"still legacy", request("21", "ping", ""), pong},
		{"discover without a version is unknown", request("22", "server/discover", ""), unknown},
		{"unknown method", request("23", "no/such", ""), unknown},
		{"inherited names are no methods", request("24", "toString", ""), unknown},
	} {
		t.Run(fmt.Sprintf("%02d %s", i, step.name), func(t *testing.T) {
			c.t = t
			got := c.ask(step.send)
			wantMatch(t, got, step.want)
		})
	}
	c.t = t
}

// TestNotificationsAreNeverAnswered sends what is wrong in every way.
func TestNotificationsAreNeverAnswered(t *testing.T) {
	t.Attr("requirements", "msg-notification-answer cancel-unknown")
	st := newTestServer(t, nil)
	c := newHarness(t, st.Server)
	for _, params := range []string{"", `,"params":{}`, `,"params":{"requestId":{}}`, `,"params":[]`,
		`,"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"v999"}}`} {
		for _, method := range []string{"notifications/cancelled", "notifications/initialized", "notifications/nonsense",
			"resources/read", "initialize", ""} {
			c.send(`{"jsonrpc":"2.0","method":"` + method + `"` + params + `}`)
		}
	}
	c.quiet()
	wantMatch(t, c.ask(read("1", "fix:///a")), `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"*not initialized"}}`)
}

func TestSessionsOfOneServerAreSeparate(t *testing.T) {
	st := newTestServer(t, nil)
	newSession(t, st.Server, protocol.Revision20241105).quiet()
	other := newHarness(t, st.Server)
	wantMatch(t, other.ask(read("1", "fix:///a")), `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"*not initialized"}}`)
}
