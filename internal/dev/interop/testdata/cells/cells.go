// Package cells is a server whose tools take and return every shape of value in every position, for the tests of this
// folder: what its schemas say, what its generated code accepts and what it writes must be the same.
//
//mcp:server name=cells version=v1.0.0
package cells

import (
	"encoding/json"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// Box has a value in every position. A test fills one of them.
type Box[T any] struct {
	One   *One[T]      `json:"one,omitempty"`
	Omit  *Omit[T]     `json:"omit,omitempty"`
	Ptr   *T           `json:"ptr,omitempty"`
	List  []T          `json:"list,omitempty"`
	Map   map[string]T `json:"map,omitempty"`
	Years map[int]T    `json:"years,omitempty"`
	Pair  *[2]T        `json:"pair,omitempty"`
}

// One has a value as a member.
type One[T any] struct {
	V T `json:"v"`
}

// Omit has values that may be left out.
type Omit[T any] struct {
	E T `json:"e,omitempty"`
	Z T `json:"z,omitzero"`
}

// Item is an element.
type Item struct {
	Name  string  `json:"name"`
	Count int     `json:"count,omitempty"`
	Ratio float32 `json:"ratio"`
}

// Level is closed.
//
//mcp:enum
type Level string

// The levels.
const (
	Low  Level = "low"
	High Level = "high"
)

// Rank is closed.
//
//mcp:enum
type Rank int

// The ranks.
const (
	First  Rank = 1
	Second Rank = 2
	Third  Rank = 3
)

// Text is a string.
type Text string

// Word reads and writes itself as a text: letters in lower case.
type Word struct{ s string }

// MarshalText implements encoding.TextMarshaler.
func (w Word) MarshalText() ([]byte, error) { return []byte(w.s), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (w *Word) UnmarshalText(text []byte) error {
	if strings.ToLower(string(text)) != string(text) {
		return errors.New("must be in lower case")
	}
	w.s = string(text)
	return nil
}

// Far is a Word whose methods are those of pointers.
type Far struct{ s string }

// MarshalText implements encoding.TextMarshaler.
func (w *Far) MarshalText() ([]byte, error) { return []byte(w.s), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (w *Far) UnmarshalText(text []byte) error {
	w.s = string(text)
	return nil
}

// Money reads and writes itself as JSON: cents.
type Money struct{ cents int64 }

// MarshalJSON implements json.Marshaler.
func (m Money) MarshalJSON() ([]byte, error) { return json.Marshal(m.cents) }

// UnmarshalJSON implements json.Unmarshaler.
func (m *Money) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &m.cents) }

// Code is mapped to a text in lower case. Its methods are for encoding/json, which says the same.
type Code struct{ s string }

// MarshalText implements encoding.TextMarshaler.
func (c Code) MarshalText() ([]byte, error) { return []byte(c.s), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *Code) UnmarshalText(text []byte) error {
	c.s = string(text)
	return nil
}

//mcp:type format=code
func parseCode(s string) (Code, error) {
	if strings.ToLower(s) != s {
		return Code{}, errors.New("must be in lower case")
	}
	return Code{s}, nil
}

//mcp:type
func formatCode(c Code) string { return c.s }

// Tone is closed, and reads its constants with a method.
//
//mcp:enum
type Tone string

// The tones.
const (
	Soft Tone = "soft"
	Loud Tone = "loud"
)

// MarshalText implements encoding.TextMarshaler.
func (t Tone) MarshalText() ([]byte, error) { return []byte(t), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (t *Tone) UnmarshalText(text []byte) error {
	*t = Tone(text)
	return nil
}

// Shade is closed, and has names for its numbers. The first is no constant.
//
//mcp:enum
type Shade int

// The shades.
const (
	Light Shade = iota + 1
	Dark
)

var shades = []string{"none", "light", "dark"}

// String implements fmt.Stringer.
func (s Shade) String() string { return "shade of " + shades[s] }

// MarshalText implements encoding.TextMarshaler.
func (s Shade) MarshalText() ([]byte, error) { return []byte(shades[s]), nil }

// UnmarshalText implements encoding.TextUnmarshaler. Its errors are not public.
func (s *Shade) UnmarshalText(text []byte) error {
	i := slices.Index(shades, string(text))
	if i < 0 {
		return errors.New("secret")
	}
	*s = Shade(i)
	return nil
}

// Grade is closed, and reads itself as a JSON list of one text. The third is no constant.
//
//mcp:enum
type Grade string

// The grades.
const (
	Good Grade = "good"
	Poor Grade = "poor"
)

// MarshalJSON implements json.Marshaler.
func (g Grade) MarshalJSON() ([]byte, error) { return json.Marshal([]string{string(g)}) }

// UnmarshalJSON implements json.Unmarshaler. Its errors are not public.
func (g *Grade) UnmarshalJSON(text []byte) error {
	var list []string
	if json.Unmarshal(text, &list) != nil || len(list) != 1 {
		return errors.New("secret")
	}
	*g = Grade(list[0])
	return nil
}

// Stamp writes itself, and is read as a struct.
type Stamp struct {
	Code string `json:"code"`
}

// MarshalJSON implements json.Marshaler.
func (s Stamp) MarshalJSON() ([]byte, error) { return json.Marshal("#" + s.Code) }

// Nothing has a member that is always left out.
type Nothing struct {
	A [0]int `json:"a,omitempty"`
	B [0]int `json:"b"`
}

// Octet is a byte with a name.
type Octet byte

// Base and Ext are embedded.
type Base struct {
	ID string `json:"id"`
}

// Ext is embedded as a pointer.
type Ext struct {
	More int    `json:"more"`
	Note string `json:"note,omitempty"`
}

// Mixed embeds a value and a pointer, which embeds another.
type Mixed struct {
	Base
	*Outer
	X bool `json:"x"`
}

// Outer is embedded as a pointer and embeds one.
type Outer struct {
	*Ext
	Y []int `json:"y,omitempty"`
}

// Quoted has members in quotes.
type Quoted struct {
	I int64       `json:"i,string"`
	U uint8       `json:"u,string,omitempty"`
	F float64     `json:"f,string"`
	B bool        `json:"b,string"`
	S string      `json:"s,string"`
	L Level       `json:"l,string,omitempty"`
	R Rank        `json:"r,string,omitempty"`
	P *float64    `json:"p,string,omitempty"`
	N json.Number `json:"n,string,omitempty"`
}

// Nulls has members whose values may be nil in several ways.
type Nulls struct {
	P *float64 `json:"p,string"`
	M *map[int]string
	D **Item
	E []Level
	A []any
}

// Limits has limits in its tags.
type Limits struct {
	N int       `json:"n" jsonschema:"minimum=-3,maximum=9"`
	F float64   `json:"f" jsonschema:"minimum=0.1,exclusiveMaximum=2.5,multipleOf=0.1"`
	P *float32  `json:"p,omitempty" jsonschema:"exclusiveMinimum=0"`
	S string    `json:"s" jsonschema:"minLength=1,maxLength=4,pattern=^[a-z]*$"`
	C float64   `json:"c,omitempty" jsonschema:"enum=0.5,enum=1,enum=1.5"`
	L []*int    `json:"l" jsonschema:"minItems=1,maxItems=3,minimum=1,default=1"`
	A [2]int8   `json:"a,omitzero" jsonschema:"minimum=1,default=1,default=2"`
	D **int     `json:"d,omitempty" jsonschema:"maximum=7,default=3"`
	M []float64 `json:"m,omitempty" jsonschema:"nullable,uniqueItems=true"`
}

// Types that hold others of their kind.
type (
	Tree []Tree
	Link map[string]Link
	Node struct {
		Name string             `json:"name"`
		Kids []*Node            `json:"kids,omitempty"`
		By   map[Text]Node      `json:"by,omitempty"`
		Opt  *struct{ N *Node } `json:"opt,omitempty"`
	}
)

// Page is generic.
type Page[T any] struct {
	Items []T            `json:"items"`
	Next  *Page[T]       `json:"next,omitempty"`
	Index map[Word]int   `json:"index,omitempty"`
	Marks map[Level]bool `json:"marks,omitempty"`
}

// Named types of maps and pointers.
type (
	Names     map[Text]Item
	Ages      map[uint8]*Item
	Hosts     map[netip.Addr]Level
	Pointer   *Item
	Sealed    [3]Level
	Anonymous = struct {
		LEVEL Level            `json:"LEVEL"`
		X     int              `json:"x,omitempty"`
		In    struct{ T Text } `json:"in"`
	}
	Times = []time.Time
)

// Types that hold structs without members.
type (
	Voids   []struct{}
	VoidMap map[Text]struct{}
)
