package mcp

import (
	"encoding/base64"
	"encoding/binary"
	"math"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// errCursor is the answer to a cursor that this server has not made, or not for this list.
var errCursor = wire.NewError(wire.CodeInvalidParams, "invalid params: /cursor: is not a cursor of this list")

// place is where a page begins. Clients carry it sealed, as the cursor.
type place struct {
	index int    // of the declared entry
	from  string // inside the lister of that entry; "" for its start
}

// sealCursor returns the cursor of a place in a list, for callers with a mark.
func (s *Server) sealCursor(kind listKind, at place, mark string) string {
	b := binary.AppendUvarint(make([]byte, 0, binary.MaxVarintLen64+len(at.from)), uint64(at.index))
	b = append(b, at.from...)
	return base64.RawURLEncoding.EncodeToString(s.seal.Seal(b, s.cursorContext(kind, mark)))
}

// openCursor returns the place of a cursor.
func (s *Server) openCursor(kind listKind, cursor, mark string) (at place, err error) {
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return at, errCursor
	}
	if b, err = s.seal.Open(b, s.cursorContext(kind, mark)); err != nil {
		return at, errCursor
	}
	index, n := binary.Uvarint(b)
	if n <= 0 || index > math.MaxInt32 {
		return at, errCursor
	}
	return place{index: int(index), from: string(b[n:])}, nil
}

// cursorContext binds a cursor to its purpose, since servers may share their keys, and to the mark of a caller
// where the list depends on who asks.
func (s *Server) cursorContext(kind listKind, mark string) []byte {
	b := append([]byte{'c', byte(kind)}, s.features.Info.Name...)
	if mark != "" {
		b = append(append(b, 0), mark...)
	}
	return b
}
