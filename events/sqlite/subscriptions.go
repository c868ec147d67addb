package sqliteevents

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
)

var _ event.Store = (*Subscriptions)(nil)

// Subscriptions is an [event.Store] in the file of a [Log], in tables of its own. All processes that open the file
// share it. It is safe for concurrent use until the log is closed; the zero value is of no use.
type Subscriptions struct{ log *Log }

const subscriptionTables = `
	CREATE TABLE IF NOT EXISTS subscriptions (
		id        TEXT PRIMARY KEY,
		principal TEXT NOT NULL,
		shard     INTEGER NOT NULL,
		live      INTEGER NOT NULL,
		expires   INTEGER NOT NULL, -- milliseconds since 1970; 0 for never
		version   INTEGER NOT NULL,
		record    BLOB NOT NULL,    -- JSON of event.Subscription
		birth     INTEGER NOT NULL,
		fence     INTEGER NOT NULL,
		progress  BLOB NOT NULL     -- JSON of event.Progress
	) STRICT;
	CREATE INDEX IF NOT EXISTS subscriptions_changed ON subscriptions (shard, version);
	CREATE INDEX IF NOT EXISTS subscriptions_of_principal ON subscriptions (principal, id);
	CREATE INDEX IF NOT EXISTS subscriptions_live ON subscriptions (principal) WHERE live = 1;
	CREATE INDEX IF NOT EXISTS subscriptions_to_expire ON subscriptions (expires) WHERE expires > 0;
	-- The last version of any subscription, which outlives all of them.
	CREATE TABLE IF NOT EXISTS subscription_versions (last INTEGER NOT NULL) STRICT;
	INSERT INTO subscription_versions SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM subscription_versions);
	CREATE TABLE IF NOT EXISTS leases (name TEXT PRIMARY KEY, owner TEXT NOT NULL, beat INTEGER NOT NULL) STRICT;
`

// Subscriptions returns the store of subscriptions in the file.
func (l *Log) Subscriptions(ctx context.Context) (*Subscriptions, error) {
	err := l.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, subscriptionTables)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &Subscriptions{l}, nil
}

// Lasting implements [event.Store].
func (s *Subscriptions) Lasting() bool { return true }

// Put implements [event.Store]. The limits are exact.
func (s *Subscriptions) Put(
	ctx context.Context, sub *event.Subscription, p *event.Progress, limits event.SubscriptionLimits,
) error {
	next, fresh := *sub, event.Progress{}
	err := s.log.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var live bool
		var version uint64
		row := tx.QueryRowContext(ctx, `SELECT live, version FROM subscriptions WHERE id = ?`, sub.ID)
		if err := row.Scan(&live, &version); err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if version != sub.Version {
			return event.ErrChanged
		}
		if sub.State == event.Live && !live {
			if err := checkRoom(ctx, tx, sub.Principal, limits); err != nil {
				return err
			}
		}
		row = tx.QueryRowContext(ctx, `UPDATE subscription_versions SET last = last + 1 RETURNING last`)
		if err := row.Scan(&next.Version); err != nil {
			return err
		}
		if p == nil {
			return replace(ctx, tx, &next)
		}
		fresh = *p
		next.Birth, fresh.Birth, fresh.ID = next.Version, next.Version, next.ID
		return begin(ctx, tx, &next, &fresh)
	})
	if err != nil {
		return err
	}
	*sub = next
	if p != nil {
		*p = fresh
	}
	return nil
}

// checkRoom returns an error if a principal may not have one more that is live.
func checkRoom(ctx context.Context, tx *sql.Tx, principal string, limits event.SubscriptionLimits) error {
	var own, all int
	row := tx.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM subscriptions WHERE live = 1 AND principal = ?),
		(SELECT count(*) FROM subscriptions WHERE live = 1)`, principal)
	if err := row.Scan(&own, &all); err != nil {
		return err
	}
	return limits.Check(own, all)
}

// milliseconds is how the file has a time; 0 for the zero time.
func milliseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func replace(ctx context.Context, tx *sql.Tx, sub *event.Subscription) error {
	record, err := json.Marshal(sub)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE subscriptions SET live = ?, expires = ?, version = ?, record = ? WHERE id = ?`,
		sub.State == event.Live, milliseconds(sub.Expires), sub.Version, record, sub.ID)
	return err
}

func begin(ctx context.Context, tx *sql.Tx, sub *event.Subscription, p *event.Progress) error {
	record, err := json.Marshal(sub)
	if err != nil {
		return err
	}
	progress, err := json.Marshal(p)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT OR REPLACE INTO subscriptions
		(id, principal, shard, live, expires, version, record, birth, fence, progress) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		sub.ID, sub.Principal, sub.Shard, sub.State == event.Live, milliseconds(sub.Expires), sub.Version, record,
		p.Birth, p.Fence, progress)
	return err
}

