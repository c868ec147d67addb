package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// Pos is a place in a schema file. Line and Col count from 1, Col in bytes.
type Pos struct {
	File string
	Line int
	Col  int
}

// String returns file:line:col.
func (p Pos) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col) }

// Error is a mistake in a schema file, with its place.
type Error struct {
	Pos     Pos
	Msg     string
	Warning bool
}

// Error returns file:line:col: severity: message.
func (e *Error) Error() string {
	severity := ": error: "
	if e.Warning {
		severity = ": warning: "
	}
	return e.Pos.String() + severity + e.Msg
}

// Warnf makes a warning, which stops nothing.
func Warnf(p Pos, format string, args ...any) *Error {
	return &Error{Pos: p, Msg: fmt.Sprintf(format, args...), Warning: true}
}

// Errorf makes an error.
func Errorf(p Pos, format string, args ...any) *Error {
	return &Error{Pos: p, Msg: fmt.Sprintf(format, args...)}
}

type kind uint8

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindString
	kindArray
	kindObject
)

// value is one JSON value with its position. Members keep the order of the file.
type value struct {
	kind    kind
	pos     Pos
	text    string // content of a string, literal of a number or bool
	items   []*value
	members []member
}

type member struct {
	name  string
	pos   Pos
	value *value
}

// get returns the named member of an object, or nil.
func (v *value) get(name string) *value {
	if v == nil {
		return nil
	}
	for _, m := range v.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// sorted returns the members in order of their names.
func (v *value) sorted() []member {
	return slices.SortedFunc(slices.Values(v.members), func(a, b member) int { return strings.Compare(a.name, b.name) })
}

// maxDepth bounds nesting; the official files stay below 20.
const maxDepth = 200

type reader struct {
	file  string
	data  []byte
	dec   *json.Decoder
	lines []int // offset of the first byte of each line
}

// parseJSON reads one strict JSON document: valid UTF-8, no duplicate names, nothing behind it.
func parseJSON(file string, data []byte) (*value, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) // what some editors put before UTF-8
	r := &reader{file: file, data: data, dec: json.NewDecoder(bytes.NewReader(data)), lines: []int{0}}
	r.dec.UseNumber()
	for i, c := range data {
		if c == '\n' {
			r.lines = append(r.lines, i+1)
		}
	}
	if !utf8.Valid(data) {
		return nil, Errorf(r.at(0), "the file is not valid UTF-8")
	}
	v, err := r.value(0)
	if err != nil {
		return nil, err
	}
	if _, err := r.dec.Token(); !errors.Is(err, io.EOF) {
		return nil, Errorf(r.next(), "text after the end of the document")
	}
	return v, nil
}

func (r *reader) at(offset int) Pos {
	line := sort.SearchInts(r.lines, offset+1)
	return Pos{File: r.file, Line: line, Col: offset - r.lines[line-1] + 1}
}

// next returns the position of the token that the decoder will read next.
func (r *reader) next() Pos {
	i := int(r.dec.InputOffset())
	for i < len(r.data) && bytes.IndexByte([]byte(" \t\r\n,:"), r.data[i]) >= 0 {
		i++
	}
	return r.at(i)
}

func (r *reader) value(depth int) (*value, error) {
	pos := r.next()
	if depth > maxDepth {
		return nil, Errorf(pos, "nested deeper than %d levels", maxDepth)
	}
	tok, err := r.dec.Token()
	if err != nil {
		return nil, r.syntax(pos, err)
	}
	switch t := tok.(type) {
	case json.Delim:
		if t == '[' {
			return r.array(pos, depth)
		}
		return r.object(pos, depth)
	case string:
		return &value{kind: kindString, pos: pos, text: t}, nil
	case json.Number:
		return &value{kind: kindNumber, pos: pos, text: t.String()}, nil
	case bool:
		return &value{kind: kindBool, pos: pos, text: fmt.Sprint(t)}, nil
	default:
		return &value{kind: kindNull, pos: pos}, nil
	}
}

func (r *reader) syntax(pos Pos, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return Errorf(pos, "the file ends in the middle of a value")
	}
	return Errorf(pos, "%s", err.Error())
}

func (r *reader) array(pos Pos, depth int) (*value, error) {
	v := &value{kind: kindArray, pos: pos}
	for r.dec.More() {
		item, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		v.items = append(v.items, item)
	}
	if _, err := r.dec.Token(); err != nil {
		return nil, r.syntax(r.next(), err)
	}
	return v, nil
}

func (r *reader) object(pos Pos, depth int) (*value, error) {
	v := &value{kind: kindObject, pos: pos}
	seen := map[string]bool{}
	for r.dec.More() {
		at := r.next()
		tok, err := r.dec.Token()
		if err != nil {
			return nil, r.syntax(at, err)
		}
		name, _ := tok.(string) // the decoder takes nothing else here
		if seen[name] {
			return nil, Errorf(at, "%q appears twice in one object", name)
		}
		seen[name] = true
		item, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		v.members = append(v.members, member{name: name, pos: at, value: item})
	}
	if _, err := r.dec.Token(); err != nil {
		return nil, r.syntax(r.next(), err)
	}
	return v, nil
}
