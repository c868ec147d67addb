package sqliteevents_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	sqliteevents "github.com/mcpgen/mcpgen/events/sqlite"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/event/logtest"
)

func open(t *testing.T, file string) *sqliteevents.Log {
	t.Helper()
	l, err := sqliteevents.Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// Handles of one file are replicas of one log.
func TestLog(t *testing.T) {
	file := filepath.Join(t.TempDir(), "events with ? and %.sqlite")
	logtest.Run(t, func(t *testing.T) event.Log { return open(t, file) })
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

var roomy = event.Retention{For: time.Hour, Most: 1_000_000}

func TestMain(m *testing.M) {
	if file := os.Getenv("SQLITEEVENTS_CHILD"); file != "" {
		appendForever(file)
	}
	os.Exit(m.Run())
}

// appendForever prints the id of each entry after it was appended.
func appendForever(file string) {
	ctx := context.Background()
	l, err := sqliteevents.Open(ctx, file)
	if err != nil {
		panic(err)
	}
	for i := 0; ; i++ {
		id := fmt.Sprintf("%d-%d", os.Getpid(), i)
		e := &event.Entry{ID: id, Time: time.Now(), Kept: time.Now(), Data: []byte(`{"n":` + strconv.Itoa(i) + `}`)}
		if err := l.Append(ctx, "n", e, roomy); err != nil {
			panic(err)
		}
		fmt.Println(id)
	}
}

// Processes that append are killed: what they have said to be appended is there, once, and places have no holes.
func TestKill(t *testing.T) {
	file := filepath.Join(t.TempDir(), "events.sqlite")
	l := open(t, file)
	said := map[string]bool{}
	for range 5 {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), "SQLITEEVENTS_CHILD="+file)
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := 0; n < 20 && lines.Scan(); n++ {
			said[lines.Text()] = true
		}
		_ = child.Process.Kill()
		for lines.Scan() { // what was said before it died
			if strings.Count(lines.Text(), "-") == 1 {
				said[lines.Text()] = true
			}
		}
		_ = child.Wait()
	}
	found := map[string]bool{}
	for after := uint64(0); ; {
		p, err := l.Read(t.Context(), "n", after, 100)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Entries) == 0 {
			break
		}
		for _, e := range p.Entries {
			if e.Seq != after+1 || found[e.ID] {
				t.Errorf("entry %s at %d behind %d", e.ID, e.Seq, after)
			}
			found[e.ID], after = true, e.Seq
		}
	}
	if len(said) < 100 {
		t.Errorf("%d entries", len(said))
	}
	for id := range said {
		if !found[id] {
			t.Errorf("%s is lost", id)
		}
	}
}

// A file of something else is not touched.
func TestOtherFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(file, []byte(strings.Repeat("no database", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if l, err := sqliteevents.Open(t.Context(), file); err == nil {
		_ = l.Close()
		t.Error("Open succeeded")
	}
}
