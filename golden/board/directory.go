package board

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"sync"

	"github.com/mcpgen/mcpgen/mcp"
)

// Directory is a PersonSource in memory; a real one would ask a database.
type Directory struct {
	mu     sync.Mutex
	people []Person // sorted by team and id
}

// Put adds or replaces people.
func (d *Directory) Put(people ...Person) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range people {
		at, found := d.find(p.Team, p.ID)
		if found {
			d.people[at] = p
		} else {
			d.people = slices.Insert(d.people, at, p)
		}
	}
}

// Get implements PersonSource.
func (d *Directory) Get(_ context.Context, team string, id int64) (Person, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	at, found := d.find(team, id)
	if !found {
		return Person{}, mcp.ErrNotFound
	}
	return d.people[at], nil
}

// List implements PersonSource. The cursor is the number of people before the page.
func (d *Directory) List(_ context.Context, page mcp.Page) (mcp.List[Person], error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	from, _ := strconv.Atoi(page.Cursor)
	from = min(from, len(d.people))
	to := min(from+page.Size, len(d.people))
	list := mcp.List[Person]{Items: slices.Clone(d.people[from:to])}
	if to < len(d.people) {
		list.Next = strconv.Itoa(to)
	}
	return list, nil
}

// find returns the place of a person. The caller holds mu.
func (d *Directory) find(team string, id int64) (at int, found bool) {
	return slices.BinarySearchFunc(d.people, Person{Team: team, ID: id}, func(a, b Person) int {
		return cmp.Or(cmp.Compare(a.Team, b.Team), cmp.Compare(a.ID, b.ID))
	})
}
