// Package crm serves the accounts of a customer database and the schema of the database itself, straight from SQLite.
//
//mcp:server name=crm version=1.0.0 title="Customer accounts" instructions="Accounts are crm:///accounts/{region}/{id}. Read schema:///tables/{table} for the columns of a table."
package crm

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
)

//go:generate go run github.com/mcpgen/mcpgen/cmd/mcpgen

// Region is where an account is looked after.
//
//mcp:enum
type Region string

// The regions.
const (
	EMEA Region = "emea"
	AMER Region = "amer"
	APAC Region = "apac"
)

// Account is a customer. Its key is its region and its number there.
//
//mcp:resource uri=crm:///accounts/{region}/{id} source list subscribe poll=30s
//mcp:var region complete=enum
//mcp:var id min=1 complete=list
type Account struct {
	Region  Region    `json:"region" mcp:"key"`
	ID      int64     `json:"id" mcp:"key"`
	Name    string    `json:"name" mcp:"title"`
	Owner   string    `json:"owner"`
	Changed time.Time `json:"changed" mcp:"modified"`
}

// Change is one line of the history of an account.
type Change struct {
	At   time.Time `json:"at"`
	From string    `json:"from"`
	To   string    `json:"to"`
}

// History returns who has owned an account, the last change first.
//
//mcp:resource uri=crm:///accounts/{region}/{id}/history list=none subscribe
//mcp:var id min=1
func (db *DB) History(ctx context.Context, region Region, id int64) ([]Change, error) {
	if _, err := db.Get(ctx, region, id); err != nil {
		return nil, err
	}
	changes := []Change{}
	err := db.each(ctx, func(rows *sql.Rows) error {
		var c Change
		var at int64
		if err := rows.Scan(&at, &c.From, &c.To); err != nil {
			return err
		}
		c.At = time.UnixMilli(at).UTC()
		changes = append(changes, c)
		return nil
	}, `SELECT at, old_owner, new_owner FROM history WHERE region = ? AND id = ? ORDER BY at DESC, rowid DESC`, region, id)
	return changes, err
}

// AssignIn says who gets an account.
type AssignIn struct {
	Region Region `json:"region"`
	// Number of the account in its region.
	ID int64 `json:"id"`
	// Mail address of the new owner.
	Owner string `json:"owner"`
}

// errSame is no mistake of the program, so the model may read it.
var errSame = mcp.Public(errors.New("the account has this owner already"))

// Assign gives an account to another owner and writes that down in its history.
//
//mcp:tool idempotent closed updates=crm:///accounts/{region}/{id},crm:///accounts/{region}/{id}/history
func (db *DB) Assign(ctx context.Context, in AssignIn) (Account, error) {
	tx, err := db.sql.BeginTx(ctx, nil)
	if err != nil {
		return Account{}, err
	}
	defer tx.Rollback() //nolint:errcheck // fails after the commit, which is what is wanted
	a, err := scanAccount(tx.QueryRowContext(ctx, selectAccount+` WHERE region = ? AND id = ?`, in.Region, in.ID))
	if errors.Is(err, mcp.ErrNotFound) {
		return a, mcp.Public(err)
	}
	if err != nil {
		return a, err
	}
	if a.Owner == in.Owner {
		return a, errSame
	}
	now := db.Now().UnixMilli()
	_, err = tx.ExecContext(ctx, `INSERT INTO history (region, id, at, old_owner, new_owner) VALUES (?, ?, ?, ?, ?)`,
		a.Region, a.ID, now, a.Owner, in.Owner)
	if err != nil {
		return a, err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE accounts SET owner = ?, changed = ? WHERE region = ? AND id = ?`,
		in.Owner, now, a.Region, a.ID); err != nil {
		return a, err
	}
	a.Owner, a.Changed = in.Owner, time.UnixMilli(now).UTC()
	return a, tx.Commit()
}
