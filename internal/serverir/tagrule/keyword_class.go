package tagrule

import (
	"encoding/json"
	"go/types"
	"math/big"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/serverir/jsonschema"
)

// Classes is a set of kinds of values that keywords are for.
type Classes uint

// The kinds of values.
const (
	OnText Classes = 1 << iota // text that generated code looks into
	OnWord                     // text that a method reads
	OnInt
	OnFloat
	OnBool
	OnList
	OnMap
	OnOther
)

// String names the set for messages.
func (c Classes) String() string {
	var words []string
	for _, w := range []struct {
		on   Classes
		word string
	}{{OnText, "texts"}, {OnInt, "integers"}, {OnFloat, "numbers"}, {OnBool, "booleans"}, {OnList, "lists"}} {
		if c&w.on != 0 && !(w.on == OnInt && c&OnFloat != 0) {
			words = append(words, w.word)
		}
	}
	return strings.Join(words, ", ")
}

// Class is what keywords may say about values of a type.
type Class struct {
	Classes
	// Noun says what values are.
	Noun string
	// Type is the type behind pointers, and Elem the class of the elements of a list.
	Type types.Type
	Elem *Class
	// Values are the only ones by the type itself; nil for no limit.
	Values []any
}

// Has reports whether values of the class are of one of the kinds.
func (c Class) Has(on Classes) bool { return c.Classes&on != 0 }

// number reads a number of a tag: an exact one that values of the class can be.
func (c Class) number(text string) (n json.Number, wrong string) {
	r, ok := jsonschema.Rational(text)
	switch {
	case !ok:
		return "", "must be a number"
	case c.Has(OnInt) && !r.IsInt():
		return "", "must be an integer, as the field is"
	case !c.holds(r, text):
		return "", "is outside the range of " + c.Type.Underlying().String()
	case c.Has(OnInt):
		return json.Number(r.Num().String()), ""
	}
	return json.Number(text), ""
}

// holds reports whether a Go value of the class can be r.
func (c Class) holds(r *big.Rat, text string) bool {
	basic, ok := c.Type.Underlying().(*types.Basic)
	if !ok {
		return true
	}
	bits := map[types.BasicKind]int{types.Int8: 8, types.Uint8: 8, types.Int16: 16, types.Uint16: 16, types.Int32: 32,
		types.Uint32: 32, types.Float32: 32}[basic.Kind()]
	if bits == 0 {
		bits = 64
	}
	var err error
	switch {
	case basic.Info()&types.IsFloat != 0:
		_, err = strconv.ParseFloat(text, bits)
	case basic.Info()&types.IsUnsigned != 0:
		_, err = strconv.ParseUint(r.Num().String(), 10, bits)
	default:
		_, err = strconv.ParseInt(r.Num().String(), 10, bits)
	}
	return err == nil
}
