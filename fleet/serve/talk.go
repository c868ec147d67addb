package serve

import (
	"context"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
)

// AskIn names a call.
type AskIn struct {
	Key string `json:"key"`
	// Millis is how long it takes.
	Millis int `json:"millis,omitempty"`
}

// Ask asks its user whether to go on, and notes each run that got so far.
//
//mcp:tool closed
func (w *Writer) Ask(ctx context.Context, call *mcp.Call, in AskIn) (string, error) {
	answer, err := mcp.AskForm[Go](ctx, call.Peer(), "go", "Go on with "+in.Key+"?")
	if err != nil {
		return "", err
	}
	if !answer.Go {
		return "", mcp.Errorf("not wanted")
	}
	return "done " + in.Key, w.db.began(ctx, in.Key, "", 0)
}

// Say logs its key twice: as information and as an error.
//
//mcp:tool idempotent closed
func (w *Writer) Say(ctx context.Context, log *slog.Logger, in AskIn) error {
	log.InfoContext(ctx, in.Key)
	log.ErrorContext(ctx, in.Key)
	return nil
}

// Slow says at once that it has begun, and returns later.
//
//mcp:tool idempotent closed
func (w *Writer) Slow(ctx context.Context, call *mcp.Call, in AskIn) (string, error) {
	call.Progress().Report(1, 2, in.Key)
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case <-time.After(min(time.Duration(in.Millis)*time.Millisecond, time.Minute)):
	}
	return "done " + in.Key, w.db.began(ctx, in.Key, "", 0)
}
