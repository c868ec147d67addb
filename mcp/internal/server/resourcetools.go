package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/lists"
	"github.com/mcpgen/mcpgen/mcp/internal/pipeline"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// resourceToolCall is a handler that answers the calls of resource tools.
type resourceToolCall struct{ *handler }

const (
	listToolSchema = `{"type":"object","properties":{"cursor":{"type":"string",` +
		`"description":"The nextCursor of the page before; nothing for the first page."}},"additionalProperties":false}`
	readToolSchema = `{"type":"object","properties":{"uri":{"type":"string",` +
		`"description":"URI of a listed resource, or of a template that has been filled in (RFC 6570)."}},` +
		`"required":["uri"],"additionalProperties":false}`
)

// resourceTools are the tools of [feature.Features.ResourceTools].
func resourceTools() []addedTool {
	tool := func(number int, name, description, schema string, stands feature.ResourceTool) addedTool {
		return addedTool{Added: lists.Added{Number: number, Tool: &feature.Tool{ResourceTool: stands, Entry: &protocol.Tool{
			Name: name, Description: description, InputSchema: json.RawMessage(schema),
			Annotations: &protocol.ToolAnnotations{ReadOnlyHint: new(true), OpenWorldHint: new(false)},
		}}}}
	}
	return []addedTool{
		tool(0, feature.ResourceToolNames[0],
			"Lists what can be read with read_resource: resources, and the templates of further ones.",
			listToolSchema, feature.ListsResources),
		tool(1, feature.ResourceToolNames[1], "Returns the content of a resource.", readToolSchema, feature.ReadsResource),
	}
}

// callResourceTool answers a call of a resource tool like the method of the protocol that the tool stands for, with the
// same access, limits and middleware. Errors become results that the model can read.
func (h resourceToolCall) callResourceTool(tool *feature.Tool,
	p *protocol.CallToolRequestParams) (protocol.CallToolReply,
	error) {
	if err := h.pipeline.Admit(tool.Guard, pipeline.UnknownTool(p.Name)); err != nil {
		return nil, err
	}
	var (
		r    content.ToolResult
		next *protocol.InputRequiredResult
	)
	arg, err := resourceToolArgument(tool, p.Arguments)
	switch {
	case err != nil:
	case tool.ResourceTool == feature.ListsResources:
		r, err = h.listsAsText(arg)
	default:
		r, next, err = h.readAsBlocks(arg, p)
	}
	if next != nil {
		return next, nil
	}
	if err != nil {
		if tool.Reads != nil {
			if hidden := h.hidesTemplate(tool, p.Name); hidden != nil {
				return nil, hidden
			}
		}
		if h.Call != nil && !h.Call.Running() {
			return nil, err // the result is not used
		}
		if bad := h.resourceToolRefusal(err); bad != nil {
			return nil, bad
		}
		r = content.ToolText(h.resourceToolError(err))
		r.IsError = true
	}
	return h.pipeline.ToolReply(&r, nil), nil
}

// resourceToolRefusal returns the error of the protocol for err; nil if err is for the model, as for all tools.
func (h resourceToolCall) resourceToolRefusal(err error) *wire.Error {
	if bad, ok := errors.AsType[*content.ArgumentsError](err); ok && h.Rev < era.BadArgumentsSince {
		return wire.NewError(wire.CodeInvalidParams, bad.Error())
	}
	return call.MissingCapability(err, h.Rev)
}

// resourceToolError is the text of an error for the model.
func (h resourceToolCall) resourceToolError(err error) string {
	if bad, ok := errors.AsType[*content.ArgumentsError](err); ok {
		return bad.Error()
	}
	text := h.Fault(err).Message
	if uri := h.URI(); uri != "" {
		text = fmt.Sprintf("%s: %s", uri, text)
	}
	return text
}

// resourceToolArgument returns the one argument that these tools have, or the URI that all of them make.
func resourceToolArgument(tool *feature.Tool, args []byte) (string, error) {
	if args == nil {
		args = content.EmptyObject
	}
	if tool.Reads != nil {
		return tool.Reads.Address(args)
	}
	name, seen := "cursor", uint64(1) // which may be left out
	if tool.ResourceTool == feature.ReadsResource {
		name, seen = "uri", 0
	}
	var value string
	err := content.Arguments(args, func(d *wire.Decoder, v *string) {
		for d.Object(); d.Next(); {
			if string(d.Name()) != name {
				d.Fail("unknown argument")
				continue
			}
			*v = d.String()
			seen = 1
		}
		d.Require(seen, name)
	}, &value)
	return value, err
}

// listsAsText returns a page of resources as text. The first page has the templates too.
func (h resourceToolCall) listsAsText(cursor string) (content.ToolResult, error) {
	out := []byte{'{'}
	add := func(name string, page []byte) {
		if value, ok := wire.Lookup(page, name); ok {
			out = append(append(wire.AppendString(out, name), ':'), value...)
			out = append(out, ',')
		}
	}
	if cursor == "" {
		// Templates are few. Whoever has more of them than fit on a page gets those of the first.
		templates, err := h.ListResourceTemplates(h.Conn.Context, new(protocol.PaginatedRequestParams))
		if err != nil {
			return content.ToolResult{}, err
		}
		add("resourceTemplates", templates.AppendJSON(nil, h.Rev))
	}
	resources, err := h.ListResources(h.Conn.Context, &protocol.PaginatedRequestParams{Cursor: &cursor})
	if err != nil {
		return content.ToolResult{}, err
	}
	page := resources.AppendJSON(nil, h.Rev)
	add("resources", page)
	add("nextCursor", page)
	return content.ToolText(string(wire.EndObject(out))), nil
}

// readAsBlocks reads a resource. Texts, images and sounds become blocks of their own, which every client shows to
// its model; other bytes are embedded.
func (h resourceToolCall) readAsBlocks(uri string, p *protocol.CallToolRequestParams) (content.ToolResult,
	*protocol.InputRequiredResult,
	error) {
	h.AtURI(uri)
	i, err := h.find(uri)
	if err != nil {
		return content.ToolResult{}, nil, err
	}
	r := &h.s.features.Resources[i]
	op, next, err := h.read(r, &protocol.ReadResourceRequestParams{
		URI: uri, Meta: p.Meta, InputResponses: p.InputResponses, RequestState: p.RequestState,
	})
	if err != nil || next != nil {
		return content.ToolResult{}, next, err
	}
	result := op.result(new(resultBuffer))
	blocks := make([]content.Block, len(result.Contents))
	for i, content := range result.Contents {
		blocks[i] = asBlock(content)
	}
	return content.Blocks(blocks...), nil, nil
}

// asBlock is one part of a resource as a tool returns it.
func asBlock(piece protocol.ResourceContents) content.Block {
	b, ok := piece.(*protocol.BlobResourceContents)
	if !ok {
		return content.TextBlock(piece.(*protocol.TextResourceContents).Text)
	}
	switch kind, _, _ := strings.Cut(b.MIMEType, "/"); kind {
	case "image":
		return content.ImageBlock(b.Blob, b.MIMEType)
	case "audio":
		return content.AudioBlock(b.Blob, b.MIMEType)
	}
	return &protocol.EmbeddedResource{Resource: b}
}

// hidesTemplate returns the answer for an unknown template, if policies keep the caller from knowing of the one that
// the tool reads.
func (h resourceToolCall) hidesTemplate(tool *feature.Tool, name string) error {
	if !tool.Guard.Asks() {
		return nil
	}
	call, err := h.Start()
	if err != nil {
		return err
	}
	return h.pipeline.AskPolicies(call, tool.Guard, false, pipeline.UnknownTool(name))
}
