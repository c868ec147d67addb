package serverir

import (
	"encoding/json"
	"go/token"
	"go/types"
	"math/big"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
)

// option adds a detail to a diagnostic.
type option = func(*diag.Diagnostic)

// keywordClasses is a set of kinds of values that keywords are for.
type keywordClasses uint

const (
	onText keywordClasses = 1 << iota // text that generated code looks into
	onWord                            // text that a method reads
	onInt
	onFloat
	onBool
	onList
	onMap
	onOther
)

// String names the set for messages.
func (c keywordClasses) String() string {
	var words []string
	for _, w := range []struct {
		on   keywordClasses
		word string
	}{{onText, "texts"}, {onInt, "integers"}, {onFloat, "numbers"}, {onBool, "booleans"}, {onList, "lists"}} {
		if c&w.on != 0 && !(w.on == onInt && c&onFloat != 0) {
			words = append(words, w.word)
		}
	}
	return strings.Join(words, ", ")
}

// keywordClass is what keywords may say about values of a type.
type keywordClass struct {
	keywordClasses
	// noun says what values are.
	noun string
	// typ is the type behind pointers, and elem the class of the elements of a list.
	typ  types.Type
	elem *keywordClass
	// values are the only ones by the type itself; nil for no limit.
	values []any
}

func (c keywordClass) has(on keywordClasses) bool { return c.keywordClasses&on != 0 }

// classOf finds out what keywords are for values of type t, and for its elements.
func (b *serverBuilder) classOf(t types.Type) keywordClass {
	c := b.plainClass(t)
	if c.has(onList) {
		elem := b.plainClass(c.typ.Underlying().(interface{ Elem() types.Type }).Elem())
		c.elem = &elem
	}
	return c
}

// classOfField is classOf for a field, whose tag may put its value in quotes.
func (b *serverBuilder) classOfField(f *jsonField) keywordClass {
	t := types.Unalias(f.field().Type())
	c := b.classOf(t)
	if typeName(t) == nil {
		t = deref(t)
	}
	if _, pointer := t.Underlying().(*types.Pointer); f.quoted && !pointer && c.has(onText|onInt|onFloat|onBool) {
		return keywordClass{keywordClasses: onWord, noun: c.noun + " in quotes", typ: c.typ}
	}
	return c
}

func (b *serverBuilder) plainClass(t types.Type) keywordClass {
	t = types.Unalias(t)
	for {
		p, ok := t.Underlying().(*types.Pointer)
		if !ok || typeName(t) != nil {
			break
		}
		t = types.Unalias(p.Elem())
	}
	c := keywordClass{typ: t}
	switch b.shapeOf(t) {
	case shapeString:
		c.keywordClasses, c.noun = onText, "a text"
	case shapeText, shapeTime:
		c.keywordClasses, c.noun = onWord, "a text that a method reads"
	case shapeBool:
		c.keywordClasses, c.noun = onBool, "a boolean"
	case shapeInt, shapeUint:
		c.keywordClasses, c.noun = onInt, "an integer"
	case shapeFloat:
		c.keywordClasses, c.noun = onFloat, "a number"
	case shapeEnum:
		c.keywordClasses, c.noun, c.values = onInt, "an enum", b.constants(t)
		if isString(t) {
			c.keywordClasses = onText
		}
	case shapeSlice, shapeArray:
		c.keywordClasses, c.noun = onList, "a list"
	case shapeMap:
		c.keywordClasses, c.noun = onMap, "a map"
	case shapeMapped:
		c.keywordClasses, c.noun = onOther, "of a type with //mcp:type"
	case shapeBytes:
		c.keywordClasses, c.noun = onOther, "bytes"
	case shapeStruct:
		c.keywordClasses, c.noun = onOther, "a struct"
	default:
		c.keywordClasses, c.noun = onOther, "a value of any form"
	}
	return c
}

// number reads a number of a tag: an exact one that values of the class can be.
func (c keywordClass) number(text string) (n json.Number, wrong string) {
	r, ok := rational(text)
	switch {
	case !ok:
		return "", "must be a number"
	case c.has(onInt) && !r.IsInt():
		return "", "must be an integer, as the field is"
	case !c.holds(r, text):
		return "", "is outside the range of " + c.typ.Underlying().String()
	case c.has(onInt):
		return json.Number(r.Num().String()), ""
	}
	return json.Number(text), ""
}

// holds reports whether a Go value of the class can be r.
func (c keywordClass) holds(r *big.Rat, text string) bool {
	basic, ok := c.typ.Underlying().(*types.Basic)
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

// rational reads a JSON number exactly.
func rational(text string) (*big.Rat, bool) {
	var n json.Number
	if json.Unmarshal([]byte(text), &n) != nil || !json.Valid([]byte(text)) || text != strings.TrimSpace(text) ||
		text[0] == '"' || text == "null" {
		return nil, false
	}
	f, err := strconv.ParseFloat(text, 64)
	if tiny := f == 0 && strings.ContainsAny(mantissa(text), "123456789"); err != nil || tiny || len(text) > 64 {
		return nil, false // an exponent without bounds would be written out
	}
	return new(big.Rat).SetString(text)
}

// mantissa is the part of a number before its exponent.
func mantissa(text string) string {
	before, _, _ := strings.Cut(strings.ToLower(text), "e")
	return before
}

// compareNumbers compares two numbers of a tag.
func compareNumbers(x, y string) (order int, ok bool) {
	a, aok := rational(x)
	b, bok := rational(y)
	if !aok || !bok {
		return 0, false
	}
	return a.Cmp(b), true
}

// related points to another word of the tag.
func (p *ruleParser) related(w tagWord) []option {
	if !w.from.IsValid() {
		return nil
	}
	return []option{p.b.related(w.from, w.to, "the other one")}
}

// reportAt adds a diagnostic about a place of the tag, or about the type in the signature if the source
// of the tag is not known.
func (p *ruleParser) reportAt(code string, from, to token.Pos, message, better string, options ...option) {
	if p.w == nil {
		return
	}
	p.w.found++
	if line := p.b.argLineOf[p.f.field()]; !from.IsValid() && line != nil && line.Name.Set() {
		from, to = valueOf(line.Name.Arg)
	} else if !from.IsValid() {
		from, to, message = p.w.from, p.w.to, "field "+p.f.field().Name()+": "+message
	}
	p.b.report(code, from, to, message, append(options, fix(better))...)
}
