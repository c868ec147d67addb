package mcp

import (
	"encoding/json"
	"path"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
)

// Content is one piece of a resource: text or bytes. A resource may have several.
type Content struct {
	// URI is the URI of the piece; empty means the URI that the client reads.
	URI string
	// MIMEType is the media type; empty means that of the declaration.
	MIMEType string
	// Text is the content unless Blob is non-nil. It must be valid UTF-8.
	Text string
	// Blob is binary content.
	Blob []byte
	// Meta is sent as _meta from 2025-06-18 on; nil means none.
	Meta *protocol.MetaObject
}

// Contents is the content of a resource; [Text], [Blob] and [Many] return it. The zero value means that the resource
// does not exist; [Many] without pieces means that it exists and is empty.
type Contents content.Contents

// Text returns content that is one text.
func Text(s string) Contents { return Contents(content.Text(s)) }

// Blob returns binary content. The server reads b until the response is sent; b must not be changed before.
func Blob(b []byte) Contents { return Contents(content.Blob(b)) }

// Many returns content of several pieces, or of none.
func Many(pieces ...Content) Contents {
	list := make([]content.Content, len(pieces))
	for i, p := range pieces {
		list[i] = content.Content(p)
	}
	return Contents(content.Many(list...))
}

// Block is a content block of tools and prompts: text, an image, audio, an embedded resource or a resource link. A
// block is a pointer to a struct of package protocol, such as &protocol.ImageContent{Data: png, MIMEType: "image/png"};
// [TextBlock] and [LinkTo] make the common ones. The server reads the data of a block until the response is sent.
type Block = protocol.ContentBlock

// TextBlock returns a text block. s must be valid UTF-8.
func TextBlock(s string) *protocol.TextContent { return content.TextBlock(s) }

// LinkTo returns a resource link. An empty name becomes the last element of the URI. Clients of revisions before
// 2025-06-18 get a text block with the name and the URI.
func LinkTo(uri, name string) *protocol.ResourceLink {
	if name == "" {
		name = path.Base(uri)
	}
	return &protocol.ResourceLink{URI: uri, Name: name}
}

// ToolResult is the result of a tool, for tools whose result is more than one Go value.
type ToolResult struct {
	// Content is the unstructured content, for the model. If it is nil and Structured is set, the content is the JSON
	// of Structured as one text block.
	Content []protocol.ContentBlock
	// Structured is the structured content as JSON; nil means none. Clients of revisions before 2025-06-18 do not get
	// it.
	Structured json.RawMessage
	// IsError marks a failure of the tool, which Content describes for the model.
	IsError bool
}

// ToolText returns a result that is one text block.
func ToolText(s string) ToolResult { return ToolResult{Content: []protocol.ContentBlock{TextBlock(s)}} }

// Message is a message of a prompt: a role and a block. [UserText] and [AssistantText] make those with a text.
type Message = protocol.PromptMessage

// UserText returns a text message with the role user.
func UserText(s string) Message {
	return Message{Role: protocol.RoleUser, Content: TextBlock(s)}
}

// AssistantText returns a text message with the role assistant, as an example for the model.
func AssistantText(s string) Message {
	return Message{Role: protocol.RoleAssistant, Content: TextBlock(s)}
}

// PromptResult is the result of a prompt.
type PromptResult struct {
	// Description describes the prompt with these arguments; empty means the description of the declaration.
	Description string
	// Messages are the messages, in order.
	Messages []protocol.PromptMessage
}
