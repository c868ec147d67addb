package events

import (
	"encoding/base64"
	"encoding/binary"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/seal"
)

// purpose returns what the seal of a cursor is bound to: the server, and the name of the event.
func (e *Engine) purpose(name string) []byte {
	return append(append(append([]byte("event cursor\x00"), e.Server...), 0), name...)
}

// Cursor returns a position as a sealed text. Only servers with the same name and keys can read it.
func (e *Engine) Cursor(name string, schema int, at event.Position) string {
	b := binary.AppendUvarint(nil, uint64(schema))
	b = binary.AppendUvarint(b, at.Seq)
	b = append(b, at.Epoch...)
	return base64.RawURLEncoding.EncodeToString(e.Box.Seal(b, e.purpose(name)))
}

// maxCursor is the length, in bytes, of the longest cursor that is accepted.
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

// maxSchema is larger than the number of changes of any schema.
const maxSchema = 1 << 30

// minSealed is smaller than the size of any sealed text, in bytes.
const minSealed = 40
