package protocolir

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
	"github.com/mcpgen/mcpgen/internal/protocolir/record"
	"github.com/mcpgen/mcpgen/schema"
)

func trimKind(def string) string {
	return strings.TrimSuffix(strings.TrimSuffix(def, "Request"), "Notification")
}

func (b *builder) structOf(d *merged.Def) *ir.Struct {
	s := &ir.Struct{Go: b.goNames[d.Name], Schema: d.Name, Group: b.group(d.Name), Revs: d.Revs}
	s.Doc = b.comments.Type(s.Go, d, b.docs.Type(d.Path))
	fields := slices.Clone(d.Fields)
	slices.SortStableFunc(fields, func(x, y *merged.Field) int { return b.compareFields(d, x, y) })
	names := newNameTable("Extra", "AppendJSON", "DecodeJSON")
	kept := b.API.Type(d.Name)
	if kept != nil {
		for _, text := range kept.Fields {
			names.keep(record.GivenName(text))
		}
	}
	for _, f := range fields {
		given := kept.Field(f.JSON, slices.Index(d.FieldsOf(f.JSON), f))
		s.Fields = append(s.Fields, b.fieldOf(d, f, names, given))
	}
	for _, f := range s.Fields {
		if older := b.widens(d, f.JSON, f.Nth); older >= 0 && !plainStruct(f) {
			i := slices.IndexFunc(s.Fields, func(g *ir.Field) bool { return g.JSON == f.JSON && g.Nth == older })
			f.Widens = s.Fields[i]
		}
	}
	return s
}

// plainStruct reports whether a field has no value that says that nobody has set it.
func plainStruct(f *ir.Field) bool {
	return f.Const != "" || !f.Type.Ptr && (f.Type.Kind == ir.KindStruct || f.Type.Kind == ir.KindBool)
}

// widens returns which of the older fields of a property has values that its nth field can have too: the newest of
// them, or -1.
func (b *builder) widens(d *merged.Def, property string, nth int) int {
	list := d.FieldsOf(property)
	for i := nth - 1; i >= 0; i-- {
		if b.includes(list[nth], list[i]) {
			return i
		}
	}
	return -1
}

// includes reports whether the JSON of every value of an older field is one of a newer field.
func (b *builder) includes(newer, older *merged.Field) bool {
	have := older.Type.Kind
	if older.Const != "" {
		have = ir.KindString
	}
	switch newer.Type.Kind {
	case ir.KindAny:
		return true
	case ir.KindString, ir.KindEnum:
		return have == ir.KindString
	case ir.KindFloat:
		return have == ir.KindInt
	case ir.KindID:
		return have == ir.KindInt || have == ir.KindString || have == ir.KindEnum
	case ir.KindObject:
		return have == ir.KindStruct || have == ir.KindMap
	case ir.KindUnion, ir.KindOneOrMany:
		name := newer.Type.Name
		if newer.Type.Elem != nil {
			name = newer.Type.Elem.Name
		}
		return have == ir.KindStruct && older.Const == "" && slices.ContainsFunc(b.Defs[name].Members,
			func(m merged.Member) bool { return m.Name == older.Type.Name && m.Revs&newer.Revs == newer.Revs })
	default:
		return false
	}
}

// compareFields orders members for readers: constants, required ones, the others, _meta. What counts is
// whether a member was required when the definition came up, so that a newer revision changes no order.
func (b *builder) compareFields(d *merged.Def, x, y *merged.Field) int {
	return cmp.Or(
		cmp.Compare(fieldClass(d, x), fieldClass(d, y)),
		cmp.Compare(b.rank(x.JSON), b.rank(y.JSON)),
		cmp.Compare(x.JSON, y.JSON),
	)
}

func fieldClass(d *merged.Def, f *merged.Field) int {
	switch {
	case f.Const != "":
		return 0
	case f.JSON == "_meta":
		return 3
	case f.Required&merged.Bit(d.Revs.First()) != 0:
		return 1
	default:
		return 2
	}
}

func (b *builder) rank(json string) int {
	if i := slices.Index(b.ex.Order, json); i >= 0 {
		return i
	}
	return len(b.ex.Order)
}

// fieldOf makes a field. given is its name and type if it was there before.
func (b *builder) fieldOf(d *merged.Def, f *merged.Field, names *nameTable, given string) *ir.Field {
	out := &ir.Field{JSON: f.JSON, Const: f.Const, Revs: f.Revs, Required: f.Required}
	name, suffix := goname.Of(f.JSON), "Member"
	if out.Nth = slices.Index(d.FieldsOf(f.JSON), f); out.Nth > 0 {
		suffix = otherSuffix(f.Type)
		name += suffix
	}
	out.Go = names.claimKept(record.GivenName(given), name, suffix)
	if f.Const != "" {
		return out
	}
	key := schema.DocKey{Section: "types", Name: d.Path, Member: f.JSON}
	out.Doc = b.comments.Member(key, b.fieldDoc(d, f), f.Revs, d.Revs)
	if f.Type.Kind == ir.KindString || f.Type.Kind == ir.KindEnum {
		out.Default = b.ex.Default(d.Name, f.JSON)
	}
	if f.Required != d.Revs {
		out.Narrow = mergeNarrow(f.Narrow)
	}
	out.Type = b.typeRef(f.Type)
	out.Type.Ptr = b.isPointer(d, f)
	if given != "" {
		out.Type.Ptr = strings.Contains(given, " *")
	}
	return out
}

func (b *builder) fieldDoc(d *merged.Def, f *merged.Field) string {
	for _, owner := range append([]string{d.Path, d.Name}, d.Bases...) {
		if doc := b.docs.Field(owner, f.JSON); doc != "" {
			return doc
		}
	}
	return b.likeDoc(d, f)
}

// isPointer decides where absence needs a pointer: the zero value of the Go type is a
// value of its own. Numbers and strings that are required wherever they exist need none.
func (b *builder) isPointer(d *merged.Def, f *merged.Field) bool {
	always := f.Required == f.Revs
	switch f.Type.Kind {
	case ir.KindBool, ir.KindInt, ir.KindFloat:
		return !always || f.Type.Null
	case ir.KindStruct:
		return f.Required != d.Revs || f.Type.Null || b.contains(f.Type.Name, d.Name, nil)
	case ir.KindString:
		return f.Type.Null || !always && b.ex.KeepsEmpty(d.Name, f.JSON)
	case ir.KindError:
		return true
	default:
		return false
	}
}

// contains reports whether the struct named outer holds a value of the struct named inner
// through required fields, which would make its size infinite.
func (b *builder) contains(outer, inner string, seen []string) bool {
	if outer == inner {
		return true
	}
	if slices.Contains(seen, outer) || b.Defs[outer] == nil {
		return false
	}
	seen = append(seen, outer)
	for _, f := range b.Defs[outer].Fields {
		byValue := f.Type.Kind == ir.KindStruct && f.Required == b.Defs[outer].Revs && !f.Type.Null
		if byValue && b.contains(f.Type.Name, inner, seen) {
			return true
		}
	}
	return false
}

func mergeNarrow(list []ir.Narrow) []ir.Narrow {
	var out []ir.Narrow
	for _, n := range list {
		i := slices.IndexFunc(out, func(o ir.Narrow) bool {
			o.Revs = n.Revs
			return o == n
		})
		if i < 0 {
			out = append(out, n)
			continue
		}
		out[i].Revs |= n.Revs
	}
	return out
}
