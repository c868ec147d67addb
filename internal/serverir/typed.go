package serverir

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/serverir/jsonschema"
)

// templateTools adds a tool for each template, if the server wants that. They come behind the declared tools, in
// the order of the resources.
func (b *serverBuilder) templateTools() {
	if !b.typedTools {
		return
	}
	for _, r := range b.resources {
		if r.Template != nil && r.alias == nil && !slices.ContainsFunc(r.Vars, func(v *ir.Var) bool { return v.Kind == 0 }) {
			b.templateTool(r)
		}
	}
}

// templateTool adds the tool that reads instances of r.
func (b *serverBuilder) templateTool(r *resource) {
	t := &ir.Tool{
		Pos: r.Pos, Reads: r.Resource, Callee: ir.Callee{File: r.Callee.File, Decl: r.Callee.Decl},
		Name: "read_" + strings.ReplaceAll(r.Name, "-", "_"), Title: r.Title, Description: cmp.Or(r.Description,
			"Reads a resource "+r.URI+"."),
		ReadOnly: new(true), OpenWorld: new(false), Icons: r.Icons,
		Proto: r.Proto, Tags: r.Tags, CallName: "tool" + r.Names.URI, InputSchema: varsSchema(r.Vars),
	}
	if !toolName.MatchString(t.Name) {
		t.Name = "read_" + joinLower(r.decl.Name, "_")
	}
	from, to := nameOf(r.decl)
	if i := slices.IndexFunc(b.server.Tools, func(o *ir.Tool) bool { return o.Name == t.Name }); i >= 0 {
		ofrom, oto := nameOf(b.tools[i])
		b.report("MCP207", from, to,
			fmt.Sprintf("tool `%s`, which `astools=typed` makes of `%s`, is already declared by `%s`", t.Name, r.decl.Name,
				b.tools[i].Name),
			b.related(ofrom, oto, "declared here first"), fix("give one of them another name=…"))
		return
	}
	if slices.Contains(resourceTools, t.Name) {
		b.report("MCP207", from, to,
			fmt.Sprintf("tool `%s`, which `astools=typed` makes of `%s`, is one of those that `astools=` adds", t.Name,
				r.decl.Name),
			fix("give the resource another name=…"))
		return
	}
	b.server.Tools = append(b.server.Tools, t)
	b.tools = append(b.tools, r.decl)
}

// varsSchema is the schema of an object with the variables as members.
func varsSchema(vars []*ir.Var) string {
	root := &jsonschema.Type{Kind: jsonschema.Object}
	for _, v := range vars {
		f := jsonschema.Field{Name: v.Name, Description: v.Desc, Required: v.Required || !v.Op.InQuery()}
		own := v
		limits := keywordsOf(v)
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

// keywordsOf are the bounds of a variable.
func keywordsOf(v *ir.Var) *jsonschema.Keywords {
	k := &jsonschema.Keywords{Minimum: json.Number(v.Min), Maximum: json.Number(v.Max)}
	if v.MinLen > 0 {
		k.MinLength = new(uint64(v.MinLen))
	}
	if v.MaxLen >= 0 {
		k.MaxLength = new(uint64(v.MaxLen))
	}
	if v.Pattern != nil {
		k.Pattern = v.Pattern.Whole
	}
	return k
}

// defaultOf is the default of a variable as a value of JSON; nil for none, and for one that depends on the time.
func defaultOf(v *ir.Var) any {
	switch {
	case !v.HasDefault:
		return nil
	case v.Kind == ir.VarBool:
		return v.Default == "true" || v.Default == "1"
	case isNumber(v) || v.Kind == ir.VarEnum && v.Bits > 0:
		return json.Number(literal(v, v.Default))
	case v.Kind == ir.VarTime && parses(&ir.Var{Kind: ir.VarDuration}, v.Default):
		return nil
	}
	return v.Default
}

// astoolsValue is the value of astools= of a server directive.
func astoolsValue(spec *directive.Server) (generic, typed bool) {
	typed = spec.Astools.V == "typed"
	return typed || spec.Astools.V == "generic", typed
}
