package safelog

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// patience is the longest time that a call of a log method waits for its record to be written.
const patience = time.Second

// New returns a logger that writes to the handler of l. If the handler panics, only its record is lost, and the first
// panic is reported on stderr. A call that logs waits for one second at most. While a record takes longer, other
// records are dropped, and their number is logged afterwards. The handler runs on a goroutine of its own, so it may
// itself log and use the server. New returns nil for nil, and l itself if New has made it.
func New(l *slog.Logger) *slog.Logger {
	if l == nil {
		return nil
	}
	if _, done := l.Handler().(*handler); done {
		return l
	}
	return slog.New(&handler{l.Handler(), new(state)})
}

// handler is a slog.Handler that never panics and does not block for long.
type handler struct {
	to    slog.Handler
	state *state
}

// state is shared by all handlers that are derived from one logger.
type state struct {
	warned sync.Once
	stuck  atomic.Int64 // records still being written after patience, for which no call waits
	lost   atomic.Int64 // records dropped while stuck > 0

	dropped atomic.Int64 // all records that were ever dropped
	panics  atomic.Int64 // of the handler
}

// Dropped returns how many records a logger from [New] has dropped because its handler was busy; 0 for other loggers.
func Dropped(l *slog.Logger) int64 {
	if s := stateOf(l); s != nil {
		return s.dropped.Load()
	}
	return 0
}

// Panics returns how often the handler of a logger from [New] has panicked; 0 for other loggers.
func Panics(l *slog.Logger) int64 {
	if s := stateOf(l); s != nil {
		return s.panics.Load()
	}
	return 0
}

func stateOf(l *slog.Logger) *state {
	if l == nil {
		return nil
	}
	h, ok := l.Handler().(*handler)
	if !ok {
		return nil
	}
	return h.state
}

// Enabled implements slog.Handler. It calls h.to directly, because Enabled of a handler is expected to return at once.
func (h *handler) Enabled(ctx context.Context, level slog.Level) (enabled bool) {
	defer h.save()
	return h.to.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	if h.state.stuck.Load() > 0 {
		h.state.lost.Add(1)
		h.state.dropped.Add(1)
		return nil
	}
	const (
		waiting = iota
		written
		left
	)
	var fate atomic.Int32
	done := make(chan struct{})
	go func() {
		defer func() {
			if fate.CompareAndSwap(waiting, written) {
				close(done)
			} else {
				h.free(ctx)
			}
		}()
		defer h.save()
		_ = h.to.Handle(ctx, r)
	}()
	t := time.NewTimer(patience)
	defer t.Stop()
	select {
	case <-done:
	case <-t.C:
		h.state.stuck.Add(1) // before the goroutine may take it back
		if !fate.CompareAndSwap(waiting, left) {
			h.free(ctx)
		}
	}
	return nil
}

// free takes a record off the stuck ones, because its handler has returned. If no other is stuck, free logs how many
// records were lost.
func (h *handler) free(ctx context.Context) {
	if h.state.stuck.Add(-1) > 0 {
		return
	}
	if n := h.state.lost.Swap(0); n > 0 {
		r := slog.NewRecord(time.Now(), slog.LevelWarn, "mcp: the log handler was too slow, records are lost", 0)
		r.AddAttrs(slog.Int64("count", n))
		_ = h.Handle(ctx, r)
	}
}

// WithAttrs implements slog.Handler.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return h.derive(func() slog.Handler { return h.to.WithAttrs(attrs) })
}

// WithGroup implements slog.Handler.
func (h *handler) WithGroup(name string) slog.Handler {
	return h.derive(func() slog.Handler { return h.to.WithGroup(name) })
}

// derive returns a handler around the result of f, with the state of h. If f panics, the handler is the same as h.
func (h *handler) derive(f func() slog.Handler) slog.Handler {
	to := h.to
	func() {
		defer h.save()
		to = f()
	}()
	return &handler{to, h.state}
}

// save recovers from a panic of h.to and counts it. It must be deferred.
func (h *handler) save() {
	if v := recover(); v != nil {
		h.state.panics.Add(1)
		h.state.warned.Do(func() { fmt.Fprintln(os.Stderr, "mcp: the log handler panicked, records are lost:", text(v)) })
	}
}

// text returns the text of the value of a panic, even if its methods panic too.
func text(v any) (s string) {
	defer func() {
		if recover() != nil {
			s = "no text"
		}
	}()
	return fmt.Sprint(v)
}
