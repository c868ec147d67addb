package content

import "github.com/mcpgen/mcpgen/generated/protocol"

// Block is one unit of what tools and prompts say: a text, an image, a sound, a resource or a link to one.
// Users make one with functions of package mcp.
type Block = protocol.ContentBlock

// Annotations tell clients whom a block is for and how important it is.
type Annotations = protocol.Annotations

// TextBlock returns a text block. s must be valid UTF-8.
func TextBlock(s string) *protocol.TextContent { return &protocol.TextContent{Text: s} }

// ImageBlock returns an image of a media type such as image/png. The server reads data until the response is sent; data
// must not be changed before.
func ImageBlock(data []byte, mimeType string) *protocol.ImageContent {
	return &protocol.ImageContent{Data: data, MIMEType: mimeType}
}

// AudioBlock returns audio of a media type such as audio/wav. Clients of 2024-11-05 get a text block that names the
// type.
func AudioBlock(data []byte, mimeType string) *protocol.AudioContent {
	return &protocol.AudioContent{Data: data, MIMEType: mimeType}
}

// SizeOfBlock is how many bytes the values of a block have.
func SizeOfBlock(block protocol.ContentBlock) int {
	switch c := block.(type) {
	case *protocol.TextContent:
		return len(c.Text)
	case *protocol.ImageContent:
		return len(c.Data)
	case *protocol.AudioContent:
		return len(c.Data)
	case *protocol.EmbeddedResource:
		return SizeOfContent(c.Resource)
	}
	return 0
}

// SizeOfContent is how many bytes the value of a content has.
func SizeOfContent(c protocol.ResourceContents) int {
	switch c := c.(type) {
	case *protocol.TextResourceContents:
		return len(c.Text)
	case *protocol.BlobResourceContents:
		return len(c.Blob)
	}
	return 0
}
