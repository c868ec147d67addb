package mcphttp

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
)

// lastWords is how long, after the grace period, clients may take to read the errors that were sent in place of
// handlers.
const lastWords = 2 * time.Second

// ender ends a program that serves HTTP, in this order: it reports unready, it stops accepting connections, it answers
// what it has accepted.
type ender struct {
	hs     *http.Server
	srv    *mcp.Server
	log    *slog.Logger
	failed <-chan error   // receives what hs.Serve returns
	ending chan struct{}  // closed when the end begins, so that /readyz responds with 503
	asked  chan os.Signal // receives the first signal; the next one is not caught
	delay  time.Duration  // between the first two steps, after SIGTERM
	words  time.Duration  // lastWords
}

// await waits until the listener fails, ctx ends or a signal comes, and then ends the program. The error is that of the
// listener; nil in the other cases.
func (e *ender) await(ctx context.Context) error {
	var delay <-chan time.Time
	select {
	case err := <-e.failed:
		return e.fail(err)
	case <-ctx.Done():
	case s := <-e.asked:
		if s != os.Interrupt { // a user at a terminal does not use /readyz
			t := time.NewTimer(e.delay)
			defer t.Stop()
			delay = t.C
		}
	}
	signal.Stop(e.asked)
	close(e.ending)
	if delay != nil {
		e.log.Info("mcphttp: ending: not ready any more", "delay", e.delay)
		select {
		case err := <-e.failed:
			return e.fail(err)
		case <-ctx.Done():
		case <-delay:
		}
	}
	e.end()
	return nil
}

// fail ends the program after its listener has failed.
func (e *ender) fail(err error) error {
	_ = e.hs.Close()
	_ = e.srv.Close()
	return err
}

// end gives accepted requests the grace period of the server to finish. Then the server answers in place of the
// handlers that still run, and closes. Streams end first, because nothing waits for them. After the grace period
// nothing waits for connections: one whose handler still runs never becomes idle, and was answered already.
func (e *ender) end() {
	grace := server.HostOf((*server.Server)(e.srv)).Grace
	ctx, cancel := context.WithTimeout(context.Background(), grace+e.words)
	defer cancel()
	idle, stop := context.WithTimeout(ctx, grace)
	defer stop()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = e.srv.Close() // always nil
	}()
	err := e.hs.Shutdown(idle)
	select {
	case <-closed:
	case <-ctx.Done():
		e.log.Warn("mcphttp: ended, although code of the program has not returned, or clients do not read")
	}
	if err != nil {
		e.log.Warn("mcphttp: ended, although handlers have not returned")
		_ = e.hs.Close() // ends the contexts of requests that still run
	}
}
