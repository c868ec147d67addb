package serverir

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/constant"
	"go/types"
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/jsonschema"
)

const formFields = "fields of forms: string, integer and floating-point types, bool, enums of strings, slices of enums"

// formWords are the keywords that a field of a form may have, by its type, in the order of the output.
var formWords = map[string][]string{
	"string":  {"title", "description", "enum", "minLength", "maxLength", "format", "default"},
	"number":  {"title", "description", "minimum", "maximum", "default"},
	"integer": {"title", "description", "minimum", "maximum", "default"},
	"boolean": {"title", "description", "default"},
	"array":   {"title", "description", "minItems", "maxItems", "items", "default"},
}

// formFormats are the formats of text that clients know in forms.
var formFormats = []string{`"email"`, `"uri"`, `"date"`, `"date-time"`}

// buildForm turns a struct that users fill in into IR.
func (b *serverBuilder) buildForm(d *load.Decl, _ *directive.Form) {
	from, to := nameOf(d)
	t := d.Obj.Type()
	if n, ok := t.(*types.Named); ok && n.TypeParams().Len() > 0 {
		b.report("MCP407", from, to, "a form cannot have type parameters", fix("declare a struct without"))
		return
	}
	if !b.checkJSON(t, true, from, to) {
		return
	}
	s := newSchemas(b, true)
	var properties, required [][]byte
	for _, f := range b.argsOf(t).members {
		name := jsonText(f.name)
		text, why := s.formField(f)
		if why != "" {
			ffrom, fto := from, to
			if b.res.PackageOf(f.field()) != nil {
				ffrom, fto = paramRange(f.field())
			}
			b.report("MCP407", ffrom, fto, fmt.Sprintf("field %s: %s", f.field().Name(), why), hint(formFields),
				fix("ask for it in another way, or leave it out with json:\"-\""))
			continue
		}
		properties = append(properties, slices.Concat(name, []byte(":"), text))
		if f.required {
			required = append(required, name)
		}
	}
	schema := append([]byte(`{"type":"object","properties":{`), bytes.Join(properties, []byte(","))...)
	schema = append(schema, '}')
	if len(required) > 0 {
		schema = slices.Concat(schema, []byte(`,"required":[`), bytes.Join(required, []byte(",")), []byte("]"))
	}
	b.p.Forms = append(b.p.Forms, &ir.Form{Args: b.argStruct(t), Schema: string(append(schema, '}'))})
}

// formField returns the schema of one field, or what is wrong with it.
func (s *schemas) formField(f *member) (text []byte, why string) {
	root := &jsonschema.Type{Kind: jsonschema.Object}
	root.Fields = append(root.Fields, s.field(f))
	all := schemaText(root)
	var doc struct {
		Properties map[string]map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal([]byte(all), &doc); err != nil {
		return nil, "its schema takes anything"
	}
	words := doc.Properties[f.name]
	var kind string
	_ = json.Unmarshal(words["type"], &kind)
	allowed := formWords[kind]
	if allowed == nil {
		return nil, "clients can draw no form for " + s.b.typeText(f.field().Type())
	}
	if why := s.formChoices(f, kind, words); why != "" {
		return nil, why
	}
	if format := string(words["format"]); format != "" && !slices.Contains(formFormats, format) {
		return nil, "forms know no format " + format
	}
	return formText(kind, allowed, words)
}

// formText writes the keywords of a field.
func formText(kind string, allowed []string, words map[string]json.RawMessage) (text []byte, why string) {
	delete(words, "type")
	text = fmt.Appendf(nil, `{"type":%q`, kind)
	for _, name := range append(slices.Clip(allowed), "oneOf", "enumNames") {
		if value := words[name]; value != nil {
			text = fmt.Appendf(text, `,%q:%s`, name, value)
			delete(words, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(words)) {
		return nil, fmt.Sprintf("forms have no keyword `%s`", name)
	}
	return append(text, '}'), ""
}

// formChoices gives the choices of an enum their titles, if they have any.
func (s *schemas) formChoices(f *member, kind string, words map[string]json.RawMessage) (why string) {
	type choice struct {
		Const string `json:"const"`
		Title string `json:"title"`
	}
	t := deref(types.Unalias(f.field().Type()))
	var items struct {
		Type string   `json:"type"`
		Enum []string `json:"enum"`
	}
	if kind == "array" {
		if err := json.Unmarshal(words["items"], &items); err != nil || items.Type != "string" || items.Enum == nil {
			return "a list in a form offers choices among texts"
		}
		t = deref(types.Unalias(t.Underlying().(*types.Slice).Elem()))
	}
	var choices []choice
	var names []string
	for _, c := range s.b.labels(t) {
		choices, names = append(choices, choice{c[0], c[1]}), append(names, c[1])
	}
	if choices == nil || kind == "string" && words["enum"] == nil {
		return ""
	}
	switch {
	case kind == "array":
		words["items"] = jsonText(map[string]any{"anyOf": choices})
	case f.rules.enumNames:
		words["enumNames"] = jsonText(names)
	default:
		words["oneOf"] = jsonText(choices)
		delete(words, "enum")
	}
	return ""
}

// labels are the constants of an enum of texts with the comments behind them; nil unless each has one.
func (b *serverBuilder) labels(t types.Type) (out [][2]string) {
	obj := typeName(t)
	if obj == nil || b.shapeOf(t) != shapeEnum || !isString(t) {
		return nil
	}
	for _, c := range b.res.Constants(obj) {
		if c.Label == "" {
			return nil
		}
		out = append(out, [2]string{constant.StringVal(c.Value), c.Label})
	}
	return out
}

// jsonText encodes a value that has a JSON form.
func jsonText(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // only values that we made ourselves are encoded
	}
	return text
}
