package serve

import (
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
