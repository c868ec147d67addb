// Command office serves rooms and people as one server over MCP on stdio.
package main

import (
	"context"
	"log"

	"github.com/mcpgen/mcpgen/golden/office"
	"github.com/mcpgen/mcpgen/golden/office/people"
	"github.com/mcpgen/mcpgen/golden/office/rooms"
	"github.com/mcpgen/mcpgen/mcp/transport/stdio"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	store := rooms.NewRoomStore()
	if err := store.Put(rooms.Room{Name: "attic", Seats: 4}); err != nil {
		return err
	}
	r, err := rooms.NewRoomsServer(rooms.RoomsImpl{Room: store, Desk: &rooms.Desk{Rooms: store}}, nil)
	if err != nil {
		return err
	}
	p, err := people.NewPeopleServer(people.PeopleImpl{Staff: people.New("ada", "bob")}, nil)
	if err != nil {
		return err
	}
	srv, err := office.NewOfficeServer(office.OfficeImpl{Rooms: r, People: p}, nil)
	if err != nil {
		return err
	}
	return srv.Serve(context.Background(), stdio.New(nil))
}
