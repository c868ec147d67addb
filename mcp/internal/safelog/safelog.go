// Package safelog keeps a server apart from the logger that it was given: what is written to tell the operator must
// not end a request, a connection or the process.
package safelog

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
)

// New returns a logger that writes where l does. A panic of l's handler costs the record that it was given and nothing
// else; the first one is told on stderr. New returns nil for nil.
func New(l *slog.Logger) *slog.Logger {
	if l == nil {
		return nil
	}
	if _, done := l.Handler().(*handler); done {
		return l
	}
	return slog.New(&handler{l.Handler(), new(sync.Once)})
}

// handler is a slog.Handler that never panics.
type handler struct {
	to     slog.Handler
	warned *sync.Once // shared by all that are derived from one logger
}

// Enabled implements slog.Handler.
func (h *handler) Enabled(ctx context.Context, level slog.Level) (enabled bool) {
	defer h.save()
	return h.to.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	defer h.save()
	return h.to.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return h.derive(func() slog.Handler { return h.to.WithAttrs(attrs) })
}

// WithGroup implements slog.Handler.
func (h *handler) WithGroup(name string) slog.Handler {
	return h.derive(func() slog.Handler { return h.to.WithGroup(name) })
}

// derive returns what f makes of h, or h again if that panics.
func (h *handler) derive(f func() slog.Handler) slog.Handler {
	to := h.to
	func() {
		defer h.save()
		to = f()
	}()
	return &handler{to, h.warned}
}

// save ends a panic.
func (h *handler) save() {
	if v := recover(); v != nil {
		h.warned.Do(func() { fmt.Fprintln(os.Stderr, "mcp: the log handler panicked, records are lost:", text(v)) })
	}
}

// text is what a panic says, even if that panics too.
func text(v any) (s string) {
	defer func() {
		if recover() != nil {
			s = "no text"
		}
	}()
	return fmt.Sprint(v)
}
