package build

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/schema"
)

// Change is one difference between two revisions, told with the names of the generated package.
type Change struct {
	// Kind is type, field, member (of a union), value (of an enumeration), method, code, or rule (a keyword that bounds values).
	Kind string `json:"kind"`
	// What is added, removed, changed or, for a type, renamed.
	What string `json:"change"`
	// Go is the Go name: Tool, Tool.Title, LoggingLevelDebug, MethodToolsCall.
	Go string `json:"go"`
	// Wire is the name in messages and schemas: a definition, a member, a value, a method or a code.
	Wire string `json:"wire"`
	// Old and New say what it was and what it is: the form of a type, the type of a field with
	// "required" or "optional", who sends a method. The one that does not exist is empty.
	Old string `json:"old,omitempty"`
	New string `json:"new,omitempty"`
	// Means says what the change asks of the author of a server.
	Means string `json:"means"`
}

// Diff compares two schemas, both of which are in the set. The others only settle the Go names: they
// should be the revisions that the generated package is made from.
func Diff(set []*schema.Schema, older, newer *schema.Schema, ex *schema.Exceptions) ([]Change, error) {
	docs, err := schema.ParseDocs(nil)
	if err != nil {
		return nil, err
	}
	set = slices.Clone(set)
	slices.SortFunc(set, func(a, b *schema.Schema) int { return cmp.Compare(a.Revision, b.Revision) })
	d := &differ{wider: map[string]int{}, older: slices.Index(set, older), newer: slices.Index(set, newer)}
	if d.older < 0 || d.newer < 0 || len(set) > maxRevisions {
		return nil, fmt.Errorf("cannot compare %s and %s", older.File, newer.File)
	}
	m := newMerger(set, ex, &schema.API{})
	m.merge()
	d.protocolBuilder = newProtocolBuilder(m, docs)
	p := d.build()
	d.types(p)
	for _, s := range p.Structs {
		d.fields(s)
	}
	d.members(p)
	d.methods(p)
	for _, c := range p.Codes {
		d.change("code", c.Go, c.Value, c.Revs, "", "")
	}
	d.rules()
	for i := range d.list {
		d.list[i].Means = d.meaning(&d.list[i])
	}
	return d.list, nil
}

type differ struct {
	*protocolBuilder
	older, newer int
	list         []Change
	wider        map[string]int // by field: 1 if the newer type holds more, -1 if it holds less
}

// change adds what the set of revisions says. It reports whether both revisions have the thing.
func (d *differ) change(kind, name, wire string, revs ir.Revs, before, after string) (both bool) {
	c := Change{Kind: kind, Go: name, Wire: wire}
	switch was, is := revs.Has(d.older), revs.Has(d.newer); {
	case was && is:
		return true
	case was:
		c.What, c.Old = "removed", before
	case is:
		c.What, c.New = "added", after
	default:
		return false
	}
	d.list = append(d.list, c)
	return false
}

func (d *differ) types(p *ir.Protocol) {
	for _, s := range p.Structs {
		form := "struct"
		d.change("type", s.Go, s.Schema, s.Revs, form, form)
	}
	for _, e := range p.Enums {
		form := "enumeration"
		d.change("type", e.Go, e.Schema, e.Revs, form, form)
	}
	for _, u := range p.Unions {
		form := "union"
		d.change("type", u.Go, u.Schema, u.Revs, form, form)
	}
	for _, a := range p.Aliases {
		form := "other name of a type"
		d.change("type", a.Go, a.Go, a.Revs, form, form)
	}
	slices.SortStableFunc(d.list, func(a, b Change) int { return cmp.Compare(a.Go, b.Go) })
}

// fields compares the members of a struct that both revisions have.
func (d *differ) fields(s *ir.Struct) {
	if !s.Revs.Has(d.older) || !s.Revs.Has(d.newer) {
		return
	}
	def := d.defs[s.Schema]
	for _, f := range s.Fields {
		field := def.field(f.JSON)
		before, after := d.form(f, field, d.older), d.form(f, field, d.newer)
		name := s.Go + "." + f.Go
		if !d.change("field", name, f.JSON, f.Revs, before, after) || before == after {
			continue
		}
		d.list = append(d.list, Change{Kind: "field", What: "changed", Go: name, Wire: f.JSON, Old: before, New: after})
		d.wider[name] = widerThan(field.was[d.newer], field.was[d.older])
	}
}