// Get implements [event.Store].
func (s *Subscriptions) Get(ctx context.Context, id string) (*event.Subscription, *event.Progress, error) {
	found, err := s.query(ctx, `WHERE id = ?`, id)
	switch {
	case err != nil:
		return nil, nil, err
	case len(found) == 0:
		return nil, nil, event.ErrNoSubscription
	}
	return found[0].Subscription, found[0].Progress, nil
}

const selected = `SELECT id, principal, shard, version, record, progress FROM subscriptions `

// query returns the subscriptions that a part of a statement selects.
func (s *Subscriptions) query(ctx context.Context, which string, args ...any) (out []event.Stored, err error) {
	err = s.log.read(ctx, func(ctx context.Context) error {
		out = nil
		rows, err := s.log.db.QueryContext(ctx, selected+which, args...)
		if err != nil {
			return err
		}
		defer rows.Close() //nolint:errcheck // Err has said it
		for rows.Next() {
			one, err := scan(rows)
			if err != nil {
				return err
			}
			out = append(out, one)
		}
		return rows.Err()
	})
	return out, err
}

// scan reads a row. What is wrong with its texts is the damage of this one subscription.
func scan(rows *sql.Rows) (one event.Stored, err error) {
	var known event.Subscription
	var record, progress []byte
	if err := rows.Scan(&known.ID, &known.Principal, &known.Shard, &known.Version, &record, &progress); err != nil {
		return one, err
	}
	one = event.Stored{Subscription: new(event.Subscription), Progress: new(event.Progress)}
	err = errors.Join(json.Unmarshal(record, one.Subscription), json.Unmarshal(progress, one.Progress))
	if err == nil && (one.Subscription.ID != known.ID || one.Progress.ID != known.ID) {
		err = errors.New("the record is that of another one")
	}
	if err != nil {
		known.State = event.Ended
		one = event.Stored{Subscription: &known, Progress: new(event.Progress), Damage: err}
	}
	return one, nil
}

// Save implements [event.Store].
func (s *Subscriptions) Save(ctx context.Context, progress []*event.Progress) (refused []string, err error) {
	err = s.log.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		refused = nil
		save, err := tx.PrepareContext(ctx, `UPDATE subscriptions SET fence = ?2, progress = ?3
			WHERE id = ?1 AND birth = ?4 AND fence <= ?2`)
		if err != nil {
			return err
		}
		defer save.Close() //nolint:errcheck // the transaction ends it too
		for _, p := range progress {
			text, err := json.Marshal(p)
			if err != nil {
				return err
			}
			done, err := save.ExecContext(ctx, p.ID, p.Fence, text, p.Birth)
			if err != nil {
				return err
			}
			if n, err := done.RowsAffected(); err != nil {
				return err
			} else if n == 0 {
				refused = append(refused, p.ID)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return refused, nil
}

// Changed implements [event.Store].
func (s *Subscriptions) Changed(ctx context.Context, shards []int, after uint64, limit int) ([]event.Stored, error) {
	if len(shards) == 0 {
		return nil, ctx.Err()
	}
	list := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(shards)), ","), "[]")
	return s.query(ctx, `WHERE shard IN (`+list+`) AND version > ? ORDER BY version LIMIT ?`, after, limit)
}

// List implements [event.Store].
func (s *Subscriptions) List(ctx context.Context, principal, after string, limit int) ([]event.Stored, error) {
	if principal == "" {
		return s.query(ctx, `WHERE id > ? ORDER BY id LIMIT ?`, after, limit)
	}
	return s.query(ctx, `WHERE principal = ? AND id > ? ORDER BY id LIMIT ?`, principal, after, limit)
}

// Expire implements [event.Store].
func (s *Subscriptions) Expire(ctx context.Context, now time.Time, limit int) (removed int, err error) {
	const which = `SELECT id FROM subscriptions WHERE expires > 0 AND expires <= ? LIMIT ?`
	// Most of the time there is nothing to remove: look without the lock of the writers.
	var some bool
	err = s.log.read(ctx, func(ctx context.Context) error {
		return s.log.db.QueryRowContext(ctx, `SELECT EXISTS (`+which+`)`, now.UnixMilli(), limit).Scan(&some)
	})
	if err != nil || !some {
		return 0, err
	}
	err = s.log.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, `DELETE FROM subscriptions WHERE id IN (`+which+`)`, now.UnixMilli(), limit)
		if err != nil {
			return err
		}
		n, err := done.RowsAffected()
		removed = int(n)
		return err
	})
	if err != nil {
		return 0, err
	}
	return removed, nil
}
