package sqliteevents

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
)

// removed is how many entries an append removes at most, whose time is over: more than it adds, so that the file does
// not grow.
const removed = 64

// Append implements [event.Log].
func (l *Log) Append(ctx context.Context, name string, e *event.Entry, keep event.Retention) error {
	keep = keep.WithDefaults()
	var at uint64
	err := l.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		oldest := e.Kept.Add(-keep.For).UnixMilli()
		row := tx.QueryRowContext(ctx, `INSERT INTO names VALUES (?, 0) ON CONFLICT (name) DO UPDATE SET last = last
			RETURNING last`, name)
		if err := row.Scan(&at); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM events WHERE name = ?1 AND (seq <= ?2 OR kept < ?3) AND seq IN
			(SELECT seq FROM events WHERE name = ?1 ORDER BY seq LIMIT ?4)`, name, int64(at)+1-int64(keep.Most), oldest, removed)
		if err != nil {
			return err
		}
		var held uint64
		switch err := tx.QueryRowContext(ctx, `SELECT seq FROM events WHERE name = ? AND id = ?`, name, e.ID).Scan(&held); {
		case err == nil:
			at = held
			return event.ErrDuplicate
		case !errors.Is(err, sql.ErrNoRows):
			return err
		}
		at++
		if _, err := tx.ExecContext(ctx, `UPDATE names SET last = ? WHERE name = ?`, at, name); err != nil {
			return err
		}
		data := e.Data
		if data == nil {
			data = []byte{}
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)`, name, at, e.ID, e.Time.UnixMilli(),
			e.Kept.UnixMilli(), e.Cause, data)
		return err
	})
	if err == nil || errors.Is(err, event.ErrDuplicate) {
		e.Seq = at
	}
	return err
}

// pageBytes is how many bytes of data a page has at most, unless it has one entry.
const pageBytes = 1 << 20

// Read implements [event.Log]. The state of the log comes before the entries: it tells of none that are missing.
func (l *Log) Read(ctx context.Context, name string, after uint64, limit int) (event.Page, error) {
	p := event.Page{Epoch: l.epoch}
	err := l.read(ctx, func(ctx context.Context) (err error) {
		var first sql.NullInt64
		row := l.db.QueryRowContext(ctx, `SELECT coalesce((SELECT last FROM names WHERE name = ?1), 0),
			(SELECT min(seq) FROM events WHERE name = ?1)`, name)
		if err := row.Scan(&p.Last, &first); err != nil {
			return err
		}
		if p.First = p.Last + 1; first.Valid {
			p.First = uint64(first.Int64)
		}
		p.Entries, err = l.entries(ctx, name, after, limit)
		return err
	})
	if err != nil {
		return event.Page{}, err
	}
	return p, nil
}

func (l *Log) entries(ctx context.Context, name string, after uint64, limit int) (list []event.Entry, err error) {
	if limit <= 0 {
		return nil, nil
	}
	rows, err := l.db.QueryContext(ctx, `SELECT seq, id, time, kept, cause, data FROM events
		WHERE name = ? AND seq > ? ORDER BY seq LIMIT ?`, name, int64(after), limit)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for size := 0; size < pageBytes && rows.Next(); {
		var e event.Entry
		var at, kept int64
		if err := rows.Scan(&e.Seq, &e.ID, &at, &kept, &e.Cause, &e.Data); err != nil {
			return nil, err
		}
		e.Time, e.Kept = time.UnixMilli(at).UTC(), time.UnixMilli(kept).UTC()
		list = append(list, e)
		size += len(e.Data)
	}
	return list, errors.Join(rows.Err(), rows.Close())
}
