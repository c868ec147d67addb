package protocolir

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/schema"
)

// keepNames takes all package-level names of the record, so that nothing new gets them.
func (b *protocolBuilder) keepNames() {
	for _, t := range b.api.Types {
		b.names.keep(t.Go)
		for _, name := range t.Values {
			b.names.keep(name)
		}
	}
	for _, x := range b.api.Methods {
		b.names.keep(x.Const)
	}
	for _, name := range b.api.Codes {
		b.names.keep(name)
	}
}

// keptType returns the Go name that a definition has in the record, or "".
func (b *protocolBuilder) keptType(d *mergedDef) string {
	if t := b.api.Type(d.name); t != nil {
		return t.Go
	}
	return ""
}

// givenName returns the name in "Name type", "" for a constant.
func givenName(given string) string {
	name, _, _ := strings.Cut(given, " ")
	if name == "=" {
		return ""
	}
	return name
}

// given returns the record of what a protocol gives: it has all that the record has had.
func (b *protocolBuilder) given(p *ir.Protocol) *schema.API {
	out := &schema.API{
		Types: map[string]*schema.APIType{}, Methods: map[string]*schema.APIMethod{}, Codes: map[string]string{},
		Founding: []string{}, Added: []string{},
	}
	for _, rev := range b.sequence {
		if date := b.schemas[rev].Revision; b.later(rev) {
			out.Added = append(out.Added, date)
		} else {
			out.Founding = append(out.Founding, date)
		}
	}
	for _, s := range p.Structs {
		out.Types[s.Schema] = givenStruct(s)
	}
	for _, e := range p.Enums {
		t := &schema.APIType{Go: e.Go, Kind: "enum", Values: map[string]string{}}
		for _, v := range e.Values {
			t.Values[v.Value] = v.Go
		}
		out.Types[e.Schema] = t
	}
	for _, u := range p.Unions {
		t := &schema.APIType{Go: u.Go, Kind: "union"}
		for _, v := range u.Variants {
			t.Members = append(t.Members, recordName(v.Struct))
		}
		slices.Sort(t.Members)
		out.Types[u.Schema] = t
	}
	for _, a := range p.Aliases {
		out.Types[a.Schema] = &schema.APIType{Go: a.Go, Kind: "alias", Type: goText(a.Type)}
	}
	for _, x := range p.Methods {
		out.Methods[x.Name] = givenMethod(x)
	}
	for i, c := range p.Codes {
		out.Codes[b.codes[i].name+" "+c.Value] = c.Go
	}
	return out
}

func givenStruct(s *ir.Struct) *schema.APIType {
	t := &schema.APIType{Go: s.Go, Kind: "struct", Fields: map[string]string{}}
	for _, f := range s.Fields {
		text := "= " + f.Const
		if f.Const == "" {
			text = f.Go + " " + goText(f.Type)
		}
		t.Fields[schema.FieldKey(f.JSON, f.Nth)] = text
	}
	return t
}

func givenMethod(x *ir.Method) *schema.APIMethod {
	out := &schema.APIMethod{Const: x.Const}
	if x.ClientRevs == 0 || x.Skip {
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

// goText is the Go type of a field as text.
func goText(t *ir.Type) string {
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
		return text + "[]" + goText(t.Elem)
	case ir.KindMap:
		return text + "wire.Map[" + goText(t.Elem) + "]"
	default:
		return text + kindTexts[t.Kind]
	}
}

// checkGiven refuses a protocol that takes back what was given. It knows that only if all revisions of the record are
// there.
func (b *protocolBuilder) checkGiven(now *schema.API) error {
	var dates []string
	for _, s := range b.schemas {
		dates = append(dates, s.Revision)
	}
	if !b.api.Complete(dates) {
		return nil
	}
	var problems []error
	for _, lost := range b.api.Lost(now) {
		if reason := b.ex.Break(lost); reason != "" {
			continue
		}
		problems = append(problems, &schema.Error{Pos: b.placeOf(lost),
			Msg: fmt.Sprintf("%s. What a revision gave stays: name the "+
				"definition as it was in \"aliases\" of %s, or write %q with a reason into its \"breaks\"", lost, b.exceptionsFile(), lost)})
	}
	return errors.Join(problems...)
}

// placeOf returns where the newest revision has the definition that a line of [schema.API.Lost] begins with.
func (b *protocolBuilder) placeOf(lost string) schema.Pos {
	name, _, _ := strings.Cut(lost, " ")
	name, property, _ := strings.Cut(name, ".")
	newest := b.schemas[b.sequence[len(b.sequence)-1]]
	d := newest.Lookup(name)
	if d == nil {
		return schema.Pos{File: newest.File, Line: 1, Col: 1}
	}
	if p := d.Node.Property(strings.TrimRight(property, "#0123456789")); p != nil {
		return p.Pos
	}
	return d.Node.Pos
}

var kindTexts = map[ir.Kind]string{
	ir.KindString: "string", ir.KindBytes: "[]byte", ir.KindBool: "bool", ir.KindInt: "int64", ir.KindFloat: "float64",
	ir.KindID: "wire.ID", ir.KindError: "wire.Error", ir.KindAny: "any JSON value", ir.KindObject: "any JSON object",
}
