// Package serve is the server that the replicas of the fleet run: the packages golden/crm and golden/board with their
// values in one SQLite file, and tools that write to it. Each write is one transaction, after which the server that
// wrote says what has changed; between the two a failpoint can end the process.
//
//mcp:server name=fleet version=1.0.0 mount=github.com/mcpgen/mcpgen/golden/crm,github.com/mcpgen/mcpgen/golden/board
package serve

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/mcpgen/mcpgen/golden/board"
	"github.com/mcpgen/mcpgen/golden/crm"
	"github.com/mcpgen/mcpgen/mcp"
)

//go:generate go run github.com/mcpgen/mcpgen/cmd/mcpgen

// Writer changes the values and announces it.
type Writer struct {
	db   *State
	crm  *crm.CrmServer
	desk *board.BoardServer
	// changed is the server of this package, which announces.
	changed *FleetServer
	// committed runs between a commit and its announcement.
	committed func()
}

// EditIn says what is written.
type EditIn struct {
	// Kind is account, card, person, note, notes or secret.
	Kind string `json:"kind"`
	// Number is that of the account, card, person, note or secret, from 1; of notes it is the last one.
	Number int64 `json:"number"`
	// Value is what clients read afterwards.
	Value string `json:"value"`
	// Wait is how many milliseconds pass before that.
	Wait int `json:"wait,omitempty"`
}

// Edit writes one value and announces it. It returns the number of its process.
//
//mcp:tool idempotent closed
func (w *Writer) Edit(ctx context.Context, in EditIn) (int, error) {
	return os.Getpid(), w.edit(ctx, in)
}

func (w *Writer) edit(ctx context.Context, in EditIn) error {
	time.Sleep(min(time.Duration(in.Wait)*time.Millisecond, time.Minute))
	switch in.Kind {
	case "account":
		return w.account(ctx, in.Number, in.Value)
	case "card":
		return w.card(ctx, in.Number, in.Value)
	case "person":
		return w.person(ctx, in.Number, in.Value)
	case "note":
		return w.note(ctx, in.Number, in.Value)
	case "notes":
		return w.notes(ctx, in.Number, in.Value)
	case "secret":
		return w.secret(ctx, in.Number, in.Value)
	}
	return mcp.Errorf("no such kind")
}

// ManyIn says what a series of writes is.
type ManyIn struct {
	// Value is the beginning of all values; the rest is a number.
	Value string `json:"value"`
	// Count is how many writes there are, one after the other.
	Count int `json:"count"`
	// First is the number of the first account; the others follow it.
	First int64 `json:"first"`
}

// EditMany writes many values, each in a transaction and with an announcement of its own, and returns how many it
// wrote.
//
//mcp:tool idempotent closed
func (w *Writer) EditMany(ctx context.Context, in ManyIn) (int, error) {
	if in.Count < 1 || in.Count > 1_000 {
		return 0, mcp.Errorf("1 to 1000 writes")
	}
	for i := range in.Count {
		n := (in.First+int64(i))%Accounts + 1
		if err := w.account(ctx, n, in.Value+"."+itoa(i)); err != nil {
			return i, err
		}
	}
	return in.Count, nil
}

func (w *Writer) account(ctx context.Context, n int64, value string) error {
	if n < 1 || n > Accounts {
		return mcp.ErrNotFound
	}
	region, id := AccountKey(n)
	publish := func() {
		w.crm.AccountUpdated(region, id)
		w.crm.HistoryUpdated(region, id)
	}
	return w.write(func() error {
		if err := w.db.shorten(ctx, region, id); err != nil {
			return err
		}
		_, err := w.db.CRM.Assign(ctx, crm.AssignIn{Region: region, ID: id, Owner: value})
		return err
	}, publish)
}

// write writes something and announces it. It announces what has failed too: the error of a context that has ended does
// not say that nothing is written.
func (w *Writer) write(commit func() error, publish func()) error {
	err := commit()
	if err == nil {
		w.committed()
	}
	publish()
	return err
}

func (w *Writer) card(ctx context.Context, n int64, value string) error {
	if n < 1 || n > Cards {
		return mcp.ErrNotFound
	}
	var put error
	err := w.write(func() error { return w.db.writeCard(ctx, n, value) }, func() {
		// The value that is committed last wins in every replica: the file says which that is.
		var card board.Card
		if card, _, put = w.db.Card(context.WithoutCancel(ctx), CardKey(n)); put == nil {
			put = w.db.Cards.Put(card)
		}
	})
	return errors.Join(err, put)
}

func (w *Writer) person(ctx context.Context, n int64, value string) error {
	if n < 1 || n > People {
		return mcp.ErrNotFound
	}
	return w.write(func() error { return w.db.writePerson(ctx, n, value) }, func() { w.desk.PersonUpdated("ops", n) })
}
