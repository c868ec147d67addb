package feature

import (
	"context"
	"iter"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
)

// RefInfo is the description of one instance of a template in a list. Empty fields are taken from the template, except
// Title, because clients show it in place of the name.
//
// The generated references embed it. In a reference to a template with a variable {size}, ref.Size is the variable, and
// ref.RefInfo.Size the length of the content; the other fields are alike.
type RefInfo struct {
	Title       string
	Description string
	MIMEType    string
	// Size is the length of the content in bytes before any encoding; nil means unknown.
	Size *int64
	// Modified is when the content last changed; zero means unknown.
	Modified time.Time
	// Priority is the importance of the content, from 0 to 1; nil means unknown.
	Priority *float64
	// Audience is the intended audience of the content.
	Audience []protocol.Role
	Icons    []protocol.Icon
}

// Ref is one instance of a template in a list.
type Ref struct {
	// URI addresses the instance. It is what the entry function got, with the URI appended, and is
	// overwritten for the next instance.
	URI []byte
	// Name is what programs call it.
	Name string
	// Info overrides the template.
	Info RefInfo
}

// Instances are the listed instances of a template. Make one with ListSeq or ListPages.
type Instances interface {
	// List gives to the references that follow from, or those of the first page for "", and returns
	// where the next page begins; "" if there is none.
	List(ctx context.Context, from string, size int, to *PageBuilder) (next string, err error)
}

// ListSeq returns the instances in a sequence, which is run from its start for each page. entry says
// what lists show of a value, and appends its URI to b. The order of the sequence should be stable: a page begins after
// the last URI of the page before.
func ListSeq[R any](seq func(context.Context) iter.Seq2[R, error], entry func(b []byte, r R) Ref) Instances {
	return &seqInstances[R]{seq, entry}
}

// Page is the page of entries that a list function shall return.
type Page struct {
	// Cursor is where the page begins: "" for the first page, else the Next of the previous page. It is sealed when it
	// is sent, so the client cannot change it.
	Cursor string
	// Size is the largest number of entries; the function may return fewer.
	Size int
}

// List is one page of entries.
type List[R any] struct {
	Items []R
	// Next is the Cursor of the next page; "" means that this is the last page.
	Next string
}

// ListPages returns the instances of a function that pages itself. entry is that of [ListSeq].
func ListPages[R any](page func(context.Context, Page) (List[R], error), entry func(b []byte, r R) Ref) Instances {
	return &pagedInstances[R]{page, entry}
}

// ListSeqFor is [ListSeq] for a function that wants to know who asks.
func ListSeqFor[R any](seq func(context.Context, call.Caller) iter.Seq2[R, error],
	entry func(b []byte, r R) Ref) Instances {
	return ListSeq(func(ctx context.Context) iter.Seq2[R, error] { return seq(ctx, callerOf(ctx)) }, entry)
}

// ListPagesFor is [ListPages] for a function that wants to know who asks.
func ListPagesFor[R any](page func(context.Context, Page, call.Caller) (List[R], error),
	entry func(b []byte, r R) Ref) Instances {
	return ListPages(func(ctx context.Context, p Page) (List[R], error) { return page(ctx, p, callerOf(ctx)) }, entry)
}

// callerOf is who makes the request whose context a list function got.
func callerOf(ctx context.Context) call.Caller {
	if c, ok := ctx.(*call.Call); ok {
		return c.Caller()
	}
	return call.Caller{}
}
