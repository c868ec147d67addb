package sqliteevents

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/mcpgen/mcpgen/mcp/event"
)

var _ event.Log = (*Log)(nil)

// Log is an [event.Log] in an SQLite file. All processes that open the file share it. It is safe for concurrent use;
// the zero value is of no use.
type Log struct {
	db    *sql.DB
	epoch string
	// write has an element while nobody in this process writes. Writers wait here, where the end of a context ends the
	// wait, and only one of them asks for the lock of the file.
	write chan struct{}
}

const (
	// patience is how long a method waits for writers of other processes if its context does not end before.
	patience = 10 * time.Second
	// slice is how long SQLite waits for a lock; between two such waits the context is looked at.
	slice = 20 * time.Millisecond
	// readers is how many connections there are at most.
	readers = 4
)

// Open opens the log in a file, which is made with mode 0600 if it is not there. The file must be on a disk of this
// machine: SQLite's locks do not work over networks. The caller closes the log, after its server.
func Open(ctx context.Context, file string) (*Log, error) {
	if err := create(file); err != nil {
		return nil, fmt.Errorf("sqliteevents: %w", err)
	}
	options := url.Values{
		"_pragma": {
			fmt.Sprintf("busy_timeout(%d)", slice.Milliseconds()),
			"journal_mode(wal)", // readers do not wait for the writer
			"synchronous(full)", // a commit is on disk when it returns
			"journal_size_limit(67108864)",
		},
		"_txlock": {"immediate"}, // a transaction that will write takes the lock when it begins
	}
	name := url.URL{Scheme: "file", Opaque: (&url.URL{Path: file}).EscapedPath(), RawQuery: options.Encode()}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		return nil, fmt.Errorf("sqliteevents: %w", err)
	}
	db.SetMaxOpenConns(readers)
	db.SetMaxIdleConns(readers)
	l := &Log{db: db, write: make(chan struct{}, 1)}
	l.write <- struct{}{}
	if err := l.update(ctx, l.migrate); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", file, err), db.Close())
	}
	return l, nil
}

// create makes a file that is not there: SQLite would let everybody read it, whose further files have the same mode.
// The file gets its name after it was closed, because closing a file of this process ends SQLite's locks on it. Where
// files cannot have two names SQLite makes it.
func create(file string) error {
	if _, err := os.Lstat(file); err == nil {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".sqliteevents-*") // has mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := f.Close(); err != nil {
		return err
	}
	_ = os.Link(f.Name(), file) // another process may have been faster
	return nil
}

// Close closes the file. Methods that are called later return an error.
func (l *Log) Close() error { return l.db.Close() }

// Lasting implements [event.Log].
func (l *Log) Lasting() bool { return true }

// migrations bring the schema from each version to the next one; PRAGMA user_version says how many a file has seen. The
// ones that were released never change.
var migrations = []string{`
	CREATE TABLE events (
		name  TEXT NOT NULL,
		seq   INTEGER NOT NULL,
		id    TEXT NOT NULL,
		time  INTEGER NOT NULL, -- milliseconds since 1970
		kept  INTEGER NOT NULL, -- the same
		cause TEXT NOT NULL,
		data  BLOB NOT NULL
	) STRICT;
	CREATE UNIQUE INDEX events_by_place ON events (name, seq);
	CREATE UNIQUE INDEX events_by_id ON events (name, id);
	-- The last place of each name, which outlives its events.
	CREATE TABLE names (name TEXT PRIMARY KEY, last INTEGER NOT NULL) STRICT;
	-- What tells this file from another one that takes its place.
	CREATE TABLE life (epoch TEXT NOT NULL) STRICT;
`}

// application is the application_id of the file, so that no other database is taken for one of events.
const application = 0x6d637065

func (l *Log) migrate(ctx context.Context, tx *sql.Tx) error {
	var id, done, tables int
	row := tx.QueryRowContext(ctx, `SELECT (SELECT application_id FROM pragma_application_id),
		(SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)`)
	if err := row.Scan(&id, &done, &tables); err != nil {
		return err
	}
	switch {
	case id != application && (tables > 0 || id != 0 || done != 0):
		return errors.New("the file is a database of something else")
	case done > len(migrations):
		return fmt.Errorf("the schema has version %d, and this program knows %d: update it", done, len(migrations))
	}
	for ; done < len(migrations); done++ {
		if _, err := tx.ExecContext(ctx, migrations[done]); err != nil {
			return fmt.Errorf("to version %d of the schema: %w", done+1, err)
		}
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO life SELECT ? WHERE NOT EXISTS (SELECT 1 FROM life)`, rand.Text())
	if err != nil {
		return err
	}
	pragmas := fmt.Sprintf(`PRAGMA user_version = %d; PRAGMA application_id = %d`, done, application)
	if _, err := tx.ExecContext(ctx, pragmas); err != nil {
		return err
	}
	return tx.QueryRowContext(ctx, `SELECT epoch FROM life`).Scan(&l.epoch)
}
