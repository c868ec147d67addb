package library

import (
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/internal/transcript"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

func newServer(t *testing.T) *LibraryServer {
	t.Helper()
	srv, err := NewLibraryServer(LibraryImpl{Library: New()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

func start(t *testing.T) mcptest.Server { return newServer(t) }

// The lists, and reads of what they show and what they do not.
func TestReads(t *testing.T) {
	transcript.Run(t, "reads", start, func(c *mcptest.Client, _ protocol.Revision) {
		c.Templates()
		for _, resource := range c.List() {
			c.Read(resource.URI)
		}
		for _, uri := range []string{"scans:///poems/7", "scans:///novels/3?first=9&scale=2", "readers:///ann", "shelves:///12@poems", "urn:book:novels:3"} {
			c.Read(uri)
		}
		for _, uri := range []string{"scans:///poems/7?zoom=1", "scans:///poems/7?scale=9", "scans:///maps/7", "scans:///poems/70000", "books:///poems/2"} {
			c.Do(protocol.MethodResourcesRead, []byte(`{"uri":"`+uri+`"}`))
		}
	})
}

// Completions from what is listed.
func TestCompletions(t *testing.T) {
	const books = "books:///{shelf}/{number}"
	transcript.Run(t, "completions", start, func(c *mcptest.Client, rev protocol.Revision) {
		if rev < protocol.Revision20250326 {
			return
		}
		c.Complete(books, "number", "")
		c.Complete(books, "number", "1")
		c.Complete(books, "shelf", "n")
		c.Complete("urn:book:{shelf}:{number}", "shelf", "n")
		if rev >= protocol.Revision20250618 {
			c.Complete(books, "number", "1", "shelf", "novels")
			c.Complete(books, "number", "", "shelf", "maps")
			c.Complete(books, "number", "", "number", "3", "other", "x")
		}
	})
}

// A URI that a builder makes is parsed back into the same variables.
func TestScanURI(t *testing.T) {
	uri := ScanURI(Novels, 3, 2, new(9))
	if uri != "scans:///novels/3?scale=2&first=9" {
		t.Error(uri)
	}
	shelf, book, scale, from, err := ParseScanURI(uri)
	if shelf != Novels || book != 3 || scale != 2 || *from != 9 || err != nil {
		t.Error(shelf, book, scale, from, err)
	}
}

// Who subscribes to an alias is told like others.
func TestAliasUpdates(t *testing.T) {
	srv := newServer(t)
	c := mcptest.New(t, srv)
	for _, uri := range []string{"books:///poems/1", "shelves:///1@poems", "urn:book:poems:1"} {
		sub := c.Subscribe(uri)
		srv.BookUpdated(Poems, 1)
		if got := sub.Next(); got != uri {
			t.Errorf("subscriber of %s is told of %s", uri, got)
		}
		sub.Close()
	}
	for _, uri := range []string{"library:///door", "house:///door"} {
		if got := c.Subscribe(uri).Next(); got != uri { // the watcher reports one change at once
			t.Errorf("subscriber of %s is told of %s", uri, got)
		}
	}
}

// A tool tells of what it changed, if it succeeded.
func TestTouches(t *testing.T) {
	transcript.Run(t, "touches", start, func(c *mcptest.Client, _ protocol.Revision) {
		book := c.Subscribe("shelves:///3@novels")
		for range 2 { // the second one fails
			c.Call("lend", `{"shelf":"novels","number":3}`)
			if book != nil {
				book.Next()
				book.Close()
				book = nil
			}
		}
		c.Read("books:///novels/3")
		state := c.Subscribe("states:///floor/3")
		c.Call("find", "")
		state.Next()
		c.Call("drop", `{"shelf":"poems","number":0}`)
	})
}
