package server

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"testing"
	"time"
)

// noLog is a logger that says nothing.
var noLog = slog.New(slog.DiscardHandler)

var errBoom = errors.New("boom")

// subscriptions is how many subscriptions there are, those to lists included.
func (s *Server) subscriptions() int { return s.host.Hub.Stats().Subscriptions }

// never is a watcher that reports nothing until it is cancelled.
func never(ctx context.Context) iter.Seq2[time.Time, error] {
	return func(func(time.Time, error) bool) { <-ctx.Done() }
}

// wantText fails the test unless got is want.
func wantText(t testing.TB, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

// eventually waits for f to find nothing wrong.
func eventually(t *testing.T, f func() error) {
	t.Helper()
	var err error
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if err = f(); err == nil {
			return
		}
	}
	t.Fatal(err)
}
