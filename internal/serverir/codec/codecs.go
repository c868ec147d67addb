package codec

import (
	"bytes"
	"encoding/json"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/jsontype"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
)

// Codecs makes the decoders and encoders of a package, one for each type.
type Codecs struct {
	*jsontype.Types
	// Args are the structs with generated decoders, by the text of their type.
	Args map[string]*ir.ArgStruct
	// encoders are the types with generated encoders, by their text.
	encoders map[string]*ir.Encoder
}

// New returns what makes the codecs of the package s.
func New(s *gotype.Scope) *Codecs {
	return &Codecs{Types: jsontype.New(s), Args: map[string]*ir.ArgStruct{}, encoders: map[string]*ir.Encoder{}}
}

// To shares all that is known with a reader of some declarations of the package, whose mistakes go elsewhere.
func (b *Codecs) To(r *report.Reporter) *Codecs {
	return &Codecs{Types: b.Types.To(b.Scope.To(r)), Args: b.Args, encoders: b.encoders}
}

// plainJSON encodes a value without escapes for HTML.
func plainJSON(v any) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // only constants are encoded
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// argKindOf says how values of a kind are decoded. Kinds that contain others are not in it.
var argKindOf = map[jsontype.Kind]ir.ArgKind{
	jsontype.Any:     ir.ArgJSON,
	jsontype.Raw:     ir.ArgRaw,
	jsontype.Time:    ir.ArgTime,
	jsontype.Text:    ir.ArgText,
	jsontype.Numeral: ir.ArgNumber,
	jsontype.String:  ir.ArgString,
	jsontype.Bool:    ir.ArgBool,
	jsontype.Int:     ir.ArgInt,
	jsontype.Uint:    ir.ArgInt,
	jsontype.Float:   ir.ArgFloat,
	jsontype.Bytes:   ir.ArgBytes,
	jsontype.Slice:   ir.ArgSlice,
	jsontype.Array:   ir.ArgArray,
	jsontype.Map:     ir.ArgMap,
	jsontype.Pointer: ir.ArgPointer,
	jsontype.Struct:  ir.ArgObject,
}

// keyKindOf says how the names of members become keys of a map.
var keyKindOf = map[jsontype.Kind]ir.KeyKind{
	jsontype.String: ir.KeyString, jsontype.Int: ir.KeyInt, jsontype.Uint: ir.KeyInt,
	jsontype.Text: ir.KeyText}

// encKindOf says how values of a kind are encoded. An enum is encoded like its underlying type.
var encKindOf = map[jsontype.Kind]ir.EncKind{
	jsontype.Any:     ir.EncJSON,
	jsontype.Raw:     ir.EncRaw,
	jsontype.Time:    ir.EncTime,
	jsontype.Text:    ir.EncText,
	jsontype.Numeral: ir.EncJSON,
	jsontype.String:  ir.EncString,
	jsontype.Bool:    ir.EncBool,
	jsontype.Int:     ir.EncInt,
	jsontype.Uint:    ir.EncUint,
	jsontype.Float:   ir.EncFloat,
	jsontype.Bytes:   ir.EncBytes,
	jsontype.Slice:   ir.EncList,
	jsontype.Array:   ir.EncList,
	jsontype.Map:     ir.EncMap,
	jsontype.Pointer: ir.EncPointer,
	jsontype.Struct:  ir.EncStruct,
}

// quotedText returns a constant as it is written between quotes.
func quotedText(v any) string {
	if n, ok := v.(json.Number); ok {
		return n.String()
	}
	return string(plainJSON(v))
}
