package sqlitetasks

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
)

// older is a file as the first release uses it, which knows a record in one text, and no counters.
type older struct {
	*testing.T

	db *sql.DB
}

func newOlder(t *testing.T, file string) older {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return older{t, db}
}

func (o older) do(text string, args ...any) {
	o.Helper()
	if _, err := o.db.ExecContext(o.Context(), text, args...); err != nil {
		o.Fatal(err)
	}
}

func (o older) text(r *task.Record) []byte {
	o.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		o.Fatal(err)
	}
	return text
}

func (o older) create(r *task.Record) {
	o.Helper()
	o.do(`UPDATE versions SET last = last + 1`)
	o.do(`INSERT INTO tasks (id, principal, status, lease_until, expires, version, record)
		VALUES (?, ?, ?, ?, ?, (SELECT last FROM versions), ?)`,
		r.ID, r.Principal, string(r.Status), r.LeaseUntil.UnixMilli(), r.Expires.UnixMilli(), o.text(r))
}

func (o older) get(id string) (*task.Record, error) {
	o.Helper()
	var text []byte
	if err := o.db.QueryRowContext(o.Context(), `SELECT record FROM tasks WHERE id = ?`, id).Scan(&text); err != nil {
		o.Fatal(err)
	}
	r := new(task.Record)
	return r, json.Unmarshal(text, r)
}

func (o older) swap(r *task.Record) {
	o.Helper()
	o.do(`UPDATE tasks SET status = ?, lease_until = ?, expires = ?, version = ?, record = ? WHERE id = ?`,
		string(r.Status), r.LeaseUntil.UnixMilli(), r.Expires.UnixMilli(), r.Version+100, o.text(r), r.ID)
}

// counted checks what is counted, of all and of a principal.
func (o older) counted(want ...string) {
	o.Helper()
	for i, principal := range []string{everybody, "p"} {
		var h task.Holding
		err := o.db.QueryRowContext(o.Context(), `SELECT tasks, ended, bytes, ended_bytes FROM holders WHERE principal = ?`,
			principal).Scan(&h.Tasks, &h.Ended, &h.Bytes, &h.EndedBytes)
		if errors.Is(err, sql.ErrNoRows) {
			err = nil
		}
		if got := fmt.Sprint(h.Tasks, h.Ended, h.Bytes>>10, h.EndedBytes>>10); err != nil || got != want[i] {
			o.Errorf("%q has %s, %v; want %s", principal, got, err, want[i])
		}
	}
}

func recordIn(id, principal string, bytes int) *task.Record {
	now := task.Time(time.Now())
	return &task.Record{
		Head: task.Head{ID: id, Principal: principal, Status: task.Working, Tool: "t",
			Created: now, Updated: now, LeaseUntil: now, Expires: now.Add(time.Hour)},
		Body: task.Body{Args: []byte(`"` + strings.Repeat("x", bytes) + `"`)},
	}
}

// A file of the first release is brought up to date. That release can go on with it, beside a newer program and after
// it, and what both do is counted. It cannot read a large record of a newer program, and does not take it for one
// without arguments.
func TestOlder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tasks.sqlite")
	old := newOlder(t, file)
	old.do(migrations[0])
	old.do(fmt.Sprintf(`PRAGMA user_version = 1; PRAGMA application_id = %d`, application))
	old.create(recordIn("A", "p", 10))
	old.create(recordIn("B", "q", 1<<20))
	ended := recordIn("C", "p", 10)
	ended.Status = task.Failed
	old.create(ended)
	s, err := Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	old.counted("3 1 1032 4", "2 1 8 4")
	limits := task.Limits{PerPrincipal: 9, Total: 9, Bytes: 1 << 30}
	for id, bytes := range map[string]int{"A": 12, "B": 1<<20 + 2} {
		r, err := s.Get(t.Context(), id)
		if err != nil || len(r.Args) != bytes {
			t.Fatalf("%s: %d bytes of arguments, %v", id, len(r.Args), err)
		}
		r.Message = "half"
		if err := s.Swap(t.Context(), &r.Head, nil, limits); err != nil {
			t.Fatal(err)
		}
		if r, err = old.get(id); err != nil || len(r.Args) != bytes || r.Message != "half" {
			t.Errorf("%s: %d bytes of arguments, %q, %v", id, len(r.Args), r.Message, err)
		}
		r.Status = task.Cancelled
		old.swap(r)
		if h, err := s.Head(t.Context(), id); err != nil || h.Status != task.Cancelled {
			t.Errorf("%s: %v, %v", id, h, err)
		}
	}
	old.counted("3 3 1032 1032", "2 2 8 8")
	for id, bytes := range map[string]int{"D": 10, "E": 1 << 20} {
		if err := s.Create(t.Context(), recordIn(id, "p", bytes), limits); err != nil {
			t.Fatal(err)
		}
		if r, err := old.get(id); (err == nil) != (id == "D") || err == nil && len(r.Args) != bytes+2 {
			t.Errorf("%s: %d bytes of arguments, %v", id, len(r.Args), err)
		}
	}
	old.counted("5 3 2060 1032", "4 2 1036 8")
	var version, bodies int
	row := old.db.QueryRowContext(t.Context(),
		`SELECT user_version, (SELECT count(*) FROM bodies) FROM pragma_user_version`)
	if err := row.Scan(&version, &bodies); err != nil || version != 1 || bodies != 1 {
		t.Errorf("version %d, %d bodies, %v", version, bodies, err)
	}
	old.do(`DELETE FROM tasks`)
	old.counted("0 0 0 0", "0 0 0 0")
	if err := old.db.QueryRowContext(t.Context(), `SELECT count(*) FROM bodies`).Scan(&bodies); err != nil || bodies > 0 {
		t.Errorf("%d bodies are left, %v", bodies, err)
	}
}

// A head is read without the body, whose pages would be read otherwise: it comes from another table.
func TestHeadsAreSmall(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "tasks.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	limits := task.Limits{PerPrincipal: 9, Total: 9, Bytes: 1 << 30}
	if err := s.Create(t.Context(), recordIn("A", "p", 4<<20), limits); err != nil {
		t.Fatal(err)
	}
	var n int
	err = s.db.QueryRowContext(t.Context(), `SELECT length(record) FROM tasks`).Scan(&n)
	if err != nil || n > 1000 {
		t.Errorf("a head has %d bytes, %v", n, err)
	}
}
