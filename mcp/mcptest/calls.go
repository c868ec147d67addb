package mcptest

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// encoder and decoder are the methods of the messages of package protocol that the client uses.
type (
	encoder interface {
		AppendJSON(b []byte, rev protocol.Revision) []byte
	}
	decoder interface {
		DecodeJSON(d *wire.Decoder, rev protocol.Revision)
	}
)

// call sends a request that must succeed, and decodes its result.
func (c *Client) call(method string, params encoder, result decoder) {
	c.t.Helper()
	raw, err := c.Do(method, stripMeta(params.AppendJSON(nil, c.rev)))
	if err != nil {
		c.fatalf("%s: %v", method, err)
	}
	d := wire.NewDecoder(raw)
	result.DecodeJSON(&d, c.rev)
	if err := d.Err(); err != nil {
		c.fatalf("%s: the result is not one of %s: %v", method, c.rev, err)
	}
}

// stripMeta removes the empty _meta that modern params encode, so that Do adds the full one.
func stripMeta(params []byte) json.RawMessage {
	b := []byte{'{'}
	for _, m := range members(params) {
		if m.Name != "_meta" {
			b = append(append(wire.AppendString(b, m.Name), ':'), m.Value...)
			b = append(b, ',')
		}
	}
	return wire.EndObject(b)
}

// pages returns the items of all pages of a list. split returns the items of one page, and the cursor of the next page
// or nil.
func pages[T, R any, P interface {
	*R
	decoder
}](c *Client, method string, split func(P) (items []T, next *string)) (all []T) {
	c.t.Helper()
	var page protocol.PaginatedRequestParams
	for seen := map[string]bool{}; ; {
		var r R
		c.call(method, &page, P(&r))
		items, next := split(&r)
		all = append(all, items...)
		if next == nil {
			return all
		}
		if seen[*next] {
			c.fatalf("the list has no end: the server gave cursor %q twice", *next)
		}
		seen[*next] = true
		page.Cursor = next
	}
}

// List returns all resources of all pages.
func (c *Client) List() []protocol.Resource {
	c.t.Helper()
	return pages(c, protocol.MethodResourcesList, func(r *protocol.ListResourcesResult) ([]protocol.Resource, *string) {
		return r.Resources, r.NextCursor
	})
}

// Templates returns all resource templates.
func (c *Client) Templates() []protocol.ResourceTemplate {
	c.t.Helper()
	return pages(c, protocol.MethodResourcesTemplatesList,
		func(r *protocol.ListResourceTemplatesResult) ([]protocol.ResourceTemplate, *string) {
			return r.ResourceTemplates, r.NextCursor
		})
}

// Tools returns all tools.
func (c *Client) Tools() []protocol.Tool {
	c.t.Helper()
	return pages(c, protocol.MethodToolsList, func(r *protocol.ListToolsResult) ([]protocol.Tool, *string) {
		return r.Tools, r.NextCursor
	})
}

// Read returns the text of a resource: the concatenated texts of its contents, with binary content decoded.
func (c *Client) Read(uri string) string {
	c.t.Helper()
	var b strings.Builder
	for _, content := range c.ReadContents(uri) {
		switch content := content.(type) {
		case *protocol.TextResourceContents:
			b.WriteString(content.Text)
		case *protocol.BlobResourceContents:
			b.Write(content.Blob)
		}
	}
	return b.String()
}

// ReadContents returns the contents of a resource.
func (c *Client) ReadContents(uri string) []protocol.ResourceContents {
	c.t.Helper()
	var r protocol.ReadResourceResult
	c.call(protocol.MethodResourcesRead, &protocol.ReadResourceRequestParams{URI: uri}, &r)
	return r.Contents
}

// ReadError reads a resource and returns the error; see [CodeOf]. A read without an error ends the test.
func (c *Client) ReadError(uri string) error {
	c.t.Helper()
	params := protocol.ReadResourceRequestParams{URI: uri}
	raw, err := c.Do(protocol.MethodResourcesRead, stripMeta(params.AppendJSON(nil, c.rev)))
	if err == nil {
		c.fatalf("read %s: no error but: %s", uri, raw)
	}
	return err
}

