package board_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
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
	slots  *board.SlotStore
	days   *board.DayStore
	office *board.MachineStore
}

func newWorld(t *testing.T, people board.PersonSource, pageSize int) *world {
	t.Helper()
	w := &world{cards: board.NewCardStore(), files: board.NewAttachmentStore(), people: new(board.Directory),
		slots: board.NewSlotStore(), days: board.NewDayStore(), office: board.NewMachineStore()}
	w.people.Put(board.Person{Team: "ops", ID: 2, Name: "Bob"}, board.Person{Team: "ops", ID: 1, Name: "Ada"},
		board.Person{Team: "dev", ID: 7, Name: "Eve"})
	if people == nil {
		people = w.people
	}
	err := errors.Join(
		w.cards.Put(board.Card{Column: board.Todo, No: 10, Title: "Ten", Body: "Do *ten*.", Changed: noon}),
		w.cards.Put(board.Card{Column: board.Todo, No: 9, Title: "Nine", Body: "Do *nine*.", Changed: noon}),
		w.cards.Put(board.Card{Column: board.Done, No: 1, Title: "One", Body: "Done.", Changed: noon}),
		w.files.Put(board.Attachment{Meta: board.Meta{Name: "a b.gif", Type: "image/gif"}, Data: []byte("GIF"),
			Label: "picture", About: "A picture.",
			Original: 99, Weight: 0.5, For: []string{"user"}}))
	if err != nil {
		t.Fatal(err)
	}
	w.BoardServer, err = board.NewBoardServer(board.BoardImpl{
		Card: w.cards, Attachment: w.files, Person: people, Slot: w.slots, Day: w.days, Machine: w.office,
		Desk: &board.Desk{Cards: w.cards, Now: func() time.Time { return noon.Add(time.Hour) }},
	}, &mcp.Options{UpdateDelay: -1, PageSize: pageSize})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// The whole of what the server answers, in each revision.
func TestWire(t *testing.T) {
	var w *world
	start := func(t *testing.T) mcptest.Server { w = newWorld(t, nil, 0); return w }
	transcript.Run(t, "wire", start, func(c *mcptest.Client, _ protocol.Revision) {
		c.Templates()
		c.Read("board:///todo/9")
		c.ReadContents("files:///a%20b.gif")
		c.Read("people:///dev/7")
		c.Read("board:///report")
		c.Complete("board:///{column}/{number}", "column", "d")
		sub := c.Subscribe("board:///todo/9")
		nine := board.CardKey{Column: board.Todo, No: 9}
		if err := w.cards.Update(nine, func(c *board.Card) error { c.Body = "Do it *now*."; return nil }); err != nil {
			t.Fatal(err)
		}
		sub.Next()
		c.Read("board:///todo/9")
		sub.Close()
		for _, uri := range []string{"board:///todo/11", "board:///late/1", "board:///todo/0", "people:///dev/8",
			"files:///none"} {
			c.Do(protocol.MethodResourcesRead, []byte(`{"uri":"`+uri+`"}`))
		}
	})
}

// A tool that works on the store moves a card from one URI to another.
func TestMove(t *testing.T) {
	c := mcptest.New(t, newWorld(t, nil, 0))
	sub := c.Subscribe("board:///todo/9")
	if r := c.Call("move", `{"number":9,"to":"done"}`); r.IsError != nil {
		t.Fatal(r)
	}
	sub.Next()
	if c.Read("board:///done/9") != "Do *nine*." {
		t.Error("the card is not where it was moved to")
	}
	if r := c.Call("move", `{"number":9,"to":"done"}`); r.IsError == nil {
		t.Error("a card is moved to where it is")
	}
}

// The constructor asks for everything that has values.
func TestMissingParts(t *testing.T) {
	w := newWorld(t, nil, 0)
	whole := board.BoardImpl{Card: w.cards, Attachment: w.files, Person: w.people, Slot: w.slots, Day: w.days,
		Machine: w.office, Desk: new(board.Desk)}
	if _, err := board.NewBoardServer(whole, nil); err != nil {
		t.Fatal(err)
	}
	for name, remove := range map[string]func(*board.BoardImpl){
		"Card":       func(i *board.BoardImpl) { i.Card = nil },
		"Attachment": func(i *board.BoardImpl) { i.Attachment = nil },
		"Person":     func(i *board.BoardImpl) { i.Person = nil },
		"Slot":       func(i *board.BoardImpl) { i.Slot = nil },
		"Day":        func(i *board.BoardImpl) { i.Day = nil },
		"Machine":    func(i *board.BoardImpl) { i.Machine = nil },
		"Desk":       func(i *board.BoardImpl) { i.Desk = nil },
	} {
		impl := whole
		remove(&impl)
		if _, err := board.NewBoardServer(impl, nil); err == nil || !strings.Contains(err.Error(), "BoardImpl."+name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

// A key that cannot be is refused when somebody subscribes to it.
func TestSubscriptionsAreChecked(t *testing.T) {
	c := mcptest.New(t, newWorld(t, nil, 0), mcptest.WithRevision(protocol.Revision20251125))
	for _, uri := range []string{"board:///late/1", "board:///todo/0", "files:///..%2fx", "people:///ops/x"} {
		if _, fault := c.Do(protocol.MethodResourcesSubscribe, []byte(`{"uri":"`+uri+`"}`)); fault == nil {
			t.Errorf("%s is subscribed to", uri)
		}
	}
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
	t.Attr("requirements", "res-fields")
	for _, r := range mcptest.New(t, newWorld(t, nil, 0)).List() {
		if r.URI != "files:///a%20b.gif" {
			continue
		}
		if r.Name != "picture" || r.Description != "A picture." || r.MIMEType != "image/gif" || *r.Size != 99 ||
			*r.Annotations.Priority != 0.5 ||
			len(r.Annotations.Audience) != 1 || r.Annotations.Audience[0] != "user" || r.Annotations.LastModified == "" {
			t.Errorf("got %+v, %+v", r, r.Annotations)
		}
		return
	}
	t.Error("the file is not listed")
}

// A new key changes the list, a value its URI, a key that goes both, in each revision.
func TestWhatIsAnnounced(t *testing.T) {
	t.Attr("requirements", "list-changed")
	for _, rev := range mcp.Revisions() {
		w := newWorld(t, nil, 0)
		c := mcptest.New(t, w, mcptest.WithRevision(rev))
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
		check("another body", 0, 1, w.cards.Update(board.CardKey{Column: board.Todo, No: 9},
			func(c *board.Card) error { c.Body = "x"; return nil }))
		check("another value", 0, 0, w.cards.Update(board.CardKey{Column: board.Todo, No: 10},
			func(c *board.Card) error { c.Body = "x"; return nil }))
		w.cards.Delete(board.CardKey{Column: board.Todo, No: 9})
		check("gone", 1, 1, nil)
		check("back", 1, 1, w.cards.Put(card))
	}
}

// Times, texts and truths are ordered and addressed like numbers are.
func TestOddKeys(t *testing.T) {
	w := newWorld(t, nil, 0)
	day := noon.Truncate(24 * time.Hour)
	four, six := netip.MustParseAddr("10.0.0.4"), netip.IPv6Loopback()
	want := []board.Slot{
		{Day: day, Desk: four, Floor: 2}, {Day: day, Desk: four, Quiet: true}, {Day: day, Desk: six, Floor: 1},
		{Day: day, Desk: six, Floor: 9},
		{Day: day.AddDate(0, 0, 1), Desk: four},
	}
	c := mcptest.New(t, w)
	if err := w.files.Put(board.Attachment{Meta: board.Meta{Name: "a"}}); err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{4, 1, 3, 0, 2} {
		s := want[i]
		err := errors.Join(w.slots.Put(s), w.days.Put(board.Day{When: s.Day, Note: "x"}),
			w.office.Put(board.Machine{Address: s.Desk}))
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := json.Marshal(s); c.Read(board.SlotURI(s.Day, s.Desk, s.Quiet, s.Floor)) != string(text) {
			t.Errorf("%v cannot be read", s)
		}
	}
	var got []board.Slot
	for _, s := range w.slots.All() {
		got = append(got, s)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	var uris []string
	for _, r := range c.List() {
		if strings.HasPrefix(r.URI, "files:") || strings.HasPrefix(r.URI, "days:") || strings.HasPrefix(r.URI, "machines:") {
			uris = append(uris, r.URI)
		}
		if strings.HasPrefix(r.URI, "slots:") {
			t.Error("listed, although list=none")
		}
	}
	if !slices.Equal(uris, []string{"files:///a", "files:///a%20b.gif", "days:///2026-07-28", "days:///2026-07-29",
		"machines:///10.0.0.4", "machines:///%3A%3A1"}) {
		t.Errorf("listed are %q", uris)
	}
	// Noon is not in a URI of the day, so it would be out of reach.
	if err := w.days.Put(board.Day{When: noon}); err == nil {
		t.Error("a key that its URI does not tell is stored")
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
	for _, rev := range mcp.Revisions() {
		source := watching{new(board.Directory), make(chan struct{})}
		source.Put(board.Person{Team: "dev", ID: 7})
		w := newWorld(t, source, 0)
		c := mcptest.New(t, w, mcptest.WithRevision(rev))
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

// A source that cannot watch is polled while somebody is subscribed, and so is a resource that asks for it.
func TestPolls(t *testing.T) {
	for _, rev := range mcp.Revisions() {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, nil, 0)
			c := mcptest.New(t, w, mcptest.WithRevision(rev), mcptest.WithTimeout(time.Hour))
			person, report := c.Subscribe("people:///dev/7"), c.Subscribe("board:///report")
			w.people.Put(board.Person{Team: "dev", ID: 7, Name: "Eve"}, board.Person{Team: "dev", ID: 8, Name: "Joe"})
			time.Sleep(5 * time.Minute)
			if n := person.Pending() + report.Pending(); n != 0 {
				t.Errorf("%v: %d updates without a change", rev, n)
			}
			start := time.Now()
			w.people.Put(board.Person{Team: "dev", ID: 7, Name: "Eva"})
			person.Next()
			if d := time.Since(start); d > 34*time.Second {
				t.Errorf("%v: the change was seen after %v", rev, d)
			}
			w.cards.Delete(board.CardKey{Column: board.Done, No: 1})
			report.Next()
			if n := person.Pending() + report.Pending(); n != 0 {
				t.Errorf("%v: %d updates too many", rev, n)
			}
		})
	}
}
