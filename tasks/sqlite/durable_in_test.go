package sqlitetasks

import (
	"database/sql"
	"path/filepath"
	"testing"
)

// Every connection writes its log to the disk at each commit.
func TestCommitsAreSynchronous(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "tasks.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for range readers {
		c, err := s.db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer func(c *sql.Conn) { _ = c.Close() }(c) // at the end: each is another one
		var synchronous int
		if err := c.QueryRowContext(t.Context(), "PRAGMA synchronous").Scan(&synchronous); err != nil {
			t.Fatal(err)
		}
		if synchronous < 2 { // FULL
			t.Errorf("synchronous = %d", synchronous)
		}
	}
}
