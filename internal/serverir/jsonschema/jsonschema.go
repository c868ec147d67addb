// Package jsonschema writes the JSON schema of a tool's arguments. It is the only package that knows
// the schema library; what it is given is a description of how the arguments look as JSON.
package jsonschema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/invopop/jsonschema"
)

// Kind is the form of a JSON value.
type Kind uint8

// The forms of JSON values. Any accepts everything.
const (
	Any Kind = iota
	String
	Bool
	Integer
	Number
	Array
	Map
	Object
	Nullable // Elem or null
)

// Type describes the JSON values that a Go type accepts. Types may refer to each other in circles,
// as long as an Object, Array or Map with a Name is on the way.
type Type struct {
	Kind Kind
	// Name and Pkg are those of the Go type; they name its definition if it is recursive.
	Name, Pkg string
	// Description is what values are; empty for none. That of a Field comes before it.
	Description string
	// Format is a format of JSON Schema, Encoding base64 for bytes, and Pattern a regular expression; empty for none.
	Format, Encoding, Pattern string
	// Unsigned excludes negative integers.
	Unsigned bool
	// Bits is the size of an Integer; 0 for 64 or no limit.
	Bits int
	// Enum are the only values, strings or json.Number; nil for no limit.
	Enum []any
	// Names limits the names of the members of a Map.
	Names Names
	// Elem is what an Array or Map holds, or what a Nullable is unless it is null.
	Elem *Type
	// Len is the exact length of an Array if Fixed.
	Len   uint64
	Fixed bool
	// Fields are the members of an Object, in order.
	Fields []Field
}

// Names says what the names of members must be; the zero Names takes any.
type Names struct {
	// Pattern is a regular expression; empty for none.
	Pattern string
	// Enum are the only names; nil for no limit.
	Enum []any
}

// Field is one member of an Object.
type Field struct {
	Name, Description string
	Required          bool
	Type              *Type
	// Nullable says that the member may be null as well.
	Nullable bool
	// Header is the name of the HTTP header that mirrors the member; empty for none.
	Header string
	// Keywords limit and describe the member, and Elem its elements if it is an Array; nil for none.
	Keywords, Elem *Keywords
}

// Text returns the schema of root as compact JSON. The root is written out; only types that contain
// themselves become definitions.
func Text(root *Type) (string, error) { return text(root, false) }

// OpenText is Text for values whose objects may get more members later: the schema does not refuse those.
func OpenText(root *Type) (string, error) { return text(root, true) }

func text(root *Type, open bool) (string, error) {
	w := writer{open: open, recursive: map[*Type]string{}, names: map[string]bool{}, defs: jsonschema.Definitions{}}
	w.find(root, map[*Type]bool{}, map[*Type]bool{})
	s := w.form(root)
	if len(w.defs) > 0 {
		s.Definitions = w.defs
	}
	out, err := json.Marshal(s)
	if err == nil {
		out, err = typeFirst(out, schema)
	}
	if err != nil {
		return "", fmt.Errorf("input schema: %w", err)
	}
	return strings.ReplaceAll(plain(out), anything, "{}"), nil
}

// anyComment marks schemas without keywords. The library would write them as true, and the protocol
// wants every property to be an object.
const (
	anyComment = "any"
	anything   = `{"$comment":"` + anyComment + `"}`
)

type writer struct {
	// open says that objects may have members that nothing says anything about.
	open bool
	// recursive are the types that contain themselves, with the names of their definitions.
	recursive map[*Type]string
	names     map[string]bool
	defs      jsonschema.Definitions
}

// find fills recursive. path are the types around t, seen those that need no second look.
func (w *writer) find(t *Type, path, seen map[*Type]bool) {
	if path[t] {
		if w.recursive[t] == "" {
			w.recursive[t] = w.freeName(t)
		}
		return
	}
	if t == nil || seen[t] {
		return
	}
	seen[t], path[t] = true, true
	w.find(t.Elem, path, seen)
	for _, f := range t.Fields {
		w.find(f.Type, path, seen)
	}
	delete(path, t)
}

