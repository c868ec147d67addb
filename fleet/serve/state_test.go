package serve

import (
	"errors"
	"path/filepath"
	"testing"
	"time"
)

// A replica starts while another one is stopped in the middle of a write.
func TestOpenBesideAWriter(t *testing.T) {
	ctx := t.Context()
	file := filepath.Join(t.TempDir(), "state.sqlite")
	first, err := Open(ctx, file, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	tx, err := first.sql.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	second, err := Open(ctx, file, time.Now)
	if err != nil {
		t.Fatalf("open while another replica writes: %v", err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
}

// A write that has failed is announced like one that has not: the error may come after the commit.
func TestFailedWriteIsAnnounced(t *testing.T) {
	failed := errors.New("failed")
	for _, err := range []error{nil, failed} {
		committed, published := false, false
		w := &Writer{committed: func() { committed = true }}
		got := w.write(func() error { return err }, func() { published = true })
		if got != err || committed != (err == nil) || !published {
			t.Errorf("%v: %v, committed %v, published %v", err, got, committed, published)
		}
	}
}

// Unlocked notices a process that has begun to write and does not go on.
func TestUnlocked(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.sqlite")
	s, err := Open(t.Context(), file, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := Unlocked(t.Context(), file); err != nil {
		t.Error(err)
	}
	tx, err := s.sql.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := Unlocked(t.Context(), file); err == nil {
		t.Error("a file is not locked that is")
	}
	if err := errors.Join(tx.Rollback(), Unlocked(t.Context(), file)); err != nil {
		t.Error(err)
	}
}
