package disk

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/replica/sessiontest"
)

func TestSessions(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "sessions"))
	if err != nil {
		t.Fatal(err)
	}
	sessiontest.Run(t, func(*testing.T) replica.SessionStore { return s })
}

// A store that is opened again has what was saved, and not what has expired or was not finished.
func TestReopened(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	version, err := s.Save(t.Context(), "kept", 0, []byte("record"), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Save(t.Context(), "short", 0, []byte("x"), time.Nanosecond); err != nil {
		t.Fatal(err)
	}
	torn := filepath.Join(dir, unnamed+"1")
	if err := os.WriteFile(torn, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(torn, old, old); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(dir); err != nil {
		t.Fatal(err)
	}
	record, got, err := s.Load(t.Context(), "kept")
	if string(record) != "record" || got != version || err != nil {
		t.Errorf("loaded %q, version %d, %v", record, got, err)
	}
	if next, err := s.Save(t.Context(), "kept", version, nil, time.Hour); err != nil || next <= version {
		t.Errorf("saved as %d after %d, %v", next, version, err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("%d files are left, want 1", len(entries))
	}
}

// What clients cause has an end: in number and in bytes. What is deleted makes room.
func TestFull(t *testing.T) {
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s.maxFiles, s.maxBytes = 2, 100
	save := func(id string, size int) error {
		_, err := s.Save(t.Context(), id, 0, make([]byte, size), time.Hour)
		return err
	}
	if err := save("a", 60); err != nil {
		t.Fatal(err)
	}
	if err := save("b", 60); err == nil {
		t.Error("more bytes than there is room for")
	}
	if err := save("b", 1); err != nil {
		t.Error(err)
	}
	if err := save("c", 1); err == nil {
		t.Error("more records than there is room for")
	}
	if err := s.Delete(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if err := save("c", 60); err != nil {
		t.Error(err)
	}
}