// freeName names a definition: Node, else storeNode, else Node2 and so on.
func (w *writer) freeName(t *Type) string {
	name := t.Name
	if w.names[name] {
		name = t.Pkg + t.Name
	}
	for n := 2; w.names[name]; n++ {
		name = t.Name + strconv.Itoa(n)
	}
	w.names[name] = true
	return name
}

// schema refers to the definition of a recursive type, and writes out others.
func (w *writer) schema(t *Type) *jsonschema.Schema {
	name := w.recursive[t]
	if name == "" {
		return w.form(t)
	}
	if w.defs[name] == nil {
		w.defs[name] = &jsonschema.Schema{}
		*w.defs[name] = *w.form(t)
	}
	return &jsonschema.Schema{Ref: "#/$defs/" + name}
}

// form writes out t.
func (w *writer) form(t *Type) *jsonschema.Schema {
	s := &jsonschema.Schema{Description: t.Description, Format: t.Format, ContentEncoding: t.Encoding, Pattern: t.Pattern,
		Enum: t.Enum}
	switch t.Kind {
	case Any:
		s.Comments = anyComment
	case String:
		s.Type = "string"
	case Bool:
		s.Type = "boolean"
	case Integer:
		s.Type = "integer"
	case Number:
		s.Type = "number"
	case Array:
		s.Type, s.Items = "array", w.schema(t.Elem)
	case Map:
		s.Type, s.AdditionalProperties = "object", w.schema(t.Elem)
		if t.Names.Pattern != "" || t.Names.Enum != nil {
			s.PropertyNames = &jsonschema.Schema{Pattern: t.Names.Pattern, Enum: t.Names.Enum}
		}
	case Object:
		w.object(s, t)
	case Nullable:
		s.OneOf = []*jsonschema.Schema{w.schema(t.Elem), {Type: "null"}}
	}
	if t.Kind == Integer && t.Enum == nil {
		s.Minimum, s.Maximum = t.bounds()
	}
	if t.Fixed {
		s.MinItems, s.MaxItems = &t.Len, &t.Len
	}
	return s
}

// bounds returns the least and the largest integer; empty for no limit.
func (t *Type) bounds() (least, most json.Number) {
	switch {
	case t.Unsigned && t.Bits == 0:
		return "0", ""
	case t.Unsigned:
		return "0", json.Number(strconv.FormatInt(1<<t.Bits-1, 10))
	case t.Bits == 0:
		return "", ""
	}
	half := int64(1) << (t.Bits - 1)
	return json.Number(strconv.FormatInt(-half, 10)), json.Number(strconv.FormatInt(half-1, 10))
}

// object says properties even if there are none: some clients refuse an object schema without.
func (w *writer) object(s *jsonschema.Schema, t *Type) {
	s.Type, s.Properties = "object", jsonschema.NewProperties()
	if !w.open {
		s.AdditionalProperties = jsonschema.FalseSchema
	}
	for _, f := range t.Fields {
		s.Properties.Set(f.Name, w.member(&f))
		if f.Required {
			s.Required = append(s.Required, f.Name)
		}
	}
}

// member writes out a member.
func (w *writer) member(f *Field) *jsonschema.Schema {
	s := w.schema(f.Type)
	if f.Elem != nil && s.Items != nil {
		f.Elem.apply(s.Items)
	}
	if f.Keywords != nil {
		f.Keywords.apply(s)
	}
	if f.Header != "" {
		s.Extras = map[string]any{"x-mcp-header": f.Header}
	}
	s.Description = cmp.Or(f.Description, s.Description)
	if s.Comments == anyComment && !reflect.DeepEqual(s, &jsonschema.Schema{Comments: anyComment}) {
		s.Comments = ""
	}
	if f.Nullable && f.Type.Kind != Any {
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{s, {Type: "null"}}}
	}
	return s
}

// plain writes <, > and & as themselves, which encoding/json escapes for the sake of HTML pages.
func plain(text []byte) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			b.WriteByte(text[i])
			continue
		}
		switch escape := string(text[i:min(i+6, len(text))]); escape {
		case `\u003c`:
			b.WriteByte('<')
		case `\u003e`:
			b.WriteByte('>')
		case `\u0026`:
			b.WriteByte('&')
		default:
			b.WriteString(escape[:2])
			i++
			continue
		}
		i += 5
	}
	return b.String()
}
