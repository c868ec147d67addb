package main

import (
	"runtime"
	"strings"
)

const module = "github.com/mcpgen/mcpgen/"

// reasons are the tests that may be skipped in CI.
var reasons = []struct {
	pkg, test string // below the module; a test with those below it
	where     string // the system that it is skipped on; empty for all
	why       string
}{
	{"schema", "TestDocsAreOurOwn", "",
		"compares with the prose of the official schemas, which is not committed; make official runs it"},
	{"mcp", "TestFilesDirectories", "windows", "symbolic links need a right of their own there"},
	{"mcp", "TestWalkLinks", "windows", "symbolic links need a right of their own there"},
	{"mcp", "TestProposeFiles", "windows", "symbolic links need a right of their own there"},
	{"mcp", "TestBinarySize", "!linux/amd64", "the limit is that of linux/amd64"},
}

// explained reports whether the table has a reason for a skipped test on this system.
func explained(pkg, test string) bool {
	here := runtime.GOOS + "/" + runtime.GOARCH
	for _, r := range reasons {
		other, not := strings.CutPrefix(r.where, "!")
		applies := strings.HasPrefix(here+"/", other+"/") != not || r.where == ""
		if applies && pkg == module+r.pkg && (test == r.test || strings.HasPrefix(test, r.test+"/")) {
			return true
		}
	}
	return false
}
