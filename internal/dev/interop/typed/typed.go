// Package typed is a server with a template for every kind of variable, which are tools too, for the tests of this
// folder: schemas and checks of these tools are the same, one type has the same limits wherever it is read, and lists
// have only what can be read.
//
//mcp:server name=typed version=v1.0.0 astools=typed
package typed

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
)

// Level is closed.
//
//mcp:enum
type Level string

// The levels.
const (
	Low  Level = "low"
	High Level = "high"
)

// Rank is closed, and prints itself otherwise than it is read.
//
//mcp:enum
type Rank int

// The ranks.
const (
	First  Rank = 1
	Second Rank = 2
)

// String implements fmt.Stringer.
func (r Rank) String() string { return fmt.Sprintf("rank number %d", int(r)) }

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

// UnmarshalText implements encoding.TextUnmarshaler. It takes any text, so that only the directive limits it.
func (t *Tone) UnmarshalText(text []byte) error {
	*t = Tone(text)
	return nil
}

// Shade is closed, and has names for its numbers. The first is no constant.
//
//mcp:enum
type Shade uint8

// The shades.
const (
	Light Shade = iota + 1
	Dark
)

var shades = []string{"none", "light", "dark"}

// MarshalText implements encoding.TextMarshaler.
func (s Shade) MarshalText() ([]byte, error) { return []byte(shades[s]), nil }

// UnmarshalText implements encoding.TextUnmarshaler. Its error is not public.
func (s *Shade) UnmarshalText(text []byte) error {
	i := slices.Index(shades, string(text))
	if i < 0 {
		return errors.New("secret")
	}
	*s = Shade(i)
	return nil
}

// Key is read with a method, whose error has a public part.
type Key string

// MarshalText implements encoding.TextMarshaler.
func (k Key) MarshalText() ([]byte, error) { return []byte(k), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *Key) UnmarshalText(text []byte) error {
	if strings.ToLower(string(text)) != string(text) {
		return fmt.Errorf("secret: %w", mcp.Errorf("must be in lower case"))
	}
	*k = Key(text)
	return nil
}

// Money writes and reads itself as JSON. Its errors are not public.
type Money struct{ cents int64 }

// MarshalJSON implements json.Marshaler.
func (m Money) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "%d", m.cents), nil }

// UnmarshalJSON implements json.Unmarshaler.
func (m *Money) UnmarshalJSON(text []byte) error {
	if _, err := fmt.Sscanf(string(text), "%d", &m.cents); err != nil {
		return errors.New("secret")
	}
	return nil
}

// Numbers has variables that are numbers and booleans.
//
//mcp:resource uri=numbers:///{i}/{u}/{f}{?small,exact,ok} list=none
//mcp:var i min=-5 max=100
//mcp:var small min=3
//mcp:var exact min=0.1 max=2.5
func Numbers(_ context.Context, i int64, u uint16, f float64, small *int8, exact *float32, ok *bool) (string, error) {
	return fmt.Sprint(i, u, f, small != nil, exact != nil, ok != nil), nil
}

// Texts has variables that are texts.
//
//mcp:resource uri=texts:///{text}/{open}{?short,word,many*} list=none
//mcp:var open raw
//mcp:allow MCP702 it is only counted
//mcp:var short minlen=2 maxlen=4
//mcp:var word pattern=[a-z]+
//mcp:var many maxlen=3
func Texts(_ context.Context, text, open string, short, word *string, many []string) (string, error) {
	return fmt.Sprint(len(text), len(open), short != nil, word != nil, len(many)), nil
}

// Enums has variables that are closed.
//
//mcp:resource uri=enums:///{level}/{rank}/{tone}/{shade}{?tones*,second,soft} list=none
//mcp:var tones complete=enum
func Enums(_ context.Context, level Level, rank Rank, tone Tone, shade Shade, tones []Tone, second *Rank,
	soft *Tone) (string, error) {
	return fmt.Sprint(level, int(rank), tone, shade, tones, second != nil, soft != nil), nil
}

// Pairs has two closed variables, whose values are listed.
//
//mcp:resource uri=pairs:///{tone}/{shade} list=enum
func Pairs(_ context.Context, tone Tone, shade Shade) (string, error) {
	return fmt.Sprint(tone, shade), nil
}

// Words has variables that methods read.
//
//mcp:resource uri=words:///{ip}/{key}{?at,day,wait,other} list=none
//mcp:var day layout=2006-01-02
func Words(_ context.Context, ip netip.Addr, key Key, at, day *time.Time, wait *time.Duration,
	other *netip.Addr) (string, error) {
	return fmt.Sprint(ip, key, at != nil, day != nil, wait != nil, other != nil), nil
}

// Steps has a variable that is a list in the path.
//
//mcp:resource uri=steps://{/steps*} list=none
func Steps(_ context.Context, steps []string) (string, error) { return fmt.Sprint(len(steps)), nil }

// File has a variable that spans segments.
//
//mcp:resource uri=file:///x/{+path} list=none
func File(_ context.Context, path string) (string, error) { return path, nil }

// Item is listed, although some of its instances cannot be read.
//
//mcp:resource uri=items:///{id}/{n}
//mcp:var id complete=list
//mcp:var n min=1
func Item(_ context.Context, id string, n int) (string, error) { return fmt.Sprint(id, n), nil }

// items are the identifiers that ListItems lists with the number 1, and with 0 the last one.
var items = []string{"plain", "u:42", "a\tb", "100%2F", "100%", "..", "a/../b", "/root", `a\b`, "", "C:", "below"}

// ListItems lists them.
//
//mcp:list of=Item
func ListItems(context.Context) iter.Seq2[ItemRef, error] {
	return func(yield func(ItemRef, error) bool) {
		for i, id := range items {
			if !yield(ItemRef{ID: id, N: min(1, len(items)-1-i)}, nil) {
				return
			}
		}
	}
}

// Take has one argument of each type that is closed or that a method reads.
//
//mcp:tool
//mcp:arg tones required=false
//mcp:arg shades required=false
func Take(_ context.Context, level *Level, rank *Rank, tone *Tone, shade *Shade, key *Key, money *Money,
	tones map[Tone]int, shades map[Shade]int) error {
	return nil
}

// Ask is a prompt with the same arguments.
//
//mcp:prompt
func Ask(_ context.Context, level *Level, rank *Rank, tone *Tone, shade *Shade, key *Key) (string, error) {
	return "", nil
}

// Count returns no map.
//
//mcp:resource uri=counts:///all
func Count(context.Context) (map[string]int, error) { return nil, nil }

// When and WhenAgain return the same time.
//
//mcp:resource uri=when:///value
func When(context.Context) (time.Time, error) { return time.Unix(0, 0).UTC(), nil }

// WhenAgain returns it by its address.
//
//mcp:resource uri=when:///pointer
func WhenAgain(context.Context) (*time.Time, error) { return new(time.Unix(0, 0).UTC()), nil }

// Twin is a key whose text may be that of another one.
type Twin int

// MarshalText implements encoding.TextMarshaler.
func (Twin) MarshalText() ([]byte, error) { return []byte("same"), nil }

// Twins has maps of which two keys become equal.
type Twins struct {
	Twins map[Twin]int   `json:"twins,omitempty"`
	Odd   map[string]int `json:"odd,omitempty"`
}

// Collide returns them.
//
//mcp:tool
func Collide(_ context.Context, odd bool) (Twins, error) {
	if odd {
		return Twins{Odd: map[string]int{"\xff": 1, "\xfe": 2}}, nil
	}
	return Twins{Twins: map[Twin]int{1: 1, 2: 2}}, nil
}
