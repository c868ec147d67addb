package server

import (
	"path"

	"github.com/mcpgen/mcpgen/generated/protocol"
)

// Block is one unit of what tools and prompts say: a text, an image, a sound, a resource or a link to one.
// Make one with [TextBlock], [ImageBlock], [AudioBlock], [EmbedText], [EmbedBlob] or [LinkTo]; what
// else the block can have are fields of the value that these return.
type Block = protocol.ContentBlock

// Annotations tell clients whom a block is for and how important it is.
type Annotations = protocol.Annotations

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
	return &protocol.EmbeddedResource{Resource: &protocol.TextResourceContents{URI: uri, MIMEType: mimeType, Text: text}}
}

// EmbedBlob returns a resource with its bytes. mimeType may be empty.
func EmbedBlob(uri, mimeType string, data []byte) *protocol.EmbeddedResource {
	return &protocol.EmbeddedResource{Resource: &protocol.BlobResourceContents{URI: uri, MIMEType: mimeType, Blob: data}}
}

// LinkTo returns a link to a resource that the client may read. An empty name becomes the last part of
// the URI. Revisions before 2025-06-18 get a text that holds the URI instead.
func LinkTo(uri, name string) *protocol.ResourceLink {
	if name == "" {
		name = path.Base(uri)
	}
	return &protocol.ResourceLink{URI: uri, Name: name}
}

// Annotate sets the annotations of a block and returns it.
func Annotate(b Block, a Annotations) Block {
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
