package serve

import (
	"context"
	"errors"
	"time"

	"github.com/mcpgen/mcpgen/golden/board"
	"github.com/mcpgen/mcpgen/golden/crm"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// Config says how a replica serves.
type Config struct {
	// File has the state. It is made if it is not there.
	File string
	// Options are those of the outermost server. The servers that it joins get a copy without the bus.
	Options mcp.Options
	// Now is the clock that transactions use.
	Now func() time.Time
	// Committed runs after the commit of each write and before it is announced.
	Committed func()
}

// New returns a server and its state, which the caller closes after the server.
func New(ctx context.Context, c Config) (*FleetServer, *State, error) {
	state, err := Open(ctx, c.File, c.Now)
	if err != nil {
		return nil, nil, err
	}
	srv, err := join(state, c)
	if err != nil {
		return nil, nil, errors.Join(err, state.Close())
	}
	return srv, state, nil
}

func join(state *State, c Config) (*FleetServer, error) {
	inner := c.Options
	inner.Bus, inner.Tasks = nil, task.Options{}
	state.Cards.LoadWith(state.laterCard).LoadAllWith(state.AllCards)
	accounts, err := crm.NewCrmServer(crm.CrmImpl{Account: state.CRM, DB: state.CRM}, &inner)
	if err != nil {
		return nil, err
	}
	cards, err := board.NewBoardServer(board.BoardImpl{
		Card: state.Cards, Attachment: board.NewAttachmentStore().Local(), Person: state,
		Slot: board.NewSlotStore().Local(), Day: board.NewDayStore().Local(), Machine: board.NewMachineStore().Local(),
		Desk: &board.Desk{Cards: state.Cards, Now: c.Now},
	}, &inner)
	if err != nil {
		return nil, err
	}
	w := &Writer{db: state, crm: accounts, desk: cards, committed: c.Committed}
	w.changed, err = NewFleetServer(FleetImpl{Writer: w, Crm: accounts, Board: cards}, &c.Options)
	return w.changed, err
}
