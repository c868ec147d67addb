package paging

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/seal"
)

// Position is where a page begins. Clients carry it sealed, as the cursor.
type Position struct {
	Index int    // of the declared entry with which the page begins
	Names Names  // of the entries before that one; if From is set, also its own
	From  string // inside the instances of that entry; "" for its start
	// Foreign says that another process has made the cursor, perhaps with other declarations. Index is not valid then.
	Foreign bool
}

// List keeps the cursor of one list from being used in another.
type List byte

// The lists that have pages.
const (
	Resources List = 'r'
	Templates List = 'm'
	Tools     List = 't'
	Prompts   List = 'p'
	Tasks     List = 'k'
	Extension List = 'x' // the lists of extensions, whose names are a part of access
)

// MaxAge is how long a cursor is valid.
const MaxAge = 24 * time.Hour

// Codec makes cursors and reads them. It is safe for concurrent use.
type Codec struct {
	Box seal.Box
	// Server is the name of the server: servers may share their keys.
	Server string
	// Instance tells the cursors of a server from those of servers in other processes, or with other declarations.
	Instance uint64
}

// Seal returns the cursor of a position in a list. access is equal for callers who see the same list; "" if everybody
// does.
func (c *Codec) Seal(list List, at Position, access string) string {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, 40+8*len(at.Names)+len(at.From)), uint64(time.Now().Unix()))
	b = binary.BigEndian.AppendUint64(b, c.Instance)
	b = at.Names.AppendTo(binary.AppendUvarint(b, uint64(at.Index)))
	b = append(b, at.From...)
	return seal.Encode(c.Box.Seal(b, c.purpose(list, access)))
}

// Open returns the position of a cursor. It reports false for what is no cursor of this list and access.
func (c *Codec) Open(list List, cursor, access string) (at Position, ok bool) {
	b, err := seal.Decode(cursor)
	if err != nil {
		return at, false
	}
	if b, err = c.Box.Open(b, c.purpose(list, access)); err != nil || len(b) < 16 {
		return at, false
	}
	if time.Since(time.Unix(int64(binary.BigEndian.Uint64(b)), 0)) > MaxAge {
		return at, false
	}
	b = b[8:]
	foreign := binary.BigEndian.Uint64(b) != c.Instance
	index, n := binary.Uvarint(b[8:])
	if n <= 0 || index > math.MaxInt32 {
		return at, false
	}
	names, rest, ok := CutNames(b[8+n:], nil)
	if !ok {
		return at, false
	}
	return Position{Index: int(index), Names: names, From: string(rest), Foreign: foreign}, true
}

// purpose binds a cursor to its list and server, and to the access of a caller.
func (c *Codec) purpose(list List, access string) []byte {
	b := append([]byte{'c', byte(list)}, c.Server...)
	if access != "" {
		b = append(append(b, 0), access...)
	}
	return b
}
