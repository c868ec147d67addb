package serve

import (
	"context"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
)

// JobIn says what a job does.
type JobIn struct {
	// Key is what the result names.
	Key string `json:"key"`
	// Millis is how long it takes.
	Millis int `json:"millis"`
}

// Job waits and returns its key. It runs again if its process ends.
//
//mcp:tool task=restart idempotent closed
func (w *Writer) Job(ctx context.Context, call *mcp.Call, in JobIn) (string, error) {
	return w.job(ctx, call, in)
}

// JobOnce does the same, and must not run twice.
//
//mcp:tool task=once closed
func (w *Writer) JobOnce(ctx context.Context, call *mcp.Call, in JobIn) (string, error) {
	return w.job(ctx, call, in)
}

func (w *Writer) job(ctx context.Context, call *mcp.Call, in JobIn) (string, error) {
	if err := w.db.began(ctx, in.Key, call.TaskID()); err != nil {
		return "", err
	}
	call.SetStatus("waits")
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case <-time.After(min(time.Duration(in.Millis)*time.Millisecond, time.Minute)):
		return "done " + in.Key, nil
	}
}

// began notes that the handler of a job has begun.
func (s *State) began(ctx context.Context, key, task string) error {
	_, err := s.sql.ExecContext(ctx, `INSERT INTO runs VALUES (?, ?)`, key, task)
	return err
}

// Runs returns how often the handlers of jobs have begun, by key.
func (s *State) Runs(ctx context.Context) (map[string]int, error) {
	rows, err := s.sql.QueryContext(ctx, `SELECT key, count(*) FROM runs GROUP BY key`)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // it was only read
	out := map[string]int{}
	for rows.Next() {
		var key string
		var n int
		if err := rows.Scan(&key, &n); err != nil {
			return nil, err
		}
		out[key] = n
	}
	return out, rows.Err()
}
