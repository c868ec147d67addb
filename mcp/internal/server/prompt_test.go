package server

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
)

// promptAsker is a server with a prompt that asks who the user is.
func promptAsker(t *testing.T) *Server {
	t.Helper()
	s, err := NewServer(&feature.Features{
		Info:         protocol.Implementation{Name: "asker", Version: "v1"},
		Capabilities: protocol.ServerCapabilities{Prompts: new(protocol.ServerCapabilitiesPrompts)},
		Prompts: []feature.Prompt{{
			Entry: &protocol.Prompt{Name: "greet", Arguments: []protocol.PromptArgument{{Name: "word", Required: new(true)},
				{Name: "more"}}},
			Asks: true,
			Get: func(c *call.Call) (content.PromptResult, error) {
				p, err := call.AskForm[person](c, c.Peer(), "user_name", "Who?")
				return content.AsPromptText(c.Vars.RawText(0, "word")+" "+p.Name, err)
			},
		}},
	}, &Options{Logger: silent()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A prompt may ask as tools do; what it has heard belongs to the arguments of its request.
func TestAskLaterForPrompt(t *testing.T) {
	c := newHarness(t, promptAsker(t))
	ask := func(id, arguments, more string) string {
		return c.ask(request(id, "prompts/get",
			`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":`+
				everything+`},"name":"greet","arguments":`+arguments+comma(more)))
	}
	first := ask("1", `{"word":"Hi","more":"x"}`, "")
	wantMatch(t, first, inputRequired("1", `{"user_name":{"…":0}}`))
	answer := `"inputResponses":{"user_name":` + adaForm + `},"requestState":"` + stateOf(t, first) + `"`
	wantMatch(t, ask("2", `{"more":"x","word":"Hi"}`, answer),
		`{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","messages":[{"role":"user","content":{"type":"text","text":"Hi Ada"}}],"_meta":{"…":0}}}`)
	wantMatch(t, ask("3", `{"word":"Bye","more":"x"}`, answer),
		`{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"*or no longer"}}`)
}

// In a session the prompt asks with a request of its own.
func TestAskInPromptOfSession(t *testing.T) {
	c := able(t, promptAsker(t), protocol.Revision20251125, everything)
	c.send(request("1", "prompts/get", `"name":"greet","arguments":{"word":"Hi"}`))
	question := c.recv()
	wantMatch(t, question, `{"jsonrpc":"2.0","id":"*","method":"elicitation/create","params":{"…":0}}`)
	_, id, _ := strings.Cut(question, `"id":`)
	id, _, _ = strings.Cut(id, ",")
	c.send(`{"jsonrpc":"2.0","id":` + id + `,"result":` + adaForm + `}`)
	wantMatch(t, c.recv(),
		`{"jsonrpc":"2.0","id":1,"result":{"messages":[{"role":"user","content":{"type":"text","text":"Hi Ada"}}]}}`)
}

// What a prompt returns by mistake is not sent, and its error is no more than a reference to the log.
func TestPromptMistakes(t *testing.T) {
	t.Attr("requirements", "prompt-media prompt-embedded prompt-errors")
	bad := map[string]content.PromptResult{"empty": {}, "nothing": {Messages: []content.Message{{Role: "user"}}},
		"nobody": {Messages: []content.Message{{Content: content.TextBlock("x")}}}}
	names := []string{"empty", "nothing", "nobody"}
	f := &feature.Features{
		Info:         protocol.Implementation{Name: "t"},
		Capabilities: protocol.ServerCapabilities{Prompts: new(protocol.ServerCapabilitiesPrompts)},
	}
	for _, name := range names {
		f.Prompts = append(f.Prompts, feature.Prompt{Entry: &protocol.Prompt{Name: name},
			Get: func(*call.Call) (content.PromptResult, error) { return bad[name], nil }})
	}
	s, err := NewServer(f, &Options{Logger: silent()})
	if err != nil {
		t.Fatal(err)
	}
	c := able(t, s, protocol.Revision20251125, "{}")
	wantMatch(t, c.ask(request("1", "prompts/get", `"name":"empty"`)), `{"jsonrpc":"2.0","id":1,"result":{"messages":[]}}`)
	for _, name := range names[1:] {
		wantMatch(t, c.ask(request("2", "prompts/get", `"name":"`+name+`"`)),
			`{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"*)"}}`)
	}
}