// widerThan returns 1 if the newer of two types holds all values of the older one and more, -1 the other way.
func widerThan(newer, older wasType) int {
	switch {
	case newer.typ == nil || older.typ == nil:
		return 0
	case newer.konst != older.konst:
		return len(older.konst) - len(newer.konst)
	case newer.typ.kind == older.typ.kind:
		return 0
	}
	switch widening[[2]ir.Kind{newer.typ.kind, older.typ.kind}] {
	case newer.typ.kind:
		return 1
	case older.typ.kind:
		return -1
	default:
		return 0
	}
}

// form says what a field is in one revision.
func (d *differ) form(f *ir.Field, field *mergedField, rev int) string {
	need := "optional"
	if f.Required.Has(rev) {
		need = "required"
	}
	typ := d.typeText(field.typ)
	if was, ok := field.was[rev]; ok {
		if typ = d.typeText(was.typ); was.konst != "" {
			typ = strconv.Quote(was.konst)
		}
	}
	return typ + ", " + need
}

var kindTexts = map[ir.Kind]string{
	ir.KindString: "string", ir.KindBytes: "[]byte", ir.KindBool: "bool", ir.KindInt: "int64", ir.KindFloat: "float64",
	ir.KindID: "wire.ID", ir.KindError: "wire.Error", ir.KindAny: "any JSON value", ir.KindObject: "any JSON object",
}

// typeText names a type for people who use it from Go.
func (d *differ) typeText(t *mergedType) string {
	text := kindTexts[t.kind]
	switch t.kind {
	case ir.KindStruct, ir.KindEnum, ir.KindUnion:
		if text = d.goNames[t.name]; text == "" {
			text = goName(t.name)
		}
	case ir.KindList:
		text = "[]" + d.elemText(t.elem)
	case ir.KindOneOrMany:
		text = "one or many " + d.elemText(t.elem)
	case ir.KindMap:
		text = "wire.Map[" + d.elemText(t.elem) + "]"
	}
	if t.null {
		text += " or null"
	}
	return text
}

func (d *differ) elemText(t *mergedType) string {
	if t.kind == ir.KindAny || t.kind == ir.KindObject {
		return "json.RawMessage"
	}
	return d.typeText(t)
}

// members compares unions and enumerations that both revisions have.
func (d *differ) members(p *ir.Protocol) {
	for _, u := range p.Unions {
		if !u.Revs.Has(d.older) || !u.Revs.Has(d.newer) {
			continue
		}
		for _, v := range u.Variants {
			d.change("member", u.Go, v.Struct, v.Revs, "*"+v.Struct, "*"+v.Struct)
		}
	}
	for _, e := range p.Enums {
		if !e.Revs.Has(d.older) || !e.Revs.Has(d.newer) {
			continue
		}
		for _, v := range e.Values {
			d.change("value", v.Go, v.Value, v.Revs, "", "")
		}
	}
}

func (d *differ) methods(p *ir.Protocol) {
	for _, x := range p.Methods {
		sender := map[string]ir.Revs{}
		for _, y := range d.merger.methods {
			if y.name == x.Name {
				sender["client"], sender["server"] = y.client, y.server
			}
		}
		from := func(rev int) string {
			var list []string
			for _, side := range []string{"client", "server"} {
				if sender[side].Has(rev) {
					list = append(list, side)
				}
			}
			kind := "request of "
			if x.Notification {
				kind = "notification of "
			}
			return kind + strings.Join(list, " and ")
		}
		before, after := from(d.older), from(d.newer)
		if d.change("method", x.Const, x.Name, x.Revs, before, after) && before != after {
			d.list = append(d.list, Change{Kind: "method", What: "changed", Go: x.Const, Wire: x.Name, Old: before, New: after})
		}
	}
}
