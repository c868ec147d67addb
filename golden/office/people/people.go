// Package people is the part of an office server that knows who works there. It is a server of its own as
// well.
//
//mcp:server name=people version=1.0.0
package people

import (
	"context"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/mcpgen/mcpgen/mcp"
)

// Staff are the people and where they are. Use New to make it.
type Staff struct {
	mu    sync.Mutex
	where map[string]string
}

// New returns a staff of people who are at home.
func New(names ...string) *Staff {
	s := &Staff{where: map[string]string{}}
	for _, name := range names {
		s.where[name] = "at home"
	}
	return s
}

// Move notes where somebody is now.
func (s *Staff) Move(name, to string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.where[name] = to
}

// Where tells where somebody is. A person called like a file of the office is found nevertheless.
//
//mcp:resource uri=office:///{+path} subscribe
//mcp:allow MCP503 the program that moves people tells of it
func (s *Staff) Where(ctx context.Context, path string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if where, ok := s.where[path]; ok {
		return where + "\n", nil
	}
	return "", mcp.ErrNotFound
}

// Everybody lists the people.
//
//mcp:list of=Where
func (s *Staff) Everybody(ctx context.Context) iter.Seq2[WhereRef, error] {
	s.mu.Lock()
	names := slices.Sorted(maps.Keys(s.where))
	s.mu.Unlock()
	return func(yield func(WhereRef, error) bool) {
		for _, name := range names {
			if !yield(WhereRef{Path: name}, nil) {
				return
			}
		}
	}
}

// SendHomeIn names somebody.
type SendHomeIn struct {
	// Name of the person.
	Name string `json:"name"`
}

// SendHome ends somebody's day.
//
//mcp:tool
//mcp:toggle
func (s *Staff) SendHome(ctx context.Context, in SendHomeIn) error {
	s.Move(in.Name, "at home")
	return nil
}
