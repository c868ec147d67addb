package variable

import (
	"encoding/json"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/serverir/jsonschema"
)

// VarsSchema is the schema of an object with the variables as members. The path of a directory may be empty; nil for
// none.
func (b *Reader) VarsSchema(vars []*ir.Var, directory *ir.Var) string {
	root := &jsonschema.Type{Kind: jsonschema.Object}
	for _, v := range vars {
		f := jsonschema.Field{Name: v.Name, Description: v.Desc, Required: v.Required || !v.Op.InQuery()}
		own := v
		limits := &jsonschema.Keywords{}
		if m := b.limits[v]; m != nil {
			limits = keywordsOf(v, m)
		}
		if v.Kind == ir.VarSlice {
			own, f.Elem = v.Elem, limits
		} else {
			f.Keywords = limits
			limits.Default = defaultOf(v)
		}
		f.Type = typeOfVar(own)
		if own.Kind == ir.VarDuration {
			limits.Pattern = durationPattern
		}
		if !v.Op.InQuery() && v != directory {
			notEmpty(&f, own, limits)
		}
		if v.Kind == ir.VarSlice {
			f.Type = &jsonschema.Type{Kind: jsonschema.Array, Elem: f.Type}
		}
		root.Fields = append(root.Fields, f)
	}
	text, err := jsonschema.Text(root)
	if err != nil {
		panic(err) // only values that we made ourselves are encoded
	}
	return text
}

// durationPattern is the syntax of time.ParseDuration.
const durationPattern = `^[-+]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`

// notEmpty says of a variable of the path that its texts, and their list, hold something: a segment is never empty.
func notEmpty(f *jsonschema.Field, own *ir.Var, limits *jsonschema.Keywords) {
	text := own.Kind == ir.VarString || own.Kind == ir.VarText && own.Values == nil
	if text && limits.MinLength == nil {
		limits.MinLength = new(uint64(1))
	}
	if f.Elem != nil {
		f.Keywords = &jsonschema.Keywords{MinItems: new(uint64(1))}
	}
}

// typeOfVar is the form of a variable as JSON.
func typeOfVar(v *ir.Var) *jsonschema.Type {
	switch v.Kind {
	case ir.VarBool:
		return &jsonschema.Type{Kind: jsonschema.Bool}
	case ir.VarInt, ir.VarUint:
		bits := v.Bits
		if bits == 64 {
			bits = 0
		}
		return &jsonschema.Type{Kind: jsonschema.Integer, Unsigned: v.Kind == ir.VarUint, Bits: bits}
	case ir.VarFloat:
		return &jsonschema.Type{Kind: jsonschema.Number}
	case ir.VarEnum, ir.VarText:
		t := &jsonschema.Type{Kind: jsonschema.String}
		if v.Late {
			return t
		}
		if v.Bits > 0 {
			t.Kind = jsonschema.Integer
		}
		for _, text := range v.Values {
			if v.Bits > 0 {
				t.Enum = append(t.Enum, json.Number(text))
			} else {
				t.Enum = append(t.Enum, text)
			}
		}
		return t
	case ir.VarTime:
		return &jsonschema.Type{Kind: jsonschema.String, Format: map[string]string{"": "date-time",
			"2006-01-02": "date"}[v.Layout]}
	}
	return &jsonschema.Type{Kind: jsonschema.String}
}

// keywordsOf are the limits of a variable as keywords of its schema.
func keywordsOf(v *ir.Var, m *directive.Limits) *jsonschema.Keywords {
	kind := kindOf(v)
	k := &jsonschema.Keywords{Minimum: bound(kind, v.Min), Maximum: bound(kind, v.Max)}
	if m.Minlen.V > 0 {
		k.MinLength = new(uint64(m.Minlen.V))
	}
	if m.Maxlen.Set() {
		k.MaxLength = new(uint64(m.Maxlen.V))
	}
	if m.Pattern.Set() {
		k.Pattern = m.Pattern.V.String()
	}
	if m.Example.Set() && Parses(kind, m.Example.V) {
		k.Examples = []any{valueOf(kind, m.Example.V)}
	}
	return k
}

// bound is a bound of numbers; "" for none, and for one that was reported.
func bound(kind *ir.Var, text string) json.Number {
	if !isNumber(kind) || !Parses(kind, text) {
		return ""
	}
	return json.Number(text)
}

// defaultOf is the default of a variable as a value of JSON; nil for none, and for one that depends on the time.
func defaultOf(v *ir.Var) any {
	if !v.HasDefault || !Parses(v, v.Default) || v.Kind == ir.VarTime && Parses(&ir.Var{Kind: ir.VarDuration}, v.Default) {
		return nil
	}
	return valueOf(v, v.Default)
}

// valueOf is the value that a text stands for, as a value of JSON.
func valueOf(v *ir.Var, text string) any {
	switch {
	case v.Kind == ir.VarBool:
		return text == "true" || text == "1"
	case isNumber(v) || v.Kind == ir.VarEnum && v.Bits > 0:
		return json.Number(literal(v, text))
	}
	return text
}
