package sqlitetasks

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp/task"
)

var _ task.Store = (*Store)(nil)

// Store is a [task.Store] in an SQLite file. All processes that open the file share it. It is safe for concurrent use;
// the zero value is of no use.
type Store struct {
	db *sql.DB
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

// Open opens the store in a file, which is made with mode 0600 if it is not there, and brings its schema up to date.
// The file must be on a disk of this machine: SQLite's locks do not work over networks. The caller closes the store,
// after its server.
func Open(ctx context.Context, file string) (*Store, error) {
	if err := create(file); err != nil {
		return nil, fmt.Errorf("sqlitetasks: %w", err)
	}
	durability := "full" // a commit is on disk when it returns
	if failpoint.On("sqlite-without-fsync") {
		durability = "normal"
	}
	options := url.Values{
		"_pragma": {
			fmt.Sprintf("busy_timeout(%d)", slice.Milliseconds()),
			"journal_mode(wal)", // readers do not wait for the writer
			"synchronous(" + durability + ")",
			"journal_size_limit(67108864)",
		},
		"_txlock": {"immediate"}, // a transaction that will write takes the lock when it begins
	}
	name := url.URL{Scheme: "file", Opaque: (&url.URL{Path: file}).EscapedPath(), RawQuery: options.Encode()}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		return nil, fmt.Errorf("sqlitetasks: %w", err)
	}
	db.SetMaxOpenConns(readers)
	db.SetMaxIdleConns(readers)
	s := &Store{db: db, write: make(chan struct{}, 1)}
	s.write <- struct{}{}
	if err := s.update(ctx, migrate); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", file, err), db.Close())
	}
	return s, nil
}

// create makes a file that is not there: SQLite would let everybody read it, whose further files have the same mode.
// The file gets its name after it was closed, because closing a file of this process ends SQLite's locks on it. Where
// files cannot have two names SQLite makes it.
func create(file string) error {
	if _, err := os.Lstat(file); err == nil {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".sqlitetasks-*") // has mode 0600
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
func (s *Store) Close() error { return s.db.Close() }

// migrations bring the schema from each version to the next one; PRAGMA user_version says how many a file has seen. The
// ones that were released never change.
var migrations = []string{`
	CREATE TABLE tasks (
		id          TEXT PRIMARY KEY,
		principal   TEXT NOT NULL,
		status      TEXT NOT NULL,
		lease_until INTEGER NOT NULL, -- milliseconds since 1970
		expires     INTEGER NOT NULL, -- the same
		version     INTEGER NOT NULL,
		record      BLOB NOT NULL
	) STRICT;
	CREATE INDEX tasks_to_claim ON tasks (status, lease_until);
	CREATE INDEX tasks_of_principal ON tasks (principal, id);
	CREATE INDEX tasks_to_expire ON tasks (expires);
	-- The last version of any task, which outlives all of them.
	CREATE TABLE versions (last INTEGER NOT NULL) STRICT;
	INSERT INTO versions VALUES (0);
`}

// additions are what older programs of the same version of the schema do not look at, and keep right all the same: an
// older program can share the file, and start again.
const additions = `
	-- How many bytes the body has that is apart from the record, which is then a head; and whether the task has an owner.
	ALTER TABLE tasks ADD COLUMN apart INTEGER NOT NULL DEFAULT 0;
	ALTER TABLE tasks ADD COLUMN owned INTEGER NOT NULL DEFAULT 0;
	CREATE INDEX tasks_unchanged ON tasks (status, version);
	CREATE TABLE bodies (id TEXT PRIMARY KEY, body BLOB NOT NULL) STRICT;
	-- What each principal has, and all of them, whose name is empty. All bytes are those of task.SizeOf.
	CREATE TABLE holders (
		principal   TEXT PRIMARY KEY,
		tasks       INTEGER NOT NULL,
		ended       INTEGER NOT NULL, -- of these
		bytes       INTEGER NOT NULL,
		ended_bytes INTEGER NOT NULL
	) STRICT;
	CREATE INDEX holders_by_tasks ON holders (tasks) WHERE ended > 0 AND principal <> '';
	CREATE INDEX holders_by_bytes ON holders (bytes) WHERE ended > 0 AND principal <> '';
	INSERT INTO holders SELECT '', count(*), total(ended), total(bytes), total(ended * bytes) FROM (` + sizes + `);
	INSERT INTO holders SELECT principal, count(*), total(ended), total(bytes), total(ended * bytes) FROM (` + sizes + `)
		GROUP BY principal;
	CREATE TRIGGER task_created AFTER INSERT ON tasks BEGIN ` + added + ` END;
	CREATE TRIGGER task_changed AFTER UPDATE ON tasks BEGIN ` + taken + added + ` END;
	CREATE TRIGGER task_removed AFTER DELETE ON tasks BEGIN ` + taken + `
		DELETE FROM holders WHERE principal = old.principal AND tasks <= 0;
		DELETE FROM bodies WHERE id = old.id;
	END;
`

// Parts of additions: how much each record counts for, and what adds that or takes it away.
const (
	sizes = `SELECT principal, status IN ('completed', 'failed', 'cancelled') AS ended,
		max(length(record) + apart, 4096) AS bytes FROM tasks`
	added = `
		INSERT INTO holders SELECT who.value, 1, ended, bytes, ended * bytes
		FROM json_each(json_array('', new.principal)) AS who, (SELECT
			new.status IN ('completed', 'failed', 'cancelled') AS ended, max(length(new.record) + new.apart, 4096) AS bytes)
		WHERE true ON CONFLICT (principal) DO UPDATE SET
			tasks = tasks + 1, ended = ended + excluded.ended, bytes = bytes + excluded.bytes,
			ended_bytes = ended_bytes + excluded.ended_bytes;`
	taken = `
		UPDATE holders SET tasks = tasks - 1, ended = ended - gone.final, bytes = bytes - gone.size,
			ended_bytes = ended_bytes - gone.final * gone.size
		FROM (SELECT old.status IN ('completed', 'failed', 'cancelled') AS final,
			max(length(old.record) + old.apart, 4096) AS size) AS gone
		WHERE principal IN ('', old.principal);`
)

// application is the application_id of the file, so that no other database is taken for one of tasks.
const application = 0x6d637074

func migrate(ctx context.Context, tx *sql.Tx) error {
	var id, done, tables int
	var added bool
	row := tx.QueryRowContext(ctx, `SELECT (SELECT application_id FROM pragma_application_id),
		(SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema),
		EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'holders')`)
	if err := row.Scan(&id, &done, &tables, &added); err != nil {
		return err
	}
	switch {
	case id != application && (tables > 0 || id != 0 || done != 0):
		return errors.New("the file is a database of something else")
	case done > len(migrations):
		return fmt.Errorf("the schema has version %d, and this program knows %d: update it", done, len(migrations))
	case done == len(migrations) && added:
		return nil
	}
	for _, text := range migrations[done:] {
		if _, err := tx.ExecContext(ctx, text); err != nil {
			return fmt.Errorf("to version %d of the schema: %w", done+1, err)
		}
		done++
	}
	if _, err := tx.ExecContext(ctx, additions); err != nil {
		return fmt.Errorf("to what version %d of the schema has now: %w", done, err)
	}
	_, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d; PRAGMA application_id = %d`, done, application))
	return err
}
