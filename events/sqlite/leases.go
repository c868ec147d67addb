package sqliteevents

import (
	"context"
	"database/sql"

	"github.com/mcpgen/mcpgen/mcp/event"
)

// Leases implements [event.Store].
func (s *Subscriptions) Leases(ctx context.Context) (out []event.Lease, err error) {
	err = s.log.read(ctx, func(ctx context.Context) error {
		out = nil
		rows, err := s.log.db.QueryContext(ctx, `SELECT name, owner, beat FROM leases`)
		if err != nil {
			return err
		}
		defer rows.Close() //nolint:errcheck // Err has said it
		for rows.Next() {
			var l event.Lease
			if err := rows.Scan(&l.Name, &l.Owner, &l.Beat); err != nil {
				return err
			}
			out = append(out, l)
		}
		return rows.Err()
	})
	return out, err
}

// Take implements [event.Store].
func (s *Subscriptions) Take(ctx context.Context, leases []event.Lease) (taken []event.Lease, err error) {
	err = s.log.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		taken = nil
		for _, l := range leases {
			ok, err := take(ctx, tx, l)
			if err != nil {
				return err
			}
			if ok {
				l.Beat++
				taken = append(taken, l)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return taken, nil
}

func take(ctx context.Context, tx *sql.Tx, l event.Lease) (bool, error) {
	statement := `UPDATE leases SET owner = ?2, beat = beat + 1 WHERE name = ?1 AND beat = ?3`
	if l.Beat == 0 {
		statement = `INSERT INTO leases SELECT ?1, ?2, ?3 + 1 WHERE true ON CONFLICT (name) DO NOTHING`
	}
	done, err := tx.ExecContext(ctx, statement, l.Name, l.Owner, l.Beat)
	if err != nil {
		return false, err
	}
	n, err := done.RowsAffected()
	return n > 0, err
}
