package protocolir

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/schema"
)

func globMatch(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}

func trimKind(def string) string {
	return strings.TrimSuffix(strings.TrimSuffix(def, "Request"), "Notification")
}

func (b *protocolBuilder) structOf(d *mergedDef) *ir.Struct {
	s := &ir.Struct{Go: b.goNames[d.name], Schema: d.name, Group: b.group(d.name), Revs: d.revs}
	s.Doc = b.typeDoc(s.Go, d, b.docs.Type(d.path))
	fields := slices.Clone(d.fields)
	slices.SortStableFunc(fields, func(x, y *mergedField) int { return b.compareFields(d, x, y) })
	names := newNameTable("Extra", "AppendJSON", "DecodeJSON")
	kept := b.api.Type(d.name)
	if kept != nil {
		for _, text := range kept.Fields {
			names.keep(givenName(text))
		}
	}
	for _, f := range fields {
		given := kept.Field(f.json, slices.Index(d.fieldsOf(f.json), f))
		s.Fields = append(s.Fields, b.fieldOf(d, f, names, given))
	}
	return s
}

// compareFields orders members for readers: constants, required ones, the others, _meta. What counts is
// whether a member was required when the definition came up, so that a newer revision changes no order.
func (b *protocolBuilder) compareFields(d *mergedDef, x, y *mergedField) int {
	return cmp.Or(
		cmp.Compare(fieldClass(d, x), fieldClass(d, y)),
		cmp.Compare(b.rank(x.json), b.rank(y.json)),
		cmp.Compare(x.json, y.json),
	)
}

func fieldClass(d *mergedDef, f *mergedField) int {
	switch {
	case f.konst != "":
		return 0
	case f.json == "_meta":
		return 3
	case f.required&bit(d.revs.First()) != 0:
		return 1
	default:
		return 2
	}
}

func (b *protocolBuilder) rank(json string) int {
	if i := slices.Index(b.ex.Order, json); i >= 0 {
		return i
	}
	return len(b.ex.Order)
}

// fieldOf makes a field. given is its name and type if it was there before.
func (b *protocolBuilder) fieldOf(d *mergedDef, f *mergedField, names *nameTable, given string) *ir.Field {
	out := &ir.Field{JSON: f.json, Const: f.konst, Revs: f.revs, Required: f.required}
	name, suffix := goname.Of(f.json), "Member"
	if out.Nth = slices.Index(d.fieldsOf(f.json), f); out.Nth > 0 {
		suffix = otherSuffix(f.typ)
		name += suffix
	}
	out.Go = names.claimKept(givenName(given), name, suffix)
	if f.konst != "" {
		return out
	}
	out.Doc = b.memberDoc(schema.DocKey{Section: "types", Name: d.path, Member: f.json}, b.fieldDoc(d, f), f.revs, d.revs)
	if f.typ.kind == ir.KindString || f.typ.kind == ir.KindEnum {
		out.Default = b.ex.Default(d.name, f.json)
	}
	if f.required != d.revs {
		out.Narrow = mergeNarrow(f.narrow)
	}
	out.Type = b.typeRef(f.typ)
	out.Type.Ptr = b.isPointer(d, f)
	if given != "" {
		out.Type.Ptr = strings.Contains(given, " *")
	}
	return out
}

func (b *protocolBuilder) fieldDoc(d *mergedDef, f *mergedField) string {
	for _, owner := range append([]string{d.path, d.name}, d.bases...) {
		if doc := b.docs.Field(owner, f.json); doc != "" {
			return doc
		}
	}
	return b.extension.fieldDoc(d, f)
}

// isPointer decides where absence needs a pointer: the zero value of the Go type is a
// value of its own. Numbers and strings that are required wherever they exist need none.
func (b *protocolBuilder) isPointer(d *mergedDef, f *mergedField) bool {
	always := f.required == f.revs
	switch f.typ.kind {
	case ir.KindBool, ir.KindInt, ir.KindFloat:
		return !always || f.typ.null
	case ir.KindStruct:
		return f.required != d.revs || f.typ.null || b.contains(f.typ.name, d.name, nil)
	case ir.KindString:
		return f.typ.null || !always && b.ex.KeepsEmpty(d.name, f.json)
	case ir.KindError:
		return true
	default:
		return false
	}
}

// contains reports whether the struct named outer holds a value of the struct named inner
// through required fields, which would make its size infinite.
func (b *protocolBuilder) contains(outer, inner string, seen []string) bool {
	if outer == inner {
		return true
	}
	if slices.Contains(seen, outer) || b.defs[outer] == nil {
		return false
	}
	seen = append(seen, outer)
	for _, f := range b.defs[outer].fields {
		byValue := f.typ.kind == ir.KindStruct && f.required == b.defs[outer].revs && !f.typ.null
		if byValue && b.contains(f.typ.name, inner, seen) {
			return true
		}
	}
	return false
}

func mergeNarrow(list []ir.Narrow) []ir.Narrow {
	var out []ir.Narrow
	for _, n := range list {
		i := slices.IndexFunc(out, func(o ir.Narrow) bool { return o.Member == n.Member && o.Value == n.Value })
		if i < 0 {
			out = append(out, n)
			continue
		}
		out[i].Revs |= n.Revs
	}
	return out
}
