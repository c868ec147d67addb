package paging

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/seal"
)

// Position is the place in a list where a page begins. The cursor that a client gets is a sealed Position.
type Position struct {
	Index int    // of the declared entry where the page begins
	Names Names  // of the entries before that entry; if From is set, the last one is the name of the entry itself
	From  string // the place in the instances of that entry; "" for the first instance
	// Foreign says that another process has made the cursor, perhaps with other declarations. Index is not valid in that
	// case.
	Foreign bool
}

// List identifies a list, so that the cursor of one list is not valid in another.
type List byte

// The lists that have pages.
const (
	Resources List = 'r'
	Templates List = 'm'
	Tools     List = 't'
	Prompts   List = 'p'
	Tasks     List = 'k'
	Extension List = 'x' // all lists of extensions; the argument access has the name of the list
)

// MaxAge is how long a cursor is valid.
const MaxAge = 24 * time.Hour

// Codec seals positions as cursors and opens cursors. It is safe for concurrent use.
type Codec struct {
	Box seal.Box
	// Server is the name of the server. A cursor is valid only for this name, because servers may share their keys.
	Server string
	// Instance is a random number of the server. It tells the cursors of this server from those of other processes.
	Instance uint64
}

// Seal returns the cursor for a position in a list. access must be equal for callers who see the same entries; "" if
// all callers do.
func (c *Codec) Seal(list List, at Position, access string) string {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, 40+8*len(at.Names)+len(at.From)), uint64(time.Now().Unix()))
	b = binary.BigEndian.AppendUint64(b, c.Instance)
	b = at.Names.AppendTo(binary.AppendUvarint(b, uint64(at.Index)))
	b = append(b, at.From...)
	return seal.Encode(c.Box.Seal(b, c.purpose(list, access)))
}

// Open returns the position of a cursor. ok is false if cursor is not valid, older than MaxAge, or for another list or
// access.
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

// purpose returns the purpose for Box, which binds a cursor to its list, the server and the access of a caller.
func (c *Codec) purpose(list List, access string) []byte {
	b := append([]byte{'c', byte(list)}, c.Server...)
	if access != "" {
		b = append(append(b, 0), access...)
	}
	return b
}
