package server

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
	index int    // of the declared entry with which the page begins
	names trail  // of the entries before it, and of itself where from is set
	from  string // inside the lister of that entry; "" for its start
	// foreign says that another process has made the cursor, with other declarations perhaps: index means nothing.
	foreign bool
}

// sealCursor returns the cursor of a place in a list, for callers with a mark.
func (s *Server) sealCursor(kind listKind, at place, mark string) string {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, 32+8*len(at.names)+len(at.from)), s.instance)
	b = at.names.appendTo(binary.AppendUvarint(b, uint64(at.index)))
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
	if len(b) < 8 {
		return at, errCursor
	}
	foreign := binary.BigEndian.Uint64(b) != s.instance
	index, n := binary.Uvarint(b[8:])
	if n <= 0 || index > math.MaxInt32 {
		return at, errCursor
	}
	names, rest, ok := cutTrail(b[8+n:], nil)
	if !ok {
		return at, errCursor
	}
	return place{index: int(index), names: names, from: string(rest), foreign: foreign}, nil
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

// listKind keeps the cursor of one list from being used in another.
type listKind byte

const (
	pagesOfResources listKind = 'r'
	pagesOfTemplates listKind = 'm'
	pagesOfTools     listKind = 't'
	pagesOfPrompts   listKind = 'p'
)
