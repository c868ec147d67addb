// Package form makes the forms that users fill in: structs with a form directive.
package form

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/types"
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/codec"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/jsoncheck"
	"github.com/mcpgen/mcpgen/internal/serverir/jsonschema"
	"github.com/mcpgen/mcpgen/internal/serverir/jsontype"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
	"github.com/mcpgen/mcpgen/internal/serverir/tagrule"
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

// Build turns a struct that users fill in into IR.
func Build(b *codec.Codecs, d *load.Decl) {
	from, to := source.NameOf(d)
	t := d.Obj.Type()
	if n, ok := t.(*types.Named); ok && n.TypeParams().Len() > 0 {
		b.Report("MCP407", from, to, "a form cannot have type parameters", report.Fix("declare a struct without"))
		return
	}
	if !jsoncheck.Check(b.Types, t, true, from, to) {
		return
	}
	s := codec.NewSchemas(b.Types, true)
	var properties, required [][]byte
	for _, f := range b.ArgsOf(t).Members {
		name := jsonText(f.Name)
		text, why := formField(b, s, f)
		ffrom, fto := from, to
		if b.Res.PackageOf(f.Var()) != nil {
			ffrom, fto = source.ParamRange(f.Var())
		}
		if why != "" {
			b.Report("MCP407", ffrom, fto, fmt.Sprintf("field %s: %s", f.Var().Name(), why), report.Hint(formFields),
				report.Fix("ask for it in another way, or leave it out with json:\"-\""))
			continue
		}
		if tagrule.IsSecret(f.Name) {
			b.Report("MCP616", ffrom, fto, fmt.Sprintf("a form asks for `%s`, which looks like a secret", f.Name),
				report.Hint("clients and models see what users fill in"),
				report.Fix("send the user to a page of yours with AskURL"))
		}
		properties = append(properties, slices.Concat(name, []byte(":"), text))
		if f.Required {
			required = append(required, name)
		}
	}
	schema := append([]byte(`{"type":"object","properties":{`), bytes.Join(properties, []byte(","))...)
	schema = append(schema, '}')
	if len(required) > 0 {
		schema = slices.Concat(schema, []byte(`,"required":[`), bytes.Join(required, []byte(",")), []byte("]"))
	}
	b.Output.Forms = append(b.Output.Forms, &ir.Form{Args: b.ArgStruct(t), Schema: string(append(schema, '}'))})
}

// formField returns the schema of one field, or what is wrong with it.
func formField(b *codec.Codecs, s *codec.Schemas, f *jsontype.Member) (text []byte, why string) {
	root := &jsonschema.Type{Kind: jsonschema.Object}
	root.Fields = append(root.Fields, s.Field(f))
	all := codec.SchemaText(root)
	var doc struct {
		Properties map[string]map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal([]byte(all), &doc); err != nil {
		return nil, "its schema takes anything"
	}
	words := doc.Properties[f.Name]
	var kind string
	_ = json.Unmarshal(words["type"], &kind)
	allowed := formWords[kind]
	if allowed == nil {
		return nil, "clients cannot show a form for " + b.TypeText(f.Var().Type())
	}
	if why := formChoices(b, f, kind, words); why != "" {
		return nil, why
	}
	if format := string(words["format"]); format != "" && !slices.Contains(formFormats, format) {
		return nil, "forms know no format " + format
	}
	return formText(kind, allowed, words)
}

// formText writes the JSON of a field: its type, and the keywords among words that such a field may have. why is a
// keyword that it may not have; "" if there is none.
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
func formChoices(b *codec.Codecs, f *jsontype.Member, kind string, words map[string]json.RawMessage) (why string) {
	type choice struct {
		Const string `json:"const"`
		Title string `json:"title"`
	}
	t := gotype.Deref(types.Unalias(f.Var().Type()))
	var items struct {
		Type string   `json:"type"`
		Enum []string `json:"enum"`
	}
	if kind == "array" {
		if err := json.Unmarshal(words["items"], &items); err != nil || items.Type != "string" || items.Enum == nil {
			return "a list in a form offers choices among texts"
		}
		t = gotype.Deref(types.Unalias(t.Underlying().(interface{ Elem() types.Type }).Elem()))
	}
	var choices []choice
	var names []string
	for _, c := range b.Labels(t) {
		choices, names = append(choices, choice{c[0], c[1]}), append(names, c[1])
	}
	if choices == nil || kind == "string" && words["enum"] == nil {
		return ""
	}
	switch {
	case kind == "array":
		words["items"] = jsonText(map[string]any{"anyOf": choices})
	case f.Rules.EnumNames:
		words["enumNames"] = jsonText(names)
	default:
		words["oneOf"] = jsonText(choices)
		delete(words, "enum")
	}
	return ""
}

// jsonText encodes a value that has a JSON form.
func jsonText(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // only values that we made ourselves are encoded
	}
	return text
}
