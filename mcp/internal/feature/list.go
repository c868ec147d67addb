package feature

import (
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
)

// RefInfo is the description of one instance of a template in a list. Empty fields are taken from the template, except
// Title, because clients show it in place of the name.
//
// The generated references embed it. If a template has a variable {size}, ref.Size is the variable and ref.RefInfo.Size
// the length of the content; the other fields are reached in the same way.
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
	// URI addresses the instance. The entry function appends it to the buffer that it was passed. The buffer is
	// overwritten for the next instance.
	URI []byte
	// Name is the name of the instance for programs.
	Name string
	// Info has what the list says about the instance. See [RefInfo] for empty fields.
	Info RefInfo
}

// Page is the page that a list function is asked for.
type Page struct {
	// Cursor is where the page begins: "" for the first page, else the Next of the previous page. Clients get it sealed,
	// so they cannot change it.
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
