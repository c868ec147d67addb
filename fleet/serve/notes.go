package serve

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"iter"

	"github.com/mcpgen/mcpgen/mcp"
)

// Notes is how many notes and secrets there are.
const (
	Notes   = 600
	Secrets = 24
)

// Note returns the text of a note. Nothing watches or polls notes: clients hear what their writer announces, and
// nothing makes up for an announcement that is lost.
//
//mcp:resource uri=note:///{id} list=none mime=text/plain subscribe
//mcp:var id min=1
func (w *Writer) Note(ctx context.Context, id int64) (string, error) {
	return w.db.text(ctx, `SELECT text FROM notes WHERE id = ?`, id)
}

// Secret returns the text of a secret to those who may have it at the moment.
//
//mcp:resource uri=secret:///{id} list=none mime=text/plain subscribe
//mcp:var id min=1
//mcp:access policy=Granted
func (w *Writer) Secret(ctx context.Context, id int64) (string, error) {
	return w.db.text(ctx, `SELECT text FROM secrets WHERE id = ?`, id)
}

var errNotGranted = errors.New("not granted")

// Granted lets in whom a grant names.
func (w *Writer) Granted(ctx context.Context, who mcp.Caller, id int64) error {
	_, err := w.db.text(ctx, `SELECT subject FROM grants WHERE id = ?1 AND subject = ?2`, id, who.Subject)
	if errors.Is(err, mcp.ErrNotFound) {
		return errNotGranted
	}
	return err
}

// GrantIn says who may read a secret.
type GrantIn struct {
	ID      int64  `json:"id"`
	Subject string `json:"subject"`
	// Revoked takes the right away.
	Revoked bool `json:"revoked,omitempty"`
}

// Grant gives the right to read a secret, or takes it.
//
//mcp:tool idempotent closed
func (w *Writer) Grant(ctx context.Context, in GrantIn) error {
	query := `INSERT OR IGNORE INTO grants VALUES (?1, ?2)`
	if in.Revoked {
		query = `DELETE FROM grants WHERE id = ?1 AND subject = ?2`
	}
	return w.db.exec(ctx, query, in.ID, in.Subject)
}

// Pin returns the text of a pin.
//
//mcp:resource uri=pin:///{name} mime=text/plain
func (w *Writer) Pin(ctx context.Context, name string) (string, error) {
	return w.db.text(ctx, `SELECT name FROM pins WHERE name = ?`, name)
}

// Pins lists the pins.
//
//mcp:list of=Pin changes
func (w *Writer) Pins(ctx context.Context) iter.Seq2[PinRef, error] {
	return func(yield func(PinRef, error) bool) {
		names, err := w.db.names(ctx)
		if err != nil {
			yield(PinRef{}, err)
			return
		}
		for _, name := range names {
			if !yield(PinRef{Name: name}, nil) {
				return
			}
		}
	}
}

func (s *State) names(ctx context.Context) (out []string, err error) {
	var name string
	err = s.each(ctx, `SELECT name FROM pins ORDER BY name`, nil, func() { out = append(out, name) }, &name)
	return out, err
}

// StickIn names a pin.
type StickIn struct {
	Name string `json:"name"`
	// Off removes it.
	Off bool `json:"off,omitempty"`
	// Tool does the same with a tool of that name, so that two lists change at once.
	Tool bool `json:"tool,omitempty"`
}

// Stick adds a pin to the list of pins, or removes it, and announces that.
//
//mcp:tool idempotent closed
func (w *Writer) Stick(ctx context.Context, in StickIn) error {
	query := `INSERT OR IGNORE INTO pins VALUES (?)`
	if in.Off {
		query = `DELETE FROM pins WHERE name = ?`
	}
	err := w.db.exec(ctx, query, in.Name)
	if err == nil {
		w.committed()
		if in.Tool {
			err = w.tool(in.Name, in.Off)
		}
	}
	w.changed.PinListChanged()
	return err
}

// tool adds a tool that does nothing to this replica, or removes it.
func (w *Writer) tool(name string, off bool) error {
	if off {
		_, err := w.changed.RemoveTool(name)
		return err
	}
	return w.changed.AddTool(mcp.DynamicTool{
		Name: name, Call: func(*mcp.Call, json.RawMessage) (mcp.ToolResult, error) { return mcp.ToolResult{}, nil },
	})
}

func (w *Writer) note(ctx context.Context, n int64, value string) error {
	if n < 1 || n > Notes {
		return mcp.ErrNotFound
	}
	return w.write(func() error {
		return w.db.exec(ctx, `UPDATE notes SET text = ? WHERE id = ?`, value, n)
	}, func() { w.changed.NoteUpdated(n) })
}

// notes writes the first n notes in one transaction, and announces one after the other.
func (w *Writer) notes(ctx context.Context, n int64, value string) error {
	if n < 1 || n > Notes {
		return mcp.ErrNotFound
	}
	return w.write(func() error {
		return w.db.exec(ctx, `UPDATE notes SET text = ? WHERE id <= ?`, value, n)
	}, func() {
		for i := range n {
			w.changed.NoteUpdated(i + 1)
		}
	})
}

func (w *Writer) secret(ctx context.Context, n int64, value string) error {
	if n < 1 || n > Secrets {
		return mcp.ErrNotFound
	}
	return w.write(func() error {
		return w.db.exec(ctx, `UPDATE secrets SET text = ? WHERE id = ?`, value, n)
	}, func() { w.changed.SecretUpdated(n) })
}

// text returns one text, or mcp.ErrNotFound.
func (s *State) text(ctx context.Context, query string, args ...any) (text string, err error) {
	err = s.sql.QueryRowContext(ctx, query, args...).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		err = mcp.ErrNotFound
	}
	return text, err
}
