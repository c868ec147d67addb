package sqlitetasks

import (
	"context"
	"database/sql"
	"errors"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// due returns when a task that works becomes claimable. A time that the file cannot have is before all others.
func due(h *task.Head) int64 {
	if h.LeaseUntil.IsZero() {
		return 0
	}
	return h.LeaseUntil.UnixMilli()
}

// next returns a version that no record had.
func next(ctx context.Context, tx *sql.Tx) (version uint64, err error) {
	err = tx.QueryRowContext(ctx, `UPDATE versions SET last = last + 1 RETURNING last`).Scan(&version)
	return version, err
}

// sizeOf is [task.SizeOf] for a body of which the length is known.
func sizeOf(head []byte, apart int) int64 { return max(int64(len(head)+apart), task.Slack) }

// current returns the text of the head that h may replace, and how long the body is that is apart.
func current(ctx context.Context, tx *sql.Tx, h *task.Head) (text []byte, apart int, err error) {
	var version uint64
	var principal string
	err = tx.QueryRowContext(ctx, `SELECT version, principal, apart, record FROM tasks WHERE id = ?`, h.ID).
		Scan(&version, &principal, &apart, &text)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, 0, task.ErrNotFound
	case err != nil:
		return nil, 0, err
	case version != h.Version && !failpoint.On("sqlite-swap-unchecked"):
		return nil, 0, task.ErrChanged
	case principal != h.Principal:
		return nil, 0, errors.New("the principal of a record never changes")
	}
	return text, apart, nil
}

// replaceHead writes a head and leaves the body, and sets the version and the size.
func replaceHead(ctx context.Context, tx *sql.Tx, h *task.Head, old []byte, apart int) error {
	head, err := h.EncodeHead(old)
	if err != nil {
		return err
	}
	return replace(ctx, tx, h, head, apart)
}

// replace writes a head whose body, of a length, is apart, and sets the version and the size.
func replace(ctx context.Context, tx *sql.Tx, h *task.Head, head []byte, apart int) error {
	version, err := next(ctx, tx)
	if err != nil {
		return err
	}
	h.Version, h.Size = version, sizeOf(head, apart)
	_, err = tx.ExecContext(ctx, `UPDATE tasks SET
		status = ?, lease_until = ?, expires = ?, version = ?, record = ?, apart = ?, owned = ? WHERE id = ?`,
		string(h.Status), due(h), h.Expires.UnixMilli(), version, head, apart, h.Owner != "", h.ID)
	return err
}

// putBody writes the body that is apart from a head, if there is one.
func putBody(ctx context.Context, tx *sql.Tx, id string, body []byte) (err error) {
	if body == nil {
		_, err = tx.ExecContext(ctx, `DELETE FROM bodies WHERE id = ?`, id)
	} else {
		_, err = tx.ExecContext(ctx, `INSERT OR REPLACE INTO bodies (id, body) VALUES (?, ?)`, id, body)
	}
	return err
}

// scan reads a head.
func scan(row interface{ Scan(dest ...any) error }) (*task.Head, error) {
	var version uint64
	var apart int
	var text []byte
	switch err := row.Scan(&version, &apart, &text); {
	case errors.Is(err, sql.ErrNoRows):
		return nil, task.ErrNotFound
	case err != nil:
		return nil, err
	}
	h := &task.Head{Version: version, Size: sizeOf(text, apart)}
	return h, h.DecodeHead(text)
}

// makeRoom makes room for more of the principal of h, without the record of h.
func makeRoom(ctx context.Context, tx *sql.Tx, h *task.Head, more task.Holding, limits task.Limits) error {
	for {
		own, err := holding(ctx, tx, h.Principal)
		if err != nil {
			return err
		}
		all, err := holding(ctx, tx, everybody)
		if err != nil {
			return err
		}
		err = limits.Check(own, all, more)
		if err == nil || errors.Is(err, task.ErrPrincipalFull) {
			return err
		}
		gone, other := removeEnded(ctx, tx, h.ID, own, limits.Short(all, more))
		if other != nil || !gone {
			return errors.Join(other, err)
		}
	}
}

// everybody stands for all principals where what each has is counted.
const everybody = ""

// holding returns what a principal has.
func holding(ctx context.Context, tx *sql.Tx, principal string) (h task.Holding, err error) {
	err = tx.QueryRowContext(ctx, `SELECT tasks, ended, bytes, ended_bytes FROM holders WHERE principal = ?`, principal).
		Scan(&h.Tasks, &h.Ended, &h.Bytes, &h.EndedBytes)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return h, err
}

// removeEnded removes the oldest task that has ended of the principal that has most, but not the one of an id. It
// reports false if that has less than own.
func removeEnded(
	ctx context.Context, tx *sql.Tx, but string, own task.Holding, amount func(task.Holding) int64,
) (bool, error) {
	order := "bytes"
	if amount(task.Holding{Tasks: 1}) > 0 {
		order = "tasks"
	}
	result, err := tx.ExecContext(ctx, `DELETE FROM tasks WHERE id = (SELECT id FROM tasks WHERE principal =
			(SELECT principal FROM holders WHERE ended > 0 AND principal <> '' AND `+order+` >= ?
				ORDER BY `+order+` DESC LIMIT 1)
		AND status IN ('completed', 'failed', 'cancelled') AND id <> ? ORDER BY id LIMIT 1)`, amount(own), but)
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n > 0, err
}
