package mcprt

import (
	"context"
	"iter"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/live"
)

// ContentsOf adapts a reader that returns [mcp.Contents].
func ContentsOf(c mcp.Contents, err error) (Contents, error) { return Contents(c), err }

// AsContent adapts a reader that returns one piece of content.
func AsContent(c mcp.Content, err error) (Contents, error) {
	return content.AsContent(content.Content(c), err)
}

// AsContents adapts a reader that returns pieces of content. A nil slice with a nil error means that the resource does
// not exist, and an empty one that the resource is empty.
func AsContents(pieces []mcp.Content, err error) (Contents, error) {
	if pieces == nil || err != nil {
		return Contents{}, err
	}
	return Contents(mcp.Many(pieces...)), nil
}

// AsContentSeq adapts a reader that yields pieces of content; the first error ends the sequence. A nil sequence with a
// nil error means that the resource does not exist.
func AsContentSeq(seq iter.Seq2[mcp.Content, error], err error) (Contents, error) {
	if seq == nil {
		return content.AsContentSeq(nil, err)
	}
	return content.AsContentSeq(func(yield func(content.Content, error) bool) {
		seq(func(c mcp.Content, err error) bool { return yield(content.Content(c), err) })
	}, err)
}

// ToolResultOf adapts a tool that returns [mcp.ToolResult].
func ToolResultOf(r mcp.ToolResult, err error) (ToolResult, error) {
	return content.CheckStructured(ToolResult(r), err)
}

// PromptResultOf adapts a prompt that returns [mcp.PromptResult].
func PromptResultOf(r mcp.PromptResult, err error) (PromptResult, error) { return PromptResult(r), err }

// ListSeq returns the [Instances] of a sequence, which runs from its start for each page. The order of the sequence
// should be stable, because a page begins after the last URI of the previous page.
func ListSeq[R any](seq func(context.Context) iter.Seq2[R, error], entry func(b []byte, r R) Ref) Instances {
	return feature.ListSeq(seq, entry)
}

// ListSeqFor is ListSeq for a function that takes the caller.
func ListSeqFor[R any](
	seq func(context.Context, mcp.Caller) iter.Seq2[R, error], entry func(b []byte, r R) Ref,
) Instances {
	return feature.ListSeqFor(func(ctx context.Context, who call.Caller) iter.Seq2[R, error] {
		return seq(ctx, mcp.Caller(who))
	}, entry)
}

// ListPages returns the [Instances] of page, a function of the user that does its own paging.
func ListPages[R any](
	page func(context.Context, mcp.Page) (mcp.List[R], error), entry func(b []byte, r R) Ref,
) Instances {
	return feature.ListPages(func(ctx context.Context, p feature.Page) (feature.List[R], error) {
		list, err := page(ctx, mcp.Page(p))
		return feature.List[R](list), err
	}, entry)
}

// ListPagesFor is ListPages for a function that takes the caller.
func ListPagesFor[R any](
	page func(context.Context, mcp.Page, mcp.Caller) (mcp.List[R], error), entry func(b []byte, r R) Ref,
) Instances {
	return feature.ListPagesFor(func(ctx context.Context, p feature.Page, who call.Caller) (feature.List[R], error) {
		list, err := page(ctx, mcp.Page(p), mcp.Caller(who))
		return feature.List[R](list), err
	}, entry)
}

// NewHolder returns a holder of v. entry and contents encode a value for clients. If v cannot be encoded, reads fail
// until another value is set.
func NewHolder[T any](
	v T, entry func([]byte, T) Ref, contents func(T, error) (Contents, error),
) *mcp.Holder[T] {
	return (*mcp.Holder[T])(live.NewHolder(v, entry, contents))
}

// HolderOf converts h to the type of the tables.
func HolderOf[T any](h *mcp.Holder[T]) *live.Holder[T] { return (*live.Holder[T])(h) }

// NewStore returns an empty store.
func NewStore[K, V any](config StoreConfig[K, V]) *mcp.Store[K, V] {
	return (*mcp.Store[K, V])(live.NewStore(config))
}

// StoreOf converts s to the type of the tables.
func StoreOf[K, V any](s *mcp.Store[K, V]) *live.Store[K] { return (*live.Store[K])(s) }
