package call

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
)

// A next that was kept is of no use: the same for each of several.
func TestNextAfterItsMiddleware(t *testing.T) {
	var inner Next
	call := &Call{req: Request{Conn: &Conn{Log: slog.New(slog.DiscardHandler)}}}
	n := 0
	use := []Middleware{
		func(c *Call, p Params, next Next) (protocol.Reply, error) {
			_, first := next(c, p)
			r, err := next(c, p)
			return r, errors.Join(first, err)
		},
		func(c *Call, p Params, next Next) (protocol.Reply, error) { inner = next; return next(c, p) },
	}
	_, err := chain(use, call, nil, func(*Call, Params) (protocol.Reply, error) { n++; return nil, context.Canceled })
	if !errors.Is(err, context.Canceled) || n != 2 {
		t.Errorf("%v after %d runs", err, n)
	}
	if _, err := inner(call, nil); !errors.Is(err, ErrNextLate) || n != 2 {
		t.Errorf("%v after %d runs", err, n)
	}
}
