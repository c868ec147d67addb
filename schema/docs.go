package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"sort"
)

// Docs are the doc sentences of the generated package, written by hand and shared by all revisions. The sections are in
// the order of the file.
type Docs struct {
	Codes   map[string]string  `json:"codes"`   // by the number as text, or by definition name
	Enums   map[string]EnumDoc `json:"enums"`   // by merged definition name
	Methods map[string]string  `json:"methods"` // by method name on the wire
	Types   map[string]TypeDoc `json:"types"`   // by merged definition name

	used map[string]bool
}

// TypeDoc documents a struct or a union.
type TypeDoc struct {
	Doc    string            `json:"doc"`
	Fields map[string]string `json:"fields,omitempty"` // by JSON name
}

// EnumDoc documents an enumeration.
type EnumDoc struct {
	Doc    string            `json:"doc"`
	Values map[string]string `json:"values,omitempty"`
}

// DocKey says where a sentence stands in a docs file.
type DocKey struct {
	Section string // types, enums, methods or codes
	Name    string // of a definition or method, or the number of a code
	Member  string // a property or a value, "" for the definition itself
}

// String returns the key as [Docs.Unused] has it.
func (k DocKey) String() string {
	if k.Member == "" {
		return k.Section + " " + k.Name
	}
	return k.Section + " " + k.Name + "." + k.Member
}

// Outline returns the file with an empty sentence for each key that it lacks. An empty sentence is none: what is to be
// written still counts as missing.
func (d *Docs) Outline(keys []DocKey) ([]byte, error) {
	file := *d
	for _, k := range keys {
		switch k.Section {
		case "codes":
			file.Codes = put(file.Codes, k.Name)
		case "methods":
			file.Methods = put(file.Methods, k.Name)
		case "enums":
			e := file.Enums[k.Name]
			if k.Member != "" {
				e.Values = put(e.Values, k.Member)
			}
			file.Enums = with(file.Enums, k.Name, e)
		default:
			t := file.Types[k.Name]
			if k.Member != "" {
				t.Fields = put(t.Fields, k.Member)
			}
			file.Types = with(file.Types, k.Name, t)
		}
	}
	return encode(file, "  ")
}

// put returns a copy of a table with one more key.
func put(table map[string]string, key string) map[string]string { return with(table, key, table[key]) }

// with returns a copy of a table with one more entry: the table itself belongs to the docs.
func with[V any](table map[string]V, key string, value V) map[string]V {
	out := maps.Clone(table)
	if out == nil {
		out = map[string]V{}
	}
	out[key] = value
	return out
}

// ParseDocs reads a docs file. No data stands for a file without entries.
func ParseDocs(data []byte) (*Docs, error) {
	d := &Docs{used: map[string]bool{}}
	if len(data) == 0 {
		return d, nil
	}
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(d); err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	return d, nil
}

// Type returns the doc of a struct or union, or "".
func (d *Docs) Type(name string) string { return d.take("types "+name, d.Types[name].Doc) }

// Field returns the doc of a property, or "".
func (d *Docs) Field(owner, json string) string {
	return d.take("types "+owner+"."+json, d.Types[owner].Fields[json])
}

// Enum returns the doc of an enumeration, or "".
func (d *Docs) Enum(name string) string { return d.take("enums "+name, d.Enums[name].Doc) }

// Value returns the doc of an enumeration value, or "".
func (d *Docs) Value(enum, value string) string {
	return d.take("enums "+enum+"."+value, d.Enums[enum].Values[value])
}

// Method returns the doc of a method, or "".
func (d *Docs) Method(name string) string { return d.take("methods "+name, d.Methods[name]) }

// Code returns the doc of an error code, or "".
func (d *Docs) Code(key string) string { return d.take("codes "+key, d.Codes[key]) }

// Seen marks an entry as naming something that exists, although no Go declaration uses it.
func (d *Docs) Seen(key string) { d.used[key] = true }

func (d *Docs) take(key, doc string) string {
	d.used[key] = true
	return doc
}

// Unused returns the entries that document something that does not exist.
func (d *Docs) Unused() []string {
	var out []string
	check := func(key string) {
		if !d.used[key] {
			out = append(out, key)
		}
	}
	for name, t := range d.Types {
		check("types " + name)
		for f := range t.Fields {
			check("types " + name + "." + f)
		}
	}
	for name, e := range d.Enums {
		check("enums " + name)
		for v := range e.Values {
			check("enums " + name + "." + v)
		}
	}
	for m := range d.Methods {
		check("methods " + m)
	}
	for c := range d.Codes {
		check("codes " + c)
	}
	sort.Strings(out)
	return out
}
