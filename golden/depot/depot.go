// Package depot is an example server that mounts a server with events, and has events of its own: with access rules and
// limits, of the updates of its resources, and from a history that it has itself.
//
//mcp:server name=depot version=1.0.0 mount=../incidents
package depot

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/golden/incidents"
	"github.com/mcpgen/mcpgen/mcp"
)

//go:generate go run github.com/mcpgen/mcpgen/cmd/mcpgen

// Shelf is what lies on a shelf.
//
//mcp:resource uri=shelves:///{id} store subscribe event=poll,push,webhook
//mcp:access scopes=depot.read
type Shelf struct {
	ID    string `json:"id" mcp:"key"`
	Goods int    `json:"goods"`
}

// GoodsArrived says that goods have arrived.
//
//mcp:event args=ArrivalFilter
//mcp:access scopes=depot.read policy=MayHear
//mcp:limit rate=3/m
//mcp:availability deprecated="use the updates of shelves"
type GoodsArrived struct {
	Shelf string   `json:"shelf"`
	Goods int      `json:"goods"`
	Kinds []string `json:"kinds,omitempty"`
}

// ArrivalFilter says of which arrivals to hear.
type ArrivalFilter struct {
	// Shelf are the only shelves to hear of.
	Shelf []string `json:"shelf,omitempty"`
	// Goods is the number of goods; all without it.
	Goods *int `json:"goods,omitempty"`
}

// AlarmRaised says that somebody has opened a door. Others than guards know that there are alarms, and hear of none.
//
//mcp:event modes=poll poll=1s keep=100 tags=security
//mcp:access roles=guard hide=false
//mcp:availability proto=2026-07-28..
type AlarmRaised struct {
	Door string `json:"door"`
}

// Depot has goods.
type Depot struct {
	// Shelves are where they lie.
	Shelves *ShelfStore
	// Arrived and Raised publish events, once the server is there.
	Arrived func(context.Context, *GoodsArrived) error
	Raised  func(context.Context, *AlarmRaised) error
	// Taken says that the ledger has more.
	Taken func()
	// Now is the clock.
	Now func() time.Time

	mu     sync.Mutex
	ledger []GoodsTaken
}

// New returns a server of an empty depot, which mounts the server of incidents that ops has.
func New(ops *incidents.Ops, opts *mcp.Options) (*DepotServer, error) {
	mounted, err := incidents.New(ops, nil)
	if err != nil {
		return nil, err
	}
	d := &Depot{Shelves: NewShelfStore(), Now: time.Now}
	srv, err := NewDepotServer(DepotImpl{Shelf: d.Shelves, Depot: d, Incidents: mounted}, opts)
	if err != nil {
		return nil, err
	}
	d.Arrived, d.Raised, d.Taken = srv.CommitGoodsArrived, srv.CommitAlarmRaised, srv.AnnounceGoodsTaken
	return srv, nil
}

// Arrival is what arrives.
type Arrival struct {
	Shelf string `json:"shelf" jsonschema:"minLength=1"`
	Goods int    `json:"goods" jsonschema:"minimum=1"`
}

// Store puts goods on a shelf.
//
//mcp:tool
func (d *Depot) Store(ctx context.Context, in Arrival) error {
	if err := d.Shelves.Put(Shelf{in.Shelf, in.Goods}); err != nil {
		return err
	}
	return d.Arrived(ctx, &GoodsArrived{Shelf: in.Shelf, Goods: in.Goods})
}

// OpenDoor opens a door.
//
//mcp:tool
func (d *Depot) OpenDoor(ctx context.Context, door string) error {
	return d.Raised(ctx, &AlarmRaised{door})
}

// MayHear refuses guests.
func MayHear(_ context.Context, who mcp.Caller) error {
	if who.Subject == "guest" {
		return errors.New("guests hear nothing")
	}
	return nil
}
