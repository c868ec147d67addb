package logs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// file returns an open file with a text.
func file(t *testing.T, text string) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "app.log")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// The form in which programs write levels, and lines that only look alike.
func TestLevelOf(t *testing.T) {
	for line, want := range map[string]Level{
		"09:00 INFO x": Info, "[warn] x": Warn, "time=1 level=ERROR msg=x": Error, `{"time":1,"level":"debug"}`: Debug,
		"WARNING: x":  Warn,
		"information": "", "\tERROR in a trace": "", "": "", strings.Repeat("a ", 100) + "INFO": "",
	} {
		if got, _ := levelOf([]byte(line)); got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}

// However long the file and wherever blocks end, the tail is that of the whole text.
func TestTailOfLongFile(t *testing.T) {
	var b strings.Builder
	b.WriteString("no level yet\n")
	for i := range 3000 {
		fmt.Fprintf(&b, "%d %s %s\n\tmore\n", i, levels[i%4], strings.Repeat("x", i%150))
	}
	text := b.String()
	f := file(t, text+"2999 INFO not com")
	for _, level := range levels {
		all := entries([]byte(text), level, true)
		for _, limit := range []int{1, 2, 700, 1 << 20} {
			got, err := tail(f, level, limit)
			if want := strings.Join(all[max(0, len(all)-limit):], ""); got != want || err != nil {
				t.Fatalf("%s, limit %d: %d bytes, want %d; %v", level, limit, len(got), len(want), err)
			}
		}
	}
}

// A look at a file of any length reads a bounded part of it.
func TestTailIsBounded(t *testing.T) {
	f := file(t, "1 ERROR far away\n"+strings.Repeat("2 INFO near\n", maxTail/8))
	if got, err := tail(f, Error, 1); got != "" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	long := file(t, strings.Repeat("x", maxTail+1)+"\nlast\n")
	if got, err := tail(long, Debug, 5); got != "last\n" || err != nil {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
}

// What a watcher takes for news.
func TestMoved(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "app.log")
	l, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	m := &mark{logs: l, name: "app.log", level: Warn}
	m.moved()
	write := func(flags int, text string) func() error {
		return func() error {
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|flags, 0o600)
			if err == nil {
				_, err = f.WriteString(text)
				f.Close()
			}
			return err
		}
	}
	for _, step := range []struct {
		name string
		do   func() error
		want bool
	}{
		{"nothing", func() error { return nil }, false},
		{"created", write(os.O_TRUNC, "1 INFO a\n"), true},
		{"below the level", write(os.O_APPEND, "2 INFO b\n"), false},
		{"half a line", write(os.O_APPEND, "3 WARN"), false},
		{"the other half", write(os.O_APPEND, " c\n"), true},
		{"nothing new", write(os.O_APPEND, ""), false},
		{"more of an entry", write(os.O_APPEND, "\ttrace\n"), true},
		{"truncated", write(os.O_TRUNC, "4 INFO d\n"), true},
		{"removed", func() error { return os.Remove(path) }, true},
		{"still gone", func() error { return nil }, false},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		if got := m.moved(); got != step.want {
			t.Errorf("%s: got %v", step.name, got)
		}
	}
}
