package crm

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

//go:embed migrations/*.sql
var migrations embed.FS

// DB is a database of accounts, and an AccountSource. It is safe for concurrent use.
type DB struct {
	sql *sql.DB
	// Now is the clock; Open sets it to time.Now.
	Now func() time.Time
}

// Open opens the database in a file, which is made if it is not there, and brings its schema up to date.
// The caller closes it.
func Open(ctx context.Context, file string) (*DB, error) {
	// A writer waits for its turn, and takes it when its transaction begins.
	wait := fmt.Sprintf("busy_timeout(%d)", patience.Milliseconds())
	options := url.Values{"_pragma": {wait, "foreign_keys(1)", "journal_mode(wal)"}, "_txlock": {"immediate"}}
	conn, err := sql.Open("sqlite",
		(&url.URL{Scheme: "file", Opaque: (&url.URL{Path: file}).EscapedPath(), RawQuery: options.Encode()}).String())
	if err != nil {
		return nil, err
	}
	db := &DB{sql: conn, Now: time.Now}
	if err := db.migrate(ctx); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return db, nil
}

// patience is how long a writer waits for its turn.
const patience = 5 * time.Second

// migrate brings the schema up to date. Processes that make a file at once can lock each other out while they turn on
// its log, in which case SQLite does not wait.
func (db *DB) migrate(ctx context.Context) error {
	for begun := time.Now(); ; {
		err := db.tryToMigrate(ctx)
		var locked *sqlite.Error
		if !errors.As(err, &locked) || locked.Code() != sqlite3.SQLITE_BUSY || time.Since(begun) > patience {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Close releases the database.
func (db *DB) Close() error { return db.sql.Close() }

// tryToMigrate runs the migrations that the database has not seen: PRAGMA user_version says how many it has.
func (db *DB) tryToMigrate(ctx context.Context) error {
	files, err := fs.Glob(migrations, "migrations/*.sql") // sorted
	if err != nil {
		return err
	}
	var done int
	if db.sql.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&done) == nil && done == len(files) {
		return nil // without a turn to write, for which another process may let this one wait
	}
	tx, err := db.sql.BeginTx(ctx, nil) // another process may be doing the same
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // fails after the commit, which is what is wanted
	if err := tx.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&done); err != nil {
		return err
	}
	if done > len(files) {
		return fmt.Errorf("the database has version %d of the schema; this program knows %d", done, len(files))
	}
	for _, file := range files[done:] {
		text, err := migrations.ReadFile(file)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, string(text)); err != nil {
			return fmt.Errorf("migration %s: %w", path.Base(file), err)
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d`, len(files))); err != nil {
		return err
	}
	return tx.Commit()
}

// each calls row for each row of a query.
func (db *DB) each(ctx context.Context, row func(*sql.Rows) error, query string, args ...any) error {
	rows, err := db.sql.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // rows.Err says what went wrong
	for rows.Next() {
		if err := row(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