// Complete returns the completions of a variable of a template for the text that the user has typed. earlier are the
// variables chosen before, as name, value, name, value; clients of revisions before 2025-06-18 do not send them.
func (c *Client) Complete(template, variable, typed string, earlier ...string) []string {
	c.t.Helper()
	return c.complete(&protocol.ResourceTemplateReference{URI: template}, variable, typed, earlier)
}

func (c *Client) complete(ref protocol.CompleteReference, variable, typed string, earlier []string) []string {
	c.t.Helper()
	params := protocol.CompleteRequestParams{
		Ref:      ref,
		Argument: protocol.CompleteRequestParamsArgument{Name: variable, Value: typed},
	}
	if len(earlier) > 0 {
		params.Context = &protocol.CompleteRequestParamsContext{Arguments: c.pairs("complete "+variable, earlier)}
	}
	var r protocol.CompleteResult
	c.call(protocol.MethodCompletionComplete, &params, &r)
	return r.Completion.Values
}

// pairs makes a map from list, in which each name is followed by its value. A missing value ends the test with a
// message that begins with prefix.
func (c *Client) pairs(prefix string, list []string) (m wire.Map[string]) {
	c.t.Helper()
	if len(list)%2 != 0 {
		c.fatalf("%s: want name, value, name, value; %q has no value", prefix, list[len(list)-1])
	}
	for i := 0; i < len(list); i += 2 {
		m.Set(list[i], list[i+1])
	}
	return m
}

// Call calls a tool with arguments, the text of a JSON object or "", and returns its result. A tool that fails returns
// a result with IsError. Invalid arguments do the same from 2025-11-25 on, and end the test in older revisions.
func (c *Client) Call(tool, arguments string) protocol.CallToolResult {
	c.t.Helper()
	r, err := c.callTool(tool, arguments)
	if err != nil {
		c.fatalf("call %s: %v", tool, err)
	}
	return r
}

// CallText calls a tool as [Client.Call] does and returns the concatenated text blocks of its result. A tool that fails
// ends the test.
func (c *Client) CallText(tool, arguments string) string {
	c.t.Helper()
	r := c.Call(tool, arguments)
	if failed(&r) {
		c.fatalf("call %s: the tool failed: %s", tool, textOf(&r))
	}
	return textOf(&r)
}

// CallError calls a tool that must fail, and returns the error. For a result with IsError, the error has the text of
// the result and no code. For an error response, which older revisions send for invalid arguments, it has a code too.
// Success ends the test.
func (c *Client) CallError(tool, arguments string) error {
	c.t.Helper()
	r, err := c.callTool(tool, arguments)
	switch {
	case err != nil:
		return err
	case !failed(&r):
		c.fatalf("call %s: no error but: %s", tool, textOf(&r))
	}
	return errors.New(textOf(&r))
}

func (c *Client) callTool(tool, arguments string) (r protocol.CallToolResult, err error) {
	c.t.Helper()
	b := wire.AppendString([]byte(`{"name":`), tool)
	if arguments != "" && !json.Valid([]byte(arguments)) {
		c.fatalf("call %s: the arguments are not JSON: %s", tool, arguments)
	}
	if arguments != "" {
		b = append(append(b, `,"arguments":`...), arguments...)
	}
	raw, err := c.Do(protocol.MethodToolsCall, append(append(b, taskParam(c, tool)...), '}'))
	if id := taskOf(raw); id != "" && err == nil {
		raw, err = outcome(c, tool, id)
	}
	if err == nil {
		d := wire.NewDecoder(raw)
		r.DecodeJSON(&d, c.rev)
		if err := d.Err(); err != nil {
			c.fatalf("call %s: the result is not one of %s: %v: %s", tool, c.rev, err, raw)
		}
	}
	return r, err
}

func failed(r *protocol.CallToolResult) bool { return r.IsError != nil && *r.IsError }

// textOf joins the texts of a result.
func textOf(r *protocol.CallToolResult) string {
	var b strings.Builder
	for _, block := range r.Content {
		if text, ok := block.(*protocol.TextContent); ok {
			b.WriteString(text.Text)
		}
	}
	return b.String()
}
