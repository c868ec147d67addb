package events

import (
	"encoding/base64"
	"encoding/binary"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/seal"
)

// purpose binds a cursor to the server and to the name of its event.
func (e *Engine) purpose(name string) []byte {
	return append(append(append([]byte("event cursor\x00"), e.Server...), 0), name...)
}

// Cursor returns the text of a position, which only servers with the same name and keys can read.
func (e *Engine) Cursor(name string, schema int, at event.Position) string {
	b := binary.AppendUvarint(nil, uint64(schema))
	b = binary.AppendUvarint(b, at.Seq)
	b = append(b, at.Epoch...)
	return base64.RawURLEncoding.EncodeToString(e.Box.Seal(b, e.purpose(name)))
}

// maxCursor is the longest cursor that is looked at.
const maxCursor = 512

// open reads a cursor of t. lost says that the server cannot open it: it was sealed with other keys, as before the
// restart of a server with random keys. Any text of the right length counts as a lost cursor.
func (e *Engine) open(t *Type, cursor string) (at event.Position, lost bool, err error) {
	wrong := &event.Error{Kind: event.InvalidParams, Message: "/cursor: is none of the event " + t.Name}
	if len(cursor) > maxCursor {
		return at, false, wrong
	}
	sealed, err := seal.Decode(cursor)
	if err != nil || len(sealed) < minSealed {
		return at, false, wrong
	}
	b, err := e.Box.Open(sealed, e.purpose(t.Name))
	if err != nil {
		if e.Box.Knows(sealed) {
			return at, false, wrong
		}
		return at, true, nil
	}
	schema, n := binary.Uvarint(b)
	if n <= 0 {
		return at, false, wrong
	}
	seq, m := binary.Uvarint(b[n:])
	if m <= 0 {
		return at, false, wrong
	}
	if schema != uint64(t.Schema) {
		return at, false, t.schemaFault(int(min(schema, maxSchema)))
	}
	return event.Position{Epoch: string(b[n+m:]), Seq: seq}, false, nil
}

// maxSchema is more changes than there are of any event.
const maxSchema = 1 << 30

// minSealed is less than the size of every sealed text.
const minSealed = 40
