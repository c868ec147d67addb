package depot

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
)

// GoodsTaken says that goods were taken from a shelf. The ledger of the depot has all that was ever taken.
//
//mcp:event modes=poll,push,webhook args=TakenFilter id=Entry time=Taken
//mcp:access scopes=depot.read
type GoodsTaken struct {
	Entry string    `json:"entry"`
	Taken time.Time `json:"taken"`
	Shelf string    `json:"shelf"`
	Goods int       `json:"goods"`
}

// TakenFilter says of what to hear.
type TakenFilter struct {
	// Shelf is the only shelf to hear of.
	Shelf string `json:"shelf,omitempty"`
}

// Take takes goods from a shelf.
//
//mcp:tool
func (d *Depot) Take(_ context.Context, in Arrival) error {
	shelf, _ := d.Shelves.Get(in.Shelf)
	if shelf.Goods < in.Goods {
		return mcp.Public(errors.New("there are not so many goods on the shelf"))
	}
	shelf.Goods -= in.Goods
	if err := d.Shelves.Put(shelf); err != nil {
		return err
	}
	d.mu.Lock()
	d.ledger = append(d.ledger, GoodsTaken{strconv.Itoa(len(d.ledger)), d.Now(), in.Shelf, in.Goods})
	d.mu.Unlock()
	d.Taken()
	return nil
}

// Ledger returns what was taken since an entry.
//
//mcp:replay of=GoodsTaken
func (d *Depot) Ledger(_ context.Context, f TakenFilter, cursor string, limit int) (
	p mcp.EventPage[GoodsTaken], err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	next := len(d.ledger)
	if cursor != "" {
		if next, err = strconv.Atoi(cursor); err != nil {
			return p, err
		}
		if next > len(d.ledger) { // it is of before a restart
			return mcp.EventPage[GoodsTaken]{Next: "0", Lost: true}, nil
		}
		for _, e := range d.ledger[next:] {
			if len(p.Events) == limit {
				break
			}
			if next++; f.Shelf == "" || f.Shelf == e.Shelf {
				p.Events = append(p.Events, e)
			}
		}
	}
	p.Next, p.More = strconv.Itoa(next), next < len(d.ledger)
	return p, nil
}
