package feature

import "github.com/mcpgen/mcpgen/internal/load"

// DeclIndex finds annotated declarations. Its zero value looks through the package when it is first asked.
type DeclIndex struct {
	// Named are those that are no methods, by name, and Methods the others by the type of their receiver.
	Named, Methods map[string][]*load.Decl
}

// Of returns the index of a package, always the same one.
func (x *DeclIndex) Of(pkg *load.Package) *DeclIndex {
	if x.Named == nil {
		x.Named, x.Methods = map[string][]*load.Decl{}, map[string][]*load.Decl{}
		for _, d := range pkg.Decls {
			if d.Recv == "" {
				x.Named[d.Name] = append(x.Named[d.Name], d)
			} else {
				x.Methods[d.Recv] = append(x.Methods[d.Recv], d)
			}
		}
	}
	return x
}

// Seen is an index of a list that only grows: it finds the first element with a key. The key of an element must not
// change.
type Seen[T any] struct {
	key   func(T) string
	first map[string]int
	upTo  int
}

// SeenBy returns an empty index by that key.
func SeenBy[T any](key func(T) string) *Seen[T] { return &Seen[T]{key: key, first: map[string]int{}} }

// Index returns the index of the first element of list with this key, or -1. It reads only what was appended since the
// last call, so the list must be the same each time.
func (s *Seen[T]) Index(list []T, key string) int {
	for ; s.upTo < len(list); s.upTo++ {
		k := s.key(list[s.upTo])
		if _, known := s.first[k]; !known {
			s.first[k] = s.upTo
		}
	}
	if i, ok := s.first[key]; ok {
		return i
	}
	return -1
}
