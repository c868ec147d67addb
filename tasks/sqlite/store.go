package sqlitetasks

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
)

// Create implements [task.Store]. The limits are exact.
func (s *Store) Create(ctx context.Context, r *task.Record, limits task.Limits) error {
	head, body, err := r.Encode()
	if err != nil {
		return err
	}
	h := r.Head
	err = s.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var exists bool
		err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM tasks WHERE id = ?)`, r.ID).Scan(&exists)
		switch {
		case err != nil:
			return err
		case exists:
			return task.ErrExists
		}
		h.Size = task.SizeOf(head, body)
		if err := makeRoom(ctx, tx, &h, h.Holding(), limits); err != nil {
			return err
		}
		if h.Version, err = next(ctx, tx); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO tasks
			(id, principal, status, lease_until, expires, version, record, apart, owned) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			h.ID, h.Principal, string(h.Status), due(&h), h.Expires.UnixMilli(), h.Version, head, len(body), h.Owner != "")
		return errors.Join(err, putBody(ctx, tx, h.ID, body))
	})
	if err == nil {
		r.Head = h
	}
	return err
}

// Head implements [task.Store].
func (s *Store) Head(ctx context.Context, id string) (*task.Head, error) {
	var h *task.Head
	err := s.read(ctx, func(ctx context.Context) (err error) {
		h, err = scan(s.db.QueryRowContext(ctx, `SELECT version, apart, record FROM tasks WHERE id = ?`, id))
		return err
	})
	return h, err
}

// Get implements [task.Store].
func (s *Store) Get(ctx context.Context, id string) (*task.Record, error) {
	r := new(task.Record)
	err := s.read(ctx, func(ctx context.Context) error {
		var version uint64
		var head, body []byte
		row := s.db.QueryRowContext(ctx, `SELECT version, record, body
			FROM tasks LEFT JOIN bodies ON bodies.id = tasks.id WHERE tasks.id = ?`, id)
		switch err := row.Scan(&version, &head, &body); {
		case errors.Is(err, sql.ErrNoRows):
			return task.ErrNotFound
		case err != nil:
			return err
		}
		r.Version, r.Size = version, task.SizeOf(head, body)
		return r.Decode(head, body)
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Swap implements [task.Store].
func (s *Store) Swap(ctx context.Context, h *task.Head, b *task.Body, limits task.Limits) error {
	var head, body []byte
	if b != nil {
		r := task.Record{Head: *h, Body: *b}
		var err error
		if head, body, err = r.Encode(); err != nil {
			return err
		}
	}
	now := *h
	err := s.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		old, apart, err := current(ctx, tx, h)
		if err != nil {
			return err
		}
		if b == nil {
			return replaceHead(ctx, tx, &now, old, apart)
		}
		if grows := task.SizeOf(head, body) - sizeOf(old, apart); grows > task.Slack {
			if err := makeRoom(ctx, tx, h, task.Holding{Bytes: grows}, limits); err != nil {
				return err
			}
		}
		return errors.Join(replace(ctx, tx, &now, head, len(body)), putBody(ctx, tx, h.ID, body))
	})
	if err == nil {
		*h = now
	}
	return err
}

// Claim implements [task.Store].
func (s *Store) Claim(ctx context.Context, c task.Claim) (*task.Head, uint64, error) {
	args, except := []any{c.Still, c.Now.UnixMilli(), c.Owned}, new(strings.Builder)
	for _, p := range c.Except {
		args = append(args, p)
		fmt.Fprintf(except, ` AND principal <> ?%d`, len(args))
	}
	still := `SELECT version, apart, record FROM tasks INDEXED BY tasks_unchanged
		WHERE status = 'working' AND version <= ?1 AND expires > ?2 AND owned >= ?3` + except.String() + `
		ORDER BY version LIMIT 1`
	free := `SELECT version, apart, record FROM tasks INDEXED BY tasks_to_claim
		WHERE status = 'working' AND lease_until <= ?2 AND owned = 0 AND ?3 = 0 AND expires > ?2` + except.String() + `
		ORDER BY lease_until LIMIT 1`
	// Most of the time there is nothing to claim: look without the lock of the writers.
	var latest uint64
	var some bool
	err := s.read(ctx, func(ctx context.Context) error {
		look := `SELECT last, EXISTS (` + still + `) OR EXISTS (` + free + `) FROM versions`
		return s.db.QueryRowContext(ctx, look, args...).Scan(&latest, &some)
	})
	if err != nil {
		return nil, 0, err
	}
	if !some {
		return nil, latest, task.ErrNotFound
	}
	var h *task.Head
	err = s.update(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		if h, err = scan(tx.QueryRowContext(ctx, still, args...)); errors.Is(err, task.ErrNotFound) {
			h, err = scan(tx.QueryRowContext(ctx, free, args...))
		}
		if err != nil {
			return err
		}
		old, apart, err := current(ctx, tx, h)
		if err != nil {
			return err
		}
		h.Lease(c.Owner, c.Until)
		return replaceHead(ctx, tx, h, old, apart)
	})
	if err != nil {
		return nil, latest, err
	}
	return h, latest, nil
}

// List implements [task.Store].
func (s *Store) List(ctx context.Context, principal, after string, limit int) ([]*task.Head, error) {
	var out []*task.Head
	err := s.read(ctx, func(ctx context.Context) error {
		out = nil
		rows, err := s.db.QueryContext(ctx, `SELECT version, apart, record FROM tasks
			WHERE principal = ? AND id > ? ORDER BY id LIMIT ?`, principal, after, max(limit, 0))
		if err != nil {
			return err
		}
		defer rows.Close() //nolint:errcheck // it was only read
		for rows.Next() {
			h, err := scan(rows)
			if err != nil {
				return err
			}
			out = append(out, h)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Expire implements [task.Store].
func (s *Store) Expire(ctx context.Context, now time.Time, limit int) (int, error) {
	var found bool
	err := s.read(ctx, func(ctx context.Context) error {
		row := s.db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM tasks WHERE expires <= ?)`, now.UnixMilli())
		return row.Scan(&found)
	})
	if err != nil || !found {
		return 0, err
	}
	var removed int64
	err = s.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, `DELETE FROM tasks WHERE id IN
			(SELECT id FROM tasks WHERE expires <= ? ORDER BY expires LIMIT ?)`, now.UnixMilli(), max(limit, 0))
		if err != nil {
			return err
		}
		removed, err = result.RowsAffected()
		return err
	})
	if err != nil {
		return 0, err
	}
	return int(removed), nil
}
