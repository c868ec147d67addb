// Package rooms is the part of an office server that knows the rooms. It is a server of its own as well.
//
//mcp:server name=rooms version=1.0.0 "instructions=Book a room before you use it."
package rooms

import (
	"context"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
)

// Room is a room of the office.
//
//mcp:resource uri=office:///rooms/{name} list subscribe
type Room struct {
	Name   string `json:"name" mcp:"key"`
	Seats  int    `json:"seats"`
	Booked string `json:"booked,omitempty"`
}

// Desk books rooms.
type Desk struct {
	Rooms *RoomStore
}

// Plan draws all rooms.
//
//mcp:resource uri=office:///plan subscribe
func (d *Desk) Plan(ctx context.Context) (string, error) {
	var out strings.Builder
	for _, r := range d.Rooms.All() {
		out.WriteString("[" + r.Name + "]")
	}
	return out.String() + "\n", nil
}

// BookIn says which room to book, and for whom.
type BookIn struct {
	// Room is the name of the room.
	Room string `json:"room"`
	// Who will use it.
	Who string `json:"who"`
}

// Book books a room.
//
//mcp:tool updates=office:///plan
func (d *Desk) Book(ctx context.Context, in BookIn) error {
	return d.Rooms.Update(in.Room, func(r *Room) error {
		if r.Booked != "" {
			return mcp.Errorf("%s is booked by %s", in.Room, r.Booked)
		}
		r.Booked = in.Who
		return nil
	})
}

// Invite writes an invitation.
//
//mcp:prompt
//mcp:toggle
func (d *Desk) Invite(ctx context.Context, room string) (string, error) {
	return "Invite everybody to the " + room + ".", nil
}
