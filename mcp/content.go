package mcp

import (
	"encoding/json"
	"path"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
)

// Content is one piece of a resource: text or bytes. A resource may have several.
type Content struct {
	// URI is that of the piece; empty means the URI that the client read.
	URI string
	// MIMEType is empty for that of the declaration.
	MIMEType string
	// Text is the content unless Blob is non-nil. It must be valid UTF-8.
	Text string
	// Blob is binary content.
	Blob []byte
	// Meta is sent along as _meta from 2025-06-18 on; nil for none.
	Meta *protocol.MetaObject
}

// Contents is the answer to reading a resource: what [Text], [Blob] and [Many] return. The zero value means that the
// resource does not exist; [Many] with no pieces means that it exists and is empty.
type Contents server.Contents

// Text returns content that is one text.
func Text(s string) Contents { return Contents(server.Text(s)) }

// Blob returns content that is one run of bytes. The server reads b until the answer is sent.
func Blob(b []byte) Contents { return Contents(server.Blob(b)) }

// Many returns content of several pieces, or of none.
func Many(pieces ...Content) Contents {
	list := make([]server.Content, len(pieces))
	for i, p := range pieces {
		list[i] = server.Content(p)
	}
	return Contents(server.Many(list...))
}

// Block is one unit of what tools and prompts say: a text, an image, a sound, a resource or a link to one.
// Make one with [TextBlock], [ImageBlock], [AudioBlock], [EmbedText], [EmbedBlob] or [LinkTo]; what
// else the block can have are fields of the value that these return.
type Block = protocol.ContentBlock

// TextBlock returns a text. It must be valid UTF-8.
func TextBlock(s string) *protocol.TextContent { return &protocol.TextContent{Text: s} }

// ImageBlock returns an image of a type such as image/png. The server reads data until the answer is sent.
func ImageBlock(data []byte, mimeType string) *protocol.ImageContent {
	return &protocol.ImageContent{Data: data, MIMEType: mimeType}
}

// AudioBlock returns a sound of a type such as audio/wav. 2024-11-05 gets a text that names the type instead.
func AudioBlock(data []byte, mimeType string) *protocol.AudioContent {
	return &protocol.AudioContent{Data: data, MIMEType: mimeType}
}

// EmbedText returns a resource with its text. mimeType may be empty.
func EmbedText(uri, mimeType, text string) *protocol.EmbeddedResource {
	return &protocol.EmbeddedResource{
		Resource: &protocol.TextResourceContents{URI: uri, MIMEType: mimeType, Text: text},
	}
}

// EmbedBlob returns a resource with its bytes. mimeType may be empty.
func EmbedBlob(uri, mimeType string, data []byte) *protocol.EmbeddedResource {
	return &protocol.EmbeddedResource{
		Resource: &protocol.BlobResourceContents{URI: uri, MIMEType: mimeType, Blob: data},
	}
}

// LinkTo returns a link to a resource that the client may read. An empty name becomes the last part of
// the URI. Revisions before 2025-06-18 get a text that holds the URI instead.
func LinkTo(uri, name string) *protocol.ResourceLink {
	if name == "" {
		name = path.Base(uri)
	}
	return &protocol.ResourceLink{URI: uri, Name: name}
}

// Annotate sets the annotations of a block, which tell clients whom it is for and how important it is, and returns the
// block.
func Annotate(b Block, a protocol.Annotations) Block {
	switch b := b.(type) {
	case *protocol.TextContent:
		b.Annotations = &a
	case *protocol.ImageContent:
		b.Annotations = &a
	case *protocol.AudioContent:
		b.Annotations = &a
	case *protocol.EmbeddedResource:
		b.Annotations = &a
	case *protocol.ResourceLink:
		b.Annotations = &a
	}
	return b
}

// ToolResult is what a tool answers, for tools that say more than one Go value can.
type ToolResult struct {
	// Content is what the model reads. Nil with Structured set means the JSON of that, as one text.
	Content []protocol.ContentBlock
	// Structured is the answer as JSON, for programs; nil for none. Revisions before 2025-06-18 do
	// not carry it.
	Structured json.RawMessage
	// IsError says that the tool ran and failed; Content tells the model how.
	IsError bool
}

// ToolText returns a result that is one text.
func ToolText(s string) ToolResult { return ToolResult{Content: []protocol.ContentBlock{TextBlock(s)}} }

// Message is one turn of the conversation that a prompt expands to: who speaks, and what.
type Message = protocol.PromptMessage

// User returns a message of the user.
func User(b Block) Message { return Message{Role: protocol.RoleUser, Content: b} }

// UserText returns a text of the user.
func UserText(s string) Message { return User(TextBlock(s)) }

// Assistant returns a message of the model, which shows it how to answer.
func Assistant(b Block) Message { return Message{Role: protocol.RoleAssistant, Content: b} }

// AssistantText returns a text of the model.
func AssistantText(s string) Message { return Assistant(TextBlock(s)) }

// PromptResult is a prompt with its arguments filled in.
type PromptResult struct {
	// Description says what the prompt does, now that its arguments are known; empty for that of
	// the declaration.
	Description string
	// Messages are the conversation, in order.
	Messages []protocol.PromptMessage
}
