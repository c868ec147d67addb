package office_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/internal/transcript"
	"github.com/mcpgen/mcpgen/golden/office"
	"github.com/mcpgen/mcpgen/golden/office/people"
	"github.com/mcpgen/mcpgen/golden/office/rooms"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

// world is a joined server and its parts.
type world struct {
	*office.OfficeServer
	rooms  *rooms.RoomsServer
	people *people.PeopleServer
	staff  *people.Staff
	store  *rooms.RoomStore
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{store: rooms.NewRoomStore(), staff: people.New("ada", "team/bob")}
	if err := w.store.Put(rooms.Room{Name: "attic", Seats: 4}); err != nil {
		t.Fatal(err)
	}
	opts := &mcp.Options{UpdateDelay: -1}
	var err error
	if w.rooms, err = rooms.NewRoomsServer(rooms.RoomsImpl{Room: w.store, Desk: &rooms.Desk{Rooms: w.store}},
		opts); err != nil {
		t.Fatal(err)
	}
	if w.people, err = people.NewPeopleServer(people.PeopleImpl{Staff: w.staff}, opts); err != nil {
		t.Fatal(err)
	}
	if w.OfficeServer, err = office.NewOfficeServer(office.OfficeImpl{Rooms: w.rooms, People: w.people},
		opts); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) freeAttic(t *testing.T) {
	t.Helper()
	if err := w.store.Update("attic", func(r *rooms.Room) error { r.Booked = ""; return nil }); err != nil {
		t.Fatal(err)
	}
}

// One client uses features of all parts. The template of people matches every address of the office, and
// still gets only what no other part serves.
func TestWire(t *testing.T) {
	var w *world
	start := func(t *testing.T) mcptest.Server { w = newWorld(t); return w }
	transcript.Run(t, "wire", start, func(c *mcptest.Client, _ protocol.Revision) {
		c.Templates()
		c.Tools()
		c.GetPrompt("invite", "room", "attic")
		c.Read("office:///address")
		c.Read("office:///plan")
		c.Read("office:///rooms/attic")
		c.Read("office:///team/bob")
		c.Do(protocol.MethodResourcesRead, []byte(`{"uri":"office:///rooms/cellar"}`))
		c.Do(protocol.MethodResourcesRead, []byte(`{"uri":"office:///nobody"}`))
		c.Call("book", `{"room":"attic","who":"ada"}`)
		plan, bob := c.Subscribe("office:///plan"), c.Subscribe("office:///team/bob")
		w.rooms.PlanUpdated()
		plan.Next()
		w.staff.Move("team/bob", "in the attic")
		w.people.WhereUpdated("team/bob")
		bob.Next()
		c.Read("office:///team/bob")
		plan.Close()
		bob.Close()
	})
}

// The parts are servers of their own beside the joined one, and one store feeds both.
func TestParts(t *testing.T) {
	w := newWorld(t)
	part, whole := mcptest.New(t, w.rooms), mcptest.New(t, w)
	for _, uri := range []string{"office:///rooms/attic",
		"office:///plan"} { // the store tells of one, the tool of the other
		a, b := part.Subscribe(uri), whole.Subscribe(uri)
		whole.Call("book", `{"room":"attic","who":"ada"}`)
		a.Next()
		b.Next()
		w.freeAttic(t)
	}
	if n := len(part.Tools()); n != 1 {
		t.Errorf("the part has %d tools", n)
	}
	w.people.SetSendHomeEnabled(false)
	w.rooms.SetInviteEnabled(false)
	if n := len(whole.Tools()) + len(whole.Prompts()); n != 1 {
		t.Errorf("the whole has %d tools and prompts", n)
	}
	if n := len(whole.List()); n != 5 {
		t.Errorf("the whole has %d resources", n)
	}
}

// A part that is missing is named.
func TestMissingPart(t *testing.T) {
	w := newWorld(t)
	for name, impl := range map[string]office.OfficeImpl{"Rooms": {People: w.people}, "People": {Rooms: w.rooms}} {
		if _, err := office.NewOfficeServer(impl, nil); err == nil ||
			err.Error() != mcprt.MissingImpl("OfficeImpl."+name).Error() {
			t.Errorf("without %s: %v", name, err)
		}
	}
}
