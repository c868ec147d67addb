package serve

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/golden/board"
	"github.com/mcpgen/mcpgen/golden/crm"
	"github.com/mcpgen/mcpgen/mcp"
)

// How many values of each kind there are. Nobody adds or removes any.
const (
	Accounts = 24
	Cards    = 8
	People   = 8
)

// State is one SQLite file that all replicas share. It is safe for concurrent use.
type State struct {
	CRM   *crm.DB
	Cards *board.CardStore
	sql   *sql.DB
	now   func() time.Time
}

// Open opens the state in a file, and makes and fills it if it is not there. The caller closes it. Now is the clock
// of this replica.
func Open(ctx context.Context, path string, now func() time.Time) (*State, error) {
	accounts, err := crm.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	accounts.Now = now
	conn, err := open(path, 5*time.Second)
	if err != nil {
		return nil, errors.Join(err, accounts.Close())
	}
	s := &State{CRM: accounts, Cards: board.NewCardStore(), sql: conn, now: now}
	if err := s.fill(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// open opens a file whose writers wait for some time for their turn.
func open(path string, wait time.Duration) (*sql.DB, error) {
	busy := fmt.Sprintf("busy_timeout(%d)", wait.Milliseconds())
	options := url.Values{"_pragma": {busy, "journal_mode(wal)"}, "_txlock": {"immediate"}}
	file := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: options.Encode()}
	return sql.Open("sqlite", file.String()) // package crm imports the driver
}

// Unlocked is an error if nobody can write to an SQLite file for longer than writes take.
func Unlocked(ctx context.Context, path string) error {
	conn, err := open(path, time.Second)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // nothing was written
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	return tx.Rollback()
}

// Close releases the files.
func (s *State) Close() error { return errors.Join(s.sql.Close(), s.CRM.Close()) }

// fill makes what is missing. If nothing is, it only reads: another replica may be stopped while it writes.
func (s *State) fill(ctx context.Context) error {
	var people int // what is made last
	if s.sql.QueryRowContext(ctx, `SELECT count(*) FROM people`).Scan(&people) != nil || people < People {
		if err := s.makeTables(ctx); err != nil {
			return err
		}
	}
	return s.fillValues(ctx)
}

// makeTables makes the tables and what they have, in one transaction.
func (s *State) makeTables(ctx context.Context) error {
	tx, err := s.sql.BeginTx(ctx, nil) // other replicas may be doing the same
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // fails after the commit, which is what is wanted
	for _, text := range []string{
		`CREATE TABLE IF NOT EXISTS cards (no INTEGER PRIMARY KEY, body TEXT NOT NULL, changed INTEGER NOT NULL)`,
		`CREATE TABLE IF NOT EXISTS people (id INTEGER PRIMARY KEY, name TEXT NOT NULL)`,
		`CREATE TABLE IF NOT EXISTS runs (key TEXT NOT NULL, task TEXT NOT NULL, pid INTEGER NOT NULL, step INTEGER NOT NULL,
			kept INTEGER NOT NULL)`,
		`CREATE TABLE IF NOT EXISTS ends (key TEXT NOT NULL, pid INTEGER NOT NULL, step INTEGER NOT NULL,
			at INTEGER NOT NULL)`,
		`CREATE TABLE IF NOT EXISTS marks (key TEXT NOT NULL, pid INTEGER NOT NULL, step INTEGER NOT NULL)`,
		`CREATE INDEX IF NOT EXISTS marked ON marks (key)`,
		`CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)`,
		`CREATE TABLE IF NOT EXISTS secrets (id INTEGER PRIMARY KEY, text TEXT NOT NULL)`,
		`CREATE TABLE IF NOT EXISTS grants (id INTEGER NOT NULL, subject TEXT NOT NULL, PRIMARY KEY (id, subject))`,
		`CREATE TABLE IF NOT EXISTS pins (name TEXT PRIMARY KEY)`,
		series("notes", Notes), series("secrets", Secrets),
	} {
		if _, err := tx.ExecContext(ctx, text); err != nil {
			return err
		}
	}
	for n := range Cards {
		if _, err := tx.ExecContext(ctx, `INSERT OR IGNORE INTO cards VALUES (?, 'start', 0)`, n+1); err != nil {
			return err
		}
	}
	for n := range People {
		if _, err := tx.ExecContext(ctx, `INSERT OR IGNORE INTO people VALUES (?, 'start')`, n+1); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// fillValues adds the accounts that are missing, and reads the cards.
func (s *State) fillValues(ctx context.Context) error {
	for n := int64(1); n <= Accounts; n++ {
		region, id := AccountKey(n)
		a := crm.Account{Region: region, ID: id, Name: fmt.Sprint("Account ", n), Owner: "start", Changed: s.now()}
		if _, err := s.CRM.Get(ctx, region, id); !errors.Is(err, mcp.ErrNotFound) {
			continue
		}
		if err := s.CRM.Add(ctx, a); err != nil {
			// Another replica may have been faster.
			if _, again := s.CRM.Get(ctx, region, id); again != nil {
				return err
			}
		}
	}
	for n := int64(1); n <= Cards; n++ {
		card, _, err := s.Card(ctx, CardKey(n))
		if err := errors.Join(err, s.Cards.Put(card)); err != nil {
			return err
		}
	}
	return nil
}

// series fills a table of texts.
func series(table string, n int) string {
	return fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
		INSERT OR IGNORE INTO %s SELECT i, 'start' FROM n`, n, table)
}

// AccountKey returns the key of an account, of which the first is 1.
func AccountKey(n int64) (crm.Region, int64) {
	regions := []crm.Region{crm.EMEA, crm.AMER, crm.APAC}
	return regions[(n-1)%3], (n-1)/3 + 1
}

// CardKey returns the key of a card, of which the first is 1.
func CardKey(n int64) board.CardKey { return board.CardKey{Column: board.Todo, No: int(n)} }

// Card returns the card of the file.
func (s *State) Card(ctx context.Context, key board.CardKey) (board.Card, bool, error) {
	card := board.Card{Column: key.Column, No: key.No, Title: "Card " + itoa(key.No)}
	var changed int64
	err := s.sql.QueryRowContext(ctx, `SELECT body, changed FROM cards WHERE no = ?`, key.No).Scan(&card.Body, &changed)
	if errors.Is(err, sql.ErrNoRows) || key.Column != board.Todo {
		return card, false, nil
	}
	card.Changed = time.UnixMilli(changed).UTC()
	return card, err == nil, err
}

// laterCard is Card as a database far away answers: what comes was true a moment ago.
func (s *State) laterCard(ctx context.Context, key board.CardKey) (board.Card, bool, error) {
	card, ok, err := s.Card(ctx, key)
	time.Sleep(30 * time.Millisecond)
	return card, ok, err
}

// AllCards yields the cards of the file.
func (s *State) AllCards(ctx context.Context) iter.Seq2[board.Card, error] {
	return func(yield func(board.Card, error) bool) {
		for n := int64(1); n <= Cards; n++ {
			if card, _, err := s.Card(ctx, CardKey(n)); !yield(card, err) || err != nil {
				return
			}
		}
	}
}

// Get implements board.PersonSource.
func (s *State) Get(ctx context.Context, team string, id int64) (board.Person, error) {
	p := board.Person{Team: team, ID: id}
	err := s.sql.QueryRowContext(ctx, `SELECT name FROM people WHERE id = ?`, id).Scan(&p.Name)
	if errors.Is(err, sql.ErrNoRows) || team != "ops" {
		return p, mcp.ErrNotFound
	}
	return p, err
}

// List implements board.PersonSource. A page begins after the id of the last person of the page before.
func (s *State) List(ctx context.Context, page mcp.Page) (mcp.List[board.Person], error) {
	var list mcp.List[board.Person]
	after, _ := strconv.ParseInt(page.Cursor, 10, 64) // 0 is before all others
	for id := after + 1; id <= People; id++ {
		if len(list.Items) == page.Size {
			list.Next = strconv.FormatInt(id-1, 10)
			break
		}
		p, err := s.Get(ctx, "ops", id)
		if err != nil {
			return list, err
		}
		list.Items = append(list.Items, p)
	}
	return list, nil
}

func (s *State) writeCard(ctx context.Context, n int64, body string) error {
	return s.exec(ctx, `UPDATE cards SET body = ?, changed = ? WHERE no = ?`, body, s.now().UnixMilli(), n)
}

func (s *State) writePerson(ctx context.Context, n int64, name string) error {
	return s.exec(ctx, `UPDATE people SET name = ? WHERE id = ?`, name, n)
}

func (s *State) exec(ctx context.Context, query string, args ...any) error {
	_, err := s.sql.ExecContext(ctx, query, args...)
	return err
}

// each calls row for each row of the answer to a query, with its values in the variables to which the pointers point.
func (s *State) each(ctx context.Context, query string, args []any, row func(), pointers ...any) error {
	rows, err := s.sql.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // it was only read
	for rows.Next() {
		if err := rows.Scan(pointers...); err != nil {
			return err
		}
		row()
	}
	return rows.Err()
}

func itoa(n int) string { return strconv.Itoa(n) }
