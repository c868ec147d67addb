package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestDocument(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	old := "# P\n\n```\na\n```\n\n## A run\n\nHow.\n\n```\nold\n```\n\n## More\n"
	if err := os.WriteFile(path, []byte(old), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := document(path, []byte("\nnew\n\n")); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if want := "# P\n\n```\na\n```\n\n## A run\n\nHow.\n\n```\nnew\n```\n\n## More\n"; err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
	if err := document(filepath.Join(t.TempDir(), "none"), nil); err == nil {
		t.Error("a page that is not there is no error")
	}
}
