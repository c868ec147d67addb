package mcptest

import (
	"github.com/mcpgen/mcpgen/generated/protocol"
)

// Prompts returns all prompts.
func (c *Client) Prompts() []protocol.Prompt {
	c.t.Helper()
	return pages(c, protocol.MethodPromptsList, func(r *protocol.ListPromptsResult) ([]protocol.Prompt, *string) {
		return r.Prompts, r.NextCursor
	})
}

// GetPrompt gets a prompt with arguments, as name, value, name, value. An error ends the test; call [Client.Do] to get
// it.
func (c *Client) GetPrompt(prompt string, arguments ...string) protocol.GetPromptResult {
	c.t.Helper()
	params := protocol.GetPromptRequestParams{Name: prompt, Arguments: c.pairs("get "+prompt, arguments)}
	var r protocol.GetPromptResult
	c.call(protocol.MethodPromptsGet, &params, &r)
	return r
}

// CompletePrompt returns the completions of an argument of a prompt; see [Client.Complete].
func (c *Client) CompletePrompt(prompt, argument, typed string, earlier ...string) []string {
	c.t.Helper()
	return c.complete(&protocol.PromptReference{Name: prompt}, argument, typed, earlier)
}
