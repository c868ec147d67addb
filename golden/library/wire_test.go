package library

import (
	"strings"
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
	t.Attr("requirements", "res-unlisted")
	transcript.Run(t, "reads", start, func(c *mcptest.Client, _ protocol.Revision) {
		c.Templates()
		for _, resource := range c.List() {
			c.Read(resource.URI)
		}
		for _, uri := range []string{"scans:///poems/7", "scans:///novels/3?first=9&scale=2", "readers:///ann",
			"shelves:///12@poems", "urn:book:novels:3"} {
			c.Read(uri)
		}
		for _, uri := range []string{"scans:///poems/7?zoom=1", "scans:///poems/7?scale=9", "scans:///maps/7",
			"scans:///poems/70000", "books:///poems/2"} {
			c.Do(protocol.MethodResourcesRead, []byte(`{"uri":"`+uri+`"}`))
		}
	})
}

// Completions from what is listed.
func TestCompletions(t *testing.T) {
	t.Attr("requirements", "completion-sorted")
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
	v, err := ParseScanURI(uri)
	if err != nil || v.Shelf != Novels || v.BookID != 3 || v.Scale != 2 || v.From == nil || *v.From != 9 {
		t.Error(v, err)
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
		sub := c.Subscribe(uri)
		if got := sub.Next(); got != uri { // the watcher reports one change at once
			t.Errorf("subscriber of %s is told of %s", uri, got)
		}
		sub.Close() // both addresses have one watcher
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

// Features come and go with the revision and with their switches.
func TestOffers(t *testing.T) {
	var srv *LibraryServer
	fresh := func(t *testing.T) mcptest.Server { srv = newServer(t); return srv }
	transcript.Run(t, "offers", fresh, func(c *mcptest.Client, _ protocol.Revision) {
		look := func() {
			c.Tools()
			c.List()
			c.Templates()
			for _, uri := range []string{"library:///guide", "old:///poems", "library:///exhibition", "house:///exhibition",
				"pictures:///1"} {
				c.Do(protocol.MethodResourcesRead, []byte(`{"uri":"`+uri+`"}`))
			}
			c.Do(protocol.MethodCompletionComplete, []byte(`{"ref":{"type":"ref/resource","uri":"old:///{name}"},"argument":{"name":"name","value":""}}`))
			c.Do(protocol.MethodToolsCall, []byte(`{"name":"vote"}`))
		}
		srv.SetExhibitionEnabled(false)
		srv.SetPictureEnabled(false)
		srv.SetVoteEnabled(false)
		look()
		srv.SetExhibitionEnabled(true)
		srv.SetPictureEnabled(true)
		srv.SetVoteEnabled(true)
		look()
	})
}

// Who listens is told that features come and go, and so is who has subscribed to them.
func TestTogglesTell(t *testing.T) {
	t.Attr("requirements", "list-changed")
	srv := newServer(t)
	c := mcptest.New(t, srv)
	list, picture := c.SubscribeList(), c.Subscribe("pictures:///7")
	srv.SetPictureEnabled(false)
	list.Next()
	if got := picture.Next(); got != "pictures:///7" {
		t.Errorf("told of %s", got)
	}
	srv.SetPictureEnabled(true)
	list.Next()
	picture.Next()
}

// Reads by both addresses count together.
func TestAliasHasNoLimitOfItsOwn(t *testing.T) {
	c := mcptest.New(t, newServer(t))
	for range 10 {
		c.Read("library:///exhibition")
		c.Read("house:///exhibition")
	}
	for _, uri := range []string{"library:///exhibition", "house:///exhibition"} {
		if err := c.ReadError(uri); !strings.Contains(err.Error(), "called too often") {
			t.Errorf("%s: %v", uri, err)
		}
	}
}
