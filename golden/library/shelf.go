package library

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
)

// Shelf is where books stand.
//
//mcp:enum
type Shelf string

// The shelves.
const (
	Poems  Shelf = "poems"
	Novels Shelf = "novels"
)

// Book is one book.
type Book struct {
	Number int    `json:"number"`
	Title  string `json:"title"`
	Lent   bool   `json:"lent"`
}

// Library holds the books. It is safe for concurrent use.
type Library struct {
	mu    sync.Mutex
	books map[Shelf][]Book
}

// New returns a library with a few books.
func New() *Library {
	return &Library{books: map[Shelf][]Book{
		Poems:  {{Number: 1, Title: "Leaves"}, {Number: 12, Title: "Odes"}},
		Novels: {{Number: 1, Title: "Walls"}, {Number: 3, Title: "Waves"}, {Number: 14, Title: "Winds"}},
	}}
}

// Book returns what the catalogue says about a book.
//
//mcp:resource uri=books:///{shelf}/{number} subscribe
//mcp:var number complete=list
//mcp:alias uri=shelves:///{number}@{shelf}
//mcp:alias uri=urn:book:{shelf}:{number}
func (l *Library) Book(ctx context.Context, shelf Shelf, number int) (*Book, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range l.books[shelf] {
		if b.Number == number {
			return &b, nil
		}
	}
	return nil, mcp.ErrNotFound
}

// ListBooks lists the books shelf by shelf.
//
//mcp:list of=Book page=3
func (l *Library) ListBooks(ctx context.Context) iter.Seq2[BookRef, error] {
	return func(yield func(BookRef, error) bool) {
		for _, shelf := range []Shelf{Poems, Novels} {
			l.mu.Lock()
			books := slices.Clone(l.books[shelf])
			l.mu.Unlock()
			for _, b := range books {
				if !yield(BookRef{Shelf: shelf, Number: b.Number, RefInfo: mcp.RefInfo{Title: b.Title}}, nil) {
					return
				}
			}
		}
	}
}

// CompleteShelf proposes shelves by their first letters.
//
//mcp:complete of=Book var=shelf
func CompleteShelf(ctx context.Context, prefix string) ([]string, error) {
	return []string{prefix + "?"}, nil
}

// Door tells who is at the door.
//
//mcp:resource uri=library:///door subscribe
//mcp:alias uri=house:///door
func Door(ctx context.Context) (string, error) { return "nobody", nil }

// WatchDoor sees one visitor.
//
//mcp:watch of=Door
func WatchDoor(ctx context.Context) iter.Seq2[time.Time, error] {
	return func(yield func(time.Time, error) bool) {
		if yield(time.Time{}, nil) {
			<-ctx.Done()
		}
	}
}

// Sign returns what stands on a shelf.
//
//mcp:resource uri=signs:///{shelf}/{large}{?scale,from*} list=enum
//mcp:var scale default=2
func Sign(ctx context.Context, shelf Shelf, large bool, scale int, from []string) (string, error) {
	if large {
		scale *= 10
	}
	return fmt.Sprintf("%s, size %d, seen from %q", shelf, scale, from), nil
}

// Reader returns what a reader has borrowed.
//
//mcp:resource uri=readers:///{name} list=none
//mcp:allow MCP209 nobody is called hours
func Reader(ctx context.Context, name string) (string, error) {
	return name + " has borrowed nothing", nil
}

// Hours are when readers may come. It stands in the way of a reader of that name.
//
//mcp:resource uri=readers:///hours
const Hours = "9 to 5"
