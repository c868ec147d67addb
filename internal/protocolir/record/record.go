// Package record makes the record of what a protocol gives, and refuses one that takes something back.
package record

import (
	"errors"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
	"github.com/mcpgen/mcpgen/schema"
)

// GivenName returns the name in "Name type", "" for a constant.
func GivenName(given string) string {
	name, _, _ := strings.Cut(given, " ")
	if name == "=" {
		return ""
	}
	return name
}

func givenStruct(s *ir.Struct) schema.APIType {
	t := schema.APIType{Go: s.Go, Kind: "struct", Fields: map[string]string{}}
	for _, f := range s.Fields {
		text := "= " + f.Const
		if f.Const == "" {
			text = f.Go + " " + GoText(f.Type)
		}
		t.Fields[schema.FieldKey(f.JSON, f.Nth)] = text
	}
	return t
}

func givenMethod(x *ir.Method) schema.APIMethod {
	out := schema.APIMethod{Const: x.Const}
	if x.ClientRevs|x.ServerRevs == 0 {
		return out
	}
	out.Handler, out.Params = x.Go, "*"+recordName(x.Params)
	for _, r := range x.Results {
		out.Results = append(out.Results, recordName(r))
	}
	if x.Union {
		out.Params = recordName(x.Params)
	}
	slices.Sort(out.Results)
	return out
}

// GoText is the Go type of a field as text.
func GoText(t *ir.Type) string {
	text := ""
	if t.Ptr {
		text = "*"
	}
	switch t.Kind {
	case ir.KindAny, ir.KindObject:
		return text + "json.RawMessage"
	case ir.KindStruct, ir.KindEnum, ir.KindUnion:
		return text + recordName(t.Name)
	case ir.KindList, ir.KindOneOrMany:
		return text + "[]" + GoText(t.Elem)
	case ir.KindMap:
		return text + "wire.Map[" + GoText(t.Elem) + "]"
	default:
		return text + kindTexts[t.Kind]
	}
}

var kindTexts = map[ir.Kind]string{
	ir.KindString: "string", ir.KindBytes: "[]byte", ir.KindBool: "bool", ir.KindInt: "int64", ir.KindFloat: "float64",
	ir.KindID: "wire.ID", ir.KindError: "wire.Error",
}

// Of returns the record of what a protocol gives: it has all that the record has had.
func Of(s *merged.Set, p *ir.Protocol) *schema.API {
	out := &schema.API{
		Types: map[string]schema.APIType{}, Methods: map[string]schema.APIMethod{}, Codes: map[string]string{},
		Founding: []string{}, Added: []string{},
	}
	for _, rev := range s.Sequence {
		if date := s.Schemas[rev].Revision; s.Later(rev) {
			out.Added = append(out.Added, date)
		} else {
			out.Founding = append(out.Founding, date)
		}
	}
	for _, x := range p.Structs {
		out.Types[x.Schema] = givenStruct(x)
	}
	for _, e := range p.Enums {
		t := schema.APIType{Go: e.Go, Kind: "enum", Values: map[string]string{}}
		for _, v := range e.Values {
			t.Values[v.Value] = v.Go
		}
		out.Types[e.Schema] = t
	}
	for _, u := range p.Unions {
		t := schema.APIType{Go: u.Go, Kind: "union"}
		for _, v := range u.Variants {
			t.Members = append(t.Members, recordName(v.Struct))
		}
		slices.Sort(t.Members)
		out.Types[u.Schema] = t
	}
	for _, a := range p.Aliases {
		out.Types[a.Schema] = schema.APIType{Go: a.Go, Kind: "alias", Type: GoText(a.Type)}
	}
	for _, x := range p.Methods {
		out.Methods[x.Name] = givenMethod(x)
	}
	for i, c := range p.Codes {
		out.Codes[s.Codes[i].Name+" "+c.Value] = c.Go
	}
	return out
}

// Check refuses a protocol that takes back what was given, unless the exceptions, which file names in messages,
// allow it. It knows that only if all revisions of the record are there.
func Check(s *merged.Set, now *schema.API, ex *schema.Exceptions, file string) error {
	if !s.API.Complete(s.Dates()) {
		return nil
	}
	var problems []error
	for _, lost := range s.API.Lost(now) {
		if ex.Break(lost) == "" {
			problems = append(problems, schema.Errorf(placeOf(s, lost), "%s. What a revision gave stays: name the definition "+
				"as it was in \"aliases\" of %s, or write %q with a reason into its \"breaks\"", lost, file, lost))
		}
	}
	return errors.Join(problems...)
}

// placeOf returns where the newest revision has the definition that a line of [schema.API.Lost] begins with.
func placeOf(s *merged.Set, lost string) schema.Pos {
	name, _, _ := strings.Cut(lost, " ")
	name, property, _ := strings.Cut(name, ".")
	newest := s.Schemas[s.Sequence[len(s.Sequence)-1]]
	d := newest.Lookup(name)
	if d == nil {
		return schema.Pos{File: newest.File, Line: 1, Col: 1}
	}
	if p := d.Node.Property(strings.TrimRight(property, "#0123456789")); p != nil {
		return p.Pos
	}
	return d.Node.Pos
}

// recordName returns a type name as the record has it, which does not depend on where the packages are.
func recordName(name string) string {
	if !IsForeign(name) {
		return name
	}
	return "protocol." + name[strings.LastIndexByte(name, '.')+1:]
}

// IsForeign reports whether a Go name is of another package.
func IsForeign(name string) bool { return strings.Contains(name, ".") }
