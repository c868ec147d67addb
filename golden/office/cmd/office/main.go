// Command office serves rooms and people as one server over MCP, on stdio or with -http.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/mcpgen/mcpgen/golden/office"
	"github.com/mcpgen/mcpgen/golden/office/people"
	"github.com/mcpgen/mcpgen/golden/office/rooms"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

func main() {
	serve := mcphttp.AddFlags(flag.CommandLine)
	flag.Parse()
	if err := run(serve); err != nil {
		log.Fatal(err)
	}
}

func run(serve *mcphttp.Command) error {
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
	return serve.Run(context.Background(), srv)
}
