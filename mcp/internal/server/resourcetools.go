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

// ResourceTools adds the tools list_resources and read_resource to s. It is the value of
// [feature.Features.ResourceTools].
func ResourceTools(s *Server) error {
	add := func(name, description, schema string, m resourceMethod) error {
		if err := s.takesToolLocked(name, s); err != nil {
			return fmt.Errorf("mcp: Features.ResourceTools: tool %q: %w", name, err)
		}
		s.addToolLocked(&feature.Tool{Answer: m.answer, Entry: &protocol.Tool{
			Name: name, Description: description, InputSchema: json.RawMessage(schema),
			Annotations: &protocol.ToolAnnotations{ReadOnlyHint: new(true), OpenWorldHint: new(false)},
		}}, nil, s)
		return nil
	}
	return errors.Join(
		add("list_resources", "Lists what can be read with read_resource: resources, and the templates of further ones.",
			listToolSchema, listsAsText),
		add("read_resource", "Returns the content of a resource.", readToolSchema, readsAsBlocks))
}

// ReadsInstance is the [feature.Answer] of tools that read instances of one template.
func ReadsInstance(h protocol.ServerHandler, tool *feature.Tool,
	p *protocol.CallToolRequestParams) (protocol.CallToolReply,
	error) {
	return resourceMethod(readsInstance).answer(h, tool, p)
}

// resourceMethod does for a tool what a method of the protocol does.
type resourceMethod func(h resourceToolCall, tool *feature.Tool,
	p *protocol.CallToolRequestParams) (content.ToolResult, *protocol.InputRequiredResult, error)

// answer answers a call of a resource tool like the method of the protocol that the tool stands for, with the same
// access, limits and middleware. Errors become results that the model can read.
func (m resourceMethod) answer(of protocol.ServerHandler, tool *feature.Tool,
	p *protocol.CallToolRequestParams) (protocol.CallToolReply,
	error) {
	h := resourceToolCall{of.(*handler)}
	if err := h.pipeline.Admit(tool.Guard, pipeline.UnknownTool(p.Name)); err != nil {
		return nil, err
	}
	if p.Arguments == nil {
		p.Arguments = content.EmptyObject
	}
	r, next, err := m(h, tool, p)
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

// onlyArgument returns the argument called name of a tool that has no others. seen is 1 if it may be left out.
func onlyArgument(args []byte, name string, seen uint64) (string, error) {
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
func listsAsText(h resourceToolCall, _ *feature.Tool, p *protocol.CallToolRequestParams) (r content.ToolResult,
	_ *protocol.InputRequiredResult, err error) {
	cursor, err := onlyArgument(p.Arguments, "cursor", 1)
	if err != nil {
		return r, nil, err
	}
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
			return r, nil, err
		}
		add("resourceTemplates", templates.AppendJSON(nil, h.Rev))
	}
	resources, err := h.ListResources(h.Conn.Context, &protocol.PaginatedRequestParams{Cursor: &cursor})
	if err != nil {
		return r, nil, err
	}
	page := resources.AppendJSON(nil, h.Rev)
	add("resources", page)
	add("nextCursor", page)
	return content.ToolText(string(wire.EndObject(out))), nil, nil
}

// readsAsBlocks reads the resource that the arguments name.
func readsAsBlocks(h resourceToolCall, _ *feature.Tool, p *protocol.CallToolRequestParams) (r content.ToolResult,
	_ *protocol.InputRequiredResult, err error) {
	uri, err := onlyArgument(p.Arguments, "uri", 0)
	if err != nil {
		return r, nil, err
	}
	return h.readAsBlocks(uri, p)
}

// readsInstance reads the instance of a template that the arguments make.
func readsInstance(h resourceToolCall, tool *feature.Tool, p *protocol.CallToolRequestParams) (r content.ToolResult,
	_ *protocol.InputRequiredResult, err error) {
	uri, err := tool.Reads.Address(p.Arguments)
	if err != nil {
		return r, nil, err
	}
	return h.readAsBlocks(uri, p)
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

// hidesTemplate returns the answer for an unknown tool, if policies keep the caller from knowing of the template that
// the tool reads; else nil.
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
