package recorded_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/internal/recorded"
	"github.com/mcpgen/mcpgen/schema"
)

// least is how many messages there are of all revisions together.
const least = 10000

// TestMessages expects messages of both sides for every committed revision, each with what the codecs make of it.
func TestMessages(t *testing.T) {
	set, err := schema.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	files, err := recorded.Files(filepath.Join("..", "..", "schema", "messages"))
	if err != nil {
		t.Fatal(err)
	}
	all := 0
	for _, s := range set {
		i := slices.IndexFunc(files, func(f string) bool { return recorded.RevisionOf(f) == s.Revision })
		if i < 0 {
			t.Errorf("%s has no messages: go doc ./internal/dev/interop/record says how they are recorded", s.Revision)
			continue
		}
		list, err := recorded.Read(files[i])
		if err != nil {
			t.Fatal(err)
		}
		from := map[string]int{}
		for _, m := range list {
			from[m.From]++
			if m.Written == recorded.Unknown {
				t.Fatalf("%s: %s %s was not looked at: run mcpgen protocol -accept", files[i], m.Kind, m.Text)
			}
		}
		if from["client"] == 0 || from["server"] == 0 || from["made"] == 0 {
			t.Errorf("%s: %v", files[i], from)
		}
		all += len(list)
	}
	if all < least {
		t.Errorf("%d messages, want %d", all, least)
	}
}

func TestWriteAndRead(t *testing.T) {
	file := recorded.File(t.TempDir(), "2030-01-01")
	want := []recorded.Message{{"made", "definition A", `{"a":"<"}`, recorded.Same},
		{"client", "request a/b", `{}`, `{"a":1}`}}
	if err := recorded.Write(file, want); err != nil {
		t.Fatal(err)
	}
	got, err := recorded.Read(file)
	if err != nil || !slices.Equal(got, want) || recorded.RevisionOf(file) != "2030-01-01" {
		t.Errorf("%v %v", got, err)
	}
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := recorded.Read(file); err == nil {
		t.Error("a file that is not compressed is read")
	}
	if _, err := recorded.Files(t.TempDir()); err == nil {
		t.Error("a folder without messages is no error")
	}
}
