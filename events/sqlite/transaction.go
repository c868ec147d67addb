package sqliteevents

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/mcpgen/mcpgen/mcp/event"
)

// update runs a transaction that writes, in which nobody else does. What it returns is the error of do, if there is one
// and the file is available.
func (l *Log) update(ctx context.Context, do func(ctx context.Context, tx *sql.Tx) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errors.New("other processes write all the time"))
	defer cancel()
	select {
	case <-ctx.Done():
		return failed(ctx, ctx.Err())
	case <-l.write:
	}
	defer func() { l.write <- struct{}{} }()
	return retry(ctx, func() error {
		tx, err := l.db.BeginTx(ctx, nil) // BEGIN IMMEDIATE
		if err != nil {
			return err
		}
		defer tx.Rollback() //nolint:errcheck // fails after the commit, which is what is wanted
		if err := do(ctx, tx); err != nil {
			return err
		}
		return tx.Commit()
	})
}

// read runs queries outside of a transaction.
func (l *Log) read(ctx context.Context, do func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errors.New("the file is locked"))
	defer cancel()
	if err := ctx.Err(); err != nil {
		return failed(ctx, err)
	}
	return retry(ctx, func() error { return do(ctx) })
}

// retry repeats what failed because another process has a lock. Whatever it is, nothing of it was done.
func retry(ctx context.Context, do func() error) error {
	for {
		err := do()
		if code := code(err); (code == sqlite3.SQLITE_BUSY || code == sqlite3.SQLITE_LOCKED) && ctx.Err() == nil {
			continue // SQLite has waited
		}
		return failed(ctx, err)
	}
}

// code returns the primary result code of an error of SQLite, or -1.
func code(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	return -1
}

// failed returns an error of package event as it is, and says of all others whose they are.
func failed(ctx context.Context, err error) error {
	switch {
	case err == nil || errors.Is(err, event.ErrDuplicate):
		return err
	case ctx.Err() != nil:
		return fmt.Errorf("sqliteevents: %w (%w)", context.Cause(ctx), err)
	}
	return fmt.Errorf("sqliteevents: %w", err)
}
