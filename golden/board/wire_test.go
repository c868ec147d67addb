package board_test

import (
	"context"
	"errors"
	"iter"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/board"
	"github.com/mcpgen/mcpgen/golden/internal/transcript"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

var noon = time.Date(2026, 7, 28, 12, 0, 0, 0, time.UTC)

// world is a server and what it serves.
type world struct {
	*board.BoardServer
	cards  *board.CardStore
	files  *board.AttachmentStore
	people *board.Directory
}

func newWorld(t *testing.T, people board.PersonSource, pageSize int) *world {
	t.Helper()
	w := &world{cards: board.NewCardStore(), files: board.NewAttachmentStore(), people: new(board.Directory)}
	w.people.Put(board.Person{Team: "ops", ID: 2, Name: "Bob"}, board.Person{Team: "ops", ID: 1, Name: "Ada"}, board.Person{Team: "dev", ID: 7, Name: "Eve"})
	if people == nil {
		people = w.people
	}
	err := errors.Join(
		w.cards.Put(board.Card{Column: board.Todo, No: 10, Title: "Ten", Body: "Do *ten*.", Changed: noon}),
		w.cards.Put(board.Card{Column: board.Todo, No: 9, Title: "Nine", Body: "Do *nine*.", Changed: noon}),
		w.cards.Put(board.Card{Column: board.Done, No: 1, Title: "One", Body: "Done.", Changed: noon}),
		w.files.Put(board.Attachment{Meta: board.Meta{Name: "a b.gif", Type: "image/gif"}, Data: []byte("GIF"), Label: "picture", About: "A picture.",
			Original: 99, Weight: 0.5, For: []string{"user"}}))
	if err != nil {
		t.Fatal(err)
	}
	w.BoardServer, err = board.NewBoardServer(board.BoardImpl{
		Card: w.cards, Attachment: w.files, Person: people,
		Desk: &board.Desk{Cards: w.cards, Now: func() time.Time { return noon.Add(time.Hour) }},
	}, &mcp.Options{UpdateDelay: -1, PageSize: pageSize})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// The whole of what the server answers, in each revision.
func TestWire(t *testing.T) {
	start := func(t *testing.T) mcptest.Server { return newWorld(t, nil, 0) }
	transcript.Run(t, "wire", start, func(c *mcptest.Client, _ protocol.Revision) {
		c.Templates()
		c.Read("board:///todo/9")
		c.ReadContents("files:///a%20b.gif")
		c.Read("people:///dev/7")
		c.Read("board:///report")
		c.Complete("board:///{column}/{number}", "column", "d")
		sub := c.Subscribe("board:///todo/9")
		c.Call("move", `{"number":9,"to":"done"}`)
		sub.Next()
		c.Read("board:///done/9")
		sub.Close()
		for _, uri := range []string{"board:///todo/9", "board:///late/1", "board:///todo/0", "people:///dev/8", "files:///none"} {
			c.Do(protocol.MethodResourcesRead, []byte(`{"uri":"`+uri+`"}`))
		}
	})
}

// Lists come in pages in the order of keys, numbers by value, with what the fields say.
func TestWirePages(t *testing.T) {
	start := func(t *testing.T) mcptest.Server {
		w := newWorld(t, nil, 2)
		if err := w.files.Put(board.Attachment{Meta: board.Meta{Name: "z", Type: "a/b"}, Data: []byte("z")}); err != nil {
			t.Fatal(err)
		}
		if !w.files.Delete("z") { // the time of the other one is not known
			t.Fatal("not deleted")
		}
		w.files.Delete("a b.gif")
		return w
	}
	transcript.Run(t, "pages", start, func(c *mcptest.Client, _ protocol.Revision) { c.List() })
}

// What the fields of a value say is in the list.
func TestListShowsFields(t *testing.T) {
	for _, r := range mcptest.New(t, newWorld(t, nil, 0)).List() {
		if r.URI != "files:///a%20b.gif" {
			continue
		}
		if r.Name != "picture" || r.Description != "A picture." || r.MIMEType != "image/gif" || *r.Size != 99 || *r.Annotations.Priority != 0.5 ||
			len(r.Annotations.Audience) != 1 || r.Annotations.Audience[0] != "user" || r.Annotations.LastModified == "" {
			t.Errorf("got %+v, %+v", r, r.Annotations)
		}
		return
	}
	t.Error("the file is not listed")
}

// A new key changes the list, a value its URI, a key that goes both, in each revision.
func TestWhatIsAnnounced(t *testing.T) {
	for _, rev := range protocol.Revisions() {
		w := newWorld(t, nil, 0)
		c := mcptest.New(t, w, mcptest.Revision(rev))
		list, sub := c.SubscribeList(), c.Subscribe("board:///todo/9")
		check := func(what string, wantList, wantSub int, err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			for range wantList {
				list.Next()
			}
			for range wantSub {
				sub.Next()
			}
			c.Read("board:///report") // behind everything that was sent
			if n, m := list.Pending(), sub.Pending(); n+m != 0 {
				t.Errorf("%v: %s: %d and %d signals too many", rev, what, n, m)
			}
		}
		card, _ := w.cards.Get(board.CardKey{Column: board.Todo, No: 9})
		check("the same value", 0, 0, w.cards.Put(card))
		check("another number", 1, 0, w.cards.Put(board.Card{Column: board.Todo, No: 11}))
		check("another body", 0, 1, w.cards.Update(board.CardKey{Column: board.Todo, No: 9}, func(c *board.Card) error { c.Body = "x"; return nil }))
		check("another value", 0, 0, w.cards.Update(board.CardKey{Column: board.Todo, No: 10}, func(c *board.Card) error { c.Body = "x"; return nil }))
		w.cards.Delete(board.CardKey{Column: board.Todo, No: 9})
		check("gone", 1, 1, nil)
		check("back", 1, 1, w.cards.Put(card))
	}
}

// What has no URI cannot be put.
func TestUnaddressable(t *testing.T) {
	w := newWorld(t, nil, 0)
	for _, err := range []error{
		w.cards.Put(board.Card{Column: "late", No: 1}), w.cards.Put(board.Card{Column: board.Todo, No: 0}),
		w.files.Put(board.Attachment{}), w.files.Put(board.Attachment{Meta: board.Meta{Name: "../x"}}),
	} {
		if err == nil {
			t.Error("a value that nobody can read is stored")
		}
	}
}

// watching is a source that knows when its values change.
type watching struct {
	*board.Directory
	changes chan struct{}
}

func (w watching) Watch(ctx context.Context, team string, id int64) iter.Seq2[time.Time, error] {
	return func(yield func(time.Time, error) bool) {
		for {
			select {
			case <-ctx.Done():
				return
			case <-w.changes:
				if team != "dev" || id != 7 || !yield(time.Now(), nil) {
					return
				}
			}
		}
	}
}

// A source that can watch is watched, not polled.
func TestSourceWatches(t *testing.T) {
	for _, rev := range protocol.Revisions() {
		source := watching{new(board.Directory), make(chan struct{})}
		source.Put(board.Person{Team: "dev", ID: 7})
		w := newWorld(t, source, 0)
		c := mcptest.New(t, w, mcptest.Revision(rev))
		sub := c.Subscribe("people:///dev/7")
		source.changes <- struct{}{}
		sub.Next()
		w.PersonUpdated("dev", 7)
		sub.Next()
		list := c.SubscribeList()
		w.PersonListChanged()
		list.Next()
	}
}
