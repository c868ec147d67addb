// Package diary is an example of a server behind a sign-in: each caller reads and writes a diary of their own. The
// first sign-in asks for the scope to read; the tool that writes is listed for all who may read, and asks for the
// scope to write when it is called for the first time.
//
//mcp:server name=diary version=1.0.0 title=Diary
//mcp:access scopes=diary.read
package diary

import (
	"context"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/mcp"
)

// Diary keeps the entries of callers, as long as the process runs.
type Diary struct {
	mu      sync.Mutex
	entries map[string][]string // by subject
}

// Entries are the entries of the caller.
//
//mcp:resource uri=diary:///entries mime=text/plain subscribe
func (d *Diary) Entries(_ context.Context, who mcp.Caller) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Join(d.entries[who.Subject], "\n"), nil
}

// maxEntries bounds the diary of a caller.
const maxEntries = 1000

// EntryIn is a new entry.
type EntryIn struct {
	// What happened today.
	Text string `json:"text" jsonschema:"minLength=1,maxLength=1000"`
}

// Write adds an entry to the diary of the caller.
//
//mcp:tool updates=diary:///entries
//mcp:access scopes=diary.write hide=false
func (d *Diary) Write(_ context.Context, in EntryIn, who mcp.Caller) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.entries == nil {
		d.entries = make(map[string][]string)
	}
	if len(d.entries[who.Subject]) >= maxEntries {
		return "", mcp.Errorf("the diary is full")
	}
	d.entries[who.Subject] = append(d.entries[who.Subject], in.Text)
	return "written", nil
}
