package pipeline

import (
	"bytes"
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// insert tells the worker where a large value belongs in the response that is being encoded, and returns b. The place
// is between the two quotes at the end of member, in its first occurrence in b after the index begin.
func insert(w *session.Worker, b []byte, begin int, member string, in wire.Insert) []byte {
	in.At = begin + bytes.Index(b[begin:], []byte(member)) + len(member) - 1
	w.Insert(in)
	return b
}

// largeContent and largeBlock are encoded with an empty string in place of their large value, and insert tells the
// worker of the value. A search for the member with the empty string finds the place: no string before it can contain
// the text of the member, because quotes in strings are escaped.
type (
	largeContent struct {
		protocol.ResourceContents
		w *session.Worker
	}
	largeBlock struct {
		protocol.ContentBlock
		w *session.Worker
	}
)

// AppendJSON implements protocol.ResourceContents.
func (l *largeContent) AppendJSON(b []byte, rev protocol.Revision) []byte {
	switch c := l.ResourceContents.(type) {
	case *protocol.TextResourceContents:
		short := *c
		short.Text = ""
		return insert(l.w, short.AppendJSON(b, rev), len(b), `"text":""`, wire.Insert{Text: c.Text})
	case *protocol.BlobResourceContents:
		short := *c
		short.Blob = nil
		return insert(l.w, short.AppendJSON(b, rev), len(b), `"blob":""`, wire.Insert{Blob: c.Blob})
	}
	return l.ResourceContents.AppendJSON(b, rev)
}

// AppendJSON implements protocol.ContentBlock.
func (l *largeBlock) AppendJSON(b []byte, rev protocol.Revision) []byte {
	switch c := l.ContentBlock.(type) {
	case *protocol.TextContent:
		short := *c
		short.Text = ""
		return insert(l.w, short.AppendJSON(b, rev), len(b), `"text":""`, wire.Insert{Text: c.Text})
	case *protocol.ImageContent:
		short := *c
		short.Data = nil
		return insert(l.w, short.AppendJSON(b, rev), len(b), `"data":""`, wire.Insert{Blob: c.Data})
	case *protocol.AudioContent:
		if rev > protocol.Revision20241105 { // that revision gets a text in place of audio
			short := *c
			short.Data = nil
			return insert(l.w, short.AppendJSON(b, rev), len(b), `"data":""`, wire.Insert{Blob: c.Data})
		}
	case *protocol.EmbeddedResource:
		outer := *c
		outer.Resource = &largeContent{c.Resource, l.w}
		return outer.AppendJSON(b, rev)
	}
	return protocol.AppendContentBlock(b, rev, l.ContentBlock)
}

// CutContents replaces contents with large values in list by contents whose values are encoded only while the response
// is written.
func (p *Pipeline) CutContents(list []protocol.ResourceContents) {
	for i, c := range list {
		if content.SizeOfContent(c) > call.LargeValue {
			list[i] = &largeContent{c, p.Worker}
		}
	}
}

// CutTool is CutContents for the content blocks of the result of a tool.
func (p *Pipeline) CutTool(r *protocol.CallToolResult) {
	copied := false
	for i, block := range r.Content {
		if content.SizeOfBlock(block) <= call.LargeValue {
			continue
		}
		if !copied { // the slice may belong to the program
			r.Content, copied = slices.Clone(r.Content), true
		}
		r.Content[i] = &largeBlock{block, p.Worker}
	}
}
