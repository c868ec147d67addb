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

// ResourceTools adds the tools list_resources and read_resource to s, if their names are free. It is the value of
// [feature.Features.ResourceTools] in servers that offer these tools.
func ResourceTools(s *Server) error {
	add := func(name, description, schema string, m resourceMethod) error {
		if err := s.added.takesLocked(name, &s.added); err != nil {
			return fmt.Errorf("mcp: Features.ResourceTools: tool %q: %w", name, err)
		}
		s.added.addLocked(&feature.Tool{Answer: m.answer, Entry: &protocol.Tool{
			Name: name, Description: description, InputSchema: json.RawMessage(schema),
			Annotations: &protocol.ToolAnnotations{ReadOnlyHint: new(true), OpenWorldHint: new(false)},
		}}, nil, &s.added)
		return nil
	}
	return errors.Join(
		add("list_resources", "Lists what can be read with read_resource: resources, and the templates of further ones.",
			listToolSchema, listsAsText),
		add("read_resource", "Returns the content of a resource.", readToolSchema, readsAsBlocks))
}

// ReadsInstance is the [feature.Answer] of tools that read instances of one resource template.
func ReadsInstance(h protocol.ServerHandler, tool *feature.Tool,
	p *protocol.CallToolRequestParams) (protocol.CallToolReply,
	error) {
	return resourceMethod(readsInstance).answer(h, tool, p)
}

// resourceMethod does the work of a resource tool by a method of the protocol. If it returns an InputRequiredResult,
// the client has to answer questions first.
type resourceMethod func(h resourceToolCall, tool *feature.Tool,
	p *protocol.CallToolRequestParams) (content.ToolResult, *protocol.InputRequiredResult, error)

// answer answers a call of a resource tool by m. Access, limits and middleware are those of the method of the protocol.
// Most errors become results that the model can read; see resourceToolRefusal for the others.
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

// resourceToolRefusal returns the error of the response if err must not become a result; nil if the result tells the
// model of err. The rules are those of all tools.
func (h resourceToolCall) resourceToolRefusal(err error) *wire.Error {
	if bad, ok := errors.AsType[*content.ArgumentsError](err); ok && h.Rev < era.BadArgumentsSince {
		return wire.NewError(wire.CodeInvalidParams, bad.Error())
	}
	return call.MissingCapability(err, h.Rev)
}

// resourceToolError returns the text for the model about err. It begins with the URI of the resource, if that is known.
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

// onlyArgument returns the value of name, the only argument of a tool. Any other argument is an error. With seen 1 the
// argument may be left out, with 0 it is required.
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

// listsAsText returns a page of the list of resources as one JSON text. The first page also has the templates.
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
		// Templates are few. Those that do not fit on the first page of their list are left out.
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

// readsAsBlocks reads the resource whose URI is in the arguments.
func readsAsBlocks(h resourceToolCall, _ *feature.Tool, p *protocol.CallToolRequestParams) (r content.ToolResult,
	_ *protocol.InputRequiredResult, err error) {
	uri, err := onlyArgument(p.Arguments, "uri", 0)
	if err != nil {
		return r, nil, err
	}
	return h.readAsBlocks(uri, p)
}

// readsInstance expands the template of the tool with the arguments, and reads the resource at that URI.
func readsInstance(h resourceToolCall, tool *feature.Tool, p *protocol.CallToolRequestParams) (r content.ToolResult,
	_ *protocol.InputRequiredResult, err error) {
	uri, err := tool.Reads.Address(p.Arguments)
	if err != nil {
		return r, nil, err
	}
	return h.readAsBlocks(uri, p)
}

// readAsBlocks reads a resource. Texts, images and sounds become content blocks that every client shows to its model.
// Other bytes become embedded resources.
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

// asBlock returns the content block for one part of a resource.
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

// hidesTemplate asks the policies whether the caller may know of the template that the tool reads. It returns nil if
// so, and the error for an unknown tool if not.
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
