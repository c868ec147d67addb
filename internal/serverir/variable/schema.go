package variable

import (
	"encoding/json"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/serverir/jsonschema"
)

// VarsSchema is the schema of an object with the variables as members.
func (b *Reader) VarsSchema(vars []*ir.Var) string {
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
	case ir.VarEnum:
		t := &jsonschema.Type{Kind: jsonschema.String}
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
	k := &jsonschema.Keywords{Minimum: json.Number(v.Min), Maximum: json.Number(v.Max)}
	if m.Minlen.V > 0 {
		k.MinLength = new(uint64(m.Minlen.V))
	}
	if m.Maxlen.Set() {
		k.MaxLength = new(uint64(m.Maxlen.V))
	}
	if m.Pattern.Set() {
		k.Pattern = m.Pattern.V.String()
	}
	if m.Example.Set() {
		k.Examples = []any{valueOf(kindOf(v), m.Example.V)}
	}
	return k
}

// defaultOf is the default of a variable as a value of JSON; nil for none, and for one that depends on the time.
func defaultOf(v *ir.Var) any {
	if !v.HasDefault || v.Kind == ir.VarTime && Parses(&ir.Var{Kind: ir.VarDuration}, v.Default) {
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
