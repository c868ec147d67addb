package server

import (
	"context"
	"iter"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
)

// RefInfo is what a list says about one instance of a template. Empty fields are taken from the
// template, except Title: clients show it in place of the name, and instances of one title look alike.
//
// The generated refs embed it. In a ref of a template with a variable {size}, ref.Size is that
// variable, and the length of the content is ref.RefInfo.Size; so for the other fields.
type RefInfo struct {
	Title       string
	Description string
	MIMEType    string
	// Size is the length of the content in bytes before any encoding; nil when unknown.
	Size *int64
	// Modified is when the content last changed; zero when unknown.
	Modified time.Time
	// Priority says how important the content is, from 0 to 1; nil when unknown.
	Priority *float64
	// Audience says whom the content is for.
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

// Lister yields the instances of a template. Make one with ListSeq or ListPages.
type Lister interface {
	// list gives to the references that follow from, or those of the first page for "", and returns
	// where the next page begins; "" if there is none.
	list(ctx context.Context, from string, size int, to *refs) (next string, err error)
}

// ListSeq returns a lister over a sequence, which is run from its start for each page. entry says
// what lists show of a value, and appends its URI to b. The order of the sequence should be stable: a page begins after
// the last URI of the page before.
func ListSeq[R any](seq func(context.Context) iter.Seq2[R, error], entry func(b []byte, r R) Ref) Lister {
	return &seqLister[R]{seq, entry}
}

// Page asks a lister for some entries.
type Page struct {
	// Cursor is where the page begins: "" for the start, else the Next of the page before. The
	// client cannot change it; it is sealed on its way.
	Cursor string
	// Size is how many entries the client will be shown at most; the lister may return fewer.
	Size int
}

// List is one page of entries.
type List[R any] struct {
	Items []R
	// Next is the Cursor of the following page; "" if this is the last.
	Next string
}

// ListPages returns a lister over a function that pages itself. entry is that of [ListSeq].
func ListPages[R any](page func(context.Context, Page) (List[R], error), entry func(b []byte, r R) Ref) Lister {
	return &pageLister[R]{page, entry}
}

// ListSeqFor is [ListSeq] for a function that wants to know who asks.
func ListSeqFor[R any](seq func(context.Context, Caller) iter.Seq2[R, error], entry func(b []byte, r R) Ref) Lister {
	return ListSeq(func(ctx context.Context) iter.Seq2[R, error] { return seq(ctx, callerOf(ctx)) }, entry)
}

// ListPagesFor is [ListPages] for a function that wants to know who asks.
func ListPagesFor[R any](page func(context.Context, Page, Caller) (List[R], error),
	entry func(b []byte, r R) Ref) Lister {
	return ListPages(func(ctx context.Context, p Page) (List[R], error) { return page(ctx, p, callerOf(ctx)) }, entry)
}

// callerOf is who makes the request whose context a lister got.
func callerOf(ctx context.Context) Caller {
	if c, ok := ctx.(*Call); ok {
		return c.Caller()
	}
	return Caller{}
}
