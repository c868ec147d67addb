package sqlitetasks_test

import (
	"os"
	"strings"
	"testing"
)

// The program of docs/task-stores.md is the example of this package.
func TestPageExample(t *testing.T) {
	page, err := os.ReadFile("../../docs/task-stores.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## SQLite\n")
	_, code, _ := strings.Cut(section, "```go\n")
	code, _, found := strings.Cut(code, "```")
	if !found {
		t.Fatal("docs/task-stores.md has no program about SQLite")
	}
	text, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.ReplaceAll(string(text), "\n\t", "\n"), "\n"+code+"}\n") {
		t.Error("docs/task-stores.md and the example of this package differ")
	}
}
