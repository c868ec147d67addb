package server

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// askingFor is a server whose tool "ask" asks what ask does.
func askingFor(t *testing.T, ask func(c *call.Call) error) *Server {
	t.Helper()
	s, err := NewServer(&feature.Features{
		Info:         protocol.Implementation{Name: "t"},
		Capabilities: protocol.ServerCapabilities{Tools: new(protocol.ServerCapabilitiesTools)},
		Tools: []feature.Tool{{
			Entry: &protocol.Tool{Name: "ask", InputSchema: []byte(`{"type":"object"}`)}, Asks: true,
			Call: func(c *call.Call, _ []byte) (content.ToolResult, error) {
				return content.AsToolText("asked", ask(c))
			},
		}},
	}, &Options{Logger: silent(), ShowErrors: true})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Users are sent to pages only whose address is safe to show and to open.
func TestAskURL(t *testing.T) {
	t.Attr("requirements", "ask-url-params ask-url-private ask-url-https")
	for address, want := range map[string]string{
		"https://example.org/login?x=1": "input_required",
		"http://localhost:8080/a":       "input_required",
		"http://127.0.0.1/a":            "input_required",
		"http://[::1]:80/a":             "input_required",
		"http://example.org/":           "must be https",
		"http://localhost.example.org/": "must be https",
		"HTTP://example.org":            "must be https",
		"https://ada:secret@bank.org/":  "has a user or a password",
		"/login":                        "not an absolute URL",
		"https:///login":                "not an absolute URL",
		"":                              "not an absolute URL",
		"https://example.org/a b":       "not an absolute URL",
	} {
		s := askingFor(t, func(c *call.Call) error { return c.Peer().AskURL(c, "page", "Log in", address) })
		got := newHarness(t, s).ask(modernCall("1", "ask", everything, ""))
		if !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %q", address, got, want)
		}
	}
}

// Models are asked for what their clients have declared, with messages that the protocol allows.
func TestSamplingTools(t *testing.T) {
	t.Attr("requirements", "sampling-tools sampling-tool-results sampling-context")
	use := `{"type":"tool_use","id":"1","name":"t","input":{}}`
	result := `{"type":"tool_result","toolUseId":"1","content":[]}`
	user := func(blocks string) string { return `{"role":"user","content":[` + blocks + `]}` }
	model := func(blocks string) string { return `{"role":"assistant","content":[` + blocks + `]}` }
	text := `{"type":"text","text":"x"}`
	for _, x := range []struct{ client, params, want string }{
		{`{"sampling":{}}`, `"messages":[` + user(text) + `]`, "input_required"},
		{`{"sampling":{}}`, `"messages":[],"tools":[]`, `"code":-32021`},
		{`{"sampling":{"tools":{}}}`, `"messages":[],"tools":[]`, "input_required"},
		{`{"sampling":{}}`, `"messages":[],"includeContext":"thisServer"`,
			`"requiredCapabilities":{"sampling":{"context":{}}}`},
		{`{"sampling":{}}`, `"messages":[],"includeContext":"none"`, "input_required"},
		{`{"sampling":{"context":{}}}`, `"messages":[],"includeContext":"thisServer"`, "input_required"},
		{`{"sampling":{}}`, `"messages":[` + user(text) + `,` + model(use) + `,` + user(result) + `]`, "input_required"},
		{`{"sampling":{}}`, `"messages":[` + model(use) + `,` + user(result+`,`+text) + `]`, "and something else"},
		{`{"sampling":{}}`, `"messages":[` + model(use) + `,` + user(text) + `]`, "lacks a result of the call"},
		{`{"sampling":{}}`, `"messages":[` + model(use) + `]`, "has no result"},
		{`{"sampling":{}}`, `"messages":[` + user(result) + `]`, "not in the message before"},
	} {
		var p protocol.CreateMessageRequestParams
		d := wire.NewDecoder([]byte(`{"maxTokens":1,` + x.params + `}`))
		if p.DecodeJSON(&d, protocol.Revision20260728); d.Err() != nil {
			t.Fatal(d.Err())
		}
		s := askingFor(t, func(c *call.Call) error {
			_, err := c.Peer().AskModel(c, "model", p)
			return err
		})
		if got := newHarness(t, s).ask(modernCall("1", "ask", x.client, "")); !strings.Contains(got, x.want) {
			t.Errorf("%s with %s: %s, want %s", x.params, x.client, got, x.want)
		}
	}
	p := protocol.CreateMessageRequestParams{IncludeContext: protocol.IncludeContextThisServer}
	s := askingFor(t, func(c *call.Call) error {
		_, err := c.Peer().AskModel(c, "model", p)
		return err
	})
	c := able(t, s, protocol.Revision20250618, `{"sampling":{}}`) // which has no such capability
	c.send(toolCall("1", "ask", "{}"))
	wantMatch(t, c.recv(), `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"…":0}}`)
}

// The reason of a cancellation is in the log.
func TestCancelReason(t *testing.T) {
	t.Attr("requirements", "cancel-reason")
	var log logBook
	st := newTestServer(t, &Options{Logger: log.logger()})
	c := newSession(t, st.Server, protocol.Revision20251125)
	c.send(read("7", "do:///block"))
	<-st.entered
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"changed my mind"}}`)
	wantMatch(t, c.ask(read("8", "do:///text")), `{"jsonrpc":"2.0","id":8,"result":{"…":0}}`)
	if text := log.String(); !strings.Contains(text, `reason="changed my mind"`) || !strings.Contains(text, "id=7") {
		t.Errorf("the log is %s", text)
	}
	st.release <- struct{}{}
}

// A handler that logs without end does not fill its client with messages, which learns how many it has not got.
func TestLogRate(t *testing.T) {
	t.Attr("requirements", "log-rate")
	synctest.Test(t, func(t *testing.T) {
		s := newNotifier(t, map[string]func(*call.Call) error{"log": func(c *call.Call) error {
			for range 1000 {
				c.Logger().Info("again")
			}
			time.Sleep(time.Second)
			c.Logger().Info("later")
			return nil
		}})
		c := newSession(t, s, protocol.Revision20250618)
		c.ask(request("1", "logging/setLevel", `"level":"debug"`))
		c.send(toolCall("2", "log", "{}"))
		got := c.until("2")
		if len(got) != 102 || !strings.Contains(got[100], `"dropped":900`) || !strings.Contains(got[100], "later") {
			t.Errorf("%d messages, at the end %s", len(got), got[max(len(got)-2, 0):])
		}
		_ = s.Close()
	})
}
