package sqlitetasks

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/internal/failpoint"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// Create implements [task.Store]. The limits are exact.
func (s *Store) Create(ctx context.Context, r *task.Record, limits task.Limits) error {
	data, err := encode(r)
	if err != nil {
		return err
	}
	var version uint64
	err = s.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var exists bool
		var all, own int
		err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM tasks WHERE id = ?1),
			(SELECT count(*) FROM tasks), (SELECT count(*) FROM tasks WHERE principal = ?2)`,
			r.ID, r.Principal).Scan(&exists, &all, &own)
		switch {
		case err != nil:
			return err
		case exists:
			return task.ErrExists
		case own >= limits.PerPrincipal:
			return task.ErrPrincipalFull
		case all >= limits.Total:
			return task.ErrFull
		}
		if version, err = next(ctx, tx); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO tasks (id, principal, status, lease_until, expires, version, record)
			VALUES (?, ?, ?, ?, ?, ?, ?)`,
			r.ID, r.Principal, string(r.Status), due(r), r.Expires.UnixMilli(), version, data)
		return err
	})
	if err == nil {
		r.Version = version
	}
	return err
}

// Get implements [task.Store].
func (s *Store) Get(ctx context.Context, id string) (*task.Record, error) {
	var r *task.Record
	err := s.read(ctx, func(ctx context.Context) (err error) {
		r, err = scan(s.db.QueryRowContext(ctx, `SELECT version, record FROM tasks WHERE id = ?`, id))
		return err
	})
	return r, err
}

// Swap implements [task.Store].
func (s *Store) Swap(ctx context.Context, r *task.Record) error {
	data, err := encode(r)
	if err != nil {
		return err
	}
	var version uint64
	err = s.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		version, err = replace(ctx, tx, r, data)
		return err
	})
	if err == nil {
		r.Version = version
	}
	return err
}

// Claim implements [task.Store].
func (s *Store) Claim(ctx context.Context, owner string, now, until time.Time) (*task.Record, error) {
	return s.ClaimExcept(ctx, owner, now, until, nil)
}

// ClaimExcept implements [task.SelectiveStore].
func (s *Store) ClaimExcept(
	ctx context.Context, owner string, now, until time.Time, principals []string,
) (*task.Record, error) {
	query := `SELECT version, record FROM tasks INDEXED BY tasks_to_claim
		WHERE status = 'working' AND lease_until <= ?1 AND expires > ?1` +
		strings.Repeat(` AND principal <> ?`, len(principals)) + ` ORDER BY lease_until LIMIT 1`
	args := []any{now.UnixMilli()}
	for _, p := range principals {
		args = append(args, p)
	}
	// Most of the time there is nothing to claim: look without the lock of the writers.
	var r *task.Record
	err := s.read(ctx, func(ctx context.Context) error {
		_, err := scan(s.db.QueryRowContext(ctx, query, args...))
		return err
	})
	if err != nil {
		return nil, err
	}
	err = s.update(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		if r, err = scan(tx.QueryRowContext(ctx, query, args...)); err != nil {
			return err
		}
		r.Lease(owner, until)
		data, err := encode(r)
		if err != nil {
			return err
		}
		r.Version, err = replace(ctx, tx, r, data)
		return err
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// List implements [task.Store].
func (s *Store) List(ctx context.Context, principal, after string, limit int) ([]*task.Record, error) {
	var out []*task.Record
	err := s.read(ctx, func(ctx context.Context) error {
		out = nil
		rows, err := s.db.QueryContext(ctx, `SELECT version, record FROM tasks
			WHERE principal = ? AND id > ? ORDER BY id LIMIT ?`, principal, after, max(limit, 0))
		if err != nil {
			return err
		}
		defer rows.Close() //nolint:errcheck // it was only read
		for rows.Next() {
			r, err := scan(rows)
			if err != nil {
				return err
			}
			out = append(out, r)
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

// encode returns the bytes of a record that is about to be kept.
func encode(r *task.Record) ([]byte, error) {
	switch {
	case r.ID == "" || len(r.ID) > task.MaxID || strings.ContainsRune(r.ID, 0):
		return nil, errors.New("sqlitetasks: the id of the record is not valid")
	case r.Principal == "" || len(r.Principal) > task.MaxPrincipal || strings.ContainsRune(r.Principal, 0):
		return nil, errors.New("sqlitetasks: the principal of the record is not valid")
	}
	data, err := r.Encode()
	if err == nil && len(data) > task.MaxRecord {
		err = fmt.Errorf("sqlitetasks: %w: the record has %d bytes, and may have %d", task.ErrFull, len(data), task.MaxRecord)
	}
	return data, err
}

// due returns when a task that works becomes claimable. A time that the file cannot have is before all others.
func due(r *task.Record) int64 {
	if r.LeaseUntil.IsZero() {
		return 0
	}
	return r.LeaseUntil.UnixMilli()
}

// next returns a version that no record had.
func next(ctx context.Context, tx *sql.Tx) (version uint64, err error) {
	err = tx.QueryRowContext(ctx, `UPDATE versions SET last = last + 1 RETURNING last`).Scan(&version)
	return version, err
}

// replace writes a record whose version is that of the file, and returns its new version.
func replace(ctx context.Context, tx *sql.Tx, r *task.Record, data []byte) (uint64, error) {
	var version uint64
	var principal string
	err := tx.QueryRowContext(ctx, `SELECT version, principal FROM tasks WHERE id = ?`, r.ID).Scan(&version, &principal)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return 0, task.ErrNotFound
	case err != nil:
		return 0, err
	case version != r.Version && !failpoint.On("sqlite-swap-unchecked"):
		return 0, task.ErrChanged
	case principal != r.Principal:
		return 0, errors.New("the principal of a record never changes")
	}
	if version, err = next(ctx, tx); err != nil {
		return 0, err
	}
	_, err = tx.ExecContext(ctx, `UPDATE tasks SET status = ?, lease_until = ?, expires = ?, version = ?, record = ?
		WHERE id = ?`, string(r.Status), due(r), r.Expires.UnixMilli(), version, data, r.ID)
	return version, err
}

// scan reads a record.
func scan(row interface{ Scan(dest ...any) error }) (*task.Record, error) {
	var version uint64
	var data []byte
	switch err := row.Scan(&version, &data); {
	case errors.Is(err, sql.ErrNoRows):
		return nil, task.ErrNotFound
	case err != nil:
		return nil, err
	}
	r := &task.Record{Version: version}
	return r, r.Decode(data)
}
