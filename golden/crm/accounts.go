package crm

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
)

const selectAccount = `SELECT region, id, name, owner, changed FROM accounts`

// Get implements AccountSource.
func (db *DB) Get(ctx context.Context, region Region, id int64) (Account, error) {
	return scanAccount(db.sql.QueryRowContext(ctx, selectAccount+` WHERE region = ? AND id = ?`, region, id))
}

// List implements AccountSource. A page begins after the key of the last account of the page before, so
// accounts that come and go meanwhile shift nothing.
func (db *DB) List(ctx context.Context, page mcp.Page) (mcp.List[Account], error) {
	var list mcp.List[Account]
	var after AccountVars // before all others
	if page.Cursor != "" {
		var err error
		if after, err = ParseAccountURI(page.Cursor); err != nil {
			return list, err
		}
	}
	err := db.each(ctx, func(rows *sql.Rows) error {
		a, err := scanAccount(rows)
		if len(list.Items) == page.Size { // one more than the page holds
			last := list.Items[page.Size-1]
			list.Next = AccountURI(last.Region, last.ID)
			return err
		}
		list.Items = append(list.Items, a)
		return err
	}, selectAccount+` WHERE (region, id) > (?, ?) ORDER BY region, id LIMIT ?`, after.Region, after.ID, page.Size+1)
	return list, err
}

// Add adds accounts that are not there yet.
func (db *DB) Add(ctx context.Context, accounts ...Account) error {
	tx, err := db.sql.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // fails after the commit, which is what is wanted
	for _, a := range accounts {
		if _, err := tx.ExecContext(ctx, `INSERT INTO accounts (region, id, name, owner, changed) VALUES (?, ?, ?, ?, ?)`,
			a.Region, a.ID, a.Name, a.Owner, a.Changed.UnixMilli()); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// scanAccount reads an account from a row of selectAccount.
func scanAccount(row interface{ Scan(to ...any) error }) (Account, error) {
	var a Account
	var changed int64
	err := row.Scan(&a.Region, &a.ID, &a.Name, &a.Owner, &changed)
	if errors.Is(err, sql.ErrNoRows) {
		return a, mcp.ErrNotFound
	}
	a.Changed = time.UnixMilli(changed).UTC()
	return a, err
}
