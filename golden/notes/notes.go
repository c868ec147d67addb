// Package notes serves the Markdown files of a directory as MCP resources.
//
//mcp:server name=notes version=1.0.0 title="Team notes" instructions="Each note is notes:///{name}. Start with notebook:///index."
package notes

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"
	"time"
)

//go:generate go run github.com/mcpgen/mcpgen/cmd/mcpgen

// Readme explains how these notes are kept.
//
//go:embed readme.md
//mcp:resource uri=docs:///readme mime=text/markdown
//mcp:annotate audience=user,assistant priority=0.8
//mcp:icon src=https://example.com/book.svg mime=image/svg+xml sizes=any theme=dark
var Readme string

// Notes is a directory of Markdown files. Its methods are safe for concurrent use.
type Notes struct {
	root *os.Root
	poll time.Duration
}

// Open returns the notes of dir. The caller closes them.
func Open(dir string) (*Notes, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Notes{root: root, poll: 200 * time.Millisecond}, nil
}

// Close releases the directory.
func (n *Notes) Close() error { return n.root.Close() }

// Index returns a Markdown list of all notes, one line each.
//
//mcp:resource uri=notebook:///index mime=text/markdown
func (n *Notes) Index(ctx context.Context) (string, error) {
	names, err := n.names()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "- [%s](%s)\n", name, NoteURI(name))
	}
	return b.String(), nil
}

// Note returns the text of one note.
//
//mcp:resource uri=notes:///{name} mime=text/markdown subscribe
func (n *Notes) Note(ctx context.Context, name string) (string, error) {
	text, err := n.root.ReadFile(name + ".md")
	return string(text), err
}

// ListNotes lists the notes by name.
//
//mcp:list of=Note changes
func (n *Notes) ListNotes(ctx context.Context) iter.Seq2[NoteRef, error] {
	return func(yield func(NoteRef, error) bool) {
		names, err := n.names()
		if err != nil {
			yield(NoteRef{}, err)
			return
		}
		for _, name := range names {
			info, err := n.root.Stat(name + ".md")
			if errors.Is(err, fs.ErrNotExist) {
				continue // removed since the directory was read
			}
			if err != nil {
				yield(NoteRef{}, err)
				return
			}
			ref := NoteRef{Name: name}
			ref.Size, ref.Modified = new(info.Size()), info.ModTime()
			if !yield(ref, nil) {
				return
			}
		}
	}
}

// CompleteName proposes the names that start with prefix.
//
//mcp:complete of=Note var=name
func (n *Notes) CompleteName(ctx context.Context, prefix string) ([]string, error) {
	names, err := n.names()
	return slices.DeleteFunc(names, func(s string) bool { return !strings.HasPrefix(s, prefix) }), err
}

// WatchNote reports each change of a note's file while somebody subscribes to it.
// It is called before the subscription is confirmed, so the first look misses nothing.
//
//mcp:watch of=Note
func (n *Notes) WatchNote(ctx context.Context, name string) iter.Seq2[time.Time, error] {
	last := n.stamp(name + ".md")
	return func(yield func(time.Time, error) bool) {
		for range ticks(ctx, n.poll) {
			now := n.stamp(name + ".md")
			if now != last && !yield(time.Now(), nil) {
				return
			}
			last = now
		}
	}
}

// SearchIn says what to look for.
type SearchIn struct {
	// Text that a note must contain, in any case.
	Query string `json:"query"`
	// Most matches to return; 10 when left out.
	Limit int `json:"limit,omitempty"`
}

// SearchOut lists the notes found.
type SearchOut struct {
	// Matches in order of name.
	Matches []Match `json:"matches"`
}

// Match is one line of one note.
type Match struct {
	// URI of the note.
	URI string `json:"uri"`
	// Line that contains the text.
	Line string `json:"line"`
}

// Search finds the notes that contain a text.
//
//mcp:tool readonly
func (n *Notes) Search(ctx context.Context, in SearchIn) (SearchOut, error) {
	out := SearchOut{Matches: []Match{}}
	limit := in.Limit
	if limit == 0 {
		limit = 10
	}
	names, err := n.names()
	if err != nil {
		return out, err
	}
	for _, name := range names {
		text, err := n.Note(ctx, name)
		if err != nil {
			continue // removed since the directory was read
		}
		line, found := findLine(text, in.Query)
		if found {
			out.Matches = append(out.Matches, Match{URI: NoteURI(name), Line: line})
		}
		if len(out.Matches) == limit {
			break
		}
	}
	return out, nil
}

// Follow tells srv when notes come or go, until ctx ends.
func (n *Notes) Follow(ctx context.Context, srv *NotesServer) {
	last, _ := n.names()
	for range ticks(ctx, n.poll) {
		now, err := n.names()
		if err == nil && !slices.Equal(now, last) {
			srv.NoteListChanged()
			last = now
		}
	}
}

// names returns the sorted names of all notes, without their extension.
func (n *Notes) names() ([]string, error) {
	files, err := fs.ReadDir(n.root.FS(), ".")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range files {
		if name, ok := strings.CutSuffix(f.Name(), ".md"); ok && f.Type().IsRegular() {
			names = append(names, name)
		}
	}
	return names, nil
}

// stamp is equal for two looks at an unchanged file, and empty for one that is not there.
func (n *Notes) stamp(file string) string {
	info, err := n.root.Stat(file)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
}

// ticks yields every d until ctx ends.
func ticks(ctx context.Context, d time.Duration) iter.Seq[struct{}] {
	return func(yield func(struct{}) bool) {
		t := time.NewTicker(d)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				if !yield(struct{}{}) {
					return
				}
			}
		}
	}
}

// findLine returns the first line of text that contains query, ignoring case.
func findLine(text, query string) (string, bool) {
	query = strings.ToLower(query)
	for line := range strings.Lines(text) {
		if strings.Contains(strings.ToLower(line), query) {
			return strings.TrimSpace(line), true
		}
	}
	return "", false
}
