package disk

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/synctest"
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

// writeNow writes an empty file with the time of the test.
func writeNow(t *testing.T, file string) {
	t.Helper()
	if err := errors.Join(os.WriteFile(file, nil, 0o600), os.Chtimes(file, time.Now(), time.Now())); err != nil {
		t.Fatal(err)
	}
}

// What has expired is not found, makes room within a minute, and is removed; what other writers have under way, and
// what is of others, stays. Nothing of it is counted twice.
func TestSweep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "sessions")
		s, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(dir); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
			t.Errorf("the mode of the folder is %v, %v", info.Mode(), err)
		}
		s.maxFiles, s.maxBytes = 3, 3*(headSize+10)
		save := func(id string, ttl time.Duration) error {
			_, err := s.Save(t.Context(), id, 0, make([]byte, 10), ttl)
			return err
		}
		writeNow(t, filepath.Join(dir, "README"))
		writeNow(t, filepath.Join(dir, unnamed+"1"))
		if err := errors.Join(save("kept", 90*time.Second), save("a", 30*time.Second), save("b", 30*time.Second)); err != nil {
			t.Fatal(err)
		}
		if err := save("more", time.Hour); err == nil {
			t.Error("more than there is room for")
		}
		time.Sleep(30 * time.Second)
		if _, _, err := s.Load(t.Context(), "a"); !errors.Is(err, replica.ErrNotFound) {
			t.Errorf("what has expired: %v", err)
		}
		if err := save("a", 10*time.Second); err != nil {
			t.Errorf("saved again: %v", err)
		}
		time.Sleep(30 * time.Second)
		_ = save("late", time.Second) // finds no room, and begins to sweep
		synctest.Wait()
		if _, _, err := s.Load(t.Context(), "kept"); err != nil {
			t.Errorf("what has not expired: %v", err)
		}
		if entries, _ := os.ReadDir(dir); len(entries) != 3 { // kept, and two of others
			t.Errorf("left: %v", entries)
		}
		if err := save("late", time.Second); err != nil {
			t.Errorf("no room: %v", err)
		}
		time.Sleep(time.Minute)
		if err := save("last", time.Hour); err != nil {
			t.Errorf("no room: %v", err)
		}
		synctest.Wait()
		if err := s.Delete(t.Context(), "last"); err != nil {
			t.Error(err)
		}
		if entries, _ := os.ReadDir(dir); len(entries) != 1 || s.files != 0 || s.bytes != 0 {
			t.Errorf("left: %v, counted as %d files of %d bytes", entries, s.files, s.bytes)
		}
		if _, err := os.Stat(filepath.Join(dir, "README")); err != nil {
			t.Error(err)
		}
	})
}
